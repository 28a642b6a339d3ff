"""The rules of a gate, from the command line and from a settings file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragauge.core.messages import Argument, Message
from ragauge.errors import OptionError, UsageError, alternatives, did_you_mean, reason_of
from ragauge.metrics.other_names import in_our_words

OWN, SHARED = "ragauge.toml", "pyproject.toml"
TABLES = ("score", "map", "split", "gate")
"""The tables that a file may have."""

_HEADER = re.compile(r"\s*+\[([^\[\]]++)\]")
_DEEP = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""", re.ASCII)
"""A hundred names with dots between them, as one key: Python's reader takes quadratic time for those."""
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*[=.]""")


@dataclass(frozen=True)
class Configuration:
    """The settings of one file.

    ``table``: what it has, by table; ``text``: as it is written, for line numbers.
    """

    path: Path
    table: Mapping[str, Any]
    text: str

    def where(self, *keys: str) -> str:
        """Name the line that sets ``keys``, as in ``ragauge.toml line 7``; the file alone where it is not found."""
        prefix = ("tool", "ragauge") if self.path.name == SHARED else ()
        line = _line(self.text, (*prefix, *keys))
        return Message("{path} line {line}", self.path, line) if line else str(self.path)

    def section(self, name: str) -> Mapping[str, Any]:
        """Return the table called ``name``, empty where there is none; OptionError where it is not a table."""
        section = self.table.get(name, {})
        if not isinstance(section, dict):
            raise OptionError.value(self.where(name), name, Message("a table: [{name}]", name), section)
        return section

    def check_keys(self, name: str, allowed: Iterable[str]) -> None:
        """Raise UsageError for a key of table ``name`` that is not ``allowed``."""
        allowed = tuple(allowed)
        for key in self.section(name):
            if key not in allowed:
                raise UsageError(
                    "RG-CORE-003 {place}: [{name}] has no {key!r}{hint}",
                    self.where(name, key),
                    name,
                    key,
                    did_you_mean(key, allowed),
                )


def read(path: Path) -> Configuration:
    """Read one file; UsageError where it is not there, is not valid TOML, or has a table that means nothing."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        table = _parsed(text)
    except OSError as error:
        raise UsageError(
            "RG-CORE-015 {path} cannot be read: {reason}; name another file, as in {config}",
            path,
            reason_of(error),
            Argument("config", "ragauge.toml"),
        ) from None
    except RecursionError:
        raise UsageError(
            "RG-CORE-001 {path} is nested too deeply; settings have tables of at most two levels", path
        ) from None
    except ValueError as error:
        # Beside errors of the grammar: bytes that are not UTF-8, and numbers of more digits than Python reads.
        raise UsageError("RG-CORE-002 {path} is not valid TOML: {reason}", path, error) from None
    for key in ("tool", "ragauge") if path.name == SHARED else ():
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise OptionError.value(str(path), key, "a table", table)
    configuration = Configuration(path, table, text)
    for name in table:
        if name not in TABLES:
            hint = did_you_mean(name, TABLES)
            place = configuration.where(name)
            raise UsageError("RG-CORE-016 {place}: there is no table or key {name!r}{hint}", place, name, hint)
    return configuration


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    if _DEEP.search(text):
        raise RecursionError("a key has a hundred parts")
    return tomllib.loads(text)


def _line(text: str, keys: tuple[str, ...]) -> int:
    r"""Return the number of the line that sets ``keys``, or heads the table of that name; 0 where none does.

    >>> _line('[score]\nlang = "zh"\n[gate.min]\n"ndcg@10" = 1', ("score", "lang"))
    2
    >>> _line('[score]\nlang = "zh"\n[gate.min]\n"ndcg@10" = 1', ("gate", "min", "ndcg@10"))
    4
    """
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header:
            table = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            here = table
        elif key:
            here = (*table, key[1].strip("\"'"))
        else:
            continue
        if here[: len(keys)] == keys:
            return number
    return 0


_SIGNS: Mapping[str, str] = {"--min": ">", "--max": "<", "--max-drop": "<"}
"""What may stand before the ``=`` of each option: ``ndcg@10 >= 0.42`` says the same as ``ndcg@10=0.42``."""


def limits(texts: Iterable[str], option: str) -> dict[str, float]:
    """Return the limit of each metric from texts such as ``ndcg@10=0.42``; UsageError where there is no number.

    The last ``=`` separates the two. Before it may stand the sign that the option means, as in ``ndcg@10 >= 0.42``.

    >>> limits(["ndcg@10=0.42", "column:name=latency=2"], "--max")
    {'ndcg@10': 0.42, 'column:name=latency': 2.0}
    >>> limits(["ndcg_cut_10 >= .42"], "--min")
    {'ndcg_cut_10': 0.42}
    """
    by_metric = {}
    for text in texts:
        metric, equals, limit = text.rpartition("=")
        metric = metric.strip().removesuffix(_SIGNS[option]).rstrip()
        try:
            by_metric[metric] = float(limit)
        except ValueError:
            equals = ""
        if not equals or not metric or metric.endswith(("<", ">")):
            raise UsageError(
                "RG-GATE-003 {option} takes METRIC=NUMBER, as in {option} ndcg@10=0.42; got {text!r}", option, text
            )
    return by_metric


def overridden(settings: Mapping[str, float], options: Mapping[str, float]) -> dict[str, float]:
    """Return the limits of both, where ``options`` win, also where they name a metric as another library does.

    >>> overridden({"ndcg@10": 0.42, "mrr": 0.3}, {"ndcg_cut_10": 0.5})
    {'mrr': 0.3, 'ndcg_cut_10': 0.5}
    """
    named = {in_our_words(metric) or metric for metric in options}
    kept = {metric: limit for metric, limit in settings.items() if (in_our_words(metric) or metric) not in named}
    return kept | dict(options)


def share(value: Any, option: str) -> float:
    """Return a share, from a number from 0 to 1 or from text such as ``1%``; OptionError where it is neither.

    >>> share("1%", "max_failed"), share("0.01", "max_failed"), share(0.01, "max_failed")
    (0.01, 0.01, 0.01)
    """
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= 1:
        raise OptionError.value("the gate", option, "a share from 0 to 1, or as in 1%", value)
    return number


_LIMITS = ("min", "max", "max-drop")
_KINDS: Mapping[str, tuple[type, ...]] = {
    "baseline": (str,),
    "confident": (bool,),
    "min-scored": (int,),
    "max-failed": (str, int, float),
    "min-coverage": (str, int, float),
}
KEYS = (*_LIMITS, *_KINDS)
"""The keys of [gate]."""


def gate_settings(folder: Path, file: Path | None = None) -> dict[str, Any]:
    """Return the arguments of `ragauge.gate` that ``file`` sets, or else ragauge.toml or pyproject.toml of ``folder``.

    A baseline is relative to the folder of its file. A file that is missing, is not TOML, or has a key or value that a
    gate does not take raises UsageError.
    """
    for path in (file,) if file is not None else (folder / OWN, folder / SHARED):
        if file is not None or path.is_file():
            settings = read(path)
            if "gate" in settings.table:
                return _checked(settings)
    return {}


def _checked(settings: Configuration) -> dict[str, Any]:
    settings.check_keys("gate", KEYS)
    return {
        key.replace("-", "_"): _limits(key, value, settings) if key in _LIMITS else _value(key, value, settings)
        for key, value in settings.section("gate").items()
    }


def _limits(key: str, value: Any, settings: Configuration) -> dict[str, float]:
    numbers = isinstance(value, dict) and all(type(limit) in (int, float) for limit in value.values())
    if not numbers:
        where = settings.where("gate", key)
        raise OptionError.value(
            where, key, Message('a table of numbers, as in [gate.{key}] "ndcg@10" = 0.42', key), value
        )
    return dict(value)


def _value(key: str, value: Any, settings: Configuration) -> Any:
    if not isinstance(value, _KINDS[key]) or (isinstance(value, bool) and key != "confident"):
        kinds = alternatives(kind.__name__ for kind in _KINDS[key])
        raise OptionError.value(settings.where("gate", key), key, Message("of type {kinds}", kinds), value)
    if key in ("max-failed", "min-coverage"):
        return share(value, key)
    return settings.path.parent / str(value) if key == "baseline" else value
