"""The sheet: a row for each passage, with room for a question and its reference; and the files it is written to."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.hashing import hash_strings
from ragauge.core.lazy import lazy_pattern
from ragauge.errors import UsageError
from ragauge.formats.csv import guarded
from ragauge.results.replacing import replacing
from ragauge.testsets.strata import Stratum

COLUMNS = ("id", "passage", "passage_id", "source", "language", "question", "reference")
"""The columns of a sheet for people."""
PROPOSED = ("supporting_sentence", "proposed_by", "note")
"""Those that a judge's proposals add."""
SUFFIXES = (".csv", ".jsonl", ".xlsx")
_WIDTHS = {"passage": 80, "question": 50, "reference": 50, "supporting_sentence": 50}
"""Columns of a workbook -> their widths in characters."""
_NOT_IN_WORKBOOKS = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""Characters that XML has no place for."""


@dataclass(frozen=True)
class Sheet:
    """Passages, each with a question and a reference, which are empty until somebody writes them.

    ``rows``: one mapping a passage, with `COLUMNS` and, where a judge proposed questions, `PROPOSED`. ``strata``: from
    which they were drawn. ``notes``: what to know about the corpus and the draw.
    """

    rows: tuple[Mapping[str, str], ...]
    strata: tuple[Stratum, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of_passages(
        cls, passages: Sequence[Mapping[str, str]], strata: Sequence[Stratum], notes: Sequence[str]
    ) -> Self:
        """Return a sheet of passages with id, source and language, without questions."""
        names = zip(_ids_of(passages), passages, strict=True)
        rows = [{"id": name, **passage, "question": "", "reference": ""} for name, passage in names]
        return cls(tuple(rows), tuple(strata), tuple(notes))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return (*COLUMNS, *(PROPOSED if any("note" in row for row in self.rows) else ()))

    def with_rows(self, rows: Sequence[Mapping[str, str]], notes: Sequence[str]) -> Self:
        """Return the sheet with other rows and further notes."""
        return replace(self, rows=tuple(rows), notes=(*self.notes, *notes))

    def write(self, path: str | Path) -> None:
        """Write the sheet to a file, in the form of its suffix; a file of that name is never partial.

        CSV is UTF-8 with a byte order mark, by which Excel knows it. In CSV and workbooks texts that spreadsheets would
        run as formulas have a ' in front, which reading takes away again.

        Raises:
            UsageError: the suffix is not one of .csv, .jsonl and .xlsx, or the file cannot be written.
        """
        path = Path(path)
        check_suffix(path)
        write = {".csv": self._write_csv, ".jsonl": self._write_lines, ".xlsx": self._write_workbook}[path.suffix]
        with replacing(path) as new:
            write(new)

    def _write_csv(self, path: Path) -> None:
        with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as stream:
            writer = csv.DictWriter(stream, self.columns, restval="", lineterminator="\r\n")
            writer.writeheader()
            writer.writerows({name: guarded(value) for name, value in row.items()} for row in self.rows)

    def _write_lines(self, path: Path) -> None:
        lines = [
            json.dumps({name: row.get(name, "") for name in self.columns}, ensure_ascii=False) for row in self.rows
        ]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="backslashreplace")

    def _write_workbook(self, path: Path) -> None:
        from openpyxl import Workbook
        from openpyxl.styles import Alignment

        book = Workbook()
        page = book.active
        page.title = "questions"
        page.append(self.columns)
        for row in self.rows:
            page.append([_NOT_IN_WORKBOOKS.sub("\ufffd", guarded(row.get(name, ""))) for name in self.columns])
        for fields in page.iter_rows(min_row=2):
            for field in fields:
                field.alignment = Alignment(wrap_text=True, vertical="top")
        for name, letter in zip(self.columns, "ABCDEFGHIJ", strict=False):
            page.column_dimensions[letter].width = _WIDTHS.get(name, 16)
        page.freeze_panes = "A2"
        book.save(path)


def check_suffix(path: Path) -> None:
    """Raise an error unless a sheet can be written to a file of that name."""
    if path.suffix not in SUFFIXES:
        raise UsageError("RG-TEST-006 a sheet must end with {suffixes}; got {path!r}", ", ".join(SUFFIXES), str(path))


def _ids_of(passages: Sequence[Mapping[str, str]]) -> list[str]:
    """Return an id for each passage, made from its text and its own id: no two passages have the same text.

    They begin with a letter and a hyphen, so that no spreadsheet takes one for a number or a date.
    """
    texts = to_arrow([f"{one['passage_id']}\0{one['passage']}" for one in passages], pa.large_string())
    return [f"q-{hashed:016x}" for hashed in hash_strings(texts).tolist()]
