"""The difference of two runs under one metric, and the samples whose score fell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

from ragauge.comparison.metric_tests import PairedMetric
from ragauge.comparison.pairing import PairedSamples
from ragauge.core.arrow import to_arrow
from ragauge.core.hashing import is_made_id
from ragauge.core.messages import Joined, Message
from ragauge.core.protocol import Direction
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.statistics import Status
from ragauge.display.numbers import interval, json_fields, label, signed
from ragauge.display.pivot import GroupCell, pivots
from ragauge.display.table import Table
from ragauge.errors import worded
from ragauge.inference.tests import needed
from ragauge.results.result import Result

Outcome: TypeAlias = Literal["better", "worse", "leaning better", "leaning worse", "unclear", "equal", "nothing"]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A candidate against the base, over all paired samples or one group of them."""

    metric: str
    """The metric's name in the base run."""
    primary: bool
    """Whether the verdict rests on the metric."""
    run: str
    """The candidate."""
    group: Mapping[str, Any] | None
    """Grouping column and value; None for all samples."""
    base: float
    """The base's value on the samples that are scored in both runs; NaN where there are none."""
    candidate: float
    difference: float
    """Candidate minus base, in the metric's own direction; `shown` has the sign that readers see."""
    low: float
    """Lower end of the difference's interval, simultaneous with those of the other primary metrics, or of the others;
    NaN with fewer than two samples or clusters, or ten that are equal."""
    high: float
    alone_low: float
    """Lower end of the interval of this difference alone, which is not as wide."""
    alone_high: float
    test: str
    p: float
    """Two-sided p-value; NaN where no sample is scored in both runs."""
    corrected: float
    """The p-value corrected for the number of tests: of the primary metrics, or of the others."""
    outcome: Outcome
    """``better`` or ``worse`` where the corrected p-value is at most alpha, in the metric's own direction; ``leaning``
    that way where it is too great, but the p-value itself is not and the interval alone excludes 0; ``equal`` where no
    sample differs; ``nothing`` where no sample is scored in both runs; ``unclear`` otherwise."""
    wins: int
    """Samples on which the candidate is better."""
    ties: int
    losses: int
    effect: float
    """The difference in standard deviations of one sample's difference."""
    error: float
    """The difference's standard error, by the jackknife."""
    freedom: float
    """Degrees of freedom of that error; NaN where it is not known."""
    detectable: float
    """Minimum detectable difference: in 80 % of cases a test at the 5 % level finds a true difference of this size."""
    scored: int
    """Number of samples that are ok in both runs."""
    total: int
    """Number of samples that are in both runs."""
    units: int
    """Number of resampling units: samples, clusters, or 4096 buckets of them."""
    excluded: Mapping[str, int]
    """Number of samples left out, by reason, as in ``failed in candidate``."""
    direction: Direction
    width: float
    """How great a difference can be: the width of the metric's range, infinite where it has none."""

    @property
    def gain(self) -> float:
        """The difference, positive where the candidate is better."""
        return self.shown[0]

    @property
    def shown(self) -> tuple[float, float, float]:
        """The difference and the ends of its interval as readers see them: + is better, also where lower is better."""
        if self.direction == "higher":
            return self.difference, self.low, self.high
        return -self.difference, -self.high, -self.low

    def samples_for(self, difference: float) -> float:
        """Return how many samples a test at the 5 % level needs to find a true ``difference`` in 80 % of cases.

        Infinite for a difference of 0; NaN where the spread of these samples is not known.
        """
        return needed(difference, self.error, self.scored)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as JSON types; NaN as None."""
        return json_fields(asdict(self))


def decimals(ends: tuple[float, float]) -> int:
    """Return to how many decimals a sample's score of a metric with this range is shown.

    >>> decimals((0.0, 1.0)), decimals((0.0, 100.0))
    (3, 2)
    """
    return 3 if max(map(abs, ends)) <= 1 else 2


def shows_worse(gain: FloatArray, ends: tuple[float, float]) -> BoolArray:
    """Return on which samples a change (n,), negative where it is worse, is seen in its decimals, (n,)."""
    seen: BoolArray = gain <= -0.5 / 10 ** decimals(ends)
    return seen


def outcome(one: Difference, corrected: float, alpha: float) -> Outcome:
    """Return the outcome that a corrected p-value stands for; no p-value changes ``equal``."""
    if one.outcome == "equal" or not isfinite(one.difference):
        return "equal" if one.outcome == "equal" else "nothing"
    if one.difference == 0:
        return "unclear"
    if corrected <= alpha:
        return "better" if one.gain > 0 else "worse"
    if one.p <= alpha and (one.alone_low > 0 or one.alone_high < 0):
        return "leaning better" if one.gain > 0 else "leaning worse"
    return "unclear"


ARROWS: Mapping[Outcome, str] = {
    "better": "▲",
    "worse": "▼",
    "leaning better": "△",
    "leaning worse": "▽",
    "unclear": "≈",
    "equal": "=",
    "nothing": "–",
}
FOUND: frozenset[Outcome] = frozenset({"better", "worse"})
UNDECIDED: frozenset[Outcome] = frozenset({"leaning better", "leaning worse", "unclear", "equal"})
"""Outcomes of a difference that was tested and not found."""


def ends_text(one: Difference) -> str:
    """Return the interval of a difference as readers see it: + is better, and 0 is out where that was found."""
    return interval(*one.shown[1:], signed, without_0=one.outcome in FOUND)


def change_texts(one: Difference) -> tuple[str, str, str]:
    """Return the difference, its interval and its outcome as readers see them: + is better."""
    return (
        signed(*one.shown),
        ends_text(one),
        Message("{mark} {outcome}", ARROWS[one.outcome], worded(one.outcome)),
    )


def by_group(title: str, differences: Sequence[Difference], names: Mapping[str, str]) -> tuple[Table, ...]:
    """Return a table with groups as columns, each difference with the mark of its outcome; none where rows are better.

    ``names``: metric -> its name in tables.
    """
    cells = [
        GroupCell(
            label(one.group),
            names[one.metric],
            (f"{signed(*one.shown)} {ARROWS[one.outcome]}",),
            one.scored,
        )
        for one in differences
    ]
    marks = dict.fromkeys(change_texts(one)[2] for one in differences)
    return pivots(title, cells, [Joined(marks), *signs(differences)])


def signs(differences: Iterable[Difference]) -> tuple[str, ...]:
    """Return what the signs below a table say: a line where lower is better for one of its metrics, else none."""
    lower = any(one.direction == "lower" for one in differences)
    return ("↓ lower is better; a difference is + where the new run is better",) if lower else ()


@dataclass(frozen=True)
class Fall:
    """A sample on which the candidate is worse than the base."""

    metric: str
    run: str
    id: str
    base: float
    candidate: float
    question: str | None
    base_answer: str | None
    candidate_answer: str | None
    references: tuple[str, ...]
    row: int | None = None
    """Its row in the data of the base, from 1, where the data have no ids."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fall as JSON types."""
        return asdict(self) | {"references": list(self.references)}


@dataclass(frozen=True, eq=False)
class PairedRuns:
    """A base and one candidate: the samples and metrics that both have."""

    name: str
    """The candidate's."""
    base: Result
    candidate: Result
    samples: PairedSamples
    metrics: tuple[PairedMetric, ...]

    def lost(self, metric: str) -> int:
        """Return of how many samples of the base the candidate has no score under a metric.

        They are absent, failed or missing there; where a system makes samples undefined, as by declining, so many count
        as are undefined more than scored anew.
        """
        [status] = [one.status for one in self.metrics if one.name == metric]
        gone = int(np.isin(status[1], (Status.MISSING, Status.FAILED)).sum()) + len(self.samples.only_base)
        if not getattr(self.base.metrics[metric], "bounds_undefined", False):
            return gone
        undefined = status == Status.UNDEFINED
        more = ((status[0] == Status.OK) & undefined[1]).sum() - (undefined[0] & (status[1] == Status.OK)).sum()
        return gone + max(0, int(more))


def falls(runs: PairedRuns, metric: PairedMetric, count: int) -> list[Fall]:
    """Return up to ``count`` samples whose score fell, the greatest fall first, equal ones by their ids."""
    gain = np.nan_to_num(metric.gain)
    ids = runs.samples.names.to_pylist()
    fallen = np.flatnonzero(gain < 0)
    chosen = sorted(fallen.tolist(), key=lambda place: (gain[place].round(12), ids[place]))[:count]
    places = runs.samples.base[chosen]
    made = map(is_made_id, runs.base.sample_ids().take(to_arrow(places)).to_pylist())
    rows = [int(place) + 1 if is_made else None for place, is_made in zip(places, made, strict=True)]
    before = _texts(runs.base, places)
    after = _texts(runs.candidate, runs.samples.candidate[chosen])
    return [
        Fall(
            metric.name,
            runs.name,
            ids[place],
            float(metric.scores[0, place]),
            float(metric.scores[1, place]),
            old.get("question"),
            old.get("answer"),
            new.get("answer"),
            tuple(old.get("references") or ()),
            row,
        )
        for place, old, new, row in zip(chosen, before, after, rows, strict=True)
    ]


def _texts(result: Result, places: IntArray) -> list[dict[str, Any]]:
    """Return the texts of the samples at ``places`` (m,), in that order, m dicts."""
    names = [name for name in ("question", "answer", "references") if name in result.data.columns]
    texts = {name: result.column(name).take(to_arrow(places)).to_pylist() for name in names}
    return [{name: texts[name][row] for name in names} for row in range(len(places))]
