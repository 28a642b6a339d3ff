"""Printing results: data to standard output, everything else to standard error."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, TextIO

import rich_click as click

from ragauge.wording import HEADINGS, by_stage, cells, label, markdown

if TYPE_CHECKING:
    from rich.table import Table

    from ragauge.result import Result
    from ragauge.scored import Score

FORMATS = ("table", "json", "csv", "markdown")

_CSV = ("metric", "group", "value", "low", "high", "counted", "total", "undefined", "missing", "failed", "signature")


def say(message: str) -> None:
    """Write a note to standard error."""
    click.echo(message, err=True)


def write(result: Result, form: str, stream: TextIO) -> None:
    """Write ``result`` to ``stream`` as table, json, csv or markdown."""
    if form == "json":
        json.dump(result.to_dict(), stream, ensure_ascii=False, indent=2, allow_nan=False)
        stream.write("\n")
    elif form == "csv":
        _write_csv(result, stream)
    elif form == "markdown":
        stream.write(markdown(result.table) + "\n")
    else:
        _print_tables(result, stream)


def _write_csv(result: Result, stream: TextIO) -> None:
    writer = csv.DictWriter(stream, _CSV, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for score in result.table:
        writer.writerow({**score.to_dict(), "group": "" if score.group is None else label(score.group)})


def _print_tables(result: Result, stream: TextIO) -> None:
    from rich.console import Console

    console = Console(file=stream, highlight=False, width=None if stream.isatty() else 100)
    for stage, scores in by_stage(result.table):
        console.print(_table(stage, scores), soft_wrap=False)


def _table(stage: str, scores: list[Score]) -> Table:
    from rich import box
    from rich.table import Table

    grouped = any(score.group is not None for score in scores)
    table = Table(title=stage, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (*(("group",) if grouped else ()), *HEADINGS):
        right = heading in ("value", "n")
        table.add_column(heading, justify="right" if right else "left", no_wrap=heading != "notes")
    for score in sorted(scores, key=lambda score: score.group is not None):
        row = cells(score)
        table.add_row(*((label(score.group),) if grouped else ()), *row, style="dim" if not score.counted else None)
    return table
