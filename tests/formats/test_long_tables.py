"""Tables with one document a row."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.errors import ColumnError, DataError
from ragauge.formats.long_tables import one_document_a_row

ROWS = [
    {"question": "谁？", "Doc ID": "d2", "score": 0.1},
    {"question": "谁？", "Doc ID": "d1", "score": 0.9},
]


def test_the_error_says_what_to_type() -> None:
    with pytest.raises(ColumnError, match=r"frame.sort_values\('score', ascending=False, kind='stable'\)"):
        ragauge.evaluate(ROWS, "mrr")
    with pytest.raises(DataError, match=r"a row is one document \(Doc ID\).*groupby\('qid'"):
        ragauge.evaluate([{"qid": row["question"], **row} for row in ROWS], "mrr")


def test_other_tables_have_no_such_advice() -> None:
    assert one_document_a_row({"question": ["a", "b"], "doc_id": ["d1", "d2"]}, "question") is None
    assert one_document_a_row({"question": ["a", "a"], "doc_id": [["d1"], ["d2"]]}, "question") is None
    assert one_document_a_row({"question": ["a", "a"], "id": ["d1", "d2"]}, "question") is None
    with pytest.raises(ColumnError) as caught:
        ragauge.evaluate([{"question": "a", "doc_id": "d1"}, {"question": "b", "doc_id": "d1"}], "mrr")
    assert "In pandas" not in str(caught.value)
