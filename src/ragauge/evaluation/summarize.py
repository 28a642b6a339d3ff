"""From sums to scores: values, parts, intervals, coverage and bounds, overall and by group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from ragauge.core.messages import Message
from ragauge.core.options import Range, checked
from ragauge.core.protocol import Comparing, Detailed, Metric, Noted
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.core.statistics import LEVELS, Totals, ratio
from ragauge.evaluation.partial import NOTE, Sums, corpus_score
from ragauge.inference.intervals import NO_INTERVAL, Interval, jackknife, percentile, wilson
from ragauge.inference.resampling import MOST_REPLICATES, ResamplingUnits, replicate_sums
from ragauge.results.score import Score, counted_note, group_label

Level: TypeAlias = Annotated[float, Range(0, 1, above=True, below=True), "a number between 0 and 1, as in 0.95"]
Resamples: TypeAlias = Annotated[
    int, Range(0, MOST_REPLICATES), f"a whole number from 0 (no interval) to {MOST_REPLICATES:,}"
]
Replicates: TypeAlias = Annotated[int, Range(1, MOST_REPLICATES), f"a whole number from 1 to {MOST_REPLICATES:,}"]
Seed: TypeAlias = Annotated[int, Range(-(2**63), 2**63 - 1), "a whole number of at most 63 bits"]
IntervalMethod: TypeAlias = Literal["jackknife", "percentile"]
# Units whose left-out scores are computed at a time.
_BLOCK = 1 << 12


@checked("Inference")
@dataclass(frozen=True)
class Inference:
    """Options of the intervals.

    Args:
        level: coverage of the intervals.
        resamples: bootstrap replicates of ``percentile``; 0 for no intervals, whatever the method.
        seed: of the replicates.
        interval: ``jackknife``, from the scores without each sample or cluster, or ``percentile`` of the bootstrap.
    """

    level: Level = 0.95
    resamples: Resamples = 1000
    seed: Seed = 0
    interval: IntervalMethod = "jackknife"


@dataclass(frozen=True)
class Slice:
    """One metric on some of the rows: their sums, the number of rows in each state, and the score."""

    metric: Metric
    totals: Totals
    coverage: Mapping[str, int]
    value: float

    def interval(self, units: FloatArray, replicates: Totals | None, level: float, *, clustered: bool) -> Interval:
        """Return the percentiles of ``replicates``, or the jackknife interval where they are None.

        ``units``: the statistics of the u samples or clusters that are scored, (6, u, k), of `sums_by_unit`.
        """
        drawn = units.shape[1] if clustered else self.coverage["scored"]
        if drawn < 2 or self.doubts:
            return NO_INTERVAL
        binary = self.metric.average == "samples" and self.coverage["binary"] == self.coverage["scored"]
        if binary and not clustered:
            return wilson(round(self.value * drawn), drawn, level)
        if replicates is None:
            limits = (0.0, 1.0) if binary else self.metric.range
            trials = self.coverage["scored"] if binary else inf
            return jackknife(self.value, self._left_out(units), level, limits, trials=trials)
        if binary and self.value in (0.0, 1.0):
            return wilson(self.value * drawn, drawn, level)
        # A replicate that drew no sample: to a pooled metric its sums are those of empty texts, which have a score.
        nothing = ~replicates.values.any(axis=-1)
        return percentile(np.where(nothing, nan, corpus_score(self.metric, replicates)), level, drawn)

    @property
    def doubts(self) -> Sequence[str]:
        """What the metric has against the score, by which it has no interval."""
        doubts: Sequence[str] = self.metric.doubts_on(self.totals) if hasattr(self.metric, "doubts_on") else ()
        return doubts

    def _left_out(self, units: FloatArray) -> FloatArray:
        """Return the score without each unit, (u,)."""
        total = self.totals.parts[:, None, :]
        # Blocks keep the memory of metrics with many statistics low.
        blocks = [units[:, start : start + _BLOCK] for start in range(0, units.shape[1], _BLOCK)]
        return np.concatenate([corpus_score(self.metric, Totals(self.totals.names, total - block)) for block in blocks])

    def score(self, interval: Interval, part_names: list[str], **plain: Any) -> Score:
        """Return the score; ``plain``: its metric, group and signature."""
        coverage, metric, totals = self.coverage, self.metric, self.totals
        parts: Mapping[str, FloatArray] = {}
        if coverage["scored"] and isinstance(metric, Detailed):
            if metric.average == "pooled":
                parts = metric.parts(totals)
            else:
                parts = {name: ratio(totals[f"part {name}"], totals[f"part {name} count"]) for name in part_names}
        counts = {name.removeprefix(NOTE): int(totals[name]) for name in totals.names if name.startswith(NOTE)}
        notes = metric.notes if isinstance(metric, Noted) else {}
        return Score(
            value=self.value,
            low=interval[0],
            high=interval[1],
            parts={name: float(part) for name, part in parts.items()},
            scored=coverage["scored"],
            total=coverage["scored"] + coverage["undefined"] + coverage["missing"] + coverage["failed"],
            undefined=coverage["undefined"],
            missing=coverage["missing"],
            failed=coverage["failed"],
            undefined_scored=coverage["defaulted"],
            bounds=self._bounds(),
            average=metric.average,
            stage=metric.stage,
            direction=metric.direction,
            notes=(*self.doubts, *[name for name in notes if name not in counts]),
            noted={name: count for name, count in counts.items() if count},
            compared_by=metric.compared_by if isinstance(metric, Comparing) else "",
            unit=str(getattr(metric, "unit", "")),
            **plain,
        )

    def _bounds(self) -> tuple[float, float] | None:
        """Return the means if all failed cells had the worst, and the best, value.

        A metric whose undefined cells are the system's doing (an empty answer claims nothing) counts them as well.
        """
        low, high = self.metric.range
        answered, failed = self.coverage["scored"], self.coverage["failed"]
        if getattr(self.metric, "bounds_undefined", False):
            failed += self.coverage["undefined"]
        if self.metric.average != "samples" or not (isfinite(low) and isfinite(high)) or not answered + failed:
            return None
        known = self.value * answered if answered else 0.0
        return ((known + low * failed) / (answered + failed), (known + high * failed) / (answered + failed))


def sums_by_unit(sums: Sums, name: str, rows: BoolArray, units: ResamplingUnits) -> FloatArray:
    """Return the statistics of those ``units`` of the rows that have a scored sample, (6, u, k), by their keys."""
    scored = units.sums(sums.coverage[name][rows, :1].astype(np.float64))[:, 0] > 0
    by_unit = np.zeros((LEVELS, np.count_nonzero(scored), len(sums.names[name])))
    for level, part in sums.parts[name].items():
        by_unit[level] = units.sums(part[rows])[scored]
    return by_unit


def groups_of(sums: Sums, by: tuple[str, ...]) -> Iterator[tuple[dict[str, Any] | None, BoolArray]]:
    """Yield all rows, then the rows of each value of each grouping column: numbers rising, texts by letters, none."""
    yield None, np.ones(len(sums.keys), dtype=bool)
    for place, name in enumerate(by):
        labels = sums.labels[place]
        order = [(label is None, label if isinstance(label, int | float) else 0.0, str(label)) for label in labels]
        for code in sorted(range(len(labels)), key=order.__getitem__):
            yield {name: group_label(labels[code])}, sums.groups[:, place] == code


def sentences_on(scores: list[Score], metrics: Mapping[str, Metric]) -> list[str]:
    """Return a sentence for each doubt and each count noted of all samples, once for metrics that note the same."""
    metrics_by_note: dict[Message, list[str]] = {}
    for score in scores:
        for name in score.notes:
            meaning = getattr(metrics[score.metric], "doubts", {}).get(name)
            names = metrics_by_note.setdefault(Message(f"{name}: {meaning}"), []) if meaning else [score.metric]
            names += [score.metric] if score.metric not in names else []
    for score in [score for score in scores if score.group is None]:
        metric = metrics[score.metric]
        for name, count in score.noted.items():
            meaning = metric.notes.get(name, "") if isinstance(metric, Noted) else ""
            note = counted_note(f"{name}: {meaning}" if meaning else name, count)
            metrics_by_note.setdefault(note, []).append(score.metric)
    return [Message("{metrics}: {note}", ", ".join(names), note) for note, names in metrics_by_note.items()]


def replicates_of(sums: Sums, rows: BoolArray, inference: Inference) -> dict[str, Totals]:
    """Draw the replicates of all metrics at once, if percentiles are asked for: they share the weights."""
    if inference.interval != "percentile" or inference.resamples == 0 or rows.sum() < 2:
        return {}
    widths = [len(sums.names[name]) for name in sums.parts]
    together = np.zeros((LEVELS, np.count_nonzero(rows), sum(widths)))
    for end, (width, levels) in zip(np.cumsum(widths), zip(widths, sums.parts.values(), strict=True), strict=True):
        for level, part in levels.items():
            together[level, :, end - width : end] = part[rows]
    drawn = replicate_sums(together, sums.keys[rows], inference.resamples, inference.seed)
    blocks = np.split(drawn, np.cumsum(widths)[:-1], axis=2)
    return {name: Totals(sums.names[name], block) for name, block in zip(sums.parts, blocks, strict=True)}
