"""The scores of a run in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from ragauge.bars import Span, has_scale
from ragauge.notebooks.intervals import drawn
from ragauge.notebooks.style import framed, listed, table
from ragauge.scored import Score
from ragauge.wording import LOWER, Section, interval, number, printable, sections

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
    kinds = [("number" if head in ("value", "counted") else "", head) for head in heads]
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
        kind = "number" if head in ("value", "counted") else "group" if head not in section.heads[-5:] else ""
        yield kind, escape(cell)
    if bars:
        ends = f", {interval(score)}" if interval(score) else ""
        said = f"{number(score.value)}{ends} on {span[0]:g} to {span[1]:g}"
        yield "bar", drawn(score.value, (score.low, score.high), span, said)
    yield "words", escape(row[-1])
