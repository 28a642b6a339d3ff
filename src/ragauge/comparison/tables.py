"""A comparison in words: aligned text of at most 80 columns, and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from math import inf, isfinite, isnan
from textwrap import wrap
from typing import Any

from rich.cells import cell_len, set_cell_size

from ragauge.comparison.comparison import Comparison, Versus
from ragauge.comparison.difference import Difference, Fall
from ragauge.display import html as style
from ragauge.display.bars import DRAWN, Strokes, forest
from ragauge.display.html import drawn
from ragauge.results.tables import label, printable

WIDTH = 80
_BAR = 21
CORRECTED = {"holm": "Holm", "bonferroni": "Bonf.", "bh": "BH", "none": "p"}

_NAMES = {"holm": "Holm's", "bonferroni": "Bonferroni's", "bh": "Benjamini and Hochberg's", "none": "no"}
# The columns of the table whose texts begin at the left: metric, interval and outcome.
_LEFT = (0, 4, 7)
_ARROWS = {"better": "▲", "worse": "▼", "unclear": "≈", "equal": "=", "nothing": "–"}


def number(value: float) -> str:
    """Write a score in five characters where it fits.

    >>> number(0.81234), number(48.2134), number(0.000412), number(-0.0), number(float("nan"))
    ('0.812', '48.21', '0.0004', '0.000', '–')
    """
    if isnan(value):
        return "–"
    # A drop of nothing is a negative zero, and is written without a sign.
    value += 0.0
    if 0 < abs(value) < 0.001:
        return f"{value:.1g}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.2f}" if abs(value) < 1000 else f"{value:.1f}"


def signed(value: float) -> str:
    """Write a difference with its sign.

    >>> signed(0.0351), signed(-12.5), signed(0.0)
    ('+0.035', '-12.50', '0.000')
    """
    return f"+{number(value)}" if value > 0 else number(value)


def probability(p: float) -> str:
    """Write a p-value in five characters.

    >>> probability(0.00004), probability(0.04219), probability(0.99995), probability(float("nan"))
    ('<.0001', '.0422', '1', '–')
    """
    if isnan(p):
        return "–"
    if p < 0.0001:
        return "<.0001"
    return "1" if p >= 0.99995 else f"{p:.4f}"[1:]


def interval(one: Difference) -> str:
    """Write the interval of the difference, nothing where there is none."""
    return "" if isnan(one.low) else f"[{signed(one.low)}, {signed(one.high)}]"


def judged(one: Difference) -> str:
    """Write the outcome with its arrow.

    >>> _ARROWS["better"]
    '▲'
    """
    return f"{_ARROWS[one.outcome]} {one.outcome}"


def details(one: Difference) -> str:
    """Say on how many samples it rose and fell, and what these samples could have shown."""
    said = [f"{one.wins} better, {one.ties} same, {one.losses} worse"]
    if not isnan(one.detectable):
        said.append(f"effect {signed(one.effect)}, could show ±{number(one.detectable)}")
    return "; ".join(said)


def excluded(one: Difference) -> str:
    """Say which samples were not scored and why; empty where all were."""
    if one.scored == one.total:
        return ""
    why = ", ".join(f"{count} {reason}" for reason, count in one.excluded.items())
    return f"{one.scored} of {one.total} scored: {why}"


def plain_text(comparison: Comparison, worst: int = 0, *, width: int = WIDTH, strokes: Strokes = DRAWN) -> str:
    """Write a comparison in lines of at most 80 columns, long names apart; the ``worst`` samples of each metric.

    Where ``width`` leaves room, a bar of ``strokes`` stands after each difference: 0 in the middle, one scale for all
    metrics that have a range, which is their unit.
    """
    lines = [wrapped(text) for text in (method(comparison), *(f"note: {note}" for note in comparison.notes))]
    for versus in comparison.versus:
        lines += ["", *head(comparison.base, versus)]
        drawn = _drawn(comparison.of(versus.name), versus, strokes)
        for group, found in groupby(drawn, key=lambda pair: pair[0].group):
            lines += ["", *(_group(group) if group else []), *_rows(list(found), comparison, width)]
    if worst:
        lines += ["", *fallen(comparison.worst(worst))]
    return "\n".join(lines)


def markdown(comparison: Comparison, worst: int = 0) -> str:
    """Write a comparison as Markdown for a pull request."""
    lines = []
    for versus in comparison.versus:
        heads, rows = table(comparison, versus)
        lines += [f"- {line}" for line in head(comparison.base, versus)]
        lines += ["", _row(heads), _row(["---"] * len(heads))]
        lines += map(_row, rows)
        found = comparison.of(versus.name)
        lines += [f"\n{one.metric}: {excluded(one)}" for one in found if excluded(one) and one.group is None]
        lines.append("")
    lines += [method(comparison), *(f"\nnote: {note}" for note in comparison.notes)]
    if worst:
        lines += ["", "```text", *fallen(comparison.worst(worst)), "```"]
    return "\n".join(lines)


def table(comparison: Comparison, versus: Versus) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of one candidate's differences, in words."""
    found = comparison.of(versus.name)
    grouped = any(one.group for one in found)
    corrected = CORRECTED[comparison.options["correction"]]
    heads = ["metric", "base", "new", "difference", f"{_level(comparison)} interval", "p", corrected]
    heads = [*(["group"] if grouped else []), *heads, "better/same/worse", "n", ""]
    return heads, [[*([label(one.group)] if grouped else []), *_cells(one)] for one in found]


def fallen(falls: Sequence[Fall]) -> list[str]:
    """Write the samples that fell most, by metric."""
    lines: list[str] = []
    for (metric, run), found in groupby(falls, key=lambda fall: (fall.metric, fall.run)):
        lines.append(f"fell most under {metric} in {run}:")
        for fall in found:
            lines.append(f"  {printable(fall.id)}  {number(fall.base)} -> {number(fall.candidate)}")
            said = [("question", fall.question), ("base", fall.base_answer), ("new", fall.candidate_answer)]
            said += [("wanted", fall.references[0] if fall.references else None)]
            lines += [_cut(title, text) for title, text in said if text is not None]
    return lines or ["no sample fell"]


def method(comparison: Comparison) -> str:
    """Say how the runs were compared."""
    options = comparison.options
    tests = ", ".join(dict.fromkeys(one.test for one in comparison.table)) or options["test"]
    drawn = f" in clusters of {options['cluster']}" if options["cluster"] else ""
    corrected = sum(one.group is None and not isnan(one.p) for one in comparison.table)
    first = f"paired {tests}{drawn}; {_level(comparison)} bootstrap intervals of the difference;"
    over = "1 test" if corrected == 1 else f"{corrected} tests"
    return f"{first} {_NAMES[options['correction']]} correction over {over}; seed {options['seed']}"


def wrapped(text: str) -> str:
    """Break a sentence into lines of at most 80 columns; what has no blanks, a path, stays whole."""
    return "\n".join(wrap(printable(text), WIDTH, break_long_words=False, break_on_hyphens=False))


def _level(comparison: Comparison) -> str:
    return f"{100 * comparison.options['level']:g} %"


def head(base: str, versus: Versus) -> list[str]:
    """Say which runs are compared, and on how many samples."""
    pairs = versus.pairs
    return [f"base  {base}", f"new   {versus.name}", f"{len(pairs)} paired samples"]


def _group(group: Mapping[str, Any]) -> list[str]:
    return [f"{next(iter(group))} {label(dict(group))}"]


def reaches(found: Sequence[Difference], versus: Versus) -> list[float]:
    """Return how far the scale of each difference goes to either side of 0.

    Metrics with a range share one scale, in units of their ranges; others have none, which is infinite.
    """
    units = [high - low for low, high in (versus.base.range(one.metric) for one in found)]
    ends = [
        abs(end) / unit
        for one, unit in zip(found, units, strict=True)
        if isfinite(unit)
        for end in (one.low, one.high, one.difference)
        if isfinite(end)
    ]
    return [max(ends, default=0.0) * unit if isfinite(unit) else inf for unit in units]


def _drawn(found: Sequence[Difference], versus: Versus, strokes: Strokes) -> Iterator[tuple[Difference, str]]:
    """Yield each difference with its bar."""
    for one, reach in zip(found, reaches(found, versus), strict=True):
        yield one, forest(one.difference, (one.low, one.high), reach, _BAR, strokes)


def _rows(found: Sequence[tuple[Difference, str]], comparison: Comparison, width: int) -> list[str]:
    corrected = CORRECTED[comparison.options["correction"]]
    heads = ("metric", "base", "new", "difference", "", "p", corrected, "")
    rows = [(_titled(one), *_numbers(one), judged(one)) for one, _ in found]
    widths = [max(cell_len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    narrow = sum(widths[1:]) + 2 * len(widths) - 2
    widths[0] = min(widths[0], max(10, WIDTH - narrow))
    lines = [_aligned(heads, widths)]
    beside = sum(widths) + 2 * len(widths)
    for (one, bar), (title, *numbers) in zip(found, rows, strict=True):
        apart = cell_len(title) > widths[0]
        line = _aligned(("" if apart else title, *numbers), widths)
        drawn = bar if bar and beside + _BAR <= width else ""
        line = f"{line}{' ' * (beside - cell_len(line))}{drawn}" if drawn else line
        lines += [*([title] if apart else []), line]
        lines += [f"  {said}" for said in (details(one), excluded(one)) if said]
    return lines


def _titled(one: Difference) -> str:
    return one.metric + ("" if one.direction == "higher" else " ↓")


def _numbers(one: Difference) -> tuple[str, ...]:
    values = (number(one.base), number(one.candidate), signed(one.difference), interval(one))
    return (*values, probability(one.p), probability(one.corrected))


def _cells(one: Difference) -> list[str]:
    counts = f"{one.wins}/{one.ties}/{one.losses}"
    return [_titled(one), *_numbers(one), counts, f"{one.scored}/{one.total}", judged(one)]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = []
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        blank = " " * (width - cell_len(cell))
        padded.append(cell + blank if place in _LEFT else blank + cell)
    return "  ".join(padded).rstrip()


def _cut(title: str, text: str) -> str:
    """Write a text in one line of the width, wide characters counting twice."""
    line = f"    {title:9}{printable(' '.join(text.split()))}"
    return line if cell_len(line) <= WIDTH else set_cell_size(line, WIDTH - 1).rstrip() + "…"


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
