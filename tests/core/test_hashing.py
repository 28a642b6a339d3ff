"""Hashes of strings: the same everywhere, for every layout of the strings."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.core import native
from ragauge.core.hashing import combine, hash_strings, splitmix64

HASHES = ["a706dd2f4d197e6f", "9049ddeeb6661e92", "bcef3f33e12a5699", "fafe0a01eca69619"]
texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=9)


def test_a_long_string_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "byte_sums", lambda *_: None)
    strings = pa.array(["ab" * 1_000_000, "c"])
    tracemalloc.start()
    try:
        long, short = hash_strings(strings)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()
    assert short == hash_strings(["c"])[0]
    assert f"{long:016x}" == "7be9a1caa3ce8b7e"


def test_hashes_never_change() -> None:
    """Ids of replicates, made ids and fingerprints rest on these numbers: a change moves every interval."""
    assert [f"{value:016x}" for value in hash_strings(["", "a", "猫", "a" * 100]).tolist()] == HASHES


@given(strings=texts)
def test_layout_does_not_matter(strings: list[str]) -> None:
    plain = hash_strings(strings).tolist()
    padded = pa.array(["x", *strings, "y"]).slice(1, len(strings))
    chunked = pa.chunked_array([strings[:2], strings[2:]], pa.string())
    for layout in (padded, chunked, pa.array(strings, pa.large_string()), pa.array(strings).cast(pa.large_string())):
        assert hash_strings(layout).tolist() == plain


@given(strings=texts)
def test_equal_hashes_mean_equal_strings(strings: list[str]) -> None:
    assert len(set(hash_strings(strings).tolist())) == len(set(strings))


def test_null_hashes_as_empty_and_input_stays() -> None:
    assert hash_strings(pa.array([None, ""], pa.string())).tolist() == hash_strings(["", ""]).tolist()
    values = np.array([1, 2], dtype=np.uint64)
    splitmix64(values)
    assert values.tolist() == [1, 2]


def test_long_inputs_are_hashed_in_blocks_to_the_same_values() -> None:
    strings = [f"{number}" * 50 for number in range(20_000)]
    together = hash_strings(strings)
    assert together[[0, 9_999, 19_999]].tolist() == hash_strings([strings[i] for i in (0, 9_999, 19_999)]).tolist()


def test_pairs_are_ordered() -> None:
    one, two = hash_strings(["a"]), hash_strings(["b"])
    assert combine(one, two) != combine(two, one)
