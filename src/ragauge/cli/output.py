"""Writing results: data to standard output, notes to standard error, scores of samples to a file."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import rich_click as click

from ragauge.cli.main import with_flags
from ragauge.cli.terminal import text_for
from ragauge.display.numbers import printable_lines
from ragauge.display.table import Block, Notes, markdown
from ragauge.errors import UsageError
from ragauge.results.replacing import is_stream, replacing

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from ragauge.results.result import Result

FORMATS = ("table", "json", "csv", "markdown")
Command = TypeVar("Command", bound=Callable[..., Any])


def output_format(*forms: str) -> Callable[[Command], Command]:
    """Return the option --output-format of a command, with its default first."""
    return click.option(
        "--output-format", type=click.Choice(forms), default=forms[0], show_default=True, help="What is printed."
    )


_CSV_COLUMNS = (
    "metric", "by", "group", "value", "low", "high", "scored", "total", "undefined", "missing", "failed",
    "undefined_scored", "bound_low", "bound_high", "average", "stage", "direction", "signature", "notes",
)  # fmt: skip


def say(message: str) -> None:
    """Write a note to standard error; control characters of data are escaped."""
    click.echo(printable_lines(message), err=True)


def check_new_file(path: Path, *, force: bool, option: str = "-o") -> None:
    """Raise UsageError if a file cannot be written to ``path``, before any work is done."""
    if not path.parent.is_dir() or path.is_dir():
        problem = "is a folder" if path.is_dir() else "its folder does not exist"
        message = f"{option} {path}: {problem}; name a file in a folder that exists"
        raise UsageError(message)
    if path.exists() and not force and not is_stream(path):
        message = f"{path} already exists. Name another file, or pass --force to replace it."
        raise UsageError(message)


def write(result: Result, form: str, stream: TextIO) -> None:
    """Write ``result`` to ``stream`` as table, json, csv or markdown."""
    if form == "json":
        utf8 = (stream.encoding or "utf-8").lower().replace("-", "") == "utf8"
        json.dump(result.to_dict(), stream, ensure_ascii=not utf8, indent=2, allow_nan=False)
        stream.write("\n")
    elif form == "csv":
        _write_csv(result, stream)
    else:
        write_blocks(result.tables(), form, stream)
        # A terminal shows the notes, which go to standard error, below the table.
        stream.write("\n" if form == "table" else "")


def write_blocks(blocks: Iterable[Block], form: str, stream: TextIO) -> None:
    """Write blocks as Markdown, or as text in the width and the colours of ``stream``; notes name flags."""
    context = click.get_current_context(silent=True)
    shown = list(blocks)
    for place, block in enumerate(shown):
        if context is not None and isinstance(block, Notes):
            shown[place] = replace(block, items=tuple(with_flags(note, context.command) for note in block.items))
    if form == "markdown":
        stream.write(markdown(shown) + "\n")
    else:
        click.echo(text_for(stream, shown), file=stream, color=True)


def _write_csv(result: Result, stream: TextIO) -> None:
    from ragauge.results.score import remarks

    writer = csv.DictWriter(stream, _CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for score in result.table:
        by, group = next(iter(score.group.items())) if score.group else ("", "")
        low, high = score.bounds or (None, None)
        row = {**score.to_dict(), "by": by, "group": group, "bound_low": low, "bound_high": high}
        row = {**row, "notes": remarks(score)}
        writer.writerow({name: spreadsheet(value) for name, value in row.items()})


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def spreadsheet(value: Any) -> Any:
    """Return a field of CSV: texts that spreadsheets would run as formulas get a ' in front, as OWASP advises.

    >>> spreadsheet("=1+1"), spreadsheet("-1.5"), spreadsheet("tea")
    ("'=1+1", '-1.5', 'tea')
    """
    formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if formula and not _NUMBER.fullmatch(value) else value


_SUFFIXES = (".jsonl", ".csv", ".parquet")


def check_writable(path: Path, *, force: bool) -> None:
    """Raise UsageError if ``path`` exists already, its folder does not, or its suffix is not supported."""
    if path.suffix not in _SUFFIXES:
        message = f"--per-sample must end with {', '.join(_SUFFIXES)}; got {str(path)!r}"
        raise UsageError(message)
    check_new_file(path, force=force, option="--per-sample")


def write_per_sample(result: Result, path: Path) -> None:
    """Write ids, scores and statuses in the format of the suffix; a file of that name is never partial."""
    import pyarrow as pa

    from ragauge.core.arrow import to_arrow

    columns = {"id": pa.chunked_array(list(result.ids), pa.string())}
    if path.suffix == ".csv":
        ids = columns["id"].to_pylist()
        columns["id"] = to_arrow([spreadsheet(one) for one in ids], pa.string())
        changed = sum(one != spreadsheet(one) for one in ids)
        if changed:
            say(f"{changed} ids begin like a formula: {path} has them after a ', so that spreadsheets do not run them")
    for name in result.metrics:
        scores = [None if isnan(score) else score for score in result.scores(name).tolist()]
        columns[result.title(name)] = to_arrow(scores, pa.float64())
        columns[f"{name}|status"] = to_arrow(result.statuses(name).tolist(), pa.string())
    with replacing(path) as new:
        _write_table(pa.table(columns), new, path.suffix)


def _write_table(table: pa.Table, path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
    elif suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(table, path)
    else:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())
