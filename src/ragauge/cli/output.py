"""Printing results: data to standard output, everything else to standard error."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from math import isnan
from typing import TYPE_CHECKING, TextIO

import rich_click as click

from ragauge.cli.terminal import console, has_unicode, spelled
from ragauge.display.bars import ASCII, DRAWN, Span, bar, ends, has_scale
from ragauge.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from rich.table import Table
    from rich.text import Text

    from ragauge.results.result import Result
    from ragauge.results.score import Score
    from ragauge.results.tables import Section

FORMATS = ("table", "json", "csv", "markdown")

_CSV = (
    "metric", "by", "group", "value", "low", "high", "scored", "total", "undefined", "missing", "failed",
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
    elif form == "markdown":
        from ragauge.results.tables import markdown

        stream.write(markdown(result.table, result.options["level"]) + "\n")
    else:
        write_tables(result, stream)


def _write_csv(result: Result, stream: TextIO) -> None:
    from ragauge.results.tables import remarks

    writer = csv.DictWriter(stream, _CSV, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for score in result.table:
        by, group = next(iter(score.group.items())) if score.group else ("", "")
        low, high = score.bounds or (None, None)
        row = {**score.to_dict(), "by": by, "group": group, "bound_low": low, "bound_high": high}
        writer.writerow({**row, "notes": remarks(score)})


# Bars with fewer columns say nothing that the numbers do not; more make the eye travel.
_LEAST, _MOST = 9, 21
# The least width of a column that wraps; what names of metrics and notes get before there are bars; what stands
# between columns.
_WRAPPED = 12
_NAMES, _NOTES = 24, 28
_GAP = 3
_PROBLEMS = ("failed", "missing", "undefined")


def write_tables(result: Result, stream: TextIO) -> None:
    """Render to text first: rich would end the process where nobody reads it."""
    from ragauge.results.tables import sections

    screen = console(stream)
    tables = sections(result.table, result.options["level"])
    width = screen.width
    screen.width = max(width, *map(_narrowest, tables))
    with screen.capture() as rendered:
        for section in tables:
            screen.print(_table(section, width, result.range, stream))
    text = rendered.get()
    stream.write("\n".join(line.rstrip() for line in text.split("\n")))


def _widths(section: Section) -> dict[str, int]:
    from rich.cells import cell_len

    columns = zip(section.heads, *section.rows, strict=True)
    return {head: max(map(cell_len, (head, *cells))) for head, *cells in columns}


def _narrowest(section: Section) -> int:
    """Return the width that numbers need; where the screen has less, lines run over rather than lose digits."""
    fixed = [width for head, width in _widths(section).items() if head in section.numbers]
    return sum(fixed) + _WRAPPED * (len(section.heads) - len(fixed)) + _GAP * len(section.heads)


def _bar_width(section: Section, width: int, span_of: Callable[[str], Span]) -> int:
    """Return how many columns are left for bars; 0 where there are too few, or nothing has a scale."""
    from ragauge.results.tables import notes, problems

    if not any(has_scale(span_of(score.metric)) for score in section.scores):
        return 0
    grouped = section.scores[0].group is not None
    wanted = max(len(problems(score) if grouped else notes(score)) for score in section.scores)
    room = _room(section, width) - min(_NOTES, max(wanted, len("unjudged 0.0000")))
    return min(room, _MOST) if room >= _LEAST else 0


def _room(section: Section, width: int) -> int:
    """Return how many columns numbers and names leave for bars and notes."""
    widths = _widths(section)
    widths["metric"] = min(widths["metric"], _NAMES)
    del widths["notes"]
    return width - sum(widths.values()) - _GAP * (len(widths) + 2)


def _table(section: Section, screen: int, span_of: Callable[[str], Span], stream: TextIO) -> Table:
    from rich import box
    from rich.table import Table

    from ragauge.results.tables import LOWER

    width = _bar_width(section, screen, span_of)
    room = _room(section, screen) - width + (0 if width else _GAP)
    table = Table(
        title=section.title,
        title_justify="left",
        title_style="bold",
        caption=spelled(f"{LOWER}\n", stream) if section.lower else None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for head in section.heads[:-1]:
        right = head in ("value", "scored")
        table.add_column(head, justify="right" if right else "left", no_wrap=head in section.numbers, overflow="fold")
    spans = [span_of(score.metric) for score in section.scores]
    if width:
        table.add_column(_scale(spans, width), no_wrap=True, min_width=width)
    table.add_column("notes", overflow="fold")
    for row, score, span in zip(section.rows, section.scores, spans, strict=True):
        cells = [spelled(cell, stream) for cell in row[:-1]]
        drawn = [_bar(score, span, width, stream)] if width else []
        table.add_row(*cells, *drawn, _noted(spelled(_notes(score, room), stream)))
    return table


def _scale(spans: list[Span], width: int) -> str:
    """Write the ends of the scale over the bars, if they share one."""
    scales = {span for span in spans if has_scale(span)}
    return ends(scales.pop(), width) if len(scales) == 1 else "on its own range"[:width]


def _bar(score: Score, span: Span, width: int, stream: TextIO) -> Text:
    from rich.text import Text

    strokes = DRAWN if has_unicode(stream) else ASCII
    text = Text(bar(score.value, (score.low, score.high), span, width, strokes))
    text.highlight_words([strokes.ground], "dim")
    text.highlight_words([strokes.mark], "bold cyan")
    return text


def _notes(score: Score, room: int) -> str:
    """Return the notes; parts that would take several lines only of the whole, and where lines are long enough."""
    from ragauge.results.tables import notes, problems

    said = notes(score)
    wraps = len(said) > room
    return problems(score) if wraps and (score.group is not None or room < _NOTES) else said


def _noted(said: str) -> Text:
    from rich.text import Text

    text = Text(said)
    text.highlight_regex(rf"\d+ ({'|'.join(_PROBLEMS)})\b", "yellow")
    return text


_SUFFIXES = (".jsonl", ".csv", ".parquet")


def check_writable(path: Path, *, force: bool) -> None:
    """Raise UsageError where ``path`` exists already, its folder does not, or we do not write its kind of file."""
    if path.suffix not in _SUFFIXES:
        message = f"--per-sample writes {', '.join(_SUFFIXES)}; got {str(path)!r}"
        raise UsageError(message)
    check_new_file(path, force=force, option="--per-sample")


def write_per_sample(result: Result, path: Path) -> None:
    """Write id, scores and statuses to ``path``, by its suffix; beside it first, then renamed."""
    beside = path.with_name(f".{path.name}.part")
    table = _sample_table(result)
    try:
        _write(table, beside, path.suffix)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _write(table: pa.Table, path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
    elif suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(table, path)
    else:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())


def _sample_table(result: Result) -> pa.Table:
    import pyarrow as pa

    from ragauge.core.arrow import to_arrow

    columns = {"id": pa.chunked_array(list(result.ids), pa.string())}
    for name in result.metrics:
        scores = [None if isnan(score) else score for score in result.scores(name).tolist()]
        columns[result.title(name)] = to_arrow(scores, pa.float64())
        columns[f"{name}|status"] = to_arrow(result.statuses(name).tolist(), pa.string())
    return pa.table(columns)
