"""Tables with one document a row."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from ragauge.formats.long_tables import one_document_a_row

ROWS = [
    {"question": "谁？", "Doc ID": "d2", "score": 0.1},
    {"question": "谁？", "Doc ID": "d1", "score": 0.9},
]


def test_the_error_says_what_to_type() -> None:
    with pytest.raises(ColumnError, match=r"frame.sort_values\('score', ascending=False, kind='stable'\)"):
        ragauge.evaluate(ROWS, "mrr")
    other = [{"qid": row["question"], "retrieved_doc_id": row["Doc ID"], "is_relevant": 1} for row in ROWS]
    with pytest.raises(DataError, match=r"retrieved=\('retrieved_doc_id', list\), relevance=\('is_relevant', list\)"):
        ragauge.evaluate(other, "mrr")
    with pytest.raises(DataError, match=r"a row is one document \(Doc ID\).*groupby\('qid'"):
        ragauge.evaluate([{"qid": row["question"], **row} for row in ROWS], "mrr")


def test_passages_of_one_answer_in_several_rows_have_a_note_with_code_that_works(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [
        {"question": "谁？", "answer": "林婉", "chunk text": "林婉种茶。", "reference": "林婉"},
        {"question": "谁？", "answer": "林婉", "chunk text": "树是绿的。", "reference": "林婉"},
        {"question": "何时？", "answer": "1990", "chunk text": "1990年。", "reference": "1991"},
    ]
    mapping = {"contexts": "chunk text"}

    def noted(rows: list[dict[str, str]]) -> list[str]:
        pandas.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
        notes = read(tmp_path / "rows.csv", mapping=mapping).notes
        return [note for note in notes if "each row counts as a sample" in note]

    [note] = noted(rows)
    assert note.startswith("1 answer is in several rows, with one passage each")
    frame = eval(note.partition("in pandas: ")[2], {"frame": pandas.DataFrame(rows)})  # noqa: S307 - what a user types
    assert ragauge.evaluate(frame, "exact-match", resamples=0)["exact-match"].value == 0.5
    for same in (rows[1:], [rows[0], rows[0]], [{**row, "chunk text": "茶"} for row in rows]):
        assert noted(same) == []


def test_other_tables_have_no_such_advice() -> None:
    assert one_document_a_row({"question": ["a", "b"], "doc_id": ["d1", "d2"]}, "question") is None
    assert one_document_a_row({"question": ["a", "a"], "doc_id": [["d1"], ["d2"]]}, "question") is None
    assert one_document_a_row({"question": ["a", "a"], "id": ["d1", "d2"]}, "question") is None
    with pytest.raises(ColumnError) as caught:
        ragauge.evaluate([{"question": "a", "doc_id": "d1"}, {"question": "b", "doc_id": "d1"}], "mrr")
    assert "In pandas" not in str(caught.value)


def test_rows_that_repeat_an_answer_have_a_note() -> None:
    rows = [{"question": "谁？", "answer": "林婉", "rank": rank} for rank in (1, 2)]
    [note] = read(rows).notes
    assert note.startswith("1 row repeats the question and the answer of another one, and each row counts as a sample")
    assert read([{**row, "id": str(row["rank"])} for row in rows]).notes == ()
    assert read([{**row, "repeat": row["rank"]} for row in rows]).notes == ()
    assert read([rows[0], {"question": "何时？", "answer": "林婉"}]).notes == ()
