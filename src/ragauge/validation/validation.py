"""The result of validating metrics, as text, tables and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, isnan
from typing import Any

from ragauge.core.messages import Counted, Message
from ragauge.display.html import Displayed
from ragauge.display.numbers import finite, interval, json_fields, percentage, probability, short_number, signed
from ragauge.display.table import Block, Notes, Table, TableColumn, TableRow
from ragauge.errors import UnknownNameError, worded
from ragauge.results.keyed import Keyed
from ragauge.results.notes import usual_notes


@dataclass(frozen=True)
class Agreement:
    """The agreement of one metric with people, by one measure in one scope."""

    metric: str
    scope: str
    """``pooled``: over all samples; ``by group``: the mean over groups; ``systems``: of the means of systems."""
    measure: str
    value: float
    """NaN where labels or scores are all equal."""
    low: float
    high: float


@dataclass(frozen=True)
class AgreementDifference:
    """The difference between two metrics in their agreement with people, on the same samples."""

    better: str
    """The metric that agrees more, on these samples."""
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
    """The agreement of annotators with each other; no metric can be expected to agree more."""

    annotators: int
    scale: str
    alpha: float
    low: float
    high: float
    kappa: float


@dataclass(frozen=True)
class CalibrationError:
    """How far the scores of a judge are from the share of good labels among samples with such scores."""

    metric: str
    error: float
    """The mean distance, in up to ten groups of samples by score."""
    by_chance: float
    """What scores that are the exact probabilities would have on so many samples."""


@dataclass(frozen=True)
class Estimate:
    """The mean that labels of all samples would have, by prediction-powered inference."""

    metric: str
    value: float
    low: float
    high: float
    weight: float
    """The weight of the metric's scores in the estimate, 0 to 1."""
    alone: float
    """The mean of the labels alone."""
    alone_low: float
    alone_high: float
    labelled: int
    samples: int

    @property
    def worth(self) -> float:
        """The number of labels that alone would give an interval as short; NaN where it has no length."""
        narrow, wide = self.high - self.low, self.alone_high - self.alone_low
        return self.labelled * (wide / narrow) ** 2 if narrow > 0 else float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Displayed, Keyed[tuple[str, str]]):
    """Agreement of metrics with human labels, or what the labels say of all samples."""

    agreements: tuple[Agreement, ...]
    differences: tuple[AgreementDifference, ...]
    ceiling: Ceiling | None
    estimates: tuple[Estimate, ...]
    samples: int
    """Samples with a label and a score under every metric."""
    notes: tuple[str, ...]
    options: Mapping[str, Any]
    calibration: tuple[CalibrationError, ...] = ()
    """Of metrics that ask a judge, where labels are binary."""

    def __getitem__(self, key: tuple[str, str]) -> Agreement:
        """Return the pooled agreement of (metric, measure)."""
        for agreement in self.agreements:
            if agreement.scope == "pooled" and (agreement.metric, agreement.measure) == key:
                return agreement
        name = ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        raise UnknownNameError.of("agreement", name, map(", ".join, self.keys()))

    def keys(self) -> KeysView[tuple[str, str]]:
        """Return (metric, measure) of each pooled agreement."""
        return {(one.metric, one.measure): one for one in self.agreements if one.scope == "pooled"}.keys()

    def to_dict(self) -> dict[str, Any]:
        """Return all as JSON types; NaN as None."""
        return {
            "agreements": [json_fields(asdict(one)) for one in self.agreements],
            "differences": [json_fields(asdict(one)) for one in self.differences],
            "ceiling": None if self.ceiling is None else json_fields(asdict(self.ceiling)),
            "calibration": [asdict(one) for one in self.calibration],
            "estimates": [json_fields(asdict(one)) | {"worth": finite(one.worth)} for one in self.estimates],
            "samples": self.samples,
            "notes": list(self.notes),
            "options": dict(self.options),
        }

    def blocks(self, *, verbose: bool = False) -> Iterator[Block]:
        """Yield the notes, then tables of agreement, differences, annotators and estimates.

        ``verbose``: the interval of each measure, and the differences of all pairs of metrics, not only those of the
        metric that agrees most.
        """
        yield Notes(self.notes if verbose else usual_notes(self.notes))
        level = Message("{level} interval", percentage(self.options["level"]))
        for scope, words in _SCOPES.items():
            some = [one for one in self.agreements if one.scope == scope]
            if some:
                title = Message(
                    "agreement with people {where}, {samples}", worded(words), Counted(self.samples, "sample")
                )
                if verbose:
                    yield _table(title, ("metric", "measure", "value", level), _agreements(some))
                else:
                    yield _brief(title, self._most_agreeing(some), level)
        differences = [one for one in self.differences if (one.measure, one.scope) == (_PRIMARY, "pooled")]
        best = self._most_agreeing(self.agreements)[0].metric if differences else ""
        # A metric that is the same for all samples has no difference to another.
        known = [one for one in differences if not isnan(one.difference)]
        some_pairs = [one for one in known if verbose or best in (one.better, one.other)]
        if some_pairs:
            heads = ("metrics", "difference", level, "p", "Holm")
            yield _table(
                Message("which agrees more ({primary}, all samples)", _PRIMARY), heads, map(_difference, some_pairs)
            )
        if self.calibration:
            cells = [(one.metric, short_number(one.error), short_number(one.by_chance)) for one in self.calibration]
            yield _table(Message("calibration of judges"), ("metric", "error", "by chance"), cells)
        if self.ceiling is not None:
            one = self.ceiling
            ends = interval(one.low, one.high, short_number)
            row = (
                Message("{annotators} annotators", one.annotators),
                short_number(one.alpha, one.low, one.high),
                ends,
                short_number(one.kappa),
            )
            title = Message("agreement of annotators, {scale} scale", worded(one.scale))
            yield _table(title, ("", "alpha", level, "kappa"), [row])
        if self.estimates:
            samples = max(one.samples for one in self.estimates)
            heads = ("with the help of", "mean", level, "weight", "worth labels")
            rows = [_alone(self.estimates[0]), *map(_estimate, self.estimates)]
            yield _table(
                Message("mean of {labels} over {samples}", self.options["labels"], Counted(samples, "sample")),
                heads,
                rows,
            )

    def _most_agreeing(self, some: Iterable[Agreement]) -> list[Agreement]:
        """Return agreements by their metric, the one that agrees most over all samples first."""
        pooled = {one.metric: one.value for one in self.agreements if (one.measure, one.scope) == (_PRIMARY, "pooled")}
        values = {metric: -inf if isnan(value) else value for metric, value in pooled.items()}
        return sorted(some, key=lambda one: values.get(one.metric, -inf), reverse=True)


_SCOPES = {"pooled": "over all samples", "by group": "within groups, averaged", "systems": "of the means of systems"}
_PRIMARY = "kendall"
_OTHERS = ("auc", "spearman", "pairwise accuracy", "balanced accuracy", "pearson", "kappa")
"""The other measures, those first that a narrow screen keeps."""


def _table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Table:
    first, *others = heads
    texts = [head == "measure" or isinstance(head, Message) for head in others]
    columns = [TableColumn(head, "text" if text else "number") for head, text in zip(others, texts, strict=True)]
    return Table(title, (TableColumn(first, "name"), *columns), tuple(map(TableRow, rows)))


def _brief(title: str, some: Sequence[Agreement], level: str) -> Table:
    """Return a row of each metric: the first measure with its interval, and the values of the others."""
    by_metric: dict[str, dict[str, Agreement]] = {}
    for one in some:
        by_metric.setdefault(one.metric, {})[one.measure] = one
    measures_of_some = {one.measure for one in some}
    others = [measure for measure in _OTHERS if measure in measures_of_some]
    columns = (
        TableColumn("metric", "name"),
        TableColumn(_PRIMARY, "number"),
        TableColumn(level),
        *[TableColumn(measure, "number", extra=True) for measure in others],
    )
    rows = []
    for metric, measures in by_metric.items():
        first = measures[_PRIMARY]
        rest = [short_number(measures[name].value) if name in measures else "" for name in others]
        rows.append(
            (
                metric,
                short_number(first.value, first.low, first.high),
                interval(first.low, first.high, short_number),
                *rest,
            )
        )
    return Table(title, columns, tuple(map(TableRow, rows)))


def _agreements(some: Sequence[Agreement]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each agreement; a metric is named in the first of its rows."""
    before = None
    for one in some:
        ends = interval(one.low, one.high, short_number)
        yield (
            "" if one.metric == before else one.metric,
            worded(one.measure),
            short_number(one.value, one.low, one.high),
            ends,
        )
        before = one.metric


def _difference(one: AgreementDifference) -> tuple[str, ...]:
    names, ends = f"{one.better}{' > ' if one.difference else ', '}{one.other}", interval(one.low, one.high, signed)
    return (names, signed(one.difference, one.low, one.high), ends, probability(one.p), probability(one.corrected))


def _alone(one: Estimate) -> tuple[str, ...]:
    ends = interval(one.alone_low, one.alone_high, short_number)
    return (worded("labels alone"), short_number(one.alone, one.alone_low, one.alone_high), ends, "", str(one.labelled))


def _estimate(one: Estimate) -> tuple[str, ...]:
    worth = "–" if isnan(one.worth) else f"{one.worth:.0f}"
    ends = interval(one.low, one.high, short_number)
    return (one.metric, short_number(one.value, one.low, one.high), ends, short_number(one.weight), worth)
