"""Relevance from text: which passages count, and that nothing exceeds 1."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge
from ragauge.core.batch import Batch
from ragauge.errors import DataError
from ragauge.metrics.parse import parse
from tests.metrics.retrieval.rankings import by_texts, scores

NAMES = (
    "hit-rate", "hit-rate@2", "precision", "precision@2", "recall", "recall@2", "f1", "f1@2", "r-precision", "mrr",
    "mrr@2", "map", "map@2", "ndcg", "ndcg@2", "ndcg@2:gain=exp", "ndcg:ideal=retrieved", "rbp", "err:max_grade=1",
    "bpref", "iprec", "iprec@0.5", "judged", "judged@2",
)  # fmt: skip

words = st.sampled_from(["ab", "b", "a", "c d", "d", "", "猫", "猫だ"])
some = st.lists(words, max_size=5)


@given(rows=st.lists(st.tuples(some, some), min_size=1, max_size=4))
def test_nothing_exceeds_one(rows: list[tuple[list[str], list[str]]]) -> None:
    batch = by_texts([row[0] for row in rows], [row[1] for row in rows])
    for name in NAMES:
        found = scores(name, batch)
        assert ((found >= 0) & (found <= 1)).all(), name


@given(rows=st.lists(st.tuples(some, some), min_size=1, max_size=4), k=st.integers(1, 5))
def test_against_the_definition(rows: list[tuple[list[str], list[str]]], k: int) -> None:
    batch = by_texts([row[0] for row in rows], [row[1] for row in rows])
    for row, (passages, references) in enumerate(rows):
        pairs = [[bool(p and r) and (p in r or r in p) for r in references] for p in passages]
        marks = [any(matches) for matches in pairs]
        covered = sum(any(matches[r] for matches in pairs[:k]) for r in range(len(references)))
        novel = [any(m and not any(e[r] for e in pairs[:p]) for r, m in enumerate(pairs[p])) for p in range(len(pairs))]
        size = max(len(references), 1)
        assert scores(f"hit-rate@{k}", batch)[row] == any(marks[:k])
        assert scores(f"precision@{k}", batch)[row] == sum(marks[:k]) / k
        assert scores(f"recall@{k}", batch)[row] == covered / size
        assert scores("mrr", batch)[row] == (1 / (marks.index(True) + 1) if any(marks) else 0)
        assert scores("r-precision", batch)[row] == sum(novel[: len(references)]) / size
        precisions = [sum(novel[: p + 1]) / (p + 1) for p in range(len(novel)) if novel[p]]
        assert scores("map", batch)[row] == pytest.approx(sum(precisions) / size)
        ideal = sum(1 / np.log2(p + 2) for p in range(min(k, len(references)))) or 1
        dcg = sum(1 / np.log2(p + 2) for p in range(min(k, len(novel))) if novel[p])
        assert scores(f"ndcg@{k}", batch)[row] == pytest.approx(dcg / ideal)


def test_one_passage_may_cover_several_references() -> None:
    batch = by_texts([["nothing", "one and two"]], [["one", "two"]])
    assert scores("recall@2", batch).tolist() == [1.0]
    assert scores("precision@2", batch).tolist() == [0.5]
    assert scores("map", batch).tolist() == [0.25]


def test_a_repeated_passage_gains_once() -> None:
    batch = by_texts([["one", "one", "one"]], [["one", "two"]])
    assert scores("precision", batch).tolist() == [1.0]
    assert scores("recall", batch).tolist() == [0.5]
    assert scores("dcg", batch).tolist() == [1.0]


def test_no_reference_passage_is_undefined() -> None:
    batch = by_texts([["one"], ["one"]], [[], ["one"]])
    assert scores("recall:undefined=skip", batch).tolist() == pytest.approx([np.nan, 1.0], nan_ok=True)
    assert parse("recall").measure(batch).defaulted.tolist() == [True, False]


def test_options_of_ids_have_no_effect() -> None:
    batch = by_texts([["x", "one", "one"]], [["one"]])
    for options in ("ties=mean", "ties=docid-asc", "score_dtype=float32", "duplicates=first"):
        assert scores(f"mrr:{options}", batch).tolist() == [0.5]


def test_ids_win() -> None:
    table = pa.table(
        {
            "id": ["q"],
            "contexts": [["one"]],
            "reference_contexts": [["one"]],
            "retrieved": [["a"]],
            "relevance": [[{"id": "b", "grade": 1.0}]],
        }
    )
    assert scores("hit-rate", Batch(table)).tolist() == [0.0]


def test_the_matcher_is_asked_once_for_all_metrics() -> None:
    batch = by_texts([["one two three"]], [["one two four"]])
    assert [scores(f"{name}:matcher=overlap", batch)[0] for name in ("recall", "precision", "map")] == [1.0] * 3
    assert scores("recall:matcher=overlap[threshold=0.7]", batch)[0] == 0.0
    first = parse("recall").views(batch)  # type: ignore[attr-defined]
    assert parse("ndcg@3").views(batch) is first  # type: ignore[attr-defined]


def test_all_passages_are_judged() -> None:
    batch = by_texts([["one", "x"], []], [["one"], ["one"]])
    assert scores("judged", batch).tolist() == [1.0, 0.0]
    metric = parse("ndcg")
    np.testing.assert_equal(metric.parts(metric.measure(batch))["unjudged"], [0.0, np.nan])  # type: ignore[attr-defined]
    assert scores("bpref", by_texts([["x", "one", "y", "two"]], [["one", "two"]])).tolist() == [0.25]


def test_large_and_sliced_columns() -> None:
    lists = pa.array([["x"], ["one"], None, ["two", None]], pa.large_list(pa.large_string()))
    references = pa.array([["x"], ["one"], ["x"], ["two"]], pa.large_list(pa.large_string()))
    table = pa.table({"id": list("abcd"), "contexts": lists, "reference_contexts": references}).slice(1)
    assert scores("precision", Batch(table)).tolist() == [1.0, 0.0, 0.5]


def test_more_pairs_of_passages_than_can_be_compared() -> None:
    many = [f"passage {number}" for number in range(2049)]
    rows = [
        {"id": "a", "contexts": ["x"], "reference_contexts": ["x"]},
        {"id": "b", "contexts": many, "reference_contexts": many},
    ]
    with pytest.raises(
        DataError, match=r"sample 'b': 2049 contexts beside 2049 reference_contexts\nAt most 4,194,304 pairs"
    ):
        ragauge.evaluate(rows, "recall", resamples=0)
