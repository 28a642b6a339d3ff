"""A validation in words: aligned text of at most 80 columns, and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from rich.cells import cell_len

from ragauge.comparing.wording import WIDTH, number, probability, signed, wrapped
from ragauge.validating.scopes import SCOPES
from ragauge.validating.validation import Agreement, Ceiling, Contest, Estimate, Validation
from ragauge.wording import printable

_TITLES = {
    "pooled": "over all samples",
    "by group": "within groups, averaged",
    "systems": "of the means of systems",
}
_PRIMARY = "kendall"


def plain_text(validation: Validation) -> str:
    """Write tables in lines of at most 80 columns."""
    lines = [wrapped(f"note: {note}") for note in validation.notes]
    for title, rows in tables(validation):
        lines += ["", wrapped(title), *_aligned(rows)]
    return "\n".join(lines).lstrip("\n")


def markdown(validation: Validation) -> str:
    """Write tables for a pull request."""
    lines = []
    for title, rows in tables(validation):
        heads, *rest = [[cell.replace("|", "\\|") for cell in row] for row in rows]
        rule = ["---", *["---:"] * (len(heads) - 1)]
        lines += [f"**{title}**", "", *("| " + " | ".join(row) + " |" for row in (heads, rule, *rest)), ""]
    return "\n".join([*lines, *(f"note: {printable(note)}\n" for note in validation.notes)]).rstrip("\n")


def tables(validation: Validation) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield titles and rows, the first of them heads."""
    level = f"{100 * validation.options['level']:g} % interval"
    for scope in SCOPES:
        some = [one for one in validation.agreements if one.scope == scope]
        if some:
            heading = f"agreement with people {_TITLES[scope]}, {validation.samples} samples"
            yield heading, [["metric", "measure", "value", level], *_agreements(some)]
    contests = [one for one in validation.contests if one.measure == _PRIMARY and one.scope == "pooled"]
    if contests:
        heads = ["metrics", "difference", level, "p", "Holm"]
        yield f"which agrees more ({_PRIMARY}, all samples)", [heads, *map(_contest, contests)]
    if validation.ceiling is not None:
        title = f"annotators among themselves, {validation.ceiling.scale} scale"
        yield title, [["", "alpha", level, "kappa"], _ceiling(validation.ceiling)]
    if validation.estimates:
        samples = max(one.samples for one in validation.estimates)
        heads = ["with the help of", "mean", level, "weight", "worth labels"]
        rows = [_alone(validation.estimates[0]), *map(_estimate, validation.estimates)]
        yield f"mean of {validation.options['labels']} over {samples} samples", [heads, *rows]


def _contest(one: Contest) -> list[str]:
    interval = _interval(one.low, one.high, signs=True)
    p = (probability(one.p), probability(one.corrected))
    return [f"{one.better} > {one.other}", signed(one.difference), interval, *p]


def _ceiling(held: Ceiling) -> list[str]:
    return [f"{held.annotators} annotators", number(held.alpha), _interval(held.low, held.high), number(held.kappa)]


def _alone(one: Estimate) -> list[str]:
    return ["labels alone", number(one.alone), _interval(one.alone_low, one.alone_high), "", str(one.labelled)]


def _estimate(one: Estimate) -> list[str]:
    worth = "–" if isnan(one.worth) else f"{one.worth:.0f}"
    return [one.metric, number(one.value), _interval(one.low, one.high), number(one.weight), worth]


def _agreements(some: Sequence[Agreement]) -> Iterator[list[str]]:
    said = None
    for one in some:
        yield ["" if one.metric == said else one.metric, one.measure, number(one.value), _interval(one.low, one.high)]
        said = one.metric


def _interval(low: float, high: float, *, signs: bool = False) -> str:
    form = signed if signs else number
    return "" if isnan(low) else f"[{form(low)}, {form(high)}]"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align the columns; a first cell that does not fit stands on a line of its own."""
    texts = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*texts, strict=True)]
    rest = sum(widths[1:]) + 2 * (len(widths) - 1)
    widths[0] = min(widths[0], max(WIDTH - rest, 8))
    lines = []
    for first, *cells in texts:
        apart = cell_len(first) > widths[0]
        held = ["" if apart else first, *cells]
        padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(held, widths, strict=True))
        lines += [*([first] if apart else []), "  ".join(padded).rstrip()]
    return lines
