"""Columns whose names do not say what they hold: their fields decide, or the reader is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from ragauge.formats.column_names import resolve, unnested
from ragauge.formats.fields import plain
from ragauge.formats.source import Chunk
from tests.approved import pattern
from tests.formats.files import mapping_of, table


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


@pytest.mark.parametrize(
    "name",
    [
        *(
            "คำตอบที่ควรเป็น",
            "คำตอบที่ควรตอบ",
            "ควรตอบว่า",
            "あるべき回答",
            "あるべき答え",
            "本来の回答",
            "надо было ответить",
        ),
        *("как надо было ответить", "الإجابة المطلوبة", "الإجابة النموذجية", "सही जवाब", "आदर्श जवाब"),
        *("올바른 답변", "바른 답변", "맞는 답변"),
    ],
)
def test_the_answer_as_it_should_be_is_a_reference(name: str) -> None:
    assert mapping_of({"question": "a", "answer": "b", name: "c"})["references"] == name


def test_beside_a_predicted_answer_the_answer_is_the_right_one() -> None:
    row = {"question": "a", "answer": "gold", "predicted_answer": "b"}
    assert mapping_of(row) == {"answer": "predicted_answer", "references": "answer"}
    assert mapping_of({**row, "ground_truth": "c"}) == {"answer": "predicted_answer", "references": "ground_truth"}


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


def test_objects_of_mlflow_are_told_by_their_inputs() -> None:
    inputs, outputs = {"inputs": {"question": "Who?"}}, {"outputs": {"response": "Anna"}}
    assert set(read([{**inputs, **outputs}]).columns) == {"id", "question", "answer"}
    assert set(read([inputs]).columns) == {"id", "question"}
    [batch] = read([outputs]).batches()
    assert batch.column("answer").to_pylist() == ["Anna"]
    with pytest.raises(DataError, match=r"answer \(from outputs\) must be text; got an object"):
        read([{"outputs": {"n": 1}}])


def test_a_column_of_that_very_name_comes_before_a_key_within_an_object() -> None:
    row = {"meta": {"language": "zh"}, "meta.language": "ja"}
    [batch] = read([row], mapping={"language": "meta.language"}).batches()
    assert batch.column("language").to_pylist() == ["ja"]


def test_keys_become_columns_where_a_dotted_name_points_into_an_object() -> None:
    chunk = Chunk({"run": [{"answer": "a"}, None], "other": [{"b": 1}, {}]}, [1, 2])
    assert unnested(chunk, ["run.answer"]).columns == {"other": [{"b": 1}, {}], "run.answer": ["a", None]}
    arrow = Chunk({"run": pa.array([{"answer": "a"}, None])}, [1, 2])
    [values] = unnested(arrow, ["run.answer"]).columns.values()
    assert plain(values) == ["a", None]
    assert unnested(Chunk({"run": ["text"]}, [1]), ["run.answer"]).columns == {"run": ["text"]}


@pytest.mark.parametrize(
    ("context", "right"),
    [
        ("context", "expected_context"),
        ("上下文", "正确上下文"),
        ("문맥", "정답 문맥"),
        ("контекст", "эталонный контекст"),
        ("Kontext", "erwarteter Kontext"),
        ("السياق", "السياق الصحيح"),
        ("संदर्भ", "सही संदर्भ"),
        ("บริบท", "บริบทที่ถูกต้อง"),
    ],
)
def test_the_right_context_tells_what_the_other_is(context: str, right: str) -> None:
    sources = resolve(["question", context, right], {}).sources
    assert (sources["contexts"], sources["reference_contexts"]) == (context, right)
    with pytest.raises(ColumnError, match="ambiguous"):
        resolve(["question", context, right, f"{right} 2"], {})


def test_a_prediction_that_the_user_names_keeps_the_right_answer_beside_it() -> None:
    names = ["question", "predicted_answer", "answer"]
    sources = {"question": "question", "answer": "predicted_answer", "references": "answer"}
    assert resolve(names, {"answer": "predicted_answer"}).sources == resolve(names, {}).sources == sources
    assert "references" not in resolve(names, {"answer": "answer"}).sources
