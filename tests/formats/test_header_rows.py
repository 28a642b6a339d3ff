"""Rows as lists below their names, and rows deep in a document of JSON, in ten languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.header_rows import rows_below

HEADERS = (
    *("question answer reference", "问题 回答 标准答案", "質問 回答 正解", "질문 답변 정답", "вопрос ответ эталон"),
    *("frage antwort referenz", "سؤال إجابة المرجع", "प्रश्न उत्तर संदर्भ_उत्तर", "คำถาม คำตอบ เฉลย"),
)
ROWS = [["a", "tea", "tea"], ["b", "茶", "tea"]]


def score(data: Any) -> float | None:
    return ragauge.evaluate(data, "exact-match", resamples=0)["exact-match"].value


@pytest.mark.parametrize("header", HEADERS)
def test_lists_below_a_header_are_rows(header: str, tmp_path: Path) -> None:
    names = header.split()
    table = [names, *ROWS]
    path = tmp_path / "table.json"
    for written in (table, {"range": "A1:C3", "values": table}, {"data": {"table": table}}):
        path.write_text(json.dumps(written), encoding="utf-8")
        assert score(path) == 0.5
    assert score(table) == score(list(map(tuple, table))) == score([dict(zip(names, row, strict=True)) for row in ROWS])


def test_lists_of_another_length_are_problems() -> None:
    with pytest.raises(DataError, match="row 2: a row must be an object with columns; got a list"):
        read([["question", "answer"], ["a", "tea"], ["b"]])
    with pytest.raises(DataError, match="row 1: a row must be an object with columns; got a list"):
        read([["question", 3], ["a", "tea"]])


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("path", ["results.items", "data.records", "reply.body.eval", "数据.记录"])
def test_rows_deep_in_a_document_are_read_with_their_path(header: str, path: str, tmp_path: Path) -> None:
    document: Any = [dict(zip(header.split(), row, strict=True)) for row in ROWS]
    for name in reversed(path.split(".")):
        document = {name: document, "total": 2}
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    [note] = [one for one in read(file).notes if "under" in one]
    assert note.startswith(f"the rows under {path} were read")
    assert score(file) == 0.5


def test_no_rows_are_taken_where_others_may_be_meant() -> None:
    rows = [{"question": "a", "answer": "b"}]
    assert [*rows_below({"first": {"items": rows}, "second": {"items": rows}})] == ["first.items", "second.items"]
    assert rows_below({"question": "a", "trace": {"items": rows}}) == {}
    assert rows_below({"trace": {"documents": [{"id": "d1", "text": "a"}]}}) == {}
    assert rows_below({"a": {"b": {"c": {"d": {"e": {"f": rows}}}}}}) == {}
