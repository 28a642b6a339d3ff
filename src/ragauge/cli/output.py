"""Printing results: data to standard output, everything else to standard error."""

from __future__ import annotations

import csv
import json
import os
from typing import TYPE_CHECKING, TextIO

import rich_click as click

from ragauge.wording import LOWER, markdown, sections

if TYPE_CHECKING:
    from rich.table import Table

    from ragauge.result import Result
    from ragauge.wording import Section

FORMATS = ("table", "json", "csv", "markdown")

_CSV = (
    "metric", "by", "group", "value", "low", "high", "counted", "total", "undefined", "missing", "failed",
    "undefined_scored", "bound_low", "bound_high", "average", "stage", "direction", "signature",
)  # fmt: skip

# Of a file or a pipe; wide enough for most specs and their notes, narrow enough for most screens.
_WIDTH = 100
# The least width of a column that wraps, and what stands between columns.
_WRAPPED = 12
_GAP = 3


def say(message: str) -> None:
    """Write a note to standard error."""
    click.echo(message, err=True)


def write(result: Result, form: str, stream: TextIO) -> None:
    """Write ``result`` to ``stream`` as table, json, csv or markdown."""
    if form == "json":
        utf8 = (stream.encoding or "utf-8").lower().replace("-", "") == "utf8"
        json.dump(result.to_dict(), stream, ensure_ascii=not utf8, indent=2, allow_nan=False)
        stream.write("\n")
    elif form == "csv":
        _write_csv(result, stream)
    elif form == "markdown":
        stream.write(markdown(result.table, result.options["level"]) + "\n")
    else:
        _write_tables(result, stream)


def _write_csv(result: Result, stream: TextIO) -> None:
    writer = csv.DictWriter(stream, _CSV, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for score in result.table:
        by, group = next(iter(score.group.items())) if score.group else ("", "")
        low, high = score.bounds or (None, None)
        writer.writerow({**score.to_dict(), "by": by, "group": group, "bound_low": low, "bound_high": high})


def _write_tables(result: Result, stream: TextIO) -> None:
    """Render to text first: rich would end the process where nobody reads it."""
    from rich.console import Console

    asked = None if stream.isatty() or "COLUMNS" in os.environ else _WIDTH
    tables = sections(result.table, result.options["level"])
    console = Console(file=stream, highlight=False, markup=False, emoji=False, width=asked)
    console.width = max(console.width, *map(_narrowest, tables))
    with console.capture() as rendered:
        for section in tables:
            console.print(_table(section))
    stream.write("\n".join(line.rstrip() for line in rendered.get().split("\n")))


def _narrowest(section: Section) -> int:
    """Return the width that numbers need; where the screen has less, lines run over rather than lose digits."""
    from rich.cells import cell_len

    fixed = [
        max(map(cell_len, cells))
        for head, *cells in zip(section.heads, section.heads, *section.rows, strict=True)
        if head in section.numbers
    ]
    return sum(fixed) + _WRAPPED * (len(section.heads) - len(fixed)) + _GAP * len(section.heads)


def _table(section: Section) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        title=section.title,
        title_justify="left",
        title_style="bold",
        caption=f"{LOWER}\n" if section.lower else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for head in section.heads:
        right = head in ("value", "counted")
        table.add_column(head, justify="right" if right else "left", no_wrap=head in section.numbers, overflow="fold")
    for row in section.rows:
        table.add_row(*row)
    return table
