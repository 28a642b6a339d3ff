"""Each distinct text is encoded once per run."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.core.ragged import Ragged
from ragauge.embedders import get
from ragauge.embedders.space import STORE, Space, space_of
from ragauge.embedders.store import open_store
from ragauge.metrics.rag.semantic_similarity import SemanticSimilarity
from ragauge.support.segments import texts_of
from tests.embedders.counting import Counting


def placed(batch: Batch, column: str, embedder: Any, role: Any) -> Ragged:
    """Return the numbers of the vectors of the texts in ``column``, as metrics ask for them."""
    texts = texts_of(batch, column)
    return Ragged(space_of(batch, embedder).places(texts.values.tolist(), role), texts.offsets)


def test_ten_thousand_texts_that_occur_a_hundred_thousand_times_cost_ten_thousand(tmp_path: Any) -> None:
    texts = [f"text {number % 10_000}" for number in range(100_000)]
    costs = []
    for _ in range(2):
        embedder = Counting()
        with open_store(tmp_path) as store:
            for first in range(0, 100_000, 30_000):
                part = texts[first : first + 30_000]
                batch = Batch(pa.table({"answer": part, "references": [[text] for text in part[::-1]]}))
                batch = batch.given(STORE, store)
                for clip in (True, False):
                    SemanticSimilarity(embedder=embedder, clip=clip).measure(batch)
        costs.append(sum(embedder.encoded.values()))
    assert costs == [10_000, 0]


def test_metrics_share_the_vectors_of_a_batch() -> None:
    batch, embedder = Batch(pa.table({"answer": ["a", "b", "a"], "question": ["b", "c", None]})), Counting()
    answers = placed(batch, "answer", embedder, "passage")
    questions = placed(batch, "question", embedder, "query")
    assert answers.to_lists() == [[0], [1], [0]]
    assert questions.to_lists() == [[1], [2], []]
    assert set(embedder.encoded.values()) == {1}
    assert space_of(batch, embedder) is space_of(batch, embedder)


def test_roles_are_apart_where_they_matter() -> None:
    space = Space(Counting(symmetric=False))
    assert space.places(["a"], "query").tolist() == [0]
    assert space.places(["a"], "passage").tolist() == [1]
    assert len(space) == 2


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.large_string())])
def test_null_rows_and_null_passages(kind: Any) -> None:
    batch = Batch(pa.table({"contexts": pa.array([["a", None], None, [], ["a"]], kind)}))
    assert placed(batch, "contexts", Counting(), "passage").to_lists() == [[0, 1], [], [], [0]]


def test_a_sliced_column() -> None:
    table = pa.table({"contexts": [["x"], ["a", "b"], ["b"]], "answer": ["x", "a", "b"]}).slice(1)
    space = space_of(Batch(table), embedder := Counting())
    assert placed(Batch(table), "contexts", embedder, "passage").to_lists() == [[0, 1], [1]]
    assert placed(Batch(table), "answer", embedder, "passage").to_lists() == [[0], [1]]
    assert len(space) == 0


def test_failures_have_reasons_and_no_cosine() -> None:
    space = Space(Counting(failing={"b"}))
    places = space.places(["a", "b"], "query")
    assert space.failures == {1: "lost"}
    assert np.isnan(space.cosine(places[:1], places[1:])).all()


def test_sparse_vectors_grow() -> None:
    space = Space(get("lexical"))
    first = space.places(["red apple", ""], "query")
    second = space.places(["red apple", "green pear"], "passage")
    assert (first.tolist(), second.tolist()) == ([0, 1], [0, 2])
    assert space.cosine(first[[0, 0, 1]], second[[0, 1, 1]]).round(1).tolist() == [1.0, 0.0, 0.0]


def test_nothing_to_encode() -> None:
    empty = Batch(pa.table({"answer": pa.array([], pa.string()), "contexts": pa.array([], pa.list_(pa.string()))}))
    for column in ("answer", "contexts"):
        assert placed(empty, column, get("lexical"), "passage").to_lists() == []


def test_an_embedder_of_another_kind_of_vectors_is_said() -> None:
    class Odd(Counting):
        def encode(self, texts: Any, role: Any) -> Any:  # noqa: ARG002
            return object()

    with pytest.raises(TypeError, match="DenseVectors or SparseVectors"):
        Space(Odd()).places(["a"], "query")
