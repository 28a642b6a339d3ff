"""Dense vectors."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.embedders.dense import NOT_FINITE, DenseVectors
from ragauge.errors import DataError, OptionError


def dense(rows: Any, failures: Any = None, windowed: Any = None) -> Any:
    return DenseVectors(np.array(rows, dtype=np.float32), failures or {}, windowed or {})


@given(st.lists(st.lists(st.floats(-1e6, 1e6, width=32), min_size=3, max_size=3), min_size=1, max_size=9))
def test_cosines_are_those_of_numpy_and_1_with_itself(rows: Any) -> None:
    vectors = dense(rows)
    every = np.arange(len(rows))
    norms = np.linalg.norm(vectors.values.astype(float), axis=1)
    left, right = np.repeat(every, len(rows)), np.tile(every, len(rows))
    scale = norms[left] * norms[right]
    wanted = (vectors.values.astype(float)[left] * vectors.values[right]).sum(axis=1) / np.where(scale > 0, scale, 1)
    big = scale > 1e-100
    np.testing.assert_allclose(vectors.cosine(left, right)[big], wanted[big], atol=1e-12)
    assert vectors.cosine(every, every)[norms > 1e-50].tolist() == [1.0] * np.count_nonzero(norms > 1e-50)


def test_joined_vectors_keep_their_failures_and_counts() -> None:
    both = dense([[1, 0]], {}, {0: 3}).joined(dense([[0, 1], [9, 9]], {1: "lost"}, {0: 2}))
    assert both.values.tolist() == [[1, 0], [0, 1], [9, 9]]
    assert (dict(both.failures), dict(both.windowed)) == ({2: "lost"}, {0: 3, 1: 2})


def test_a_part_that_failed_as_a_whole_fits_any_dimension() -> None:
    both = dense([[0]], {0: "lost"}).joined(dense([[1, 2]]))
    assert both.values.shape == (2, 2)


def test_vectors_of_different_dimensions_cannot_be_compared() -> None:
    with pytest.raises(DataError, match="of 1 and of 2 numbers"):
        dense([[1]]).joined(dense([[1, 2]]))


def test_vectors_that_are_not_finite_are_failures_and_a_given_reason_stays() -> None:
    vectors = dense([[1, 0], [np.nan, 1], [np.inf, 1], [np.nan, 1]], {3: "lost"})
    assert dict(vectors.failures) == {1: NOT_FINITE, 2: NOT_FINITE, 3: "lost"}
    assert np.isnan(vectors.cosine(np.array([0, 1, 2]), np.array([1, 2, 3]))).all()
    assert dict(dense([[1, 0]]).joined(dense([[np.nan, 1]])).failures) == {1: NOT_FINITE}


def test_vectors_must_stand_in_an_array() -> None:
    wrong: Any = 5
    with pytest.raises(OptionError, match=r"'values' of DenseVectors must be an array of shape \(texts, dimensions\)"):
        DenseVectors(wrong)
