"""What must hold of every registered metric, whoever wrote it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ragauge.batch import Batch, Dataset
from ragauge.errors import DataError, UsageError
from ragauge.evaluator import Evaluator
from ragauge.finishing import Inference
from ragauge.measuring import Cells, measure_cells
from ragauge.protocol import STAGES, Metric
from ragauge.registry import entries, parse
from ragauge.result import Result

from .samples import batches

BY_TEXT = ("retrieved", "retrieved_scores", "relevance")


def specs() -> list[str]:
    """Every registered metric, with and without its cutoff, and each average that it allows."""
    found = []
    for name, entry in entries("metric").items():
        if entry.alias_of is not None:
            continue
        plain = {"column": "column:name=latency,direction=lower"}.get(name, name)
        found += [spec for spec in (plain, f"{plain}@3" if entry.at == "k" else "") if spec and _takes(spec)]
        found += [
            f"{found[-1]}:average={average}"
            for average in ("samples", "pooled")
            if _takes(f"{found[-1]}:average={average}")
        ]
    return found


def _takes(spec: str) -> bool:
    try:
        parse(spec)
    except UsageError:
        return False
    return True


SPECS = specs()
every_metric = pytest.mark.parametrize("spec", SPECS)
some_batches = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def variants(spec: str, batch: Batch) -> list[Batch]:
    """The batch, and for retrieval metrics also the batch without ids: relevance then comes from text."""
    if parse(spec).stage != "retrieval":
        return [batch]
    return [batch, Batch(batch.table().drop_columns(list(BY_TEXT)))]


def measured(metric: Metric, batch: Batch) -> Cells:
    try:
        return measure_cells(metric, batch)
    except DataError:
        assume(False)
        raise


def result(metric: Metric, shards: list[Batch], by: tuple[str, ...] = ("language",)) -> Result:
    evaluator = Evaluator({"m": metric}, by=by, inference=Inference(resamples=40))
    data = Dataset("test", sum(map(len, shards)), shards[0].names, lambda: iter([Batch(s.table()) for s in shards]))
    try:
        return evaluator(data)
    except DataError:
        assume(False)
        raise


def same(left: Result, right: Result) -> bool:
    return repr(left.table) == repr(right.table)


def cut(batch: Batch, pieces: int) -> list[Batch]:
    table = batch.table()
    edges = sorted({0, *np.linspace(0, len(batch), pieces + 1).astype(int).tolist()})
    return [Batch(table.slice(a, b - a)) for a, b in pairwise(edges)]


@every_metric
def test_describes_itself(spec: str) -> None:
    metric = parse(spec)
    assert metric.stage in STAGES
    assert metric.direction in ("higher", "lower")
    assert metric.range[0] < metric.range[1]
    assert metric.revision >= 1
    assert type(metric).__doc__


@every_metric
def test_spec_round_trip(spec: str) -> None:
    metric = parse(spec)
    assert parse(str(metric)) == metric
    assert str(parse(str(metric))) == str(metric)


@every_metric
@some_batches
@given(batch=batches, data=st.data())
def test_order_does_not_matter(spec: str, batch: Batch, data: st.DataObject) -> None:
    metric = parse(spec)
    order = np.array(data.draw(st.permutations(range(len(batch)))), dtype=np.int64)
    for one in variants(spec, batch):
        plain, shuffled = measured(metric, one), measured(metric, one.take(order))
        np.testing.assert_array_equal(plain.scores[order], shuffled.scores)
        np.testing.assert_array_equal(plain.sums.totals().values, shuffled.sums.totals().values)


@every_metric
@some_batches
@given(batch=batches, data=st.data())
def test_whole_weights_repeat_and_zero_removes(spec: str, batch: Batch, data: st.DataObject) -> None:
    metric = parse(spec)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(batch), max_size=len(batch)).filter(any))
    repeated = np.repeat(np.arange(len(batch)), weights)
    for one in variants(spec, batch):
        rows = measured(metric, one).sums
        again = measured(metric, one.take(repeated)).sums
        np.testing.assert_array_equal(rows.totals(np.array(weights, float)).values, again.totals().values)


@every_metric
@some_batches
@given(batch=batches)
def test_any_sharding_gives_the_same_bits(spec: str, batch: Batch) -> None:
    metric = parse(spec)
    for one in variants(spec, batch):
        whole = result(metric, [one])
        for pieces in (2, 7):
            assert same(whole, result(metric, cut(one, pieces)))


@every_metric
@some_batches
@given(batch=batches, data=st.data())
def test_intervals_survive_shuffling(spec: str, batch: Batch, data: st.DataObject) -> None:
    metric = parse(spec)
    order = np.array(data.draw(st.permutations(range(len(batch)))), dtype=np.int64)
    for one in variants(spec, batch):
        assert same(result(metric, [one]), result(metric, cut(one.take(order), 7)))


@every_metric
@some_batches
@given(batch=batches)
def test_input_is_not_changed(spec: str, batch: Batch) -> None:
    for one in variants(spec, batch):
        before = one.table().to_pylist()
        measured(parse(spec), one)
        assert one.table().to_pylist() == before


@every_metric
@some_batches
@given(batch=batches)
def test_excluded_rows_never_reach_a_total(spec: str, batch: Batch) -> None:
    metric = parse(spec)
    for one in variants(spec, batch):
        cells = measured(metric, one)
        ok = cells.sums.ok
        assert not cells.sums.values[~ok].any()
        assert np.isnan(cells.scores[~ok]).all()
        if ok.any():
            kept = measured(metric, one.take(np.flatnonzero(ok)))
            np.testing.assert_array_equal(kept.sums.totals().values, cells.sums.totals().values)


@every_metric
@some_batches
@given(batch=batches)
def test_scores_stay_in_range(spec: str, batch: Batch) -> None:
    metric = parse(spec)
    low, high = metric.range
    for one in variants(spec, batch):
        scores = measured(metric, one).scores
        scores = scores[~np.isnan(scores)]
        assert (scores >= low - 1e-12).all()
        assert (scores <= high + 1e-12).all()


@every_metric
@some_batches
@given(batch=batches)
def test_a_sample_alone_scores_as_among_others(spec: str, batch: Batch) -> None:
    metric = parse(spec)
    for one in variants(spec, batch):
        together = measured(metric, one).scores
        alone = [measured(metric, one.take(np.array([i]))).scores[0] for i in range(len(one))]
        np.testing.assert_array_equal(together, alone)


@every_metric
def test_null_is_missing_and_counted(spec: str) -> None:
    metric = parse(spec)
    table = pa.table(
        {
            "id": ["a", "b"],
            "answer": ["x y", None],
            "references": [["x y"], None],
            "question": ["q", None],
            "contexts": [["x y"], None],
            "reference_contexts": [["x y"], None],
            "retrieved": [["d1"], None],
            "relevance": [[{"id": "d1", "grade": 1.0}], None],
            "latency": [1.0, None],
            "language": ["zh", "zh"],
        }
    )
    score = result(metric, [Batch(table)]).table[0]
    assert (score.counted, score.missing, score.total) == (1, 1, 2)
