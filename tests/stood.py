"""Results that stand in a file as they were: a group of inputs each, which a test compares with those of now."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.errors import RagaugeError
from ragauge.formats.fields import BadFieldError

Case = tuple[str, Callable[[], Any]]
Group = Callable[[], Iterable[Case]]
SHOWN = 3
"""Inputs with one result that are listed; the others are counted and summed up."""


@dataclass(frozen=True)
class Stood:
    """The groups of one file."""

    file: Path
    groups: dict[str, Group] = field(default_factory=dict)

    def group(self, made: Group) -> Group:
        """Enter a group of inputs under the name of its function."""
        self.groups[made.__name__] = made
        return made

    def now(self, name: str) -> str:
        """Return a group's results, each above the inputs that it is of, in the order of the first ones."""
        inputs: dict[str, list[str]] = {}
        for given, made in self.groups[name]():
            inputs.setdefault(_result(made), []).append(given)
        return "".join(f"{result}\n    {_listed(given)}\n" for result, given in inputs.items())

    def before(self) -> tuple[str, dict[str, str]]:
        """Return the versions that the file was written by, and what it holds of each group."""
        versions, *parts = self.file.read_text("utf-8").split("\n\n# ")
        return versions, dict(part.split("\n", 1) for part in parts)

    def write(self) -> None:
        """Write the file anew."""
        groups = "".join(f"\n\n# {name}\n{self.now(name)}" for name in self.groups)
        self.file.write_text(versions() + groups, encoding="utf-8")


def versions() -> str:
    """Return the versions whose words results hold: of errors of JSON, of types, of errors of Arrow."""
    numpy, arrow = (one.__version__.partition(".")[0] for one in (np, pa))
    return f"Python {sys.version_info.major}.{sys.version_info.minor}, numpy {numpy}, pyarrow {arrow}"


def shown(value: Any, most: int = 240) -> str:
    """Return a value on one line, with its types; of a long one the beginning, and a sum over all of it."""
    try:
        text = repr(value).replace("\ud800", "\\ud800")
    except ValueError:
        return "a number of many digits"
    return text if len(text) <= most else f"{text[:most]}... ({_sum_of(text)})"


def rounded(value: Any) -> Any:
    """Return a value whose fractions have nine digits: the others may differ from library to library."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: rounded(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        return rounded(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.9g}") + 0.0
    if isinstance(value, Mapping):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list | tuple) else value


def _result(made: Callable[[], Any]) -> str:
    try:
        return shown(made())
    except (RagaugeError, BadFieldError) as error:
        return f"{type(error).__name__}: {error}".replace("\n", "\n  ")


def _listed(inputs: list[str]) -> str:
    if len(inputs) <= SHOWN:
        return " · ".join(inputs)
    return f"{' · '.join(inputs[:SHOWN])} and {len(inputs) - SHOWN} more ({_sum_of(' · '.join(inputs))})"


def _sum_of(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'backslashreplace')):08x}"
