"""Every bad input, and the whole message that a person reads."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ragauge.errors import ColumnError, DataError, OptionError, RagaugeError
from ragauge.formats import read

Write = Callable[[str, bytes | str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a file; messages then show its bare name."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, content: bytes | str) -> str:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return written


def message(source: Any, **options: Any) -> str:
    with pytest.raises(RagaugeError) as caught:
        read(source, **options)
    return str(caught.value)


def test_every_broken_line_is_named(write: Write) -> None:
    lines = ['{"question": "Who?"}'] * 100
    lines[6], lines[89] = '{"question": "Who?"', '{"question": }'
    assert message(write("run.jsonl", "\n".join(lines))) == (
        "run.jsonl: 2 problems\n"
        "  line 7: not JSON: Expecting ',' delimiter at column 20\n"
        "  line 90: not JSON: Expecting value at column 14"
    )


def test_problems_of_every_kind_come_together_in_the_order_of_lines(write: Write) -> None:
    content = (
        b'{"id": 1, "question": "a"}\n'
        b'{"id": 1, "answer": ["b"]}\n'
        b"\n"
        b"[1]\n"
        b'{"id": 2, "contexts": "abc"}\n'
        b'{"id": \xff}\n'
        b'{"id": 3, "retrieved": ["a"], "retrieved_scores": [1, 2]}\n'
        b'{"question": "z"}\n'
        b'{"id": 4, "retrieved": ["a"], "retrieved_scores": [NaN]}\n'
    )
    assert message(write("run.jsonl", content)) == (
        "run.jsonl: 8 problems\n"
        "  line 2: answer must be text; got a list\n"
        "  line 2: id '1' is already that of line 1\n"
        "  line 4: a row must be a JSON object {...}; got a list\n"
        "  line 5: contexts must be a list of passages; got one text: "
        "write [text], with one item for each passage, or pass their separator: split={'contexts': 'SEPARATOR'}\n"
        "  line 6: not UTF-8: byte 0xff at byte 8 of the line; save the file as UTF-8 "
        "(in cp1252 (Western European) it reads '{\"id\": ÿ}')\n"
        "  line 7: retrieved has 1 id, but retrieved_scores has 2 scores; give one for each\n"
        "  line 8: has no id, but other rows have one; give every row an id, or none\n"
        "  line 9: retrieved_scores must be finite numbers; got NaN\n"
        "If id names something else than samples, pass map={'document': 'id'}"
    )


CELLS: list[tuple[dict[str, Any], str]] = [
    ({"question": 3}, "question must be text; got the number 3"),
    ({"response": True}, "answer (from response) must be text; got true"),
    ({"answer": {"text": "a"}}, "answer must be text; got an object"),
    ({"answer": "\ud800"}, "answer must be text; got half a character (\\ud800 without its pair)"),
    ({"answer": b"\xff"}, "answer must be text in UTF-8; got byte 0xff"),
    ({"id": 1.5}, "id must be text or a whole number; got the number 1.5"),
    ({"references": [1]}, "references item 1 must be text; got the number 1"),
    ({"references": 1}, "references must be a list of texts; got the number 1"),
    ({"references": ["a", None]}, "references item 2 must be text; got null"),
    ({"contexts": [3]}, "contexts item 1 must be a text or an object with a text; got the number 3"),
    (
        {"contexts": [{"txt": "a"}]},
        (
            "contexts item 1 has no text: its keys are txt; "
            "use one of text, content, page_content, context, passage, chunk"
        ),
    ),
    ({"retrieved": "d1"}, "retrieved must be a list of ids; got a text"),
    ({"retrieved": [None]}, "retrieved item 1 must be text or a whole number; got null"),
    ({"retrieved_scores": ["high"]}, "retrieved_scores item 1 must be a finite number; got a text"),
    ({"relevance": 1}, "relevance must be an object id -> grade, a list of ids, or a list of grades; got the number 1"),
    ({"relevance": {"d1": "high"}}, "relevance has a grade that is no finite number: a text"),
    ({"relevance": {"d1": float("nan")}}, "relevance has a grade that is no finite number: the number nan"),
    ({"relevance": [{"id": "d1"}]}, "relevance item 1 must be an object with id and grade; its keys are id"),
    (
        {"relevance": [{"id": "d1", "grade": 1}, {"id": "d1", "grade": 2}]},
        "relevance judges 'd1' twice, as 1 and as 2",
    ),
    (
        {"retrieved": ["a", "b"], "relevance": [1]},
        "relevance has 1 grade, but retrieved has 2 ids; give one grade for each",
    ),
    (
        {"question": [{"role": "system", "content": "Be brief."}]},
        "question is a list of messages, but none of them is by the user",
    ),
]


@pytest.mark.parametrize(("row", "what"), CELLS)
def test_a_cell_of_the_wrong_kind(row: dict[str, Any], what: str) -> None:
    assert message([{"topic": "good"}, row]) == f"list of dicts: row 2: {what}"


def test_rows_that_are_no_objects() -> None:
    assert message([{"question": "Who?"}, "Who?", None]) == (
        "list of dicts: 2 problems\n"
        "  row 2: a row must be an object with columns; got a text\n"
        "  row 3: a row must be an object with columns; got null"
    )


def test_bad_cells_of_a_table_are_named_by_row() -> None:
    table = pa.table({"answer": [["a"], None, ["b"]]})
    assert message(table) == (
        "pyarrow.Table: 2 problems\n  row 1: answer must be text; got a list\n  row 3: answer must be text; got a list"
    )


FILES: list[tuple[str, bytes, str]] = [
    ("run.jsonl", b"", "run.jsonl: is empty; give at least one row"),
    ("run.jsonl", b" \n\n", "run.jsonl: is empty; give at least one row"),
    ("run.json", b"[]", "run.json: has no rows; give at least one"),
    ("run.json", b"[{}]", "run.json: the rows have no columns; give at least one"),
    (
        "run.jsonl",
        b'{\n"question": "Who?"}',
        (
            "run.jsonl: 2 problems\n"
            "  line 1: not JSON: the row goes on in the next line; write one row a line, or name the file .json\n"
            "  line 2: not JSON: Extra data at column 11"
        ),
    ),
    ("run.csv", b"question,answer\n", "run.csv: has no rows; give at least one"),
    (
        "run.jsonl.gz",
        b'{"question": "Who?"}',
        "run.jsonl.gz: the name ends in .gz, but the content is not gzip; compress it, or rename it without .gz",
    ),
    (
        "run.jsonl.zst",
        b'{"question": "Who?"}',
        (
            "run.jsonl.zst: the name ends in .zst, but the content is not Zstandard; "
            "compress it, or rename it without .zst"
        ),
    ),
    (
        "run.jsonl.gz",
        gzip.compress(b'{"question": "Who?"}\n' * 1000)[:-20],
        "run.jsonl.gz: the compressed file ends too early; it was cut short, copy or make it again",
    ),
    (
        "run.jsonl.zst",
        pa.compress(b'{"question": "Who?"}\n' * 1000, codec="zstd", asbytes=True)[:-5],
        "run.jsonl.zst: the compressed file ends too early; it was cut short, copy or make it again",
    ),
    (
        "run.csv",
        "question\nWho?".encode("utf-16"),
        (
            "run.csv: is UTF-16 text, as in Excel's Unicode Text; save it as UTF-8 (in Excel: CSV UTF-8), "
            "or: iconv -f UTF-16 -t UTF-8 run.csv > new.csv"
        ),
    ),
    (
        "run.csv",
        "question,answer\nWho?,Zoë\n".encode("latin-1"),
        (
            "run.csv: line 2: not UTF-8: byte 0xeb at byte 8 of the line; save the file as UTF-8 "
            "(in cp1252 (Western European) it reads 'Who?,Zoë')\n"
            "The file is not UTF-8. In Excel: File > Save As > CSV UTF-8. Elsewhere, with the encoding in which a line "
            "reads right: iconv -f ENCODING -t UTF-8 old.csv > new.csv"
        ),
    ),
    ("run.json", b'[{"question": "\xff"}]', "run.json: not UTF-8: it has a byte 0xff; save the file as UTF-8"),
    (
        "run.json",
        b'[{"question": "Who?"},\n {"question" "Who?"}]',
        "run.json: line 2: not JSON: Expecting ':' delimiter in row 2",
    ),
    (
        "run.json",
        b'[{"question": "Who?"}\n{"question": "Who?"}]',
        "run.json: line 2: not JSON: row 1 must be followed by , or ]; got '{'",
    ),
    (
        "run.json",
        b'[{"question": "Who?"}',
        "run.json: line 1: not JSON: row 1 must be followed by , or ]; got the end of the file",
    ),
    ("run.json", b'[{"question": "Who?"}] x', "run.json: line 1: not JSON: there is more after the closing ]"),
    ("run.json", b'{\n"question": ', "run.json: not JSON: Expecting value at line 2, column 13"),
    ("run.json", b'"text"', "run.json: must be a list of rows or an object; got a text"),
    (
        "run.json",
        b'{"question": ["a", "b"], "answer": ["c"]}',
        "run.json: columns must be equally long; got question 2, answer 1",
    ),
    (
        "run.csv",
        b'question,answer\na,b,c\nd\n"x"y,z\ne,"f\ng',
        (
            "run.csv: 4 problems\n"
            "  line 2: has 3 fields, but the header has 2; quote a field that contains a delimiter\n"
            "  line 3: has 1 field, but the header has 2; quote a field that contains a delimiter\n"
            "  line 4: has text after a closing quote; double the quotes in a field\n"
            "  line 5: has a quote that is never closed; double the quotes in a field"
        ),
    ),
    ("run.csv", b"answer,answer\na,b\n", "run.csv: line 1: two columns are named answer; rename one"),
    (
        "run.csv",
        b"""question,contexts,retrieved_scores,relevance\na,"['b' 'c']",[1;2],{d1: 1}\n""",
        (
            "run.csv: 3 problems\n"
            "  line 2: retrieved_scores must be a JSON array of numbers; got '[1;2]'\n"
            "  line 2: contexts looks like a NumPy array, whose items cannot be told apart; write lists as JSON: "
            "frame[column] = frame[column].map(lambda cell: json.dumps(list(cell)))\n"
            "  line 2: relevance must be a JSON object or array; got '{d1: 1}'"
        ),
    ),
    (
        "run.bin",
        b"\x00\x01\x02",
        (
            "run.bin: the name ends in .bin, and the content shows no known file format; give a file with the suffix "
            ".arrow, .arrows, .csv, .feather, .ipc, .json, .jsonl, .ndjson, .parquet, .pq, .tsv, each "
            "also with .gz or .zst. TREC runs and judgements are read as run='FILE' and qrels='FILE'"
        ),
    ),
]


@pytest.mark.parametrize(("name", "content", "expected"), FILES)
def test_a_file_that_cannot_be_read(name: str, content: bytes, expected: str, write: Write) -> None:
    assert message(write(name, content)) == expected


@pytest.mark.parametrize("name", ["run.parquet", "run.arrow"])
def test_a_binary_file_that_is_not_what_its_name_says(name: str, write: Write) -> None:
    found = message(write(name, b"not at all" * 10))
    assert found.startswith(f"{name}: cannot be read: ")
    assert found.endswith("; it is damaged, or is not of the format that its name says")


@pytest.mark.parametrize("source", [[], {"question": []}])
def test_nothing(source: Any) -> None:
    assert message(source).endswith(": has no rows; give at least one")


def test_a_file_that_is_not_there(write: Write) -> None:
    write("answers.jsonl", "{}")
    assert message("answer.jsonl") == "answer.jsonl: file not found; did you mean answers.jsonl?"
    assert message("nowhere/run.jsonl") == "nowhere/run.jsonl: file not found"


def test_a_folder(write: Write) -> None:
    Path("runs").mkdir()
    assert message("runs") == (
        "runs: is a folder; name the file in it. Data of many files can be concatenated (cat *.jsonl), "
        "or read with DuckDB and passed on"
    )
    Path("runs/qrels").mkdir()
    assert message("runs") == (
        "runs: is a folder; name the file in it. A BEIR data set is read by its judgements: "
        "pass qrels='runs/qrels/test.tsv' and run='RUN'"
    )


def test_many_problems_are_counted_and_twenty_shown(write: Write) -> None:
    shown = message(write("run.jsonl", '{"answer": 1}\n' * 50)).splitlines()
    assert len(shown) == 22
    assert shown[0] == "run.jsonl: 50 problems"
    assert shown[-1] == "  ... and 30 more"


def test_all_problems_are_on_the_error(write: Write) -> None:
    with pytest.raises(DataError) as caught:
        read(write("run.jsonl", '{"answer": 1}\n' * 50))
    assert caught.value.problems[49] == "line 50: answer must be text; got the number 1"
    assert caught.value.exit_code == 3


def test_reading_stops_at_a_file_of_nothing_but_problems(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.reading._MOST_PROBLEMS", 10)
    with pytest.raises(DataError) as caught:
        read([{"answer": 1}] * 100_000)
    assert len(caught.value.problems) < 100_000


def test_two_columns_for_one() -> None:
    with pytest.raises(ColumnError) as caught:
        read([{"response": "a", "prediction": "b"}])
    assert str(caught.value) == (
        "response and prediction could both be answer; choose one:\n"
        "  map={'answer': 'response'}\n"
        "  map={'answer': 'prediction'}"
    )


def test_context_alone_is_ambiguous() -> None:
    with pytest.raises(ColumnError) as caught:
        read([{"question": "a", "context": ["b"]}])
    assert str(caught.value) == (
        "column context is ambiguous: in some data it holds what was retrieved, in others what should have been; "
        "choose one:\n"
        "  map={'contexts': 'context'} for the passages that the system retrieved\n"
        "  map={'reference_contexts': 'context'} for the passages that it should have retrieved"
    )


def test_a_mapping_to_a_column_that_there_is_not() -> None:
    with pytest.raises(ColumnError) as caught:
        read([{"user_inputs": "a"}], mapping={"question": "user_input"})
    assert (
        str(caught.value)
        == "map={'question': 'user_input'}: the data have no column 'user_input'; did you mean user_inputs?"
    )


def test_a_column_that_changes_the_map_late(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 2)
    with pytest.raises(ColumnError) as caught:
        read([{"response": "a"}] * 2 + [{"answer": "b"}])
    assert str(caught.value) == (
        "response was read as answer until column answer came; choose one:\n"
        "  map={'answer': 'response'}\n"
        "  map={'answer': 'answer'}"
    )


def test_an_object_that_holds_no_data() -> None:
    assert message(3) == (
        "cannot read data of type int: give a path, a list of dicts or of Sample, a dict of columns, "
        "or a table (pandas, Polars, DuckDB, pyarrow, datasets)"
    )


def test_options_out_of_range() -> None:
    with pytest.raises(OptionError, match="option 'limit' of read must be a whole number from 1 on; got 0"):
        read([{"question": "a"}], limit=0)
