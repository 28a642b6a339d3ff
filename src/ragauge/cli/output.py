"""Writing results: data to standard output, notes to standard error, scores of samples to a file.

A table and Markdown are made of blocks, CSV of `Result.score_table`, JSON of `to_dict`.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager, redirect_stdout, suppress
from math import isnan
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import rich_click as click

from ragauge.cli.faces import face
from ragauge.cli.terminal import escaping, text_for, width, words
from ragauge.core.messages import Argument, Counted, Message
from ragauge.display.numbers import printable_lines
from ragauge.display.table import Block, Paragraph, markdown, worded_block
from ragauge.display.text import wrapped
from ragauge.errors import UsageError, alternatives
from ragauge.results.replacing import check_new_file, check_place, is_stream, replacing

if TYPE_CHECKING:
    from pathlib import Path

    from ragauge.results.result import Result

FORMATS = ("table", "json", "csv", "markdown")
Command = TypeVar("Command", bound=Callable[..., Any])


def output_format(*forms: str) -> Callable[[Command], Command]:
    """Return the option --output-format of a command, with its default first."""
    return click.option(
        "--output-format",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        metavar="FORMAT",
        help=f"What is printed: {alternatives(forms)}.",
    )


def verbose(what: str) -> Callable[[Command], Command]:
    """Return the option --verbose of a command; ``what``: what it adds to a table."""
    return click.option("-v", "--verbose", is_flag=True, help=what)


_CSV_COLUMNS = (
    "metric", "by", "group", "value", "low", "high", "scored", "total", "undefined", "missing", "failed",
    "undefined_scored", "bound_low", "bound_high", "average", "stage", "direction", "signature", "notes",
)  # fmt: skip


def say(message: str) -> None:
    """Write a note to standard error, control characters of data escaped.

    On a terminal, or where COLUMNS says its width, lines that are not indented are wrapped.
    """
    lines = printable_lines(words()(message)).split("\n")
    if sys.stderr.isatty() or os.environ.get("COLUMNS"):
        columns = width(sys.stderr)
        lines = ["\n".join([line] if line.startswith(" ") else wrapped(line, columns)) for line in lines]
    click.echo("\n".join(lines), err=True)


def interface() -> str:
    """Return the language of tables and notes: zh or en."""
    context = click.get_current_context(silent=True)
    return "en" if context is None or not context.obj else str(context.obj.get("language", "en"))


@contextmanager
def users_code() -> Iterator[None]:
    """Send what a system, a metric or a library prints meanwhile to standard error, also that of their processes.

    Standard output has the result alone, which programs read. The folder to which they change is left at the end: paths
    are of the folder in which the command was started.
    """
    sys.stdout.flush()
    with ExitStack() as stack:
        stack.enter_context(chdir(os.curdir))
        # A stream of the program that called this one may have no file.
        with suppress(OSError, ValueError):
            own = sys.stdout.fileno()
            kept = os.dup(own)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, own)
            os.dup2(sys.stderr.fileno(), own)
        stack.enter_context(redirect_stdout(sys.stderr))
        yield


def check_output(path: Path, option: str = "-o", *, force: bool) -> None:
    """Raise UsageError if a file cannot be written to ``path``, before any work is done."""
    check_new_file(path, option, force=force)
    if not is_stream(path):
        check_place(path)


def write(result: Result, form: str, *, verbose: bool = False, most: int | None = None) -> None:
    """Write ``result`` to standard output as table, json, csv or markdown.

    ``verbose``: a table with all it holds; ``most``: how many metrics it shows, the others by their names.
    """
    if form == "json":
        utf8 = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
        write_json(result.to_dict(), ensure_ascii=not utf8)
    elif form == "csv":
        write_csv(_CSV_COLUMNS, result.score_table().to_pylist())
    else:
        write_blocks(_tables(result, None if verbose or form != "table" else most), form, verbose=verbose)
        # A terminal shows the notes, which go to standard error, below the table.
        sys.stdout.write("\n" if form == "table" else "")


def _tables(result: Result, most: int | None) -> Iterator[Block]:
    """Yield the scores as tables, of at most so many metrics, and a line that names the others."""
    if most is None or len(result.metrics) <= most:
        yield from result.tables()
        return
    from ragauge.comparison.equal_columns import equal_columns
    from ragauge.comparison.primary import primary_metrics

    first = primary_metrics(result, result.metrics)
    equal = equal_columns({name: result.scores(name) for name in result.metrics}, first)
    again = {name for one in equal for name in one.others}
    order = sorted(result.metrics, key=lambda name: (name not in first, name in again))
    yield from result.tables(order[:most])
    template = "{n} more metrics are in files of results, and shown by {preset}: {names}"
    names = ", ".join(name for name in result.metrics if name not in order[:most])
    yield Paragraph(Message(template, len(order) - most, Argument("preset", "all"), names))


def write_blocks(blocks: Iterable[Block], form: str, *, verbose: bool = False) -> None:
    """Write blocks as Markdown, or as text in the width and the colours of standard output; notes name flags."""
    own = face()
    shown = [worded_block(block, own) for block in blocks]
    if form == "markdown":
        sys.stdout.write(markdown(shown) + "\n")
    else:
        click.echo(text_for(sys.stdout, shown, verbose=verbose), color=True)


def write_json(document: object, *, indent: int = 2, ensure_ascii: bool = True) -> None:
    """Write a document of JSON types to standard output."""
    text = json.dumps(document, ensure_ascii=ensure_ascii, indent=indent, allow_nan=False)
    escaping(sys.stdout).write(f"{text}\n")


def write_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the ``columns`` of each row to standard output as CSV."""
    from ragauge.formats.csv import guarded

    writer = csv.DictWriter(_CsvRows(escaping(sys.stdout)), columns, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: guarded(value) for name, value in row.items()} for row in rows)


class _CsvRows:
    r"""Ends rows with "\n", of a writer that ends them with "\r\n" so that it quotes values with either character."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> int:
        return self._stream.write(row.removesuffix("\r\n") + "\n")


_SUFFIXES = (".jsonl", ".csv", ".parquet")


def check_writable(path: Path, *, force: bool) -> None:
    """Raise UsageError if ``path`` exists already, its folder does not, or its suffix is not supported."""
    if path.suffix not in _SUFFIXES:
        raise UsageError(
            "RG-CLI-029 --per-sample must end with {suffixes}; got {path!r}", ", ".join(_SUFFIXES), str(path)
        )
    check_output(path, "--per-sample", force=force)


def write_per_sample(result: Result, path: Path) -> None:
    """Write ids, scores and statuses in the format of the suffix; a file of that name is never partial."""
    import pyarrow as pa

    from ragauge.core.arrow import to_arrow
    from ragauge.core.hashing import is_made_id
    from ragauge.formats.csv import guarded

    columns = {"id": pa.chunked_array(list(result.ids), pa.string())}
    if any(map(is_made_id, columns["id"].slice(0, 1).to_pylist())):
        # Users do not know ids that were made from the content.
        columns["row"] = to_arrow(list(range(1, len(columns["id"]) + 1)))
    if path.suffix == ".csv":
        ids = columns["id"].to_pylist()
        columns["id"] = to_arrow([guarded(one) for one in ids], pa.string())
        changed = sum(one != guarded(one) for one in ids)
        if changed:
            template = "{ids} like a formula: {file} has a ' before them, so that spreadsheets do not run them"
            say(Message(template, Counted(changed, "id begins", "ids begin"), path))
    for name in result.metrics:
        scores = [None if isnan(score) else score for score in result.scores(name).tolist()]
        columns[result.title(name)] = to_arrow(scores, pa.float64())
        columns[f"{name}|status"] = to_arrow(result.statuses(name).tolist(), pa.string())
    table = pa.table(columns)
    with replacing(path) as new:
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            with new.open("wb") as file:  # Arrow takes no name that is not UTF-8
                pq.write_table(table, file)
        elif path.suffix == ".csv":
            from pyarrow.csv import write_csv as write_arrow_csv

            with new.open("wb") as file:
                write_arrow_csv(table, file)
        else:
            lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()]
            new.write_text("".join(lines), encoding="utf-8")
