"""Resuming with the scores of a saved run: what failed is scored again, and all other numbers stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch, Dataset, concatenated
from ragauge.core.messages import Argument
from ragauge.core.protocol import Metric, failures, signature_of
from ragauge.core.ragged import IntArray
from ragauge.core.statistics import Status
from ragauge.engines.judging import open_session, with_counts
from ragauge.engines.local import OneProcess
from ragauge.engines.plan import Plan, asks_judge
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.evaluator import Progress
from ragauge.evaluation.partial import NOTE
from ragauge.evaluation.signatures import has_scores_of, joined_signature
from ragauge.results.fingerprint import OUTPUT, TASK, fingerprint
from ragauge.results.result import Result
from ragauge.results.score import SampleScores

if TYPE_CHECKING:
    from ragauge.engines.pool import Pool

_ROWS = 8192
"""Samples of a batch."""
Engine: TypeAlias = "OneProcess | Pool"


def resumed(
    run: Result, plan: Plan, data: Dataset, engine: Engine, session: object, progress: Progress | None
) -> Result:
    """Return the scores of ``data`` under a plan, where a run has scored them before.

    A metric of the same signature, but for versions, keeps its scores; samples that failed under it are scored again.
    Those on which the system under test failed are not. Any other metric scores all samples. Intervals, coverage and
    notes are those of a run that scored everything.

    Args:
        run: a run of the same samples.
        plan: the metrics, groups and cluster.
        data: the samples.
        engine: scores what is to be scored, unless a judge is asked.
        session: of the judges, as in `ragauge.evaluate`.
        progress: as in `ragauge.evaluate`; called anew for metrics that score other samples.

    Raises:
        UsageError: the samples are others.
        DataError: another version of ragauge kept other statistics under a metric.
    """
    known = (*TASK, *OUTPUT)
    if fingerprint(run.data, known) != fingerprint(data, known):
        raise UsageError(
            "RG-ENG-045 the samples are not those that the run scored, so {resume} can keep no score: leave it out, or "
            "leave out what changes the samples",
            Argument("resume", value=True),
        )
    if not asks_judge(plan.evaluator.metrics):
        return _resumed(run, plan, data, engine, progress)
    with open_session(session) as own, own.counting(getattr(progress, "replied", None)) as tally:
        return with_counts(_resumed(run, plan, data, OneProcess(own), progress), plan.evaluator, own, tally)


def _resumed(run: Result, plan: Plan, data: Dataset, engine: Engine, progress: Progress | None) -> Result:
    evaluator, whole = plan.evaluator, concatenated(data.batches())
    kept = _kept(run, evaluator.metrics)
    columns = {name: run.columns[own] for name, own in kept.items()}
    rows_of = {name: _to_score(columns.get(name), whole) for name in evaluator.metrics}
    evidence = list(_kept_evidence(run, kept, rows_of)) if evaluator.evidence else []
    # Metrics that score the same samples share their tokens, vectors and questions.
    together: dict[bytes, list[str]] = {}
    for name, rows in rows_of.items():
        together.setdefault(rows.tobytes(), []).append(name)
    for names in together.values():
        rows = rows_of[names[0]]
        if not len(rows):
            continue
        # Workers score once, and samples that failed are few.
        runs = engine if len(rows) == len(whole) or isinstance(engine, OneProcess) else OneProcess()
        part = replace(plan, evaluator=replace(evaluator, metrics={name: evaluator.metrics[name] for name in names}))
        scored = runs.run(part, _of_rows(data, whole, rows), progress)
        columns |= {name: _put(columns.get(name), scored.columns[name], rows, name) for name in names}
        evidence += [] if scored.evidence is None else [scored.evidence.of(scored.sample_ids())]
    signatures = {
        name: _signature(run[own].signature, evaluator.metrics[name], rows_of[name]) for name, own in kept.items()
    }
    return evaluator.of_scores(data, columns, evidence, signatures)


def _signature(kept: str, metric: Metric, rows: IntArray) -> str:
    """Return the signature of kept scores, joined with that of the metric where ``rows`` were scored again."""
    return joined_signature(kept, str(signature_of(metric))) if len(rows) else kept


def _kept(run: Result, metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Return the metrics whose scores a run has, by their names, each with its name in the run."""
    kept = {}
    for name, metric in metrics.items():
        same = [own for own in run.metrics if has_scores_of(run, own, metric)]
        if same:
            # A run may have a metric under two labels.
            kept[name] = name if name in same else same[0]
    return kept


def _to_score(kept: SampleScores | None, samples: Batch) -> IntArray:
    """Return the places of the samples that are scored again: all without scores, else those that failed, (k,)."""
    if kept is None:
        return np.arange(len(samples))
    by_system, _ = failures(samples)
    return np.flatnonzero((kept.status == Status.FAILED) & ~by_system)


def _of_rows(data: Dataset, samples: Batch, rows: IntArray) -> Dataset:
    """Return the samples at the places ``rows``."""
    if len(rows) == data.rows:
        return data
    table = samples.take(rows).table()

    def batches() -> Iterator[Batch]:
        return (Batch(table.slice(start, _ROWS)) for start in range(0, len(table), _ROWS))

    return replace(data, rows=len(rows), batches=batches)


def _put(kept: SampleScores | None, new: SampleScores, rows: IntArray, metric: str) -> SampleScores:
    """Return the scores of a metric that were kept, with ``new`` ones at the places ``rows``."""
    if kept is None:
        return new
    noted = {name: np.zeros(len(kept.scores), np.uint8) for name in new.statistics if name.startswith(NOTE)}
    before = {**noted, **kept.statistics}
    if before.keys() != new.statistics.keys() or kept.parts.keys() != new.parts.keys():
        raise DataError(
            "RG-ENG-046 another version of ragauge kept other statistics under {metric}; leave out {resume} to score "
            "all samples again",
            metric,
            Argument("resume", value=True),
        )

    def together(old: npt.NDArray[Any], values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        out = old.astype(np.result_type(old, values))
        out[rows] = values
        return out

    again = set(rows.tolist())
    reasons = {place: why for place, why in kept.reasons.items() if place not in again}
    return SampleScores(
        together(kept.scores, new.scores),
        together(kept.status, new.status),
        together(kept.defaulted, new.defaulted),
        {name: together(part, new.parts[name]) for name, part in kept.parts.items()},
        {name: together(before[name], numbers) for name, numbers in new.statistics.items()},
        {**reasons, **{int(rows[place]): why for place, why in new.reasons.items()}},
    )


def _kept_evidence(run: Result, kept: Mapping[str, str], rows_of: Mapping[str, IntArray]) -> Iterator[pa.Table]:
    """Yield the evidence of the scores that a run keeps, under the new names of their metrics."""
    if run.evidence is None:
        return
    ids = run.sample_ids()
    table = run.evidence.of(ids.cast(pa.string()))
    for name, own in kept.items():
        again = ids.take(to_arrow(rows_of[name])).cast(pa.string())
        stays = pc.and_(pc.equal(table["metric"], own), pc.invert(pc.is_in(table["id"], value_set=again)))
        of_metric = table.filter(stays)
        place = of_metric.column_names.index("metric")
        yield of_metric.set_column(place, "metric", to_arrow([name] * len(of_metric), pa.string()))
