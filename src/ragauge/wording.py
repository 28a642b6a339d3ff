"""Scores in words: what a table of them says, in text and in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isnan

from ragauge.protocol import STAGES
from ragauge.scored import Score

HEADINGS = ("metric", "value", "interval", "n", "notes")


def cells(score: Score) -> tuple[str, str, str, str, str]:
    """Say ``score`` in the cells of a row, see `HEADINGS`.

    The notes hold what must not be overlooked: what did not count, and what it could change.
    """
    arrow = "" if score.direction == "higher" else " ↓"
    return (score.metric + arrow, number(score.value), interval(score), f"{score.counted}/{score.total}", notes(score))


def number(value: float) -> str:
    """Write a value to four significant places at least.

    >>> number(0.81234), number(1234.5678), number(float("nan"))
    ('0.8123', '1234.57', '–')
    """
    if isnan(value):
        return "–"
    return f"{value:.4f}" if abs(value) < 100 else f"{value:.2f}"


def interval(score: Score) -> str:
    """Write the interval, or nothing where there is none."""
    return "" if isnan(score.low) else f"[{number(score.low)}, {number(score.high)}]"


def notes(score: Score) -> str:
    """Say what did not count, the parts, and that lower is better where it is."""
    states = [(score.failed, "failed"), (score.missing, "missing"), (score.undefined, "undefined")]
    said = [f"{count} {word}" for count, word in states if count]
    if score.failed and score.bounds is not None:
        said.append(f"bounds {number(score.bounds[0])}–{number(score.bounds[1])}")
    if score.undefined_scored:
        said.append(f"{score.undefined_scored} undefined scored 0")
    return ", ".join([*said, *(f"{name} {number(part)}" for name, part in score.parts.items())])


def label(group: object) -> str:
    """Say which group a score is of.

    >>> label({"language": "zh"}), label({"language": None}), label(None)
    ('language=zh', 'language=(none)', 'all')
    """
    if not isinstance(group, dict):
        return "all"
    return ", ".join(f"{name}={'(none)' if value is None else value}" for name, value in group.items())


def by_stage(scores: Sequence[Score]) -> list[tuple[str, list[Score]]]:
    """Return the stages that occur, in the order of a RAG system, with their scores."""
    return [(stage, found) for stage in STAGES if (found := [score for score in scores if score.stage == stage])]


def plain_text(scores: Sequence[Score]) -> str:
    """Write scores as aligned lines."""
    rows = [(label(score.group), *cells(score)) for score in scores]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def markdown(scores: Sequence[Score]) -> str:
    """Write scores as a Markdown table."""
    heads = ("group", *HEADINGS) if any(score.group for score in scores) else HEADINGS
    rows = [_row(score, grouped=len(heads) > len(HEADINGS)) for score in scores]
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def html(scores: Sequence[Score]) -> str:
    """Write scores as an HTML table, for notebooks."""
    grouped = any(score.group for score in scores)
    heads = "".join(f"<th>{escape(head)}</th>" for head in (("group", *HEADINGS) if grouped else HEADINGS))
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in _row(score, grouped=grouped)) for score in scores)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _row(score: Score, *, grouped: bool) -> tuple[str, ...]:
    return (label(score.group), *cells(score)) if grouped else cells(score)
