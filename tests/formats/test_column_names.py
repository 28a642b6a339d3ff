"""Columns whose names do not say what they hold: their fields decide, or the reader is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from ragauge.formats.column_names import meanings
from tests.approved import pattern
from tests.formats.files import table

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


@pytest.mark.parametrize(
    "header",
    [
        ("Question", "Model Answer", "Ground Truth"),
        ("userInput", "actualOutput", "expectedOutput"),
        ("QUERY", "Response", "Reference-Answer"),
        ("用户问题", "模型回答", "标准答案"),
        ("問題", "系統回答", "參考答案"),
        ("質問", "モデルの回答", "正解"),
        ("질문", "답변", "정답"),
        ("Вопрос", "Ответ модели", "Эталонный ответ"),
        ("السؤال", "إجابة", "الإجابة المرجعية"),
        ("प्रश्न", "उत्तर", "संदर्भ उत्तर"),
        ("คำถาม", "คำตอบ", "คำตอบอ้างอิง"),
    ],
)
def test_headers_of_people_are_known(header: Sequence[str], tmp_path: Path) -> None:
    data = read(table(tmp_path / "qa.csv", header, encoding="utf-8-sig"))
    assert dict(data.mapping) == dict(zip(("question", "answer", "references"), header, strict=True))


def test_the_name_that_programs_write_wins(tmp_path: Path) -> None:
    data = read(table(tmp_path / "qa.csv", ("Question", "user_input", "reference")))
    assert data.mapping["question"] == "user_input"
    assert "column Question was kept but not read as question: user_input was" in data.notes


def test_two_headers_for_one_column_are_asked_about(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match=pattern("formats.model_answer_and_could_both_be_answer")):
        read(table(tmp_path / "qa.csv", ("问题", "Model Answer", "回答")))


def test_a_context_of_any_language_is_asked_about(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match=pattern("formats.column_is_ambiguous_in_some_data_it")):
        read(table(tmp_path / "qa.csv", ("问题", "回答", "上下文")))
    assert read(table(tmp_path / "qa.csv", ("问题", "回答", "上下文")), mapping={"contexts": "上下文"}).rows == 2


def test_a_mapping_may_use_the_names_of_other_libraries(tmp_path: Path) -> None:
    data = read(table(tmp_path / "qa.csv", ("问题", "回答", "wanted")), mapping={"ground_truth": "wanted"})
    assert data.mapping["references"] == "wanted"


def test_a_mapping_the_wrong_way_round_is_turned(tmp_path: Path) -> None:
    with pytest.raises(ColumnError, match=pattern("formats.map_question_the_data_have_no_column")):
        read(table(tmp_path / "qa.csv", ("x", "回答", "答案")), mapping={"x": "question"})


def test_what_the_header_of_json_says_is_known_too(tmp_path: Path) -> None:
    path = tmp_path / "qa.json"
    path.write_text(json.dumps([{"用户问题": "a", "Retrieved Contexts": ["x"]}]), encoding="utf-8")
    assert dict(read(path).mapping) == {"question": "用户问题", "contexts": "Retrieved Contexts"}


def test_ids_that_are_none_of_samples_can_be_read_as_something_else(tmp_path: Path) -> None:
    path = table(tmp_path / "qa.csv", ("ID", "question"), [("d1", "a"), ("d1", "b")])
    with pytest.raises(DataError, match=pattern("formats.qa_csv_line_id_is_already_that", folder=tmp_path)):
        read(path)
    data = read(path, mapping={"document": "ID"})
    assert (data.rows, set(data.columns)) == (2, {"id", "question", "document"})
