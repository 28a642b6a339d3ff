"""What is installed of what ragauge can use: read from the package's own metadata, and tried out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

State: TypeAlias = Literal["ok", "absent", "broken", "unsupported"]

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*([^;]*)(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")
_BOUND = re.compile(r"(>=|<=|==|!=|<|>)\s*([\d.]+)")
DEVELOPMENT = ("all", "docs", "lint", "test")

# What each extra is for, and how it is tried: a tokenizer cuts this text, a module is imported.
_PURPOSES: Mapping[str, str] = MappingProxyType(
    {
        "icu": "words of Khmer, Lao, Burmese and others (tokenizer icu)",
        "ja": "Japanese words (tokenizer ja)",
        "ko": "Korean words (tokenizer ko)",
        "sent": "sentences by sentencex",
        "st": "sentence-transformers: embedders, cross-encoders, BERTScore",
        "static": "static embedding models",
        "stem": "stemmers, METEOR",
        "th": "Thai words (tokenizer th)",
        "zh": "jieba with user dictionaries, traditional Chinese",
    }
)
_TOKENIZERS = {
    "icu": ("icu", "ភាសាខ្មែរ"),
    "ja": ("ja", "お茶を飲む"),
    "ko": ("ko", "차를 마신다"),
    "th": ("th", "ดื่มชา"),
}
_MODULES = {"sent": ("sentencex",), "static": ("safetensors", "tokenizers"), "stem": ("nltk", "snowballstemmer")}


@dataclass(frozen=True)
class Library:
    """A library: the version that is there, and the one that is asked for."""

    name: str
    version: str | None
    wanted: str

    @property
    def supported(self) -> bool:
        """Whether its version is one that ragauge asks for; true where it is absent."""
        if self.version is None:
            return True
        return all(_meets(self.version, sign, bound) for sign, bound in _BOUND.findall(self.wanted))


@dataclass(frozen=True)
class Part:
    """What ragauge needs, or an extra of it."""

    name: str
    purpose: str
    state: State
    libraries: tuple[Library, ...]
    why: str = ""
    """What is wrong."""
    advice: str = ""
    """The line that mends it."""


def parts() -> Iterator[Part]:
    """Look at what is needed, and at each extra."""
    groups: dict[str, list[Library]] = {}
    for text in requires("ragauge") or ():
        found = _REQUIREMENT.match(text)
        if found and found[3] not in DEVELOPMENT:
            groups.setdefault(found[3] or "", []).append(_library(found[1], found[2].strip(" ()")))
    yield _part("", "needed", groups.pop("", []))
    for extra, libraries in sorted(groups.items()):
        yield _part(extra, _PURPOSES.get(extra, ""), libraries)


def _library(name: str, wanted: str) -> Library:
    try:
        return Library(name, version(name), wanted)
    except PackageNotFoundError:
        return Library(name, None, wanted)


def _part(extra: str, purpose: str, libraries: list[Library]) -> Part:
    absent = [library.name for library in libraries if library.version is None]
    install = f"pip install 'ragauge[{extra}]'" if extra else "pip install --force-reinstall ragauge"
    if absent:
        # Without what is needed ragauge would not run; an extra is a choice.
        state: State = "absent" if extra else "broken"
        return Part(extra, purpose, state, tuple(libraries), f"not installed: {', '.join(absent)}", install)
    wrong = [library for library in libraries if not library.supported]
    if wrong:
        why = ", ".join(f"{one.name} {one.version} is there, {one.wanted} is supported" for one in wrong)
        return Part(extra, purpose, "unsupported", tuple(libraries), why, install)
    why = _tried(_try(extra, libraries))
    return Part(extra, purpose, "broken" if why else "ok", tuple(libraries), why, install if why else "")


def _try(extra: str, libraries: list[Library]) -> Callable[[], Any]:
    """Return what uses an extra; torch takes seconds to load, and is looked at only."""
    from ragauge.core.registry import make_ingredient

    if extra in _TOKENIZERS:
        name, text = _TOKENIZERS[extra]
        return lambda: make_ingredient("tokenizer", name).tokens(text)
    if extra == "zh":
        return lambda: make_ingredient("tokenizer", "zh[traditional=true]").tokens("喝龍井茶")
    if extra == "st":
        return lambda: None
    modules = _MODULES.get(extra, tuple(one.name.replace("-", "_") for one in libraries) if not extra else ())
    return lambda: [import_module(module) for module in modules]


def _tried(use: Callable[[], Any]) -> str:
    """Return what a library raises, in one line; libraries raise anything."""
    try:
        use()
    except Exception as error:  # noqa: BLE001 - whatever it is, this is where it is reported
        return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
    return ""


def _meets(given: str, sign: str, bound: str) -> bool:
    """Compare versions by their numbers.

    >>> _meets("1.10", ">=", "1.9"), _meets("2.0", "<", "2"), _meets("0.42.1", "==", "0.42.1")
    (True, False, True)
    """
    numbers = [[int(part) for part in re.findall(r"\d+", text.partition("+")[0])] for text in (given, bound)]
    size = max(map(len, numbers))
    left, right = ([*one, *[0] * (size - len(one))] for one in numbers)
    return {
        ">=": left >= right,
        "<=": left <= right,
        "==": left == right,
        "!=": left != right,
        "<": left < right,
        ">": left > right,
    }[sign]
