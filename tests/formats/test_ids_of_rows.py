from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.formats import read

VALUES = st.none() | st.text(max_size=3) | st.integers(-3, 3) | st.floats(allow_nan=False) | st.booleans()
ROW = st.fixed_dictionaries(
    {"question": st.none() | st.text(max_size=2)},
    optional={
        "answer": st.none() | st.text(max_size=2),
        "references": st.none() | st.lists(st.text(max_size=2), max_size=2),
        "contexts": st.none() | st.lists(st.text(max_size=2), max_size=3),
        "relevance": st.none() | st.dictionaries(st.text(max_size=1), st.integers(0, 3), max_size=2),
        "topic": VALUES,
        "meta": st.none() | st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2),
    },
)


def ids(rows: Any) -> list[str]:
    return [name for batch in read(rows).batches() for name in batch.column("id").to_pylist()]


@settings(max_examples=30)
@given(st.lists(ROW, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_does_not_matter(rows: list[dict[str, Any]], source: random.Random) -> None:
    shuffled = [dict(sorted(row.items(), reverse=True)) for row in rows]
    source.shuffle(shuffled)
    names = ids(rows)
    assert len(set(names)) == len(rows)
    assert sorted(names) == sorted(ids(shuffled))


def test_the_same_content_has_the_same_id_among_other_rows() -> None:
    row = {"question": "Who?", "references": ["Anna", "Ann"]}
    assert ids([row, {"question": "What?"}])[0] == ids([{"question": "When?", "topic": 1}, row])[1]


@pytest.mark.parametrize("blank", [{}, {"id": None}, {"answer": None}])
def test_rows_without_a_value_are_rows_also_where_many_stand_together(
    blank: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 2)
    names = ids([{"question": "Who?"}, {"question": "What?"}, blank, blank])
    assert names[2:] == ids([{"question": None}] * 2)
    assert ids([blank, blank, {"question": "Who?"}]) == [*names[2:], names[0]]


def test_ids_are_sixteen_digits_and_a_number_for_repeated_content() -> None:
    row = {"question": "Who?"}
    first, second, other, third = ids([row, row, {"question": "What?"}, row])
    assert len(first) == 16
    assert second == f"{first}-2"
    assert third == f"{first}-3"
    assert other != first


@pytest.mark.parametrize(
    "other",
    [
        {"question": "b"},
        {"answer": "a"},
        {"question": "a", "references": []},
        {"question": "a", "references": [""]},
        {"question": "a", "references": ["", ""]},
        {"question": "a", "references": ["x", "y"]},
        {"question": "a", "references": ["y", "x"]},
        {"question": "a", "topic": 1},
        {"question": "a", "topic": {"b": 1}},
        {"question": ""},
    ],
)
def test_other_content_has_another_id(other: dict[str, Any]) -> None:
    first, second = ids([{"question": "a"}, other])
    assert first != second


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"question": str(i % 3), "topic": value} for i, value in enumerate([1, 2.5, "x", None, True, 1])]
    together = ids(rows)
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 1)
    assert ids(rows) == together


LARGE = [2**53 + 1, 2**53, 2**53 + 2, -(2**53) - 1, -(2**53), 2**62 + 1, 2**62]


@pytest.mark.parametrize("wrap", [lambda n: n, lambda n: [n], lambda n: {"k": n}, lambda n: [{"k": n}]])
@pytest.mark.parametrize("others", [[], [0.5], ["a"], [2**64 + 1]])
@pytest.mark.parametrize("size", [1, 100])
def test_integers_that_no_float_holds_have_ids_of_their_own(
    wrap: Any, others: list[Any], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", size)
    rows = [{"answer": "a", "n": wrap(value)} for value in LARGE + others]
    names = ids(rows)
    assert len({name[:16] for name in names}) == len(rows)
    assert ids(rows[::-1]) == names[::-1]


def test_unsigned_integers_have_ids_of_their_own() -> None:
    numbers = pa.array([2**64 - 1, 2**64 - 2, 2**63, 2**63 + 1], pa.uint64())
    assert len({name[:16] for name in ids(pa.table({"answer": ["a"] * 4, "n": numbers}))}) == 4


def test_the_order_of_judgements_does_not_matter() -> None:
    relevance = {"a": 1, "b": 2, "c": 0}
    backwards = dict(reversed(relevance.items()))
    assert ids([{"question": "a", "relevance": relevance}]) == ids([{"question": "a", "relevance": backwards}])


def test_ids_that_are_all_null_are_made() -> None:
    assert ids([{"id": None, "question": "a"}]) == ids([{"question": "a"}])


def test_pinned() -> None:
    """An id is written to results, so it may not change between releases."""
    row = {
        "question": "谁?",
        "answer": "Anna",
        "references": ["a"],
        "relevance": {"d": 1},
        "topic": 1,
        "m": {"a": True},
    }
    assert ids([row]) == ["20cca76dfb25d3ed"]
