"""The gate in ``ragauge.toml``, or under ``[tool.ragauge]`` of ``pyproject.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragauge.errors import OptionError, UsageError, did_you_mean
from ragauge.gating.rules import share

_LIMITS = ("min", "max", "max-drop")
_KINDS: Mapping[str, tuple[type, ...]] = {
    "baseline": (str,),
    "confident": (bool,),
    "min-counted": (int,),
    "max-failed": (str, int, float),
}


def gate_settings(folder: Path, file: Path | None = None) -> dict[str, Any]:
    """Read the settings of the gate: from ``file``, else from ``folder``'s ragauge.toml, else its pyproject.toml.

    Returns:
        Arguments of `ragauge.gate`; a baseline is found from where the file is.

    Raises:
        UsageError: the file is not there, is no TOML, or has a key or value that a gate does not take.
    """
    for path in (file,) if file is not None else (folder / "ragauge.toml", folder / "pyproject.toml"):
        if file is not None or path.is_file():
            table = _table(path)
            if "gate" in table:
                return _checked(table["gate"], path)
    return {}


def _table(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}; give the file of the gate with --config"
        raise UsageError(message) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{path} is no TOML: {error}"
        raise UsageError(message) from None
    if path.name != "pyproject.toml":
        return table
    for key in ("tool", "ragauge"):
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise OptionError.value(str(path), key, "a table", table)
    return table


def _checked(gate: Any, path: Path) -> dict[str, Any]:
    allowed = (*_LIMITS, *_KINDS)
    if not isinstance(gate, dict):
        raise OptionError.value(str(path), "gate", "a table: [gate]", gate)
    settings: dict[str, Any] = {}
    for key, value in gate.items():
        if key not in allowed:
            message = f"{path}: a gate has no {key!r}{did_you_mean(key, allowed)}"
            raise UsageError(message)
        settings[key.replace("-", "_")] = _limits(key, value, path) if key in _LIMITS else _value(key, value, path)
    return settings


def _limits(key: str, value: Any, path: Path) -> dict[str, float]:
    numbers = isinstance(value, dict) and all(type(limit) in (int, float) for limit in value.values())
    if not numbers:
        raise OptionError.value(str(path), key, f'a table of numbers, as in [gate.{key}] "ndcg@10" = 0.42', value)
    return {metric: float(limit) for metric, limit in value.items()}


def _value(key: str, value: Any, path: Path) -> Any:
    if not isinstance(value, _KINDS[key]) or (isinstance(value, bool) and key != "confident"):
        kinds = " or ".join(kind.__name__ for kind in _KINDS[key])
        raise OptionError.value(str(path), key, f"of type {kinds}", value)
    if key == "max-failed":
        return share(value, "max-failed")
    return path.parent / str(value) if key == "baseline" else value
