"""Tables as spreadsheets save them: delimiters, blank rows, encodings, and several texts in one field."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from tests.approved import pattern
from tests.formats.files import ROWS, table


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


@pytest.mark.parametrize(
    ("encoding", "header", "said"),
    [
        ("big5", "問題", "in cp950 (traditional Chinese) it reads '問題,回答"),
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


@pytest.mark.parametrize("separator", ["|||", "\n\n", "<sep>", " | "])
def test_passages_in_one_cell_are_split_where_that_is_asked_for(separator: str, tmp_path: Path) -> None:
    rows = [("a", separator.join(["茶产于云南。", "Tea."])), ("b", separator.join(["x", "y", "z"]))]
    path = table(tmp_path / "qa.csv", ("question", "contexts"), rows)
    [note] = read(path).notes
    # A blank line parts paragraphs, too.
    told = "every field was read as one text, and 2 of 2 contain " if separator == "\n\n" else "several passages in a "
    assert note.startswith(f"contexts: {told}")
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
    assert str(caught.value) == "split={'contexts': ';'}: the data have no column contexts; available: question, docs"


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


def test_json_is_split_too(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_text('{"question": "a", "contexts": "x;y"}\n{"question": "b", "contexts": ["z;z"]}\n', encoding="utf-8")
    [batch] = read(path, split={"contexts": ";"}).batches()
    assert batch.column("contexts").to_pylist() == [["x", "y"], ["z;z"]]
