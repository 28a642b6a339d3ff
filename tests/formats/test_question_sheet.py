"""Rows of a sheet of questions as samples: what is left out, what is kept, and what is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragauge.formats.csv import guarded, unguarded
from ragauge.formats.question_sheet import as_samples
from ragauge.formats.source import Chunk


def chunk(*rows: tuple[Any, ...], **more: list[Any]) -> Chunk:
    """Return rows of passage, passage_id, source, question and reference, from line 2."""
    names = ("passage", "passage_id", "source", "question", "reference")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return Chunk(columns | more, list(range(2, 2 + len(rows))), notes=["read first"])


EMPTY = ("Tee.", "d9", "a.md", "", None)


@pytest.mark.parametrize(
    ("empty", "note"),
    [
        (0, []),
        (1, ["1 row of the sheet has no question and no reference, and is left out"]),
        (2, ["2 rows of the sheet have no question and no reference, and are left out"]),
    ],
)
def test_rows_that_nobody_filled_are_counted(empty: int, note: list[str]) -> None:
    found = as_samples(chunk(*[EMPTY] * empty, ("茶。", "d1", "a.md", "何时？", "1990")), written=False)
    assert found.notes == ["read first", *note]
    assert found.places == [2 + empty]
    assert found.problems == []
    assert found.columns == {
        "source": ["a.md"],
        "question": ["何时？"],
        "reference": ["1990"],
        "reference_contexts": [["茶。"]],
        "relevance": [["d1"]],
    }
    assert found.origins == {"references": "reference", "reference_contexts": "passage", "relevance": "passage_id"}


def test_what_a_sheet_says_beside_is_dropped_and_own_columns_stay() -> None:
    given = chunk(EMPTY, ("t", "d1", "a", "q", "r"), note=["a", "b"], supporting_sentence=["c", "d"], level=[1, " 2 "])
    columns = as_samples(given, written=False).columns
    assert list(columns) == ["source", "question", "reference", "level", "reference_contexts", "relevance"]
    assert columns["level"] == [" 2 "]


def test_an_id_that_we_made_is_told_by_its_source() -> None:
    rows = [("t", name, source, "q", "r") for name, source in
            (("a.md#3", "a.md"), ("a.md#3", "b.md"), ("a.md", "a.md"), (None, "a.md"), ("x", None))]  # fmt: skip
    found = as_samples(chunk(*rows), written=False)
    assert found.columns["relevance"] == [None, ["a.md#3"], ["a.md"], None, ["x"]]
    assert "relevance" not in as_samples(chunk(rows[0]), written=False).columns
    assert as_samples(chunk(rows[0]), written=False).origins == {
        "references": "reference", "reference_contexts": "passage"
    }  # fmt: skip


def test_lists_are_json_where_fields_are_written() -> None:
    found = as_samples(chunk(('\'=1+1 "x"', "d1", "a", "'-x", "'2")), written=True)
    assert json.loads(found.columns["reference_contexts"][0]) == ['=1+1 "x"']
    assert json.loads(found.columns["relevance"][0]) == ["d1"]
    assert (found.columns["question"], found.columns["reference"]) == (["-x"], ["'2"])
    as_it_is = as_samples(chunk(("'=1+1", "d1", "a", "'-x", "'2")), written=False).columns
    assert (as_it_is["reference_contexts"], as_it_is["question"]) == ([["'=1+1"]], ["'-x"])


def test_without_any_reference_questions_are_enough() -> None:
    found = as_samples(chunk((None, None, None, "q", " "), ("t", "d", "a", "q", None)), written=False)
    assert found.problems == []
    assert found.columns == {
        "source": [None, "a"], "question": ["q", "q"], "reference_contexts": [None, ["t"]], "relevance": [None, ["d"]]
    }  # fmt: skip
    assert found.origins == {"reference_contexts": "passage", "relevance": "passage_id"}


def test_numbers_are_their_text() -> None:
    assert as_samples(chunk(("t", 7, "a", "q", 1990)), written=False).columns["reference"] == ["1990"]


FORMULAS = [
    "=1",
    "+x",
    "-x",
    "@x",
    "＝1",
    "＋x",
    "－x",
    "＠x",
    " =1",
    "\t x",
    "\rx",
    "'=1",
    "''-x",
    "-1-1",
    "1.5.",
    "+-1",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_begins_as_a_formula_is_guarded_and_comes_back(text: str) -> None:
    is_formula = text != "1.5."
    assert guarded(text) == ("'" + text if is_formula else text)
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["-1", "+1.5", "-.5", "1.", "-1e5", "+1.E-10", "'1", "'tea'", "tea", "", "1=1", "'"])
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert guarded(text) == text
    assert unguarded(text) == text


@pytest.mark.parametrize("value", [1, -1.5, None, True, ["=1"]])
def test_what_is_no_text_stays(value: Any) -> None:
    assert guarded(value) is value
    assert unguarded(value) is value
