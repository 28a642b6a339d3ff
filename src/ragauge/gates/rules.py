"""The rules of a gate, from Python, from the command line and from a settings file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ragauge.core.configuration import OWN, SHARED, Configuration, read
from ragauge.errors import OptionError, UsageError

_NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class GateRules:
    """Rules for a run; the arguments are those of `ragauge.gate`.

    Raises:
        OptionError: a value is not allowed.
    """

    min: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    max: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    max_drop: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    max_failed: float | None = None
    min_scored: int | None = None
    confident: bool = False

    def __post_init__(self) -> None:
        for option in ("min", "max", "max_drop"):
            for metric, value in getattr(self, option).items():
                if not _is_number(value) or (option == "max_drop" and value < 0):
                    allowed = "a number from 0" if option == "max_drop" else "a number"
                    raise OptionError.value(f"the gate for {metric}", option, allowed, value)
        if self.max_failed is not None and not (_is_number(self.max_failed) and 0 <= self.max_failed <= 1):
            raise OptionError.value("the gate", "max_failed", "a share from 0 to 1, or as in 1%", self.max_failed)
        if self.min_scored is not None and not (_is_number(self.min_scored) and self.min_scored >= 0):
            raise OptionError.value("the gate", "min_scored", "a whole number from 0", self.min_scored)

    def __bool__(self) -> bool:
        return bool(self.min or self.max or self.max_drop) or (self.max_failed, self.min_scored) != (None, None)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def limits(texts: Iterable[str], option: str) -> dict[str, float]:
    """Return the limit of each metric from texts such as ``ndcg@10=0.42``; the last ``=`` separates the two.

    Raises:
        UsageError: there is no number.

    >>> limits(["ndcg@10=0.42", "column:name=latency=2"], "--max")
    {'ndcg@10': 0.42, 'column:name=latency': 2.0}
    """
    found = {}
    for text in texts:
        metric, equals, limit = text.rpartition("=")
        try:
            found[metric] = float(limit)
        except ValueError:
            equals = ""
        if not equals or not metric:
            message = f"{option} takes METRIC=NUMBER, as in {option} ndcg@10=0.42; got {text!r}"
            raise UsageError(message)
    return found


def share(value: Any, option: str) -> float:
    """Return a share, from a number from 0 to 1 or from text such as ``1%``.

    Raises:
        OptionError: ``value`` is neither.

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
}
KEYS = (*_LIMITS, *_KINDS)
"""The keys of [gate]."""


def gate_settings(folder: Path, file: Path | None = None) -> dict[str, Any]:
    """Return the arguments of `ragauge.gate` that a file sets: ``file``, or else ragauge.toml or pyproject.toml.

    Args:
        folder: where ragauge.toml and pyproject.toml are looked for.
        file: the file; a baseline in it is relative to the file's folder.

    Raises:
        UsageError: the file is missing, is not valid TOML, or has a key or value that a gate does not take.
    """
    for path in (file,) if file is not None else (folder / OWN, folder / SHARED):
        if file is not None or path.is_file():
            found = read(path)
            if "gate" in found.table:
                return _checked(found)
    return {}


def _checked(found: Configuration) -> dict[str, Any]:
    found.check_keys("gate", KEYS)
    return {
        key.replace("-", "_"): _limits(key, value, found) if key in _LIMITS else _value(key, value, found)
        for key, value in found.section("gate").items()
    }


def _limits(key: str, value: Any, found: Configuration) -> dict[str, float]:
    numbers = isinstance(value, dict) and all(type(limit) in (int, float) for limit in value.values())
    if not numbers:
        where = found.where("gate", key)
        raise OptionError.value(where, key, f'a table of numbers, as in [gate.{key}] "ndcg@10" = 0.42', value)
    return {metric: float(limit) for metric, limit in value.items()}


def _value(key: str, value: Any, found: Configuration) -> Any:
    if not isinstance(value, _KINDS[key]) or (isinstance(value, bool) and key != "confident"):
        kinds = " or ".join(kind.__name__ for kind in _KINDS[key])
        raise OptionError.value(found.where("gate", key), key, f"of type {kinds}", value)
    if key == "max-failed":
        return share(value, "max-failed")
    return found.path.parent / str(value) if key == "baseline" else value
