"""``xlsx``: a run as an Excel workbook with its scores, its gate, its samples and its settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

from ragauge._version import __version__
from ragauge.comparison.difference import Difference
from ragauge.core.lazy import lazy_pattern
from ragauge.core.registry import ingredient
from ragauge.display.numbers import printable_lines
from ragauge.gates.gate import Gate
from ragauge.results.result import Result
from ragauge.writers.differences import differences
from ragauge.writers.samples import sample_rows, sample_table
from ragauge.writers.writer import FinishedRun, Written, new_file

ROWS, COLUMNS, CHARACTERS = 1_048_576, 16_384, 32_767
"""The most rows and columns of a sheet, and UTF-16 units of a cell. Source: Excel's page of its limits."""
_EXACT = 1 << 53
"""Excel's numbers are float64: it changes whole numbers beyond this one, as ids may be."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NOT_TEXT = ("=", "#")
"""So begins a text that openpyxl takes for a formula or an error."""
# Characters that XML cannot hold, and texts that Excel reads as the character of that number (ECMA-376, ST_Xstring).
_NOT_XML = lazy_pattern(r"[\ud800-\udfff\ufffe\uffff]")
_ESCAPE = lazy_pattern(r"_(?=x[0-9A-Fa-f]{4}_)")

_SCORES = (
    "metric", "by", "group", "value", "low", "high", "scored", "total", "failed", "missing", "undefined", "coverage",
    "direction", "stage", "average", "bound_low", "bound_high", "notes",
)  # fmt: skip
"""The columns of the table of scores in the sheet, and the signature last."""
_CHANGE_HEADS = ("baseline", "difference", "difference low", "difference high", "corrected p", "outcome", "paired")
_GATE_HEADS = ("outcome", "rule", "metric", "value", "limit", "scored", "total", "why")


@ingredient("writer", "xlsx")
@dataclass(frozen=True)
class XlsxWriter:
    r"""A run as an Excel workbook: sheets of the scores, of the gate, of the samples and of the settings.

    All texts are texts, also those that begin as a formula does (``=``, ``+``, ``-``, ``@``). Control characters, which
    a workbook cannot hold, are written as ``\x00``. A cell holds 32,767 characters and a sheet 1,048,576 rows: what is
    cut or left out is said.

    Args:
        path: the file to write, as in ``run.xlsx``.
        samples: write the sheet of the samples, with all their texts.
        force: replace an existing file.

    Raises:
        UsageError: the file cannot be written.
    """

    path: str = ""
    samples: bool = True
    force: bool = False

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``; errors as of the class."""
        book = _Workbook()
        with new_file(self.path, "xlsx", "run.xlsx", force=self.force) as new:
            compared = differences(run)
            changes = _CHANGE_HEADS if compared.by_metric else ()
            heads = [*(name.replace("_", " ") for name in _SCORES), *changes, "signature"]
            book.sheet("scores", heads, _score_rows(run.result, compared.by_metric))
            if run.gate is not None:
                book.sheet("gate", _GATE_HEADS, _gate_rows(run.gate))
            if self.samples:
                table = sample_table(run.result)
                book.sheet("samples", table.column_names, sample_rows(table))
            notes = (*run.result.data.notes, *run.result.failures(), *compared.notes, *book.notes)
            book.sheet("settings", ("setting", "value"), _settings(run, (compared.method, *notes)))
            book.save(new)
        return Written(str(self.path), tuple(book.notes))


class _Workbook:
    """Sheets that are written row by row, so that no sheet is in memory; ``notes`` say what did not fit."""

    def __init__(self) -> None:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.styles import Font

        self._book = Workbook(write_only=True)
        self._cell, self._bold = WriteOnlyCell, Font(bold=True)
        self._cut = 0
        self.notes: list[str] = []

    def save(self, path: Any) -> None:
        self._book.save(path)

    def sheet(self, title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Add a sheet with a line of headings that stays in view."""
        sheet = self._book.create_sheet(title)
        sheet.freeze_panes = "A2"
        sheet.append([self._text(sheet, head, bold=True) for head in heads[:COLUMNS]])
        if len(heads) > COLUMNS:
            self.notes.append(f"sheet {title!r} has the first {COLUMNS:,} of {len(heads):,} columns: Excel has no more")
        left_out, self._cut = 0, 0
        for number, row in enumerate(rows, 2):
            if number > ROWS:
                left_out += 1
                continue
            values = [_plain(value) for value in row[:COLUMNS]]
            sheet.append([self._text(sheet, value) if isinstance(value, str) else value for value in values])
        if left_out:
            self.notes.append(f"sheet {title!r} lacks {left_out:,} rows: Excel has at most {ROWS:,}, with the headings")
        if self._cut:
            self.notes.append(f"sheet {title!r}: {self._cut:,} texts are cut: a cell holds {CHARACTERS:,} characters")

    def _text(self, sheet: Any, text: str, *, bold: bool = False) -> Any:
        """Return what a sheet takes to hold a text, whatever the text looks like."""
        shown = _legal(text)
        if _units(shown) > CHARACTERS:
            shown = shown.encode("utf-16-le")[: 2 * CHARACTERS].decode("utf-16-le", "ignore")
            self._cut += 1
        if not bold and not shown.startswith((*_FORMULA, *_NOT_TEXT)):
            return shown
        cell = self._cell(sheet, value=shown)
        cell.data_type = "s"
        if shown.startswith(_FORMULA):
            # Otherwise whoever edits the cell makes it a formula.
            cell.quotePrefix = True
        if bold:
            cell.font = self._bold
        return cell


def _plain(value: Any) -> Any:
    """Return a value as a cell holds it: a number, a truth value, a text, or None."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None if isnan(value) else str(value)
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _units(text: str) -> int:
    """Return how many UTF-16 units ``text`` has, as Excel counts."""
    return len(text.encode("utf-16-le")) // 2 if len(text) > CHARACTERS // 2 else len(text)


def _legal(text: str) -> str:
    """Return ``text`` as a cell can hold it."""
    return _ESCAPE.sub("_x005F_", _NOT_XML.sub("\ufffd", printable_lines(text)))


def _score_rows(result: Result, by_metric: Mapping[str, Difference]) -> Iterator[list[Any]]:
    for score in result.score_table().to_pylist():
        one = by_metric.get(score["metric"]) if score["by"] is None else None
        changes = [None] * len(_CHANGE_HEADS) if one is None else [
            one.base, one.difference, one.low, one.high, one.corrected, one.outcome, one.scored
        ]  # fmt: skip
        yield [*(score[name] for name in _SCORES), *(changes if by_metric else ()), score["signature"]]


def _gate_rows(gate: Gate) -> Iterator[list[Any]]:
    for check in gate.checks:
        outcome = "pass" if check.passed else "FAIL"
        yield [outcome, check.rule, check.metric, check.value, check.limit, check.scored, check.total, check.why]


def _settings(run: FinishedRun, notes: Iterable[str]) -> Iterator[tuple[str, Any]]:
    result = run.result
    yield from (
        ("run", run.name),
        ("ragauge", __version__),
        ("source", result.data.source),
        ("samples", result.samples),
    )
    yield from ((name, value) for name, value in run.manifest.items() if name != "metrics" and value is not None)
    yield from (("metric", f"{name}: {metric}") for name, metric in result.metrics.items())
    yield from (("column", f"{known} <- {name}") for known, name in result.data.mapping.items())
    yield from result.options.items()
    yield from (("note", note) for note in notes if note)
