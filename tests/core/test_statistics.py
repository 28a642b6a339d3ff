"""Sums are exact: the same bits in any order, any sharding, under any whole weights."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Rows, Status, Totals
from ragauge.errors import DataError, OptionError, UsageError
from tests.approved import pattern

reals = st.floats(-1e9, 1e9)
columns = st.lists(reals, min_size=1, max_size=40)


def bits(totals: Totals) -> bytes:
    return totals.values.tobytes()


def exact(values: FloatArray) -> Fraction:
    return sum((Fraction(value) for value in values.tolist()), Fraction())


@given(values=columns, data=st.data())
def test_order_does_not_change_a_bit(values: list[float], data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(values))
    assert bits(Rows.of({"v": values}).totals()) == bits(Rows.of({"v": mixed}).totals())


@given(values=columns, data=st.data())
def test_sharding_does_not_change_a_bit(values: list[float], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(values)))
    parts = [Rows.of({"v": np.array(piece, float)}).totals() for piece in (values[:cut], values[cut:])]
    assert bits(parts[0] + parts[1]) == bits(parts[1] + parts[0]) == bits(Rows.of({"v": values}).totals())


@given(rows=st.lists(st.tuples(reals, st.integers(0, 5)), min_size=1, max_size=20))
def test_whole_weights_repeat(rows: list[tuple[float, int]]) -> None:
    values, weights = np.array([v for v, _ in rows]), np.array([w for _, w in rows])
    weighted = Rows.of({"v": values}).totals(weights.astype(float))
    assert bits(weighted) == bits(Rows.of({"v": np.repeat(values, weights)}).totals())


@given(values=columns)
@example([1.9, 109437822.0, 777780149.0, 730803949.0, -134916053.0, -671088640.0, -805306368.0])
def test_error_is_below_what_the_grid_rounds_away(values: list[float]) -> None:
    """The sums of the six parts are exact; adding them rounds by the size of the parts, which may cancel."""
    found = Fraction(float(Rows.of({"v": values}).totals()["v"]))
    truth = exact(np.array(values))
    size = exact(np.abs(values))
    assert abs(found - truth) <= len(values) * Fraction(2) ** -90 + size * Fraction(2) ** -50


@given(value=st.floats(2.0**-36, 2.0**40))
def test_the_sum_of_one_value_is_that_value(value: float) -> None:
    assert float(Rows.of({"v": [value]}).totals()["v"]) == value


def test_a_million_rows_of_mixed_size() -> None:
    random = np.random.default_rng(5)
    values = random.normal(size=1_000_000) * 10.0 ** random.integers(-6, 10, size=1_000_000)
    whole, mixed = (Rows.of({"v": v}).totals() for v in (values, random.permutation(values)))
    assert bits(whole) == bits(mixed)
    assert float(whole["v"]) == pytest.approx(math.fsum(values.tolist()), rel=1e-15)


def test_many_rows_near_the_largest_value_add_exactly() -> None:
    random = np.random.default_rng(6)
    values = random.integers(2**45, 2**49, size=20_000) + random.integers(0, 8, size=20_000) / 8
    whole, mixed = (Rows.of({"v": v}).totals() for v in (values, np.sort(values)))
    assert bits(whole) == bits(mixed)
    assert float(whole["v"]) == float(exact(values))


def test_large_latencies_and_negative_values_cancel_exactly() -> None:
    values = [1e9 + 0.1, -1e9, 0.3, -0.1]
    assert float(Rows.of({"v": values}).totals()["v"]) == float(exact(np.array(values)))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 2.0**49, 1e18])
def test_what_cannot_be_summed_exactly_is_refused(value: float) -> None:
    with pytest.raises(DataError, match=r"cannot add up .*: only finite numbers below 2\^49"):
        Rows.of({"v": [1.0, value]}).totals()


@given(values=columns, replicates=st.integers(1, 5), seed=st.integers(0, 99))
def test_weighted_sums_are_those_of_each_replicate(values: list[float], replicates: int, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 4, size=(replicates, len(values))).astype(float)
    rows = Rows.of({"v": values, "count": np.ones(len(values), int)})
    together = rows.totals(weights)
    for place, one in enumerate(weights):
        assert together.values[place].tobytes() == rows.totals(one).values.tobytes()


def test_equal_and_zero_columns_are_packed_and_come_back() -> None:
    rows = Rows.of({"a": [1, 2], "zero": [0, 0], "b": [1, 2], "c": [0.5, 0.25]})
    assert rows.totals(np.array([[1.0, 1.0], [2.0, 0.0]])).values.tolist() == [[3, 0, 3, 0.75], [2, 0, 2, 1]]


def test_rows_that_do_not_count_are_zero() -> None:
    rows = Rows.of({"v": [1.0, 2.0, 3.0]}, status=[0, 1, 0], defaulted=[True, True, False])
    assert rows["v"].tolist() == [1.0, 0.0, 3.0]
    assert rows.defaulted.tolist() == [True, False, False]
    fewer = rows.excluding(np.array([True, False, False]), Status.FAILED, {0: "down"})
    assert (fewer["v"].tolist(), fewer.status.tolist(), dict(fewer.reasons)) == ([0, 0, 3], [3, 1, 0], {0: "down"})
    assert rows["v"].tolist() == [1.0, 0.0, 3.0]


def test_totals_of_other_names_do_not_add() -> None:
    with pytest.raises(ValueError, match=pattern("core.cannot_add_totals_of_a_to_totals")):
        Totals.of(a=1) + Totals.of(b=1)


def test_totals_keep_leading_axes() -> None:
    totals = Totals.of(a=[1.0, 2.0], b=3)
    assert totals["b"].tolist() == [3.0, 3.0]
    assert totals.parts.shape[1:] == (2, 2)


@pytest.mark.parametrize("status", [[9, 0], ["ok", "ok"], [0]])
def test_a_status_must_be_known_and_there_for_each_row(status: list[Any]) -> None:
    with pytest.raises(OptionError, match=pattern("core.option_status_of_rows_of_must_be", status=status)):
        Rows.of({"hits": [1, 2]}, status=status)


def test_a_mask_is_no_status() -> None:
    """True would be taken as UNDEFINED, so that a mask of the good samples scores none of them."""
    with pytest.raises(
        OptionError, match=r"status must be values of Status, as in np.where\(total > 0, .* got booleans"
    ):
        Rows.of({"v": [1, 2]}, status=np.array([True, False]))


def test_an_unknown_statistic_is_named_beside_those_there_are() -> None:
    rows = Rows.of({"distinct": [1], "total": [2]})
    for statistics in (rows, rows.totals()):
        with pytest.raises(UsageError, match="no statistic 'distnct'; measure returned distinct, total"):
            statistics["distnct"]


def test_columns_of_rows_have_one_length() -> None:
    with pytest.raises(UsageError, match=r"arrays of equal length; got a \(3,\), b \(2,\)\Z"):
        Rows.of({"a": np.ones(3), "b": np.ones(2)})
