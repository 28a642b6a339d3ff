"""Cells that hold several texts in one, with something between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.errors import OptionError
from ragauge.formats._cells import plain
from ragauge.formats._chunk import Values
from ragauge.sample import SCHEMA

COLUMNS = tuple(name for name, kind in SCHEMA.items() if kind == "texts")

# What people put between passages, longer ones first.
_SEPARATORS = ("|||", "||", "<sep>", "[SEP]", "\n---\n", "\n\n", "###", " | ")


def check_split(split: Mapping[str, str]) -> None:
    """Refuse columns that hold no list of texts, and empty separators.

    Raises:
        OptionError: there is one.
    """
    for column, separator in split.items():
        if column not in COLUMNS:
            raise OptionError.value("read", "split", f"of {' or '.join(COLUMNS)}", column)
        if not separator:
            raise OptionError.value("read", f"split {column}", "what stands between the texts", separator)


def split_cells(values: Values, separator: str) -> list[Any]:
    """Split the cells that are texts; pieces lose the white space around them, and empty ones are left out.

    >>> split_cells(["tea ||| jam", None, ["tea"]], "|||")
    [['tea', 'jam'], None, ['tea']]
    """
    return [_pieces(cell, separator) if isinstance(cell, str) else cell for cell in plain(values)]


def _pieces(cell: str, separator: str) -> list[str]:
    return [piece for part in cell.split(separator) if (piece := part.strip())]


def separator_of(cells: Sequence[Any]) -> str | None:
    """Return what seems to stand between the texts of most cells, none of which is a list.

    >>> separator_of(["tea ||| jam", "rum ||| gin"]), separator_of(["tea", "jam"])
    ('|||', None)
    """
    texts = [cell for cell in cells if isinstance(cell, str)]
    if len(texts) < sum(cell is not None for cell in cells) or any(text.lstrip().startswith("[") for text in texts):
        return None
    return next((one for one in _SEPARATORS if sum(one in text for text in texts) * 2 > len(texts)), None)


class Unsplit:
    """Watches for passages that look like several in one."""

    def __init__(self, split: Mapping[str, str]) -> None:
        self._columns = [name for name in ("contexts", "reference_contexts") if name not in split]
        self._cells: Counter[str] = Counter()
        self._single: Counter[str] = Counter()
        self._found: Counter[tuple[str, str]] = Counter()

    def see(self, batch: pa.RecordBatch) -> None:
        """Look at a batch."""
        for name in self._columns:
            if name in batch.schema.names:
                column = batch.column(name)
                lengths = pc.list_value_length(column).drop_null()
                self._cells[name] += len(lengths)
                self._single[name] += pc.sum(pc.equal(lengths, 1)).as_py() or 0
                texts = pc.list_flatten(column)
                for separator in _SEPARATORS:
                    self._found[name, separator] += pc.sum(pc.match_substring(texts, separator)).as_py() or 0

    def notes(self) -> list[str]:
        """Say which columns look so: every cell one text, and something in most of them that separates texts."""
        notes = []
        for name in self._columns:
            cells = self._cells[name]
            if not cells or self._single[name] < cells:
                continue
            separator = next((one for one in _SEPARATORS if self._found[name, one] * 2 > cells), None)
            if separator is not None:
                written = separator.replace("\n", "\\n")
                notes.append(
                    f"{name}: every cell was read as one text, and {self._found[name, separator]} of {cells} hold "
                    f"{written!r}; if that stands between texts: --split {name}='{written}'"
                )
        return notes
