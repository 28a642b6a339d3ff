"""What a file's columns probably are, by its first rows."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import ColumnError, DataError
from ragauge.formats import peek, read
from ragauge.formats.proposals import guessed, known_by_fields, meanings, suggested
from tests.formats.files import mapping_of


def test_columns_are_known_by_their_names_or_guessed_by_words_in_them(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_text("query,what the bot said,gold answer,topic\n谁？,安娜,安娜,tea\n", encoding="utf-8")
    proposal = peek(str(path))
    assert proposal.columns == ("query", "what the bot said", "gold answer", "topic")
    assert proposal.known == {"question": "query", "references": "gold answer"}
    assert proposal.guessed == {"answer": "what the bot said"}
    assert proposal.split == {}


def test_a_separator_of_most_fields_is_proposed(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_text("question,text that was found,gold contexts\na,b ||| c,d\ne,f ||| g,h | i\n", encoding="utf-8")
    proposal = peek(str(path))
    assert proposal.guessed == {"contexts": "text that was found"}
    assert proposal.split == {"contexts": "|||"}


def test_a_column_of_several_candidates_is_left_to_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_text('{"response": "a", "output": "b"}\n', encoding="utf-8")
    assert peek(str(path)).known == {}


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="file not found"):
        peek(str(tmp_path / "qa.csv"))


def test_numbers_and_absent_values_are_no_answers() -> None:
    assert guessed({"my answer": [0.5, 1.0]}, {}) == {}
    assert guessed({"my answer": [None, None]}, {}) == {}
    assert guessed({"my answer": [None, "a"]}, {}) == {"answer": "my answer"}
    assert guessed({"my answer": ["a"], "answer": ["b"]}, {"answer": "answer"}) == {}


PASSAGES = ["茶产于云南和福建。", "Tea is grown in Yunnan and Fujian."]


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


@pytest.mark.parametrize("name", ["results", "search_hits", "结果", "結果", "결과", "результаты", "النتائج", "परिणाम"])
def test_several_texts_a_row_among_results_are_passages(name: str) -> None:
    texts = ["The museum is by the river.", "It opens at nine every day."]
    assert known_by_fields({name: [texts, texts[:1]]}, written=False) == {name: "contexts"}
    assert known_by_fields({name: [texts[0], texts[1]]}, written=False) == {}
    assert known_by_fields({name: [[texts[0]], [texts[1]]]}, written=False) == {}


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


def test_right_passages_are_no_answers() -> None:
    for name in ("정답 문단", "expected passage", "正解の文書", "正确文档"):
        assert "answer" not in guessed({name: ["차는 녹색이다", "물은 맑다"]}, {"question": "질문"})


@pytest.mark.parametrize(
    "name",
    [
        *(
            "right reply",
            "Right answer",
            "correct reply",
            "expected reply",
            "ideal answer",
            "true answer",
            "best answer",
        ),
        *(
            "对的回答",
            "正しい返事",
            "바른 대답",
            "korrekte Antwort",
            "bonne réponse",
            "respuesta verdadera",
            "верный ответ",
        ),
        *("الجواب الصائب", "ठीक जवाब", "คำตอบที่แท้จริง", "resposta certa", "risposta giusta"),
    ],
)
def test_a_right_answer_is_a_reference_and_no_answer(name: str) -> None:
    texts = {"what it replied": ["The shop opens at nine."], name: ["At nine."]}
    columns = {"question": ["When?"], **texts}
    known = {"question": "question"}
    right = {"references": name} if name != "ideal answer" else {}
    assert guessed({one: columns[one] for one in (name,)}, known).keys() == {"references"}
    assert peek_of(columns)["references"] == name
    assert suggested([name], "answer") == []
    assert right.keys() <= guessed(columns, known, clear=True).keys()


@pytest.mark.parametrize("name", ["系统答案", "is right", "was true", "正答率"])
def test_what_is_no_right_answer(name: str) -> None:
    assert suggested([name], "references") == []


@pytest.mark.parametrize(
    "name", ["gold docs", "gold passages", "relevant docs", "correct passages", "expected context"]
)
def test_right_documents_are_never_what_was_retrieved(name: str) -> None:
    assert suggested([name], "contexts") == []
    texts, ids = [["The shop opens at nine every day."]], [["d1", "d2"]]
    assert peek_of({"question": ["When?"], name: texts})["reference_contexts"] == name
    assert peek_of({"question": ["When?"], name: ids})["relevance"] == name
    # Beside ids that were retrieved, the name of relevant ids is that of ids, whatever they look like.
    beside = peek_of({"retrieved": [["The shop opens at nine every day."]], "relevant docs": texts})
    assert beside["relevance"] == "relevant docs"


@pytest.mark.parametrize(
    ("actual", "expected", "predicted"),
    [
        ("actual", "expected", "predicted"),
        ("Actual Output", "expected_output", "prediction"),
        ("实际回答", "期望回答", "预测回答"),
        ("実際の回答", "期待される回答", "予測"),
        ("실제 답변", "기대 답변", "예측"),
        ("фактический ответ", "ожидаемый ответ", "предсказание"),
        ("الإجابة الفعلية", "الإجابة المتوقعة", "predicted"),
        ("वास्तविक उत्तर", "अपेक्षित उत्तर", "पूर्वानुमान"),
        ("คำตอบจริง", "คำตอบที่คาดหวัง", "ทำนาย"),
    ],
)
def test_what_was_actual_is_read_with_the_column_beside_it(actual: str, expected: str, predicted: str) -> None:
    beside_expected = peek_of({"question": ["When?"], actual: ["The shop opens at nine."], expected: ["At nine."]})
    assert (beside_expected["answer"], beside_expected["references"]) == (actual, expected)
    if actual != "Actual Output":  # deepeval's, which is the system's in any company
        beside = peek_of({"question": ["When?"], actual: ["At nine."], predicted: ["The shop opens at nine."]})
        assert (beside["answer"], beside["references"]) == (predicted, actual)
    assert "references" not in peek_of({"question": ["When?"], actual: ["At nine."]})


def test_an_actual_number_or_cost_is_no_answer() -> None:
    assert guessed({"actual": [3.5]}, {"references": "expected"}) == {}
    assert guessed({"actual cost": ["high"]}, {"references": "expected"}) == {}


def peek_of(columns: dict[str, list[Any]]) -> dict[str, str]:
    """Return known column -> name, known or guessed, of a file with these columns."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "rows.jsonl")
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        proposal = peek(str(path))
    return {**proposal.known, **proposal.guessed}


@pytest.mark.parametrize("labels", [("高", "低"), ("0", "1"), ("высокий", "низкий"), ("उच्च", "निम्न"), ("สูง", "ต่ำ")])
def test_few_labels_over_many_rows_are_no_right_answers(labels: tuple[str, str]) -> None:
    columns = {"gold note": [*labels, *labels, labels[0]]}
    assert guessed(columns, {"answer": "answer"}) == {}
    assert guessed({"gold note": [*labels, "林婉", "云南", "五月"]}, {"answer": "answer"}) == {
        "references": "gold note"
    }
