"""One process or seven shards, batches of any size: the same bytes."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import Batch, Dataset
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.partial import added
from ragauge.metrics.parse import parse
from ragauge.results.result import Result

from .runs import METRICS, rows

EVALUATOR = Evaluator({name: parse(name) for name in METRICS}, cluster="document")


def sharded(seed: int, ends: list[int], order: list[int] | None = None) -> Result:
    """Evaluate 150 samples in pieces that end at ``ends``, in any order."""
    table = pa.Table.from_pylist(rows(150, seed))
    table = table if order is None else table.take(order)
    pieces = [Batch(table.slice(start, end - start)) for start, end in pairwise([0, *ends, 150])]
    data = Dataset("shards", 150, tuple(table.column_names), partial(iter, pieces))
    found = added(EVALUATOR.measure(piece) for piece in pieces)
    assert found is not None
    return EVALUATOR.finish(found, data)


@pytest.fixture(scope="module")
def whole() -> str:
    return compared(sharded(1, []), sharded(2, []))


def compared(base: Result, candidate: Result) -> str:
    return json.dumps(ragauge.compare(base, candidate, by="language").to_dict(3))


@pytest.mark.parametrize("ends", [[20, 40, 60, 80, 100, 120], [*range(1, 40), *range(60, 150, 15)]])
def test_shards_and_batches(whole: str, ends: list[int]) -> None:
    assert compared(sharded(1, ends), sharded(2, ends)) == whole
    assert compared(sharded(1, []), sharded(2, ends)) == whole


def test_any_order_in_seven_shards(whole: str) -> None:
    order = np.random.default_rng(0).permutation(150).tolist()
    base = sharded(1, [20, 40, 60, 80, 100, 120], order)
    assert compared(base, sharded(2, [75], order[::-1])) == whole
