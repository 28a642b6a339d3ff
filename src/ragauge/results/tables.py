"""Scores in words: tables of texts, as plain text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from unicodedata import category

from ragauge.core.protocol import STAGES
from ragauge.display.bars import Span, has_scale
from ragauge.display.html import drawn, framed, listed, table
from ragauge.results.score import Score

LOWER = "↓ lower is better"


@dataclass(frozen=True)
class Section:
    """The scores of one stage, of all samples or by one column.

    ``heads``: what stands above each column; ``rows``: as many texts each. ``numbers``: the columns that hold numbers.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lower: bool
    """Whether an arrow in it says that lower is better."""
    scores: tuple[Score, ...]
    """What the rows say in words."""

    @property
    def numbers(self) -> tuple[str, ...]:
        """The heads of columns that must never be cut or broken."""
        return self.heads[-4:-1]


def sections(scores: Sequence[Score], level: float) -> list[Section]:
    """Sort scores into tables: by stage, in the order of a RAG system, all samples before the groups of a column.

    Args:
        scores: of one run.
        level: of their intervals.
    """
    found = []
    for stage in STAGES:
        staged = [score for score in scores if score.stage == stage]
        for by in dict.fromkeys(_by(score) for score in staged):
            some = [score for score in staged if _by(score) == by]
            heads = (*([by] if by else []), "metric", "value", f"{100 * level:g} % interval", "scored", "notes")
            rows = tuple(_rows(some, grouped=by is not None))
            title = f"{stage} by {by}" if by else stage
            lower = any(score.direction == "lower" for score in some)
            found.append(Section(title, heads, rows, lower, tuple(some)))
    return found


def _by(score: Score) -> str | None:
    return next(iter(score.group)) if score.group else None


def _rows(scores: Sequence[Score], *, grouped: bool) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each score, naming a group in the first of its rows."""
    said = None
    for score in scores:
        group = label(score.group)
        yield (*(["" if group == said else group] if grouped else []), *cells(score))
        said = group


def cells(score: Score) -> tuple[str, str, str, str, str]:
    """Say ``score``: metric, value, interval, how many samples scored, notes.

    The notes hold what must not be overlooked: what did not count, and what it could change.
    """
    arrow = "" if score.direction == "higher" else " ↓"
    return (score.metric + arrow, number(score.value), interval(score), f"{score.scored}/{score.total}", notes(score))


def number(value: float) -> str:
    """Write a value to four places, small ones to four significant digits.

    >>> [number(value) for value in (0.81234, 1234.5678, 0.000123456, 0.0, float("nan"))]
    ['0.8123', '1234.57', '0.0001235', '0.0000', '–']
    """
    if isnan(value):
        return "–"
    if abs(value) >= 100:
        return f"{value:.2f}"
    return f"{value:.4g}" if 0 < abs(value) < 0.001 else f"{value:.4f}"


def interval(score: Score) -> str:
    """Write the interval, or nothing where there is none."""
    return "" if isnan(score.low) else f"[{number(score.low)}, {number(score.high)}]"


def notes(score: Score) -> str:
    """Say what did not count, what that could change, and the parts."""
    return ", ".join(said for said in (problems(score), parts(score)) if said)


def problems(score: Score) -> str:
    """Say what must not be overlooked: what did not count, what that could change, and what the metric says of it."""
    states = [(score.failed, "failed"), (score.missing, "missing"), (score.undefined, "undefined")]
    said = [f"{count} {word}" for count, word in states if count]
    if score.bounds is not None and score.bounds[0] < score.bounds[1]:
        said.append(f"bounds {number(score.bounds[0])}–{number(score.bounds[1])}")
    if score.undefined_scored:
        said.append(f"{score.undefined_scored} undefined scored 0")
    return ", ".join([*said, *([remarks(score)] if remarks(score) else [])])


def remarks(score: Score) -> str:
    """Say what the metric says of a score: counts, as of texts that were cut, and words, as ``lexical``."""
    return ", ".join([*(f"{count} {name}" for name, count in score.noted.items()), *score.notes])


def parts(score: Score) -> str:
    """Say the parts of a score, as precision and recall beside F."""
    return ", ".join(f"{name} {_part(part)}" for name, part in score.parts.items())


def _part(value: float) -> str:
    """Write a part of a score; a count, such as a length, without decimals."""
    return f"{value:.0f}" if value >= 2 and value.is_integer() else number(value)


def label(group: object) -> str:
    """Say which group a score is of.

    >>> label({"language": "zh"}), label({"language": None}), label(None)
    ('zh', '(none)', '')
    """
    if not isinstance(group, dict):
        return ""
    value = next(iter(group.values()))
    return "(none)" if value is None else printable(str(value))


def printable(text: str) -> str:
    r"""Write control characters and line breaks as escapes, so that data cannot steer a terminal or break a table.

    >>> print(printable("a\nb\x1b[31m"))
    a\x0ab\x1b[31m
    """
    return "".join(f"\\x{ord(char):02x}" if category(char) in ("Cc", "Zl", "Zp") else char for char in text)


def plain_text(scores: Sequence[Score], level: float) -> str:
    """Write scores as aligned lines."""
    return "\n\n".join(_aligned(section) for section in sections(scores, level))


def _aligned(section: Section) -> str:
    from rich.cells import cell_len

    lines = (section.heads, *section.rows)
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    texts = [
        "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([section.title, *texts, *([LOWER] if section.lower else [])])


def markdown(scores: Sequence[Score], level: float) -> str:
    """Write scores as Markdown tables."""
    return "\n\n".join(_markdown(section) for section in sections(scores, level))


def _markdown(section: Section) -> str:
    rule = ("---:" if head in section.numbers else "---" for head in section.heads)
    lines = [section.heads, tuple(rule), *section.rows]
    table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([f"**{section.title}**", "", *table, *(["", LOWER] if section.lower else [])])


ROWS = 100
"""Rows shown at most: a page of thousands helps nobody, and makes the notebook heavy."""


def html(scores: Sequence[Score], level: float, span_of: Callable[[str], Span], heading: str, notes: list[str]) -> str:
    """Write scores as HTML: at most `ROWS` rows, those of all samples before those of groups.

    Args:
        scores: of one run.
        level: of their intervals.
        span_of: the range of a metric.
        heading: what was evaluated.
        notes: what to say of the data.
    """
    shown = _first(scores)
    parts = [f"<p>{escape(printable(heading))}</p>"]
    parts += [_table(section, span_of) for section in sections(shown, level)]
    if len(shown) < len(scores):
        left = len(scores) - len(shown)
        parts.append(f"<p>{left} of {len(scores)} rows are left out, all of groups; result.table has them</p>")
    parts.append(listed(f"notes ({len(notes)})", map(printable, notes)))
    parts.append(listed("signatures", (score.signature for score in shown if score.group is None)))
    return framed(parts)


def _first(scores: Sequence[Score]) -> list[Score]:
    """Keep the order, but leave groups out before anything of all samples."""
    whole = sum(score.group is None for score in scores)
    room = max(0, ROWS - whole)
    kept = []
    for score in scores:
        if score.group is None:
            kept.append(score)
        elif room:
            kept.append(score)
            room -= 1
    return kept[:ROWS]


def _table(section: Section, span_of: Callable[[str], Span]) -> str:
    bars = any(has_scale(span_of(score.metric)) for score in section.scores)
    *heads, last = section.heads
    kinds = [("number" if head in ("value", "scored") else "", head) for head in heads]
    kinds += [*([("bar", "")] if bars else []), ("words", last)]
    return table(
        section.title + (f" ({LOWER})" if section.lower else ""),
        kinds,
        (_row(section, row, score, span_of(score.metric), bars=bars) for row, score in _paired(section)),
    )


def _paired(section: Section) -> Iterator[tuple[tuple[str, ...], Score]]:
    return zip(section.rows, section.scores, strict=True)


def _row(section: Section, row: tuple[str, ...], score: Score, span: Span, *, bars: bool) -> Iterator[tuple[str, str]]:
    for head, cell in zip(section.heads[:-1], row, strict=False):
        kind = "number" if head in ("value", "scored") else "group" if head not in section.heads[-5:] else ""
        yield kind, escape(cell)
    if bars:
        ends = f", {interval(score)}" if interval(score) else ""
        said = f"{number(score.value)}{ends} on {span[0]:g} to {span[1]:g}"
        yield "bar", drawn(score.value, (score.low, score.high), span, said)
    yield "words", escape(row[-1])
