"""How many questions it takes to tell two systems apart, or a published share from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from decimal import Decimal
from math import ceil, floor, isnan, nan, sqrt
from typing import Annotated, Any

import numpy as np

from ragauge.comparison.compare import Run, compare
from ragauge.comparison.pairing import plain_column
from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.messages import Argument, Counted, Joined, Message
from ragauge.core.options import Range, checked_value
from ragauge.core.ragged import FloatArray
from ragauge.display.html import Displayed
from ragauge.display.numbers import interval, json_fields, percentage, probability, short_number
from ragauge.display.table import Block, Notes, Paragraph, Table, TableColumn, TableRow
from ragauge.errors import UsageError
from ragauge.evaluation.evaluator import cluster_keys
from ragauge.inference.distributions import normal_quantile
from ragauge.inference.intervals import wilson
from ragauge.inference.tests import binomial, detectable, needed
from ragauge.results.result import Result, loaded
from ragauge.results.score import shown_name

_COUNTED = 2_000
"""Questions up to which each number of them is tested."""


@dataclass(frozen=True)
class MetricPower:
    """What it takes under one metric: a two-sided test at the 5 % level that finds the difference in 80 % of cases."""

    metric: str
    samples: int
    """Samples that are scored now."""
    needed: float
    """Samples that show the difference; NaN where the spread of the present ones is not known."""
    detectable: float
    """The smallest difference that the present samples show; NaN where they show none within the metric's range."""


@dataclass(frozen=True, repr=False)
class Power(Displayed):
    """How many samples show a difference, by metric."""

    difference: float
    metrics: tuple[MetricPower, ...]
    paired: bool
    """Whether the spread is that of the differences of two runs; else two systems are taken to be independent."""
    cluster: str | None = None
    """The column whose values share samples: these are counted as if each value went on to have as many."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON types; NaN as None."""
        return {**asdict(self), "metrics": [json_fields(asdict(one)) for one in self.metrics]}

    def blocks(self) -> Iterator[Block]:
        """Yield a table with a row for each metric, and what the spread is of."""
        heads = ("samples now", Message("samples for {difference}", f"{self.difference:g}"), "difference shown now")
        columns = (TableColumn("metric", "name"), *(TableColumn(head, "number") for head in heads))
        rows = [
            TableRow((one.metric, f"{one.samples:,}", _whole(one.needed), short_number(one.detectable)))
            for one in self.metrics
        ]
        yield Table("", columns, tuple(rows))
        independent = "two systems on the same questions, as if independent; of two runs that are alike it takes fewer"
        yield Paragraph(
            Message("80 % power at the 5 % level; {what}", Message(_PAIRED if self.paired else independent))
        )
        yield Notes(self.notes)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Why numbers are not there, by the metrics that lack them."""
        unknown = [one.metric for one in self.metrics if isnan(one.needed)]
        too_few = [one.metric for one in self.metrics if isnan(one.detectable) and one.metric not in unknown]
        lacking = {_UNKNOWN: unknown, _TOO_FEW: too_few}
        clustered = (Message(_CLUSTERED, self.cluster),) if self.cluster else ()
        return (*clustered, *(Message(why, Joined(metrics, ", ")) for why, metrics in lacking.items() if metrics))


_PAIRED = "by the differences of these two runs"
_UNKNOWN = (
    "RG-NOTE-280 {metrics}: it is not known how many samples it takes, as fewer than two are scored or all scores are "
    "equal"
)
_TOO_FEW = "RG-NOTE-281 {metrics}: the samples now are too few to show any difference within the range of the metric"
_CLUSTERED = "RG-NOTE-311 samples of one {column} count together: the numbers hold for as many samples of each as now"
_NO_SHARE = (
    "RG-NOTE-282 {value} is no share of {questions}: {below} or {above} would be; of a mean of graded scores the "
    "interval is narrower"
)


def _whole(number: float) -> str:
    return "–" if isnan(number) else f"{number:,.0f}"


def power(run: Run, other: Run | None = None, *, difference: float = 0.03, metrics: str | Iterable[str] = ()) -> Power:
    """Return how many samples show a true ``difference``, with data like those of a run.

    Args:
        run: a result or the directory of a saved run.
        other: another on the same questions, so that the spread of their differences counts.
        difference: in the metric's own unit, above 0.
        metrics: by default all.

    Raises:
        UsageError: a metric's range has no such difference.

    >>> import ragauge
    >>> rows = [{"answer": "yes" if i % 4 else "no", "references": ["yes"]} for i in range(200)]
    >>> [one] = power(ragauge.evaluate(rows, "exact-match")).metrics
    >>> one.needed, round(one.detectable, 3)
    (3289.0, 0.122)
    """
    checked_value("power", "difference", difference, Annotated[float, Range(0, above=True)])
    result = loaded(run, "power", "run")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in names or result.metrics:
        low, high = result.range(name)
        if difference > high - low:
            raise beyond_range("difference", difference, name, low, high)
    if other is not None:
        compared = [one for one in compare(run, other, metrics=names, trials=1).table if one.group is None]
        paired = [
            MetricPower(one.metric, one.scored, one.samples_for(difference), _shown(one.detectable, result, one.metric))
            for one in compared
        ]
        return Power(difference, tuple(paired), paired=True, cluster=result.options.get("cluster"))
    keys = _units(result)
    rows = []
    for name in names or result.metrics:
        scores = result.scores(name)
        scored = np.isfinite(scores)
        error, units = _error(scores[scored], keys[scored])
        n = int(scored.sum())
        shown = _shown(detectable(sqrt(2) * error, units), result, name)
        rows.append(MetricPower(result[name].metric, n, needed(difference, sqrt(2) * error, n), shown))
    return Power(difference, tuple(rows), paired=False, cluster=result.options.get("cluster"))


def _units(result: Result) -> HashArray:
    """Return the hash of each sample's cluster, or of the sample itself where the run has none, (n,)."""
    own = hash_strings(result.sample_ids())
    column = result.options.get("cluster")
    return own if column is None else cluster_keys(own, plain_column(result, "cluster", column))


def _error(scores: FloatArray, keys: HashArray) -> tuple[float, int]:
    """Return the standard error of the mean of scores (n,), and how many units their ``keys`` (n,) make of them.

    It is that of a ratio of sums over the units; 0 with fewer than two.
    """
    units, places = np.unique(keys, return_inverse=True)
    if len(units) < 2:
        return 0.0, len(units)
    sums = np.bincount(places, scores - scores.mean(), len(units))
    return float(np.sqrt(len(units) / (len(units) - 1) * (sums**2).sum()) / len(scores)), len(units)


def beyond_range(option: str, value: float, metric: str, low: float, high: float) -> UsageError:
    """Return the error of an option that no score of a metric can meet."""
    template = (
        "RG-CMP-114 {given} is beyond {metric}, whose scores are from {low:g} to {high:g}; give another, or name the "
        "metrics that it is for"
    )
    return UsageError(template, Argument(option, value), shown_name(metric), low, high)


def _shown(difference: float, result: Result, metric: str) -> float:
    """Return a difference that a metric may have; NaN where it is larger."""
    low, high = result.range(metric)
    return difference if difference <= high - low else nan


@dataclass(frozen=True, repr=False)
class Audit(Displayed):
    """What a share that was published for n questions is worth beside a claim."""

    n: int
    value: float
    claim: float
    level: float
    low: float
    high: float
    """Wilson's interval of the value."""
    p: float
    """Two-sided p-value of the exact binomial test of the claim, on the count nearest to the value."""
    differs: bool
    """Whether p is at most 1 - ``level``: the difference is beyond chance."""
    enough: int | None
    """Questions from which on the same value tells itself from the claim; None where they are equal."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON types."""
        return asdict(self)

    def blocks(self) -> Iterator[Block]:
        """Yield the interval, and whether a test tells the value from the claim."""
        ends, share = interval(self.low, self.high, short_number), percentage(self.level)
        shown = short_number(self.value), Counted(self.n, "question"), share, ends
        yield Paragraph(Message("{value} on {questions} says: {level} interval {interval}", *shown))
        outcome = (
            "exact test of {claim}: p {p}: the difference is beyond chance"
            if self.differs
            else ("exact test of {claim}: p {p}: the number does not tell the two apart")
        )
        yield Paragraph(Message(outcome, short_number(self.claim), probability(self.p)))
        if self.enough is not None:
            yield Paragraph(Message("it takes {questions} with such a value", Counted(self.enough, "question")))
        yield Notes(self.notes)

    @property
    def notes(self) -> tuple[Message, ...]:
        """A note where no count of the questions gives the value, as it is written."""
        digits = max(0, -int(Decimal(repr(self.value)).as_tuple().exponent))
        below = floor(self.value * self.n)
        near = [count / self.n for count in (below, min(below + 1, self.n))]
        if any(abs(one - self.value) <= 0.5 * 10.0**-digits + 1e-12 for one in near):
            return ()
        shown = [f"{one:.{max(digits, 2)}f}" for one in near]
        return (Message(_NO_SHARE, f"{self.value:g}", Counted(self.n, "question"), *shown),)


def audit(*, n: int, value: float, claim: float, level: float = 0.95) -> Audit:
    """Return what the share ``value`` of ``n`` questions says beside a ``claim``.

    The interval is Wilson's (1927). Whether the difference is beyond chance says the exact binomial test, because the
    interval of few questions may exclude what chance gives in more than 1 - ``level`` of cases.

    >>> found = audit(n=10, value=1.0, claim=0.7)
    >>> round(found.low, 3), found.high, round(found.p, 3), found.differs, found.enough
    (0.722, 1.0, 0.039, True, 10)
    """
    for name, given in (("value", value), ("claim", claim)):
        checked_value("audit", name, given, Annotated[float, Range(0, 1)])
    checked_value("audit", "n", n, Annotated[int, Range(1)])
    checked_value("audit", "level", level, Annotated[float, Range(0, 1, above=True, below=True)])
    low, high = wilson(value * n, n, level)
    p = _of_share(n, value, claim)
    return Audit(n, value, claim, level, low, high, p, p <= 1 - level, _enough(value, claim, 1 - level))


def _of_share(n: int, value: float, claim: float) -> float:
    """Return the p-value of the count of n that is nearest to ``value``; of two the one nearer to ``claim``."""
    count = value * n
    return binomial(ceil(count - 0.5) if value > claim else floor(count + 0.5), n, claim).p


def _enough(value: float, claim: float, alpha: float) -> int | None:
    """Return from how many questions on the test rejects ``claim`` at each number of them; None where they are equal.

    Beyond 2,000 it is the normal test with Yates' correction, which differs from the exact one by a few questions.
    """
    far = abs(value - claim)
    if far == 0:
        return None
    reach = normal_quantile(1 - alpha / 2) * sqrt(claim * (1 - claim))
    root = (reach + sqrt(reach**2 + 2 * far)) / (2 * far)
    about = ceil(root**2)
    if about > _COUNTED:
        return about
    return next((n + 1 for n in range(2 * about + 50, 0, -1) if _of_share(n, value, claim) > alpha), 1)
