"""The gate in ``ragauge.toml``, or under ``[tool.ragauge]`` of ``pyproject.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragauge.configuration import OWN, SHARED, Configuration, read
from ragauge.errors import OptionError
from ragauge.gating.rules import share

_LIMITS = ("min", "max", "max-drop")
_KINDS: Mapping[str, tuple[type, ...]] = {
    "baseline": (str,),
    "confident": (bool,),
    "min-counted": (int,),
    "max-failed": (str, int, float),
}
KEYS = (*_LIMITS, *_KINDS)
"""What [gate] takes."""


def gate_settings(folder: Path, file: Path | None = None) -> dict[str, Any]:
    """Read the settings of the gate: from ``file``, else from ``folder``'s ragauge.toml, else its pyproject.toml.

    Returns:
        Arguments of `ragauge.gate`; a baseline is found from where the file is.

    Raises:
        UsageError: the file is not there, is no TOML, or has a key or value that a gate does not take.
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
