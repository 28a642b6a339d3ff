"""Looking up code points in tables that end where all that follows is alike."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ragauge.tokenizers._cuts import PointArray

Table = npt.NDArray[np.uint8]

WHITE_SPACE = (
    *(*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680),
    *(*range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
)
"""The code points at which `str.split` splits."""


def table_of(size: int, classes: Iterable[tuple[int, Iterable[int]]]) -> Table:
    """Return a table of ``size`` with each class at its code points, 0 elsewhere; what comes last counts."""
    table = np.zeros(size, dtype=np.uint8)
    for number, points in classes:
        table[list(points)] = number
    return table


def looked_up(table: Table, points: PointArray) -> Table:
    """Return the class of each code point; those past the table's end have the class of its last entry."""
    if points.dtype == np.uint8:
        return np.frombuffer(points.tobytes().translate(_of_bytes(table)), dtype=np.uint8)
    return np.asarray(table[np.minimum(points, len(table) - 1)])


def _of_bytes(table: Table) -> bytes:
    """Return the 256 entries that bytes can ask for."""
    return table[np.minimum(np.arange(256), len(table) - 1)].tobytes()
