"""Whatever a program may send to another process arrives whole, and can be copied."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.batch import Batch, Dataset
from ragauge.evaluation.evaluator import Evaluator
from ragauge.formats import read
from ragauge.formats.rows import Spool
from ragauge.metrics.function import FunctionMetric

ROWS: list[dict[str, Any]] = [
    {"id": str(i), "answer": f"tea {i} is hot", "references": ["tea is hot"], "contexts": [f"Tea {i} is hot."],
     "topic": "ab"[i % 2], "lang": "en", "failure": "down" if i == 3 else None, "label": float(i % 3)}
    for i in range(12)
]  # fmt: skip
METRICS = ["token-f1", "bleu", "groundedness"]


def same(one: Any) -> Any:
    return one


def evaluated() -> ragauge.Result:
    return ragauge.evaluate(ROWS, METRICS, by="topic", resamples=50, evidence=True)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def result() -> ragauge.Result:
    return evaluated()


def test_a_result_travels(pool: ProcessPoolExecutor, result: ragauge.Result) -> None:
    for again in (pool.submit(evaluated).result(), pool.submit(same, result).result(), copy.deepcopy(result)):
        assert again.to_dict() == result.to_dict()
        assert again.to_arrow().equals(result.to_arrow())
        assert again.explain("1").equals(result.explain("1"))
        assert again.metrics == result.metrics
        assert again.reasons("bleu") == {3: "down"}


def test_what_is_made_of_results_travels(pool: ProcessPoolExecutor, result: ragauge.Result) -> None:
    other = ragauge.evaluate([{**row, "answer": "tea"} for row in ROWS], METRICS, resamples=50)
    for one in (
        ragauge.compare(result, other),
        ragauge.gate(result, min={"token-f1": 0.1}, max_drop={"bleu": 0.9}, baseline=other),
        ragauge.validate(result, human="label"),
    ):
        assert repr(pool.submit(same, one).result()) == repr(one) == repr(copy.deepcopy(one))


def test_batches_partials_and_rows_travel(pool: ProcessPoolExecutor) -> None:
    metrics = {name: ragauge.parse(name) for name in METRICS}
    evaluator, data = Evaluator(metrics, evidence=True), read(ROWS)
    [batch] = data.batches()
    partial = pool.submit(evaluator.measure, batch).result()
    here = evaluator.finish(evaluator.measure(batch), data)
    assert evaluator.finish(partial, data).to_dict() == here.to_dict()
    for metric in metrics.values():
        rows = pool.submit(metric.measure, batch).result()
        np.testing.assert_array_equal(copy.deepcopy(rows).values, metric.measure(batch).values)
        assert pool.submit(rows.totals).result().values.tolist() == rows.totals().values.tolist()


def test_a_slice_travels_without_the_rest_of_its_table() -> None:
    table = next(read([{"answer": "x" * 10_000}] * 100).batches()).table()
    assert len(pickle.dumps(Batch(table.slice(3, 1)))) < 20_000


def test_a_data_set_travels_also_from_a_temporary_file(pool: ProcessPoolExecutor) -> None:
    spool = Spool(spool_above=0)
    for batch in read(ROWS).batches():
        for part in batch.table().to_batches():
            spool.add(part)
    [table] = spool.tables()
    for data in (read(ROWS), Dataset.of(Batch(table), "spooled", mapping={"language": "lang"})):
        again = pool.submit(same, data).result()
        assert isinstance(again, Dataset)
        assert (again.source, again.rows, again.columns, again.mapping) == (
            data.source, data.rows, data.columns, data.mapping,
        )  # fmt: skip
        for _ in range(2):
            assert [one.table().to_pylist() for one in again.batches()] == [
                one.table().to_pylist() for one in data.batches()
            ]


@ragauge.metric(name="pickled-length", needs=("answer",))
def length(sample: ragauge.Sample) -> float:
    return float(len(sample.answer or ""))


def test_a_metric_of_a_function_travels_by_its_name() -> None:
    assert isinstance(length, FunctionMetric)
    assert pickle.loads(pickle.dumps(length)) is length  # noqa: S301 - our own bytes
    again = pickle.loads(pickle.dumps(ragauge.evaluate(ROWS, length, resamples=0)))  # noqa: S301
    kept = again.metric("pickled-length")
    assert (kept, kept.function) == (length, length.function)


def twice(sample: ragauge.Sample) -> float:
    return 2.0 * len(sample.answer or "")


def test_a_metric_under_another_name_than_its_function_travels_by_its_fields() -> None:
    made = ragauge.metric(name="pickled-twice", needs=("answer",))(twice)
    again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
    assert again == made
    assert again(ragauge.Sample(answer="abc")) == 6.0
