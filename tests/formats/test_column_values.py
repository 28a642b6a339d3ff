"""Columns whose names do not say what they hold: their fields decide, or the reader is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import ColumnError
from ragauge.formats import read
from ragauge.formats.column_values import meanings

PASSAGES = ["茶产于云南和福建。", "Tea is grown in Yunnan and Fujian."]


def mapping_of(row: dict[str, Any]) -> dict[str, str]:
    return dict(read([row]).mapping)


@pytest.mark.parametrize(
    "name",
    [
        *("docs", "documents", "Passages", "chunks", "source_documents", "sources", "searchResults", "retrieved docs"),
        *("文档", "检索到的文档", "文件", "文書", "문서", "документы", "مستندات", "दस्तावेज़", "เอกสาร"),
        *("Dokumente", "extraits", "documentos"),
    ],
)
def test_passages_under_any_name(name: str) -> None:
    data = read([{"question": "a", name: PASSAGES}])
    assert data.mapping["contexts"] == name
    assert concatenated(data.batches()).column("contexts").to_pylist() == [PASSAGES]
    assert mapping_of({"question": "a", name: [{"page_content": "b", "metadata": {}}]})["contexts"] == name


@pytest.mark.parametrize(
    "field",
    [["d1", "d2"], ["a.md", "b.md"], ["https://example.org/a/page/with/a/long/path.html"], "one text", 3, [1, 2], None],
)
def test_ids_and_names_of_files_are_no_passages(field: Any) -> None:
    assert "contexts" not in mapping_of({"question": "a", "docs": field})
    assert "contexts" not in read(pa.table({"question": ["a"], "docs": [field]})).columns


def test_a_list_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    quoted = json.dumps(PASSAGES, ensure_ascii=False).replace('"', '""')
    path.write_text(f'question,sources,docs\na,a.md,"{quoted}"\n', encoding="utf-8")
    assert dict(read(path).mapping) == {"contexts": "docs"}


def test_a_known_name_wins_over_values() -> None:
    data = read([{"contexts": ["a"], "docs": PASSAGES}])
    assert data.notes == ("column docs was kept but not read as contexts: there is a column contexts",)
    with pytest.raises(ColumnError, match=r"docs and documents could both be contexts"):
        read([{"docs": PASSAGES, "documents": PASSAGES}])
    assert mapping_of({"docs": PASSAGES, "retrieved_contexts": PASSAGES})["contexts"] == "retrieved_contexts"


def test_context_of_documents_is_what_was_retrieved() -> None:
    found = [{"page_content": "a", "metadata": {}}]
    assert mapping_of({"input": "q", "context": found, "answer": "b"})["contexts"] == "context"
    with pytest.raises(ColumnError, match="column context is ambiguous"):
        read([{"input": "q", "context": ["a"], "answer": "b"}])


@pytest.mark.parametrize("name", ["答案", "答え", "답안", "الجواب", "जवाब"])
def test_an_answer_of_either_kind(name: str) -> None:
    assert mapping_of({"question": "a", "response": "b", name: "c"})["references"] == name
    assert mapping_of({"question": "a", "reference": "b", name: "c"})["answer"] == name
    with pytest.raises(ColumnError, match=rf"column {name} is ambiguous: it may hold the system's answers"):
        read([{"question": "a", name: "c"}])
    assert read([{"question": "a", name: "c"}], mapping={name: name}).columns == ("id", "question", name)
    both = read([{"answer": "a", "references": "b", name: "c"}])
    assert both.notes == (f"column {name} was kept but not read as answer: there is a column answer",)


@pytest.mark.parametrize(
    ("question", "answer", "reference"),
    [
        ("Frage", "Antwort", "Referenzantwort"),
        ("Question", "Réponse", "Réponse attendue"),
        ("Pregunta", "Respuesta", "Respuesta esperada"),
        ("prompt question", "completion", "expected_output"),
    ],
)
def test_more_languages(question: str, answer: str, reference: str) -> None:
    mapping = mapping_of({question: "a", answer: "b", reference: "c"})
    assert mapping["answer"] == answer
    assert mapping["references"] == reference


def test_beside_a_predicted_answer_the_answer_is_the_right_one() -> None:
    row = {"question": "a", "answer": "gold", "predicted_answer": "b"}
    assert mapping_of(row) == {"answer": "predicted_answer", "references": "answer"}
    assert mapping_of({**row, "ground_truth": "c"}) == {"answer": "predicted_answer", "references": "ground_truth"}


def test_the_first_hundred_fields_say_what_a_column_holds() -> None:
    passages: list[Any] = [["茶产于云南，山上多雨。"]] * 99
    assert meanings({"docs": [*passages, ["a.md"]]}, written=False) == {}
    assert meanings({"docs": [*passages, passages[0], ["a.md"]]}, written=False) == {"docs": "contexts"}


def test_a_list_without_its_end_is_no_passage() -> None:
    assert meanings({"docs": ['["茶产于云南，山上多雨。"]']}, written=True) == {"docs": "contexts"}
    assert meanings({"docs": ['["茶产于云南，山上多雨。"']}, written=True) == {}


@pytest.mark.parametrize(
    ("text", "is_passage"),
    [
        ("one two three", False), ("one two three four", True), ("茶产于", False), ("茶产于云", True),
        ("a" * 38 + " b", True), ("a" * 37 + " b", False), ("a" * 40, False), ("茶產", False), ("ชาปลูก", True),
    ],
)  # fmt: skip
def test_from_how_many_words_or_characters_a_text_is_a_passage(text: str, is_passage: bool) -> None:
    assert ("docs" in meanings({"docs": [[text]]}, written=False)) == is_passage
    half = [text, "one two three four", "d1"]
    assert ("docs" in meanings({"docs": [half]}, written=False)) == is_passage
