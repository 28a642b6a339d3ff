"""Printing results: data to standard output, everything else to standard error."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, TextIO

import rich_click as click

from ragauge.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ragauge.result import Result

FORMATS = ("table", "json", "csv", "markdown")

_CSV = (
    "metric", "by", "group", "value", "low", "high", "counted", "total", "undefined", "missing", "failed",
    "undefined_scored", "bound_low", "bound_high", "average", "stage", "direction", "signature", "notes",
)  # fmt: skip


def say(message: str) -> None:
    """Write a note to standard error."""
    click.echo(message, err=True)


def check_new_file(path: Path, *, force: bool, option: str = "-o") -> None:
    """Raise UsageError where a file cannot be written to ``path``, before any work is done."""
    if not path.parent.is_dir() or path.is_dir():
        problem = "is a folder" if path.is_dir() else "its folder does not exist"
        message = f"{option} {path}: {problem}; name a file in a folder that exists"
        raise UsageError(message)
    if path.exists() and not force:
        message = f"{path} exists already; give another file, or --force to replace it"
        raise UsageError(message)


def write(result: Result, form: str, stream: TextIO) -> None:
    """Write ``result`` to ``stream`` as table, json, csv or markdown."""
    if form == "json":
        utf8 = (stream.encoding or "utf-8").lower().replace("-", "") == "utf8"
        json.dump(result.to_dict(), stream, ensure_ascii=not utf8, indent=2, allow_nan=False)
        stream.write("\n")
    elif form == "csv":
        _write_csv(result, stream)
    elif form == "markdown":
        from ragauge.wording import markdown

        stream.write(markdown(result.table, result.options["level"]) + "\n")
    else:
        from ragauge.cli.tables import write_tables

        write_tables(result, stream)


def _write_csv(result: Result, stream: TextIO) -> None:
    from ragauge.wording import remarks

    writer = csv.DictWriter(stream, _CSV, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for score in result.table:
        by, group = next(iter(score.group.items())) if score.group else ("", "")
        low, high = score.bounds or (None, None)
        row = {**score.to_dict(), "by": by, "group": group, "bound_low": low, "bound_high": high}
        writer.writerow({**row, "notes": remarks(score)})
