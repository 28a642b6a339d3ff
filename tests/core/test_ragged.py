"""Lists of different lengths as two arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.core.ragged import Ragged
from ragauge.errors import UsageError


@pytest.mark.parametrize("lengths", [[1, 1], [2, 2], []])
def test_lengths_that_do_not_add_up_to_the_values_are_refused(lengths: list[int]) -> None:
    with pytest.raises(UsageError, match=rf"add up to the number of values, 3; got {sum(lengths)}\Z"):
        Ragged.from_lengths(np.array([3, 1, 2]), lengths)


lists = st.lists(st.lists(st.integers(-9, 9), max_size=5), max_size=8)


@given(rows=lists)
def test_lists_come_back(rows: list[list[int]]) -> None:
    ragged = Ragged.of(rows, dtype=int)
    assert ragged.to_lists() == rows
    assert ragged.lengths.tolist() == [len(row) for row in rows]
    assert len(ragged) == len(rows)


@given(rows=lists)
def test_each_value_knows_its_list_and_its_place(rows: list[list[int]]) -> None:
    ragged = Ragged.of(rows, dtype=int)
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    assert list(zip(ragged.rows.tolist(), ragged.positions.tolist(), strict=True)) == places


@given(rows=lists.filter(bool), data=st.data())
def test_take_repeats_and_reorders(rows: list[list[int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9))
    assert Ragged.of(rows, dtype=int).take(chosen).to_lists() == [rows[i] for i in chosen]
