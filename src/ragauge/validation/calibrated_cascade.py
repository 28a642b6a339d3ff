"""Where a metric without an LLM can stand in for a judge, and what that costs, learned from labels of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ragauge.core.hashing import hash_strings, splitmix64
from ragauge.core.messages import Argument
from ragauge.core.protocol import Metric
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.engines.evaluate import evaluate
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.partial import measure_cells
from ragauge.formats.column_names import own_names
from ragauge.inference.agreement import thresholds
from ragauge.judges.question import with_session
from ragauge.judges.session import Session
from ragauge.metrics.judged.cascade import Cascade, drawn
from ragauge.validation.calibrated_judge import FEWEST_LABELS, languages_of, measured
from ragauge.validation.labels import labels_of

SHARES = (0.0, 0.1, 0.5, 1.0)
"""Shares of samples asked about that a table always shows."""
_STEPS = np.arange(21) / 20
_ALL = "0..1"


@dataclass(frozen=True)
class CascadeCost:
    """What a band of a cascade costs on the labelled samples, and how well its scores agree with their labels.

    Args:
        ask: the band, as the option of the metric.
        asked: the share of samples that the judge is asked about, those of the random share among them.
        requests: that are sent for them, where none is cached.
        cost: of these; None where no price is known.
        agreement: the share of labels that scores are on the right side of, by thresholds and a band that the other
            half of the samples chose.
        chosen: whether it is the smallest band of the wanted agreement.
        languages: the agreement in each language of the prompts, and its number of labels, from 20 on.
    """

    ask: str
    asked: float
    requests: int
    cost: float | None
    agreement: float
    chosen: bool
    languages: Mapping[str, tuple[float, int]]

    @property
    def options(self) -> str:
        """The options of the metric that ask so."""
        return f"ask={self.ask}" if self.asked else f"ask={self.ask},audit=0"


def calibrate_cascade(
    data: object, metric: str | Metric, human: str, agree: float, **reading: Any
) -> list[CascadeCost]:
    """Return the cost and the agreement of asking about 0, 10, 50 and 100 % of the samples, and about as few as do.

    Where no band agrees so well, none is chosen, and the one that agrees best is among them.

    The judge is asked about every labelled sample. A band lies around the threshold of the metric without an LLM that
    tells good labels, those of at least half the range, from others best.

    Args:
        data: samples with a column ``human`` of labels.
        metric: a metric that takes ``ask``; its ``audit`` is part of what is asked about.
        human: the column of labels, in the units of the metric.
        agree: the wanted share of labels that scores are on the right side of, 0 to 1.
        **reading: how to read the data, and the judge and its session, as `ragauge.evaluate` takes them.

    Raises:
        UsageError: the metric takes no ``ask``.
        DataError: fewer than 20 samples have a label and both scores, or labels are all on one side.
    """
    own = own_names([human])
    if own:
        reading["map"] = own | dict(reading.get("map") or {})
    if reading.get("session") is None:
        with Session() as session:
            return calibrate_cascade(data, metric, human, agree, **{**reading, "session": session})
    result = evaluate(data, metric, resamples=0, **reading)
    (name,) = result.metrics
    judged: Any = result.metrics[name]
    if not isinstance(judged, Cascade):
        template = "RG-VALID-020 {name} has no metric without an LLM beside it; take {others}"
        raise UsageError(template, name, Cascade.of_others["ask"])
    share = judged.audit
    label = labels_of(result, [human], "human")[0]
    session = reading["session"]
    whole: Any = replace(judged, ask=None, audit=type(judged).audit)
    by_judge, by_other = (measured(one, result, session) for one in (whole, judged.other))
    batches = list(with_session(result.data, session).batches())
    there = ~np.isnan(label) & ~np.isnan(by_judge) & ~np.isnan(by_other)
    good = label[there] >= sum(judged.range) / 2
    if len(good) < FEWEST_LABELS or good.all() or not good.any():
        template = (
            "RG-VALID-021 {human}: a band needs {fewest} samples with a label and both scores, some good and some "
            "not; got {n}"
        )
        raise DataError(template, Argument("human", human), FEWEST_LABELS, len(good))
    ids = np.array(result.sample_ids().to_pylist(), dtype=object)[there].tolist()
    agreement = _Agreement(by_judge[there], by_other[there], good, ids, drawn(ids, share))
    right = {one: agreement.cross_fitted(one) for one in sorted({*_STEPS.tolist(), *SHARES})}
    reached = {one: float(rows.mean()) for one, rows in right.items()}
    best = max(reached, key=lambda one: reached[one])
    enough = next((one for one, value in reached.items() if value >= agree), None)
    own = languages_of(judged, result)[there]
    several = [one for one in sorted(set(own.tolist())) if np.sum(own == one) >= FEWEST_LABELS]
    rows = []
    for one in sorted({*SHARES, best if enough is None else enough}):
        ask, random = agreement.band(one), share if 0 < one < 1 else 0.0
        planned = Session(dry_run=True, price=session.price)
        cascade: Any = replace(judged, ask=ask, audit=random)
        asked = [cascade.open(batch) for batch in batches]
        for batch in with_session(result.data, planned).batches():
            measure_cells(cascade, batch)
        total, priced = planned.tally.total, planned.price_of(judged.judge) is not None
        part = float(np.concatenate(asked).mean())
        by_language = {name: (float(right[one][own == name].mean()), int(np.sum(own == name))) for name in several}
        cost = total.cost if priced else None
        rows.append(CascadeCost(ask, part, total.calls, cost, reached[one], one == enough, by_language))
    return rows


@dataclass(frozen=True)
class _Agreement:
    """Labels of n samples, and what says so: the scores of a judge and of another metric, (n,) each."""

    by_judge: FloatArray
    by_other: FloatArray
    good: BoolArray
    ids: Sequence[str]
    audited: BoolArray

    def cross_fitted(self, share: float) -> BoolArray:
        """Return which labels are told right by what the other half of the samples chose, (n,)."""
        half = (splitmix64(hash_strings(self.ids)) & np.uint64(1)).astype(bool)
        right = np.zeros(len(half), dtype=bool)
        for part in (half, ~half):
            low, high, middle = self._chosen(~part, share)
            asked = (share >= 1) | ((low < high) & (self.by_other >= low) & (self.by_other <= high))
            asked = asked | (self.audited & (share > 0))
            judged_good = self.by_judge >= _threshold(self.by_judge, self.good, ~part)
            said = np.where(asked, judged_good, self.by_other >= middle)
            right |= part & (said == self.good)
        return right

    def band(self, share: float) -> str:
        """Return the band of about so many samples, as the option ``ask``."""
        if share >= 1:
            return _ALL
        low, high, _ = self._chosen(np.ones(len(self.good), dtype=bool), share)
        return f"{low:.4g}..{high:.4g}"

    def _chosen(self, rows: BoolArray, share: float) -> tuple[float, float, float]:
        """Return the ends of the band around the threshold of the other metric that ``rows`` choose, and it."""
        middle = _threshold(self.by_other, self.good, rows)
        reach = float(np.quantile(np.abs(self.by_other[rows] - middle), share)) if share > 0 else 0.0
        return max(0.0, middle - reach), min(1.0, middle + reach), middle


def _threshold(scores: FloatArray, good: BoolArray, rows: BoolArray) -> float:
    """Return the score from which on ``rows`` (n,) are told best, halfway to the score below."""
    weights = rows.astype(np.float64)[None]
    place = int(thresholds(scores, good, weights)[0])
    distinct = np.unique(scores)
    return float(distinct[max(place - 1, 0) : place + 1].mean())
