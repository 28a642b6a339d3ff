"""From sums to scores: values, parts, intervals, coverage and bounds, overall and by group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any

import numpy as np

from ragauge.core.batch import Dataset
from ragauge.core.protocol import Metric, Noted
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.core.signature import signature_of
from ragauge.core.statistics import Totals
from ragauge.errors import OptionError
from ragauge.evaluation.partial import COVERAGE, NOTE, Partial, Sums, corpus_parts, corpus_score
from ragauge.inference.intervals import NO_INTERVAL, Interval, percentile, wilson
from ragauge.inference.resampling import replicate_sums
from ragauge.results.result import Result
from ragauge.results.score import Label, Score
from ragauge.results.storage import StoredEvidence


@dataclass(frozen=True)
class Inference:
    """Options of the intervals.

    Args:
        level: coverage of the intervals.
        resamples: bootstrap replicates; 0 for no intervals.
        seed: of the replicates.
    """

    level: float = 0.95
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.level, Real) or not 0 < self.level < 1:
            raise OptionError.value("the interval", "ci", "a number between 0 and 1, as in 0.95", self.level)
        if not isinstance(self.resamples, Integral) or self.resamples < 0:
            raise OptionError.value("the interval", "resamples", "a whole number from 0 (no interval)", self.resamples)
        if not isinstance(self.seed, Integral) or not -(2**63) <= self.seed < 2**63:
            raise OptionError.value("the interval", "seed", "a whole number of at most 63 bits", self.seed)


def finish(
    metrics: Mapping[str, Metric],
    partial: Partial,
    by: tuple[str, ...],
    cluster: str | None,
    inference: Inference,
    data: Dataset,
) -> Result:
    """Make the result of ``partial``, the sum of all that was measured."""
    scores: list[Score] = []
    signatures = {name: str(signature_of(metric)) for name, metric in metrics.items()}
    for group, rows in _groups(partial.sums, by):
        replicates = _replicates(partial.sums, rows, inference)
        for name, metric in metrics.items():
            slice_ = _Slice(metric, signatures[name], partial.sums, name, rows, list(partial.columns[name].parts))
            interval = slice_.interval(replicates.get(name), inference.level, clustered=cluster is not None)
            scores.append(slice_.score(group, interval))
    data = replace(data, notes=(*data.notes, *_noted(scores, metrics)))
    options = {"by": list(by), "cluster": cluster, **asdict(inference)}
    return Result(tuple(scores), metrics, partial.ids, partial.columns, data, options, _evidence(partial))


def _evidence(partial: Partial) -> StoredEvidence | None:
    import pyarrow as pa

    return (
        StoredEvidence(pa.concat_tables(partial.evidence, promote_options="permissive")) if partial.evidence else None
    )


@dataclass(frozen=True)
class _Slice:
    """One metric on some of the rows."""

    metric: Metric
    signature: str
    sums: Sums
    name: str
    rows: BoolArray
    part_names: list[str]

    @cached_property
    def totals(self) -> Totals:
        return self.sums.totals(self.name, self.rows)

    @cached_property
    def coverage(self) -> dict[str, int]:
        counts = self.rows.astype(np.int64) @ self.sums.coverage[self.name]
        return dict(zip(COVERAGE, counts.tolist(), strict=True))

    @property
    def noted(self) -> dict[str, int]:
        counts = {name: self.totals[name] for name in self.totals.names if name.startswith(NOTE)}
        return {name.removeprefix(NOTE): int(count) for name, count in counts.items() if count}

    @property
    def notes(self) -> tuple[str, ...]:
        notes = self.metric.notes if isinstance(self.metric, Noted) else {}
        return tuple(name for name in notes if f"{NOTE}{name}" not in self.totals.names)

    @cached_property
    def value(self) -> float:
        return float(corpus_score(self.metric, self.totals)) if self.coverage["scored"] else nan

    def interval(self, replicates: Totals | None, level: float, *, clustered: bool) -> Interval:
        coverage = self.coverage
        if replicates is None:
            return NO_INTERVAL
        drawn = self._clusters() if clustered else coverage["scored"]
        if drawn < 2:
            return NO_INTERVAL
        binary = self.metric.average == "samples" and coverage["binary"] == coverage["scored"]
        # Where all values are 1 and nothing says that 1 is the highest, they are counts or grades, not proportions.
        binary = binary and (self.metric.range == (0.0, 1.0) or 0.0 < self.value < 1.0)
        if binary and (not clustered or self.value in (0.0, 1.0)):
            return wilson(self.value * drawn if clustered else round(self.value * drawn), drawn, level)
        # A replicate that drew no sample: to a pooled metric its sums are those of empty texts, which have a score.
        nothing = ~replicates.values.any(axis=-1)
        return percentile(np.where(nothing, nan, corpus_score(self.metric, replicates)), level, drawn)

    def score(self, group: Mapping[str, Label] | None, interval: Interval) -> Score:
        coverage = self.coverage
        parts = corpus_parts(self.metric, self.totals, self.part_names) if coverage["scored"] else {}
        return Score(
            metric=self.name,
            value=self.value,
            low=interval[0],
            high=interval[1],
            parts={name: float(part) for name, part in parts.items()},
            group=group,
            scored=coverage["scored"],
            total=sum(coverage[state] for state in ("scored", "undefined", "missing", "failed")),
            undefined=coverage["undefined"],
            missing=coverage["missing"],
            failed=coverage["failed"],
            undefined_scored=coverage["defaulted"],
            bounds=self._bounds(),
            average=self.metric.average,
            stage=self.metric.stage,
            direction=self.metric.direction,
            signature=self.signature,
            notes=self.notes,
            noted=self.noted,
        )

    def _clusters(self) -> int:
        """Count the clusters (or buckets of them) that have a scored sample."""
        scored = self.sums.coverage[self.name][:, 0] > 0
        return len(np.unique(self.sums.keys[scored & self.rows]))

    def _bounds(self) -> tuple[float, float] | None:
        """Return the means if all failed cells had the worst, and the best, value.

        A metric whose undefined cells are the system's doing (an empty answer claims nothing) counts them as well.
        """
        low, high = self.metric.range
        coverage = self.coverage
        answered, failed = coverage["scored"], coverage["failed"]
        if getattr(self.metric, "bounds_undefined", False):
            failed += coverage["undefined"]
        if self.metric.average != "samples" or not (isfinite(low) and isfinite(high)) or not answered + failed:
            return None
        known = self.value * answered if answered else 0.0
        return ((known + low * failed) / (answered + failed), (known + high * failed) / (answered + failed))


def _groups(sums: Sums, by: tuple[str, ...]) -> Iterator[tuple[dict[str, Any] | None, BoolArray]]:
    """Yield all rows, then the rows of each value of each grouping column: numbers rising, texts by letters, none."""
    yield None, np.ones(len(sums.keys), dtype=bool)
    for place, name in enumerate(by):
        labels = sums.labels[place]
        for code in sorted(range(len(labels)), key=lambda code: _rank(labels[code])):
            yield {name: labels[code]}, sums.groups[:, place] == code


def _noted(scores: list[Score], metrics: Mapping[str, Metric]) -> Iterator[str]:
    """Yield a sentence for each count noted of all samples, once for metrics that note the same."""
    whole = [score for score in scores if score.group is None]
    metrics_by_note: dict[str, list[str]] = {}
    for score in whole:
        metric = metrics[score.metric]
        for name, count in score.noted.items():
            meaning = metric.notes.get(name, "") if isinstance(metric, Noted) else ""
            metrics_by_note.setdefault(f"{count} {name}{': ' if meaning else ''}{meaning}", []).append(score.metric)
    for text, names in metrics_by_note.items():
        yield f"{', '.join(names)}: {text}"


def _rank(label: Label) -> tuple[bool, float, str]:
    return (label is None, label if isinstance(label, int | float) else 0.0, str(label))


def _replicates(sums: Sums, rows: BoolArray, inference: Inference) -> dict[str, Totals]:
    """Draw the replicates of all metrics at once: they share the weights."""
    if inference.resamples == 0 or rows.sum() < 2:
        return {}
    widths = [len(sums.names[name]) for name in sums.parts]
    together: FloatArray = np.concatenate([part[:, rows] for part in sums.parts.values()], axis=2)
    drawn = replicate_sums(together, sums.keys[rows], inference.resamples, inference.seed)
    pieces = np.split(drawn, np.cumsum(widths)[:-1], axis=2)
    return {name: Totals(sums.names[name], piece) for name, piece in zip(sums.parts, pieces, strict=True)}
