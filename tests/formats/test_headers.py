"""Columns as people name them, and tables as spreadsheets save them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from ragauge.formats.fields import python_value
from tests.approved import pattern

ROWS = [("茶会由谁主持?", "黛西小姐。", "由黛西小姐主持。"), ("Кто ведёт вечер?", "Анна", "Анна Павловна")]


def table(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]] = ROWS, **options: Any) -> Path:
    encoding, before = options.pop("encoding", "utf-8"), options.pop("before", "")
    with path.open("w", encoding=encoding, newline="") as file:
        file.write(before)
        csv.writer(file, **options).writerows([header, *rows])
    return path


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


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("before", ["", "sep={}\r\n", '"sep={}"\r\n'])
def test_delimiters_of_spreadsheets(delimiter: str, before: str, tmp_path: Path) -> None:
    path = table(
        tmp_path / "qa.csv", ("问题", "回答", "标准答案"),
        encoding="utf-8-sig", delimiter=delimiter, before=before.format(delimiter),
    )  # fmt: skip
    data = read(path)
    assert (data.rows, len(data.mapping)) == (2, 3)


def test_blank_rows_of_spreadsheets_are_no_samples(tmp_path: Path) -> None:
    path = table(tmp_path / "qa.csv", ("问题", "回答", "标准答案"), [ROWS[0], ("", "", ""), ROWS[1], ("", "", "")])
    assert read(path).rows == 2


def test_lists_as_pandas_writes_them(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    passages = [["it's hot", 'a "b" ,', "茶"], ["second\nline"]]
    frame = pandas.DataFrame({"question": ["a", "b"], "contexts": passages})
    frame.to_csv(tmp_path / "qa.csv", index=False)
    [batch] = read(tmp_path / "qa.csv").batches()
    assert batch.column("contexts").to_pylist() == passages


def test_arrays_as_pandas_writes_them_are_refused(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    numpy = pytest.importorskip("numpy")
    frame = pandas.DataFrame({"question": ["a"], "contexts": [numpy.array(["x", "y"], dtype=object)]})
    frame.to_csv(tmp_path / "qa.csv", index=False)
    with pytest.raises(DataError, match=pattern("formats.qa_csv_line_contexts_looks_like_a", folder=tmp_path)):
        read(tmp_path / "qa.csv")


@pytest.mark.parametrize("text", ["['a', open('x')]", "['a'", "[f'{1}']", "['a' 'b']", "[" * 5000 + "'a'" + "]" * 5000])
def test_what_is_no_list_of_values_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="looks like a"):
        python_value(text)


@pytest.mark.parametrize(
    ("encoding", "header", "said"),
    [
        ("big5", "問題", "in big5 (traditional Chinese) it reads '問題,回答"),
        ("cp932", "質問", "in cp932 (Japanese) it reads '質問,回答"),
        ("cp949", "질문", "in cp949 (Korean) it reads '질문,답변"),
        ("cp1251", "вопрос", "in cp1251 (Cyrillic) it reads 'вопрос,ответ"),
        ("cp1256", "السؤال", "in cp1256 (Arabic) it reads 'السؤال"),
    ],
)
def test_other_encodings_are_shown_as_they_read(encoding: str, header: str, said: str, tmp_path: Path) -> None:
    answers = {"cp949": "답변", "cp1251": "ответ", "cp1256": "الجواب"}
    path = tmp_path / "qa.csv"
    path.write_bytes(f"{header},{answers.get(encoding, '回答')}\n".encode(encoding) + b"a,b,c\n")
    with pytest.raises(DataError) as raised:
        read(path)
    assert said in str(raised.value)
    assert "as in encoding=" in str(raised.value)


def test_the_first_thirty_characters_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes("question,réponse,référence,contexte\na,b,c,d\n".encode("cp1252"))
    with pytest.raises(DataError, match="it reads 'question,réponse,référence,con'"):
        read(path)


def test_line_ends_of_old_macs_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=pattern("formats.qa_csv_its_lines_end_in_a", folder=tmp_path)):
        read(table(tmp_path / "qa.csv", ("问题", "回答", "标准答案"), lineterminator="\r"))


def test_a_workbook_is_named(tmp_path: Path) -> None:
    (tmp_path / "qa.xls").write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(DataError, match=pattern("formats.qa_xls_is_a_workbook_in_a", folder=tmp_path)):
        read(tmp_path / "qa.xls")


def test_what_the_header_of_json_says_is_known_too(tmp_path: Path) -> None:
    path = tmp_path / "qa.json"
    path.write_text(json.dumps([{"用户问题": "a", "Retrieved Contexts": ["x"]}]), encoding="utf-8")
    assert dict(read(path).mapping) == {"question": "用户问题", "contexts": "Retrieved Contexts"}


@pytest.mark.parametrize("separator", ["|||", "\n\n", "<sep>", " | "])
def test_passages_in_one_cell_are_split_where_that_is_asked_for(separator: str, tmp_path: Path) -> None:
    rows = [("a", separator.join(["茶产于云南。", "Tea."])), ("b", separator.join(["x", "y", "z"]))]
    path = table(tmp_path / "qa.csv", ("question", "contexts"), rows)
    [note] = read(path).notes
    assert note.startswith("contexts: every field was read as one text, and 2 of 2 contain ")
    data = read(path, split={"contexts": separator})
    [batch] = data.batches()
    assert batch.column("contexts").to_pylist() == [["茶产于云南。", "Tea."], ["x", "y", "z"]]
    assert data.notes == ()


def test_one_passage_a_cell_is_nothing_to_speak_of(tmp_path: Path) -> None:
    path = table(tmp_path / "qa.csv", ("question", "contexts"), [("a", "one passage"), ("b", "another, with a | bar")])
    assert read(path).notes == ()


def test_one_field_with_a_certain_separator_is_worth_a_note(tmp_path: Path) -> None:
    rows = [("a", "one"), ("b", "two"), ("c", "three ||| four")]
    [note] = read(table(tmp_path / "qa.csv", ("question", "contexts"), rows)).notes
    assert note.startswith("contexts: every field was read as one text, and 1 of 3 contain '|||'")
    [note] = read([{"question": "a", "contexts": ["three ||| four"]}, {"question": "b", "contexts": ["x\n\ny"]}]).notes
    assert note.startswith("contexts: every field was read as one text, and 1 of 2 contain '|||'")


def test_of_a_column_that_was_split_nothing_more_is_told(tmp_path: Path) -> None:
    path = table(tmp_path / "qa.csv", ("question", "contexts"), [("a", "one\n\ntwo"), ("b", "three <sep> four")])
    assert len(read(path).notes) == 1
    data = read(path, split={"contexts": "|||"})
    assert data.notes == ()
    assert next(iter(data.batches())).column("contexts").to_pylist() == [["one\n\ntwo"], ["three <sep> four"]]


def test_a_split_of_a_column_that_is_not_there() -> None:
    with pytest.raises(ColumnError) as caught:
        read([{"question": "a", "docs": "x;y"}], split={"contexts": ";"})
    assert str(caught.value) == "split={'contexts': ';'}: the data have no column contexts; there are question, docs"


def test_numbers_in_the_place_of_text_are_read_and_counted() -> None:
    rows = [
        {"question": "when", "answer": 1991, "references": [1991, "then"], "contexts": [7]},
        {"question": "when", "answer": 1991.0, "references": 0.5, "contexts": ["x"]},
        {"question": "when", "answer": float("nan"), "references": "a", "contexts": ["x"]},
    ]
    data = read(rows)
    [batch] = data.batches()
    assert batch.column("answer").to_pylist() == ["1991", "1991", None]
    assert batch.column("references").to_pylist() == [["1991", "then"], ["0.5"], ["a"]]
    assert batch.column("contexts").to_pylist() == [["7"], ["x"], ["x"]]
    assert data.notes == (
        "answer: 2 fields are numbers, read as text",
        "references: 2 fields are numbers, read as text",
        "contexts: 1 field is a number, read as text",
    )
    assert read(pa.table({"answer": [1, 2]})).notes == ("answer: 2 fields are numbers, read as text",)


def test_objects_of_mlflow_are_told_by_their_inputs() -> None:
    inputs, outputs = {"inputs": {"question": "Who?"}}, {"outputs": {"response": "Anna"}}
    assert set(read([{**inputs, **outputs}]).columns) == {"id", "question", "answer"}
    assert set(read([inputs]).columns) == {"id", "question"}
    with pytest.raises(DataError, match=r"answer \(from outputs\) must be text; got an object"):
        read([outputs])


def test_a_column_of_that_very_name_comes_before_a_key_within_an_object() -> None:
    row = {"meta": {"language": "zh"}, "meta.language": "ja"}
    [batch] = read([row], mapping={"language": "meta.language"}).batches()
    assert batch.column("language").to_pylist() == ["ja"]


def test_json_is_split_too(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_text('{"question": "a", "contexts": "x;y"}\n{"question": "b", "contexts": ["z;z"]}\n', encoding="utf-8")
    [batch] = read(path, split={"contexts": ";"}).batches()
    assert batch.column("contexts").to_pylist() == [["x", "y"], ["z;z"]]


def test_ids_that_are_none_of_samples_can_be_read_as_something_else(tmp_path: Path) -> None:
    path = table(tmp_path / "qa.csv", ("ID", "question"), [("d1", "a"), ("d1", "b")])
    with pytest.raises(DataError, match=pattern("formats.qa_csv_line_id_is_already_that", folder=tmp_path)):
        read(path)
    data = read(path, mapping={"document": "ID"})
    assert (data.rows, set(data.columns)) == (2, {"id", "question", "document"})


def test_rows_within_an_object_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "qa.json"
    path.write_text(json.dumps({"data": [{"问题": "a", "回答": "b"}, {"问题": "c", "回答": "d"}]}), encoding="utf-8")
    assert (read(path).rows, set(read(path).columns)) == (2, {"id", "question", "answer"})
