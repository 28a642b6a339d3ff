from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge
from ragauge.core.batch import Batch, Dataset, concatenated
from ragauge.formats import read
from ragauge.formats.csv import chunks as csv_chunks
from ragauge.formats.csv import guessed_delimiter
from ragauge.formats.fields import plain


def rows(data: Dataset) -> list[dict[str, Any]]:
    return concatenated(data.batches()).table().drop_columns(["id"]).to_pylist()  # type: ignore[no-any-return]


def read_text(tmp_path: Path, text: str, name: str = "run.csv") -> Dataset:
    (tmp_path / name).write_bytes(text.encode())
    return read(tmp_path / name)


def test_known_columns_stay_text(tmp_path: Path) -> None:
    data = read_text(tmp_path, "id,question,answer\n007,1999,true\n008,1.50,\n")
    assert concatenated(data.batches()).table().to_pylist() == [
        {"id": "007", "question": "1999", "answer": "true"},
        {"id": "008", "question": "1.50", "answer": None},
    ]


def test_other_columns_are_numbers_where_they_all_are(tmp_path: Path) -> None:
    header = "answer,latency,count,code,passed,mixed,empty\n"
    [batch] = read_text(tmp_path, header + "a,1.5,1,007,true,1,\nb,,2,12,False,x,\nc,2,-3,5,TRUE,,\n").batches()
    table = batch.table().drop_columns(["id", "answer"])
    assert [str(kind) for kind in table.schema.types] == ["double", "int64", "string", "bool", "string", "null"]
    assert table["latency"].to_pylist() == [1.5, None, 2.0]
    assert table["code"].to_pylist() == ["007", "12", "5"]
    assert table["passed"].to_pylist() == [True, False, True]
    assert table["mixed"].to_pylist() == ["1", "x", None]


def test_a_quoted_empty_field_among_numbers_is_no_number(tmp_path: Path) -> None:
    found = rows(read_text(tmp_path, 'answer,latency,topic\na,1,x\nb,"",""\n'))
    assert [(row["latency"], row["topic"]) for row in found] == [(1, "x"), (None, "")]


def test_a_column_of_numbers_that_becomes_text_keeps_what_was_written() -> None:
    chunks = csv_chunks(io.BytesIO(b"answer,n\na,1.0\nb,x\n"), "run.csv", size=16)
    assert [list(plain(chunk.columns["n"])) for chunk in chunks if chunk.places] == [["1.0"], ["x"]]


def test_numbers_turn_to_text_over_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.csv.chunks.__defaults__", (None, 16))
    assert [row["n"] for row in rows(read_text(tmp_path, "answer,n\na,1.0\nb,2\nc,x\n"))] == ["1.0", "2", "x"]


@pytest.mark.parametrize(
    "header", ['"question, in full, as asked",answer,c', '"a, b, c";answer;"d, e"', '"a\n,,,b"|answer|c']
)
@pytest.mark.parametrize("before", ["", "\n", " \r\n\n", "\ufeff"])
def test_the_delimiter_is_counted_outside_quotes_in_the_first_line_with_content(
    tmp_path: Path, before: str, header: str
) -> None:
    delimiter = header[header.index("answer") - 1]
    text = f"{before}{header}\n{delimiter.join(('x', 'Anna', 'y'))}\n"
    assert rows(read_text(tmp_path, text))[0]["answer"] == "Anna"


@pytest.mark.parametrize(("lines", "delimiter"), [(100, ";"), (101, ",")])
def test_a_quoted_name_of_a_header_has_up_to_100_lines(lines: int, delimiter: str) -> None:
    header = ['"the question, in full, as asked', *[""] * (lines - 2), '";answer']
    assert guessed_delimiter(header) == delimiter


def test_a_line_that_names_the_delimiter_may_follow_blank_lines(tmp_path: Path) -> None:
    assert rows(read_text(tmp_path, "\nsep=;\nanswer;a,b,c\nx;1\n")) == [{"answer": "x", "a,b,c": 1}]


def test_an_empty_cell_is_null_and_a_quoted_one_is_empty(tmp_path: Path) -> None:
    assert rows(read_text(tmp_path, 'question,answer\nWho?,\nWhen?,""\n')) == [
        {"question": "Who?", "answer": None},
        {"question": "When?", "answer": ""},
    ]


def test_lists_are_json_arrays_or_one_text(tmp_path: Path) -> None:
    text = (
        "references,contexts,retrieved,retrieved_scores,relevance\n"
        'Anna,"[""a"", ""b""]",d1,0.5,d1\n'
        '"[""Anna"", ""Ann""]",[citation needed],"[""d1"", 2]","[1, 2]","{""d1"": 2}"\n'
        ',"[{""text"": ""a""}]",,,[]\n'
    )
    assert rows(read_text(tmp_path, text)) == [
        {
            "references": ["Anna"],
            "contexts": ["a", "b"],
            "retrieved": ["d1"],
            "retrieved_scores": [0.5],
            "relevance": [{"id": "d1", "grade": 1.0}],
        },
        {
            "references": ["Anna", "Ann"],
            "contexts": ["[citation needed]"],
            "retrieved": ["d1", "2"],
            "retrieved_scores": [1.0, 2.0],
            "relevance": [{"id": "d1", "grade": 2.0}],
        },
        {"references": None, "contexts": ["a"], "retrieved": None, "retrieved_scores": None, "relevance": []},
    ]


def test_quotes_line_ends_and_blank_lines(tmp_path: Path) -> None:
    text = '\ufeffquestion,answer\r\n"a\r\nb","say ""hi"", then"\r\n\r\n5" disk,"c\n\nd"\r\n'
    assert rows(read_text(tmp_path, text)) == [
        {"question": "a\r\nb", "answer": 'say "hi", then'},
        {"question": '5" disk', "answer": "c\n\nd"},
    ]


@pytest.mark.parametrize(
    ("name", "delimiter"), [("run.csv", ","), ("run.csv", ";"), ("run.tsv", "\t"), ("run.txt", "\t")]
)
def test_the_delimiter(name: str, delimiter: str, tmp_path: Path) -> None:
    text = f"question{delimiter}answer\nWho?{delimiter}Anna\n"
    assert rows(read_text(tmp_path, text, name)) == [{"question": "Who?", "answer": "Anna"}]


def test_an_index_without_a_name_is_kept(tmp_path: Path) -> None:
    assert rows(read_text(tmp_path, ",answer\n0,a\n")) == [{"answer": "a", "unnamed_1": 0}]


def test_a_cell_of_megabytes(tmp_path: Path) -> None:
    long = "長 " * 3_000_000
    assert rows(read_text(tmp_path, f'answer\n"{long}"\nb\n')) == [{"answer": long}, {"answer": "b"}]


QUOTING: st.SearchStrategy[Literal[0, 1]] = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
CELL = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=12)


@given(st.lists(st.tuples(CELL, CELL), min_size=1), st.integers(1, 40), QUOTING)
def test_what_the_csv_module_writes_comes_back(table: list[tuple[str, str]], size: int, quoting: Literal[0, 1]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, quoting=quoting).writerows([("question", "answer"), *table])
    chunks = list(csv_chunks(io.BytesIO(file.getvalue().encode()), "run.csv", ",", size))
    found = [
        pair for chunk in chunks for pair in zip(*(plain(column) for column in chunk.columns.values()), strict=True)
    ]
    nothing = "" if quoting == csv.QUOTE_ALL else None
    written = [tuple(cell or nothing for cell in pair) for pair in table]
    assert found == [pair for pair in written if pair != (None, None)]
    assert not [problem for chunk in chunks for problem in chunk.problems]


def test_a_batch_has_arrow_strings(tmp_path: Path) -> None:
    [batch] = read_text(tmp_path, "answer\na\n").batches()
    assert isinstance(batch, Batch)
    assert batch.column("answer").type == pa.string()


@pytest.mark.parametrize(
    "text",
    [
        "| question | answer |\n|---|:-:|\n| 几点开门？ | 九点。 |\n\n| Who? | - |\n",
        "question | answer\n--- | ---\n几点开门？ | 九点。\nWho? | -\n",
        "|question|answer|\r\n| :--- | ---: |\r\n|几点开门？|九点。|\r\n|Who?|-|\r\n",
    ],
)
@pytest.mark.parametrize("size", [8, 1 << 20])
def test_a_table_of_markdown(text: str, size: int) -> None:
    parts = list(csv_chunks(io.BytesIO(text.encode()), "t.md", size=size))
    assert [problem for part in parts for problem in part.problems] == []
    found = {name: [one for part in parts for one in part.columns.get(name, ())] for name in parts[-1].columns}
    assert found == {"question": ["几点开门？", "Who?"], "answer": ["九点。", "-"]}


def test_rules_are_below_the_header_alone(tmp_path: Path) -> None:
    text = "question|answer\nWhat?|a\n---|---\n"
    (part,) = csv_chunks(io.BytesIO(text.encode()), "t.csv")
    assert part.columns["answer"] == ("a", "---")
    (part,) = csv_chunks(io.BytesIO(b"| question | answer |\n|---|---|\n| a | b | c |\n"), "t.md")
    assert "has 3 fields, but the header has 2" in str(part.problems[0].what)


@pytest.mark.parametrize("names", ["question,answer,reference", "问题,回答,参考答案", "질문,답변,정답"])
def test_a_header_that_is_repeated_is_no_row(names: str, tmp_path: Path) -> None:
    path = tmp_path / "joined.csv"
    path.write_text(f"{names}\nq1,a,a\nq2,b,c\n{names}\nq3,d,d\n", encoding="utf-8")
    found = ragauge.evaluate(path, "exact-match")
    assert (found.samples, round(found["exact-match"].value, 3)) == (3, 0.667)
    assert "left out what repeats the header, as where files were joined: line 4" in str(found.data.notes)


def test_a_row_that_has_one_name_of_the_header_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("answer,reference\nanswer,answer\n", encoding="utf-8")
    assert ragauge.evaluate(path, "exact-match").samples == 1
