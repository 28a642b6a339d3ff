"""Each distinct text is encoded once per run."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import EMBEDDER_CACHE, Batch
from ragauge.core.ingredients import Role
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.texts import VectorSpace
from ragauge.embedders import get
from ragauge.embedders.dense import DenseVectors
from ragauge.embedders.store import Cached, Store
from ragauge.errors import DataError, UsageError
from ragauge.metrics.rag.semantic_similarity import SemanticSimilarity
from tests.embedders.counting import Counting


def test_a_thousand_texts_that_occur_ten_thousand_times_cost_a_thousand(tmp_path: Any) -> None:
    texts = [f"text {number % 1_000}" for number in range(10_000)]
    costs = []
    for _ in range(2):
        embedder = Counting()
        with Store(tmp_path) as store:
            for first in range(0, 10_000, 3_000):
                part = texts[first : first + 3_000]
                batch = Batch(pa.table({"answer": part, "references": [[text] for text in part[::-1]]}))
                batch = batch.given(EMBEDDER_CACHE, partial(Cached, store=store))
                for clip in (True, False):
                    SemanticSimilarity(embedder=embedder, clip=clip).measure(batch)
        costs.append(sum(embedder.encoded.values()))
    assert costs == [1_000, 0]


def test_metrics_share_the_vectors_of_a_batch() -> None:
    batch, embedder = Batch(pa.table({"answer": ["a", "b", "a"], "question": ["b", "c", None]})), Counting()
    answers = batch.vectors("answer", embedder, "passage").numbers
    questions = batch.vectors("question", embedder, "query").numbers
    assert answers.to_lists() == [[0], [1], [0]]
    assert questions.to_lists() == [[1], [2], []]
    assert set(embedder.encoded.values()) == {1}
    assert batch.vectors("answer", embedder).space is batch.vectors("question", embedder).space


def test_roles_are_apart_where_they_matter() -> None:
    space = VectorSpace(Counting(symmetric=False))
    assert space.numbers(["a"], "query").tolist() == [0]
    assert space.numbers(["a"], "passage").tolist() == [1]
    assert len(space) == 2


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.large_string())])
def test_null_rows_and_null_passages(kind: Any) -> None:
    batch = Batch(pa.table({"contexts": pa.array([["a", None], None, [], ["a"]], kind)}))
    assert batch.vectors("contexts", Counting(), "passage").numbers.to_lists() == [[0, 1], [], [], [0]]


def test_a_sliced_column() -> None:
    table = pa.table({"contexts": [["x"], ["a", "b"], ["b"]], "answer": ["x", "a", "b"]}).slice(1)
    embedder = Counting()
    assert Batch(table).vectors("contexts", embedder, "passage").numbers.to_lists() == [[0, 1], [1]]
    assert Batch(table).vectors("answer", embedder, "passage").numbers.to_lists() == [[0], [1]]


def test_failures_have_reasons_and_no_cosine() -> None:
    space = VectorSpace(Counting(failing={"b"}))
    places = space.numbers(["a", "b"], "query")
    assert space.failures == {1: "lost"}
    assert np.isnan(space.cosine(places[:1], places[1:])).all()


def test_sparse_vectors_grow() -> None:
    space = VectorSpace(get("lexical"))
    first = space.numbers(["red apple", ""], "query")
    second = space.numbers(["red apple", "green pear"], "passage")
    assert (first.tolist(), second.tolist()) == ([0, 1], [0, 2])
    assert space.cosine(first[[0, 0, 1]], second[[0, 1, 1]]).round(1).tolist() == [1.0, 0.0, 0.0]


def test_nothing_to_encode() -> None:
    empty = Batch(pa.table({"answer": pa.array([], pa.string()), "contexts": pa.array([], pa.list_(pa.string()))}))
    for column in ("answer", "contexts"):
        assert empty.vectors(column, get("lexical")).numbers.to_lists() == []


@dataclass(frozen=True)
class Words:
    """Vectors of an author's own: sets of words, compared by Jaccard's index."""

    sets: tuple[frozenset[str], ...]

    def __len__(self) -> int:
        return len(self.sets)

    def joined(self, more: "Words") -> "Words":
        return Words(self.sets + more.sets)

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        pairs = [(self.sets[one], self.sets[other]) for one, other in zip(left, right, strict=True)]
        return np.array([len(one & other) / len(one | other) for one, other in pairs])


@dataclass(frozen=True)
class WordEmbedder:
    """Follows the public protocol, and is registered nowhere."""

    signature: str = "words"

    def encode(self, texts: Sequence[str], role: Role) -> Words:  # noqa: ARG002
        return Words(tuple(frozenset(text.split()) for text in texts))


def test_an_embedder_that_follows_the_protocol_needs_no_class_of_ours() -> None:
    rows = [{"answer": "a b", "references": ["b c"]}, {"answer": "b a", "references": ["a b"]}]
    result = ragauge.evaluate(rows, SemanticSimilarity(embedder=WordEmbedder()), resamples=0)
    np.testing.assert_allclose(result.scores(next(iter(result.metrics))), [1 / 3, 1])


def test_an_embedder_of_another_kind_of_vectors_is_said() -> None:
    class Odd(Counting):
        def encode(self, texts: Any, role: Any) -> Any:  # noqa: ARG002
            return object()

    with pytest.raises(UsageError, match=r"encode of the embedder \w+ must return vectors; got object"):
        VectorSpace(Odd()).numbers(["a"], "query")


def test_an_embedder_whose_encode_takes_no_role_is_refused(tmp_path: Any) -> None:
    class Plain:
        signature = "plain"

        def encode(self, texts: Any) -> Any:
            raise AssertionError(texts)

    rows = [{"answer": "a", "references": ["b"]}]
    embedder: Any = Plain()
    for cache in (None, tmp_path):
        with pytest.raises(
            UsageError, match=r"encode of the embedder plain must take \(texts, role\); got: .* 3 were given"
        ):
            ragauge.evaluate(rows, SemanticSimilarity(embedder=embedder), embedding_cache=cache)


def test_an_error_inside_encode_stays_as_it_is() -> None:
    class Broken(Counting):
        def encode(self, texts: Any, role: Any) -> Any:  # noqa: ARG002
            return len(5)  # type: ignore[arg-type]

    with pytest.raises(TypeError, match="has no len"):
        VectorSpace(Broken()).numbers(["a"], "query")


def test_a_sample_whose_vectors_are_nan_has_failed() -> None:
    class Lost(Counting):
        def encode(self, texts: Any, role: Any) -> Any:  # noqa: ARG002
            return DenseVectors(np.full((len(texts), 3), np.nan, dtype=np.float32))

    rows = [{"answer": "a", "references": ["b"]}]
    result = ragauge.evaluate(rows, SemanticSimilarity(embedder=Lost()), resamples=0)
    assert result.statuses(next(iter(result.metrics))).tolist() == ["failed"]


@pytest.mark.parametrize("cached", [False, True])
def test_an_embedder_that_leaves_out_a_vector_is_refused(tmp_path: Any, cached: bool) -> None:
    class Short(Counting):
        def encode(self, texts: Any, role: Any) -> Any:
            return super().encode(texts[1:], role)

    rows = [{"answer": "a", "references": ["b"]}, {"answer": "c", "references": ["d"]}]
    with pytest.raises(UsageError, match=r"must return one vector per text, \d; got \d\. Return a vector for each"):
        ragauge.evaluate(rows, SemanticSimilarity(embedder=Short()), embedding_cache=tmp_path if cached else None)


def test_vectors_are_kept_where_they_cannot_be_joined() -> None:
    class Growing(Counting):
        def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:
            assert role == "query"
            return DenseVectors(np.ones((len(texts), 2 + len(texts)), dtype=np.float32))

    space = VectorSpace(Growing())
    numbers = [space.numbers(texts, "query") for texts in (["a"], ["b", "c"])]
    for _ in range(2):
        with pytest.raises(DataError, match="of 3 and of 4 numbers"):
            space.cosine(numbers[0], numbers[1][:1])
