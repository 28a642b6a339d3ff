"""A comparison in a notebook."""

from __future__ import annotations

from html import escape

from ragauge.comparing.comparison import Comparison, Versus
from ragauge.comparing.difference import Difference
from ragauge.comparing.wording import excluded, head, interval, method, reaches, signed, table
from ragauge.notebooks import style
from ragauge.notebooks.intervals import drawn
from ragauge.wording import printable

ROWS = 100
"""Rows shown at most of each candidate."""

_TEXTS = ("group", "metric", "")


def html(comparison: Comparison) -> str:
    """Write a comparison as HTML: a table per candidate, whose bars stand on one scale with 0 in the middle."""
    parts = []
    for versus in comparison.versus:
        found = comparison.of(versus.name)
        parts += [f"<p>{escape(printable(line))}</p>" for line in head(comparison.base, versus)]
        parts.append(_table(comparison, versus))
        if len(found) > ROWS:
            parts.append(f"<p>{len(found) - ROWS} of {len(found)} rows are left out; comparison.table has them</p>")
        left_out = [f"{one.metric}: {excluded(one)}" for one in found if excluded(one) and one.group is None]
        parts.append(style.listed("samples that do not count", map(printable, left_out)))
    parts.append(f"<p>{escape(printable(method(comparison)))}</p>")
    parts.append(style.listed(f"notes ({len(comparison.notes)})", map(printable, comparison.notes)))
    return style.framed(parts)


def _table(comparison: Comparison, versus: Versus) -> str:
    heads, rows = table(comparison, versus)
    found = comparison.of(versus.name)
    scales = reaches(found, versus)
    last = len(heads) - 1
    kinds = [("" if head in _TEXTS else "number", head) for head in heads]
    body = []
    for row, one, reach in list(zip(rows, found, scales, strict=True))[:ROWS]:
        cells = [(kind, escape(printable(cell))) for (kind, _), cell in zip(kinds, row, strict=True)]
        body.append([*cells[:last], ("bar", _bar(one, reach)), cells[last]])
    return style.table(versus.name, [*kinds[:last], ("bar", ""), kinds[last]], body)


def _bar(one: Difference, reach: float) -> str:
    said = f"{signed(one.difference)} {interval(one)}"
    return drawn(one.difference, (one.low, one.high), (-reach, reach), said, zero=True)
