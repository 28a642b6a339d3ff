"""What to do about rows that cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.errors import DataError
from ragauge.formats import read


@pytest.mark.parametrize(
    ("row", "listed"),
    [
        ({"doc_id": "d1", "relevance": 1}, "retrieved=('doc_id', list), relevance=('relevance', list)"),
        ({"passage_id": "d1", "rank": 1, "relevance": 1.0}, "retrieved=('passage_id', list), relevance=('relevance'"),
        ({"retrieved": "d1", "relevance": 1}, "retrieved=('retrieved', list), relevance=('relevance', list)"),
        ({"文档编号": "d1", "retrieved": "d1", "相关": 1}, "retrieved=('文档编号', list), relevance=('相关', list)"),
    ],
)
def test_a_table_of_one_document_a_row_is_told_how_to_become_samples(row: dict[str, Any], listed: str) -> None:
    rows = [{"query": "who", **row}, {"query": "who", **row}, {"query": "where", **row}]
    with pytest.raises(DataError) as caught:
        read(rows)
    assert f".groupby('query', sort=False, dropna=False).agg({listed}" in str(caught.value)
    with pytest.raises(DataError) as caught:
        read(rows[1:])
    assert "groupby" not in str(caught.value), "no question is there twice"


def test_what_is_no_text_is_told_to_become_one() -> None:
    with pytest.raises(DataError, match="Write each as text"):
        read([{"answer": {"a": 1, "b": 2}}])
