"""Names of metrics as targets take them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.writers.measures import legal_name, measures, original_name
from tests.writers.runs import LABELS, some_result

LEGAL = re.compile(r"[\w.\- :]+")


@given(st.one_of(st.text(max_size=24), st.text("_atx5f@/eq=9.b", max_size=14)))
def test_each_name_comes_back(name: str) -> None:
    written = legal_name(name)
    assert original_name(written) == name
    assert LEGAL.fullmatch(written) or not name
    assert not written.startswith(".")


@pytest.mark.parametrize("name", LABELS)
def test_labels_in_many_languages(name: str) -> None:
    assert original_name(legal_name(name)) == name


def test_bounds_parts_and_counts_are_those_of_all_samples() -> None:
    result = some_result()
    low, high = result["exact-match"].bounds or (None, None)
    numbers = measures(result, ".")
    assert (numbers["exact-match.bound_low"], numbers["exact-match.bound_high"]) == (low, high)
    assert low != high
    assert not [name for name in numbers if " by " in name and "bound" in name]


def test_what_is_legal_stays() -> None:
    for name in ("rouge-l", "groundedness:lexical", "точность", "正确 率", "latency_s", "exact-match.low"):
        assert legal_name(name) == name


def test_long_names_are_cut_and_stay_different() -> None:
    first, second = (legal_name("长" * 300 + end) for end in "ab")
    assert len(first) == len(second) == 200
    assert first != second
