"""Sparse vectors: cosines are exact."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.core.ragged import Ragged
from ragauge.embedders import sparse
from ragauge.embedders.sparse import SparseVectors
from ragauge.errors import OptionError

vectors = st.lists(
    st.dictionaries(st.integers(0, 30) | st.integers(0, 2**32 - 1), st.integers(1, 65535), max_size=12),
    min_size=1,
    max_size=8,
)


def sparse_vectors(given_vectors: list[dict[int, int]]) -> SparseVectors:
    rows = [sorted(vector.items()) for vector in given_vectors]
    keys = Ragged.of([[key for key, _ in row] for row in rows], np.uint32)
    weights = np.array([weight for row in rows for _, weight in row], dtype=np.uint16)
    return SparseVectors(keys.values, weights, keys.offsets)


def exact(one: Any, other: Any) -> Any:
    dot = sum(weight * other.get(key, 0) for key, weight in one.items())
    squares = sum(w * w for w in one.values()) * sum(w * w for w in other.values())
    return min(dot / math.sqrt(squares), 1.0) if squares else 0.0


@pytest.mark.parametrize("offsets", [[0, 2], [1, 3], [0, 4], []])
def test_offsets_must_be_those_of_the_keys(offsets: list[int]) -> None:
    keys, weights = np.arange(3, dtype=np.uint32), np.ones(3, dtype=np.uint16)
    with pytest.raises(OptionError, match="offsets of SparseVectors must go from 0 to the number of keys"):
        SparseVectors(keys, weights, np.array(offsets, dtype=np.int64))


@given(vectors, st.integers(1, 40))
def test_cosines_are_those_of_the_definition(given_vectors: Any, block: Any) -> None:
    count = len(given_vectors)
    left, right = (grid.ravel() for grid in np.meshgrid(np.arange(count), np.arange(count)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "_BLOCK", block)
        found = sparse_vectors(given_vectors).cosine(left, right)
    wanted = [exact(given_vectors[i], given_vectors[j]) for i, j in zip(left, right, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-15, atol=0)


@given(vectors)
def test_a_vector_is_like_itself(given_vectors: Any) -> None:
    every = np.arange(len(given_vectors))
    found = sparse_vectors(given_vectors).cosine(every, every)
    assert found.tolist() == [1.0 if vector else 0.0 for vector in given_vectors]


def test_no_pairs_and_no_vectors() -> None:
    none = np.empty(0, dtype=np.int64)
    assert sparse_vectors([]).cosine(none, none).tolist() == []
    assert sparse_vectors([{}]).cosine(np.array([0]), np.array([0])).tolist() == [0.0]
