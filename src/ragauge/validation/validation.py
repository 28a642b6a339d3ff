"""What a validation found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import Any

from rich.cells import cell_len

from ragauge.comparison.tables import WIDTH, number, probability, signed, wrapped
from ragauge.errors import UnknownNameError
from ragauge.results.tables import printable
from ragauge.validation.agreement import SCOPES


@dataclass(frozen=True)
class Agreement:
    """How far one metric agrees with people, by one measure in one scope."""

    metric: str
    scope: str
    """``pooled`` over all samples, ``by group``: the mean over groups, ``systems``: of their means."""
    measure: str
    value: float
    """NaN where labels or scores are all equal."""
    low: float
    high: float


@dataclass(frozen=True)
class Contest:
    """Whether two metrics differ in how far they agree with people, on the same samples."""

    better: str
    other: str
    scope: str
    measure: str
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    """Corrected by Holm over all pairs of metrics in this measure and scope."""


@dataclass(frozen=True)
class Ceiling:
    """How far annotators agree with each other; no metric can be expected to agree more."""

    annotators: int
    scale: str
    alpha: float
    low: float
    high: float
    kappa: float


@dataclass(frozen=True)
class Estimate:
    """The mean that labels of all samples would have, by prediction-powered inference."""

    metric: str
    value: float
    low: float
    high: float
    weight: float
    """How far the metric is trusted, 0 to 1."""
    alone: float
    """The mean of the labels alone."""
    alone_low: float
    alone_high: float
    labelled: int
    samples: int

    @property
    def worth(self) -> float:
        """How many labels alone would give an interval as short."""
        narrow, wide = self.high - self.low, self.alone_high - self.alone_low
        return self.labelled * (wide / narrow) ** 2 if narrow > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class Validation:
    """Agreement of metrics with human labels, or what the labels say of all samples."""

    agreements: tuple[Agreement, ...]
    contests: tuple[Contest, ...]
    ceiling: Ceiling | None
    estimates: tuple[Estimate, ...]
    samples: int
    """Samples with a label and a score under every metric."""
    notes: tuple[str, ...]
    options: Mapping[str, Any]

    def __getitem__(self, key: tuple[str, str]) -> Agreement:
        """Return the pooled agreement of (metric, measure)."""
        metric, measure = key
        for agreement in self.agreements:
            if (agreement.metric, agreement.measure, agreement.scope) == (metric, measure, "pooled"):
                return agreement
        there = [f"{one.metric}, {one.measure}" for one in self.agreements if one.scope == "pooled"]
        raise UnknownNameError.of("agreement", f"{metric}, {measure}", there)

    def to_dict(self) -> dict[str, Any]:
        """Return all as JSON types; NaN as None."""
        return {
            "agreements": [_plain(one) for one in self.agreements],
            "contests": [_plain(one) for one in self.contests],
            "ceiling": None if self.ceiling is None else _plain(self.ceiling),
            "estimates": [_plain(one) | {"worth": _number(one.worth)} for one in self.estimates],
            "samples": self.samples,
            "notes": list(self.notes),
            "options": dict(self.options),
        }

    def __str__(self) -> str:
        from ragauge.validation.validation import plain_text

        return plain_text(self)


def _plain(one: Any) -> dict[str, Any]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in asdict(one).items()}


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


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
