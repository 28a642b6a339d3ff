"""What workers send back adds: in any order and grouping, to the same scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Statistics
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.partial import BUCKETS, Sums, added, bucket_keys, merged_sums
from ragauge.evaluation.summarize import Inference
from ragauge.metrics.parse import parse
from ragauge.results.result import Result
from tests.toys import Echo, dataset, in_batches, shuffled


def evaluator(**options: Any) -> Evaluator:
    return Evaluator({"echo": Echo()}, inference=Inference(resamples=50), **options)


def small() -> pa.Table:
    states = ["ok", "failed", "ok", "undefined", "ok", "missing"]
    return pa.table({"id": list("abcdef"), "x": [0.1, 0, 0.3, 0, 0.7, 0], "state": states, "g": ["u", "v"] * 3})


def parts_of(sums: Sums) -> dict[str, Any]:
    return {name: sums.totals(name).parts.tolist() for name in sums.parts}


def test_adding_keeps_the_order_of_samples_and_moves_reasons() -> None:
    run = evaluator(by=("g",))
    one, two, three = (run.measure(Batch(small().slice(start, 2))) for start in (0, 2, 4))
    for together in ((one + two) + three, one + (two + three), added([one, two, three])):
        assert together is not None
        column = together.columns["echo"]
        assert pa.chunked_array(list(together.ids)).to_pylist() == list("abcdef")
        assert column.status.tolist() == [0, 3, 0, 1, 0, 2]
        assert dict(column.reasons) == {1: "because"}
        assert parts_of(together.sums) == parts_of(run.measure(Batch(small())).sums)


def test_labels_of_shards_are_joined_by_value_and_type() -> None:
    run = Evaluator({"x": parse("column:name=x")}, by=("g",), inference=Inference(resamples=0))
    shards = [pa.table({"id": [f"{g}{i}" for i in range(2)], "x": [1.0, 2.0], "g": [g, None]}) for g in (1, 1.0, True)]
    [labels] = merged_sums([run.measure(Batch(shard)).sums for shard in shards]).labels
    assert [(type(label), label) for label in labels] == [(int, 1), (type(None), None), (float, 1.0), (bool, True)]


def test_no_partials_are_none() -> None:
    assert added(iter([])) is None


def test_empty_batches_add_nothing() -> None:
    run = evaluator(by=("g",))
    whole, gaps = (run(in_batches(small(), sizes)) for sizes in ([6], [0, 3, 0, 3, 0]))
    assert repr(whole.table) == repr(gaps.table)


def test_bucket_keys_fall_into_their_bucket_again() -> None:
    buckets = np.arange(0, BUCKETS, 97)
    keys = bucket_keys(buckets)
    assert (keys & np.uint64(BUCKETS - 1)).tolist() == buckets.tolist()
    assert len(np.unique(keys)) == len(keys)


@pytest.fixture(scope="module")
def large() -> pa.Table:
    """More samples than buckets."""
    random = np.random.default_rng(1)
    n = BUCKETS + 5_000
    return pa.table(
        {
            "id": np.char.add("q", np.arange(n).astype(str)),
            "x": random.gamma(2.0, 3.0, n),
            "hit": random.integers(0, 2, n),
            "g": random.choice(["zh", "en", "ja"], n),
            "topic": random.integers(0, 9, n),
            "source": random.integers(0, 300, n),
        }
    )


def of_large(table: pa.Table, shards: int, **options: Any) -> Result:
    metrics = {name: parse(f"column:name={name}") for name in ("x", "hit")}
    run = Evaluator(metrics, by=("g", "topic"), inference=Inference(resamples=30), **options)
    edges = np.linspace(0, len(table), shards + 1).astype(int)
    return run(in_batches(table, np.diff(edges).tolist()))


@pytest.mark.parametrize("cluster", [None, "source"])
@pytest.mark.costly
def test_past_the_buckets_shards_and_order_change_no_bit(large: pa.Table, cluster: str | None) -> None:
    whole = of_large(large, 1, cluster=cluster)
    assert all(score.high > score.low for score in whole.table)
    for table, shards in ((large, 7), (shuffled(large, 2), 1), (shuffled(large, 3), 30)):
        assert repr(of_large(table, shards, cluster=cluster).table) == repr(whole.table)


def test_a_stream_never_keeps_many_more_sums_than_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.evaluation.partial.BUCKETS", 64)
    kept: list[int] = []

    def counting(many: Sequence[Sums]) -> Sums:
        kept.append(sum(len(sums.keys) for sums in many))
        return merged_sums(many)

    monkeypatch.setattr("ragauge.evaluation.partial.merged_sums", counting)
    run = Evaluator({"x": parse("column:name=x")}, inference=Inference(resamples=0))
    table = pa.table({"id": [str(number) for number in range(2000)], "x": [1.0] * 2000})
    whole = added(run.measure(Batch(table.slice(start, 50))) for start in range(0, 2000, 50))
    assert whole is not None
    assert whole.sums.samples == 2000
    assert max(kept) <= 2 * 64 + 50
    assert len(kept) > 10


def test_sums_stop_growing_past_the_buckets(large: pa.Table) -> None:
    run = Evaluator({"x": parse("column:name=x")}, inference=Inference(resamples=0))
    half = len(large) // 2
    sums = [run.measure(Batch(large.slice(start, half))).sums for start in (0, half)]
    joined = merged_sums(sums)
    assert len(joined.keys) <= BUCKETS < joined.samples


def test_buckets_give_nearly_the_intervals_of_samples(large: pa.Table) -> None:
    fewer = large.slice(0, BUCKETS)
    by_sample, by_bucket = (of_large(table, 1).table[0] for table in (fewer, large))
    width = by_sample.high - by_sample.low
    assert by_bucket.high - by_bucket.low == pytest.approx(width, rel=0.5)


def test_dataset_helper_cuts_batches() -> None:
    assert [len(batch) for batch in dataset({"x": [1, 2, 3]}, [1, 2]).batches()] == [1, 2]


class _One(Echo):
    def score(self, totals: Statistics) -> FloatArray:
        return np.asarray(super().score(totals).mean())


class _Square(Echo):
    def score(self, totals: Statistics) -> FloatArray:
        score = super().score(totals)
        return np.stack([score, score], axis=-1)


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (_One(), r"score of .*_One.* one score for each sample, 6 in all; got a single number"),
        (_Square(), r"score of .*_Square.*, 6 in all; got 6 x 2"),
    ],
)
def test_a_metric_with_the_wrong_number_of_scores_is_named(metric: Echo, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Evaluator({"mine": metric})(in_batches(small(), [6]))


def test_scores_in_a_file_are_those_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Evaluator({"x": parse("column:name=x"), "echo": Echo()}, inference=Inference(resamples=0))
    values = [0.5, 2.0, 300.0, 1.0, 70000.0, 3.0]
    table = small().set_column(1, "x", pa.array(values))
    measured = [run.measure(Batch(table.slice(start, 2))) for start in (0, 2, 4)]
    inside = added(measured)
    monkeypatch.setattr("ragauge.evaluation.score_file.HELD", 2)
    outside = added(measured)
    assert inside is not None
    assert outside is not None
    for name, one in inside.columns.items():
        other = outside.columns[name]
        pairs: list[tuple[Any, Any]] = [
            (one.scores, other.scores),
            (one.status, other.status),
            (one.defaulted, other.defaulted),
        ]
        pairs += [(one.statistics[key], other.statistics[key]) for key in one.statistics]
        pairs += [(one.parts[key], other.parts[key]) for key in one.parts]
        assert [(mine.dtype, mine.tobytes()) for mine, _ in pairs] == [(his.dtype, his.tobytes()) for _, his in pairs]
        assert dict(one.reasons) == dict(other.reasons)
        assert (list(one.parts), list(one.statistics)) == (list(other.parts), list(other.statistics))


def test_scores_stay_in_memory_where_no_folder_holds_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Evaluator({"x": parse("column:name=x")}, inference=Inference(resamples=0))
    measured = [run.measure(Batch(small().slice(start, 2))) for start in (0, 2, 4)]
    inside = added(measured)
    assert inside is not None
    monkeypatch.setattr("ragauge.evaluation.score_file.HELD", 2)

    def no_folder() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", no_folder)
    without = added(measured)
    assert without is not None
    assert without.columns["x"].scores.tobytes() == inside.columns["x"].scores.tobytes()


def test_a_folder_that_cannot_hold_scores_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = Evaluator({"x": parse("column:name=x")}, inference=Inference(resamples=0))
    monkeypatch.setattr("ragauge.evaluation.score_file.HELD", 2)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(
        DataError,
        match=r"the scores of so many samples are kept in temporary files.*gone cannot hold them: No such file",
    ):
        added([run.measure(Batch(small()))])
