"""Damaged, huge and hostile files: each ends in a result or in an error of ragauge, soon and in little memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from ragauge.errors import DataError
from ragauge.formats import read, read_retrieval
from ragauge.formats.json import line_chunks
from ragauge.formats.opening import blocks
from tests.formats.test_damaged_tables import parquet_of

DEEP = {"open": "[" * 100_000, "list": "[" * 100_000 + "]" * 100_000, "object": '{"a":' * 100_000 + "1" + "}" * 100_000}
LONG, LONGER = "1" + "0" * 399, "1" + "0" * 4999
BOM = b"\xef\xbb\xbf"


def said(source: Any, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(source, **options)
    return str(caught.value)


def rows(source: Any, **options: Any) -> list[dict[str, Any]]:
    found = [row for batch in read(source, **options).batches() for row in batch.table().to_pylist()]
    return [{name: value for name, value in row.items() if name != "id"} for row in found]


def saved(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def as_field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("column", ["contexts", "relevance", "retrieved_scores"])
def test_deep_fields_of_csv(text: str, column: str, tmp_path: Path) -> None:
    path = saved(tmp_path, "qa.csv", f"answer,{column}\nx,{as_field(text)}\n")
    if column == "contexts" and text.startswith("{"):
        assert rows(path) == [{"answer": "x", "contexts": [text]}]
    else:
        assert f"line 2: {column} is nested too deeply" in said(path)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_json(text: str, tmp_path: Path) -> None:
    assert "line 1: not JSON that can be read: nested too" in said(saved(tmp_path, "a.jsonl", f'{{"answer":{text}}}\n'))
    assert "nested too deeply" in said(saved(tmp_path, "a.json", f'[{{"answer":{text}}}]'))
    with pytest.raises(DataError, match="nested too deeply"):
        read_retrieval(saved(tmp_path, "run.json", f'{{"q":{text}}}'), {"q": {"d": 1}})


@pytest.mark.parametrize("depth", [20, 300, 900])
@pytest.mark.parametrize("ends", ["[]", ('{"a":', "}")], ids=["list", "object"])
def test_columns_of_deep_values_are_kept_as_json(depth: int, ends: tuple[str, str], tmp_path: Path) -> None:
    text = ends[0] * depth + "1" + ends[1] * depth
    [row] = rows(saved(tmp_path, "a.jsonl", f'{{"answer":"x","other":{text}}}\n'))
    assert row["other"].replace(" ", "") == text


def test_values_that_json_cannot_hold() -> None:
    value: list[Any] = []
    value.append(value)
    for other in (value, 10**5000, {"a": [10**5000]}, {(1, 2): 3}):
        assert said([{"answer": "x", "other": other}]).startswith(
            "list of dicts: row 1: other cannot be written as JSON"
        )


@pytest.mark.parametrize(
    ("column", "field"),
    [
        ("relevance", f'{{"d":{LONG}}}'),
        ("relevance", f"[{LONG}]"),
        ("retrieved", f'{{"d":{LONG}}}'),
        ("retrieved", f'[{{"id":"d","score":{LONG}}}]'),
        ("retrieved_scores", f"[{LONG}]"),
        ("contexts", f'[{{"text":"a","score":{LONG}}}]'),
    ],
)
def test_numbers_without_a_float(column: str, field: str, tmp_path: Path) -> None:
    expected = "a whole number of more than 40 digits"
    assert expected in said(saved(tmp_path, "a.jsonl", f'{{"answer":"x","{column}":{field}}}\n'))
    if (column, field[0]) != ("retrieved", "{"):
        assert expected in said(saved(tmp_path, "a.csv", f"answer,{column}\nx,{as_field(field)}\n"))


def test_long_whole_numbers(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.jsonl", f'{{"id":{LONG},"answer":{LONG},"n":{LONG}}}\n')
    assert rows(path) == [{"answer": LONG, "n": LONG}]
    assert "line 1: not JSON that can be read: it has a whole number of more than 4,300 digits" in said(
        saved(tmp_path, "b.jsonl", f'{{"answer":{LONGER}}}\n')
    )
    for column in ("id", "answer", "references", "retrieved"):
        field: Any = [10**5000] if column == "retrieved" else 10**5000
        assert "of more than 4,300 digits" in said([{column: field}])
    for documents in (f'{{"d":{LONG}}}', f'{{"d":{LONGER}}}'):
        with pytest.raises(DataError, match=r"finite number|4,300 digits"):
            read_retrieval(saved(tmp_path, "run.json", f'{{"q":{documents}}}'), {"q": {"d": 1}})


def test_half_characters_in_names(tmp_path: Path) -> None:
    half = "the name of a column must be text; got half a character (\\ud800 without its pair)"
    assert said(saved(tmp_path, "a.jsonl", '{"answer":"x"}\n{"\\ud800":1,"answer":"x"}\n')).endswith(f"line 2: {half}")
    assert half in said({"\ud800": ["a"], "answer": ["b"]})
    for content in ('{"\\ud800":{"d":1}}', '{"q":{"\\ud800":1}}'):
        with pytest.raises(DataError, match="must be text; got half a character"):
            read_retrieval(saved(tmp_path, "run.json", content), {"q": {"d": 1}})
    with pytest.raises(DataError, match=r"qrels \(dict\): a name must be text; got half a character"):
        read_retrieval({"\ud800": {"d": 1}}, {"\ud800": {"d": 1}})


def test_an_empty_name(tmp_path: Path) -> None:
    assert rows(saved(tmp_path, "a.json", '{"": 1}')) == [{"": 1}]
    assert rows(saved(tmp_path, "a.jsonl", '{"": 1, "answer": "x"}\n')) == [{"answer": "x", "": 1}]


MISSING = [None, float("nan"), pd.NA, pd.NaT, pd.Series([None, 1.5]).iloc[0]]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_missing_is_missing(missing: object) -> None:
    data = [{"answer": "a", "failure": missing, "topic": missing}, {"answer": missing, "failure": "b", "topic": 2}]
    expected = [{"answer": "a", "failure": None, "topic": None}, {"answer": None, "failure": "b", "topic": 2}]
    assert rows(data) == expected
    assert rows({name: [row[name] for row in data] for name in data[0]}) == expected
    frame = pd.DataFrame(data)
    assert rows(frame) == rows(frame.to_dict("records")) == expected
    assert rows({name: frame[name].to_numpy() for name in frame}) == expected


def test_nan_in_arrow_is_missing() -> None:
    table = pa.table({"answer": ["a", "b"], "latency": [float("nan"), 1.0]})
    assert rows(table) == [{"answer": "a", "latency": None}, {"answer": "b", "latency": 1.0}]


def test_null_before_and_after_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 1)
    data = [{"answer": "x", "m": None}, {"answer": "x", "m": {"a": "b", "c": {"d": True}}}, {"answer": "x", "m": None}]
    assert rows(data) == data


def test_keys_that_look_like_paths() -> None:
    data = [{"answer": "x", "m": {".a": True, "": 1, "[0]": "b", ".": {".a": 2}}}]
    assert rows(data) == data


def test_keys_twice(tmp_path: Path) -> None:
    twice = '{"answer":"x","answer":"y"}'
    assert said(saved(tmp_path, "a.jsonl", f'{{"answer":"a"}}\n{twice}\n')).endswith(
        "line 2: has the key 'answer' twice; keep one"
    )
    assert said(saved(tmp_path, "a.json", f'[{{"answer":"a"}},\n{twice}]')).endswith(
        "row 2: has the key 'answer' twice; keep one"
    )
    assert said(saved(tmp_path, "b.json", twice)).endswith("has the key 'answer' twice; keep one")
    field = as_field('{"d":1,"d":2}')
    assert said(saved(tmp_path, "a.csv", f"answer,relevance\nx,{field}\n")).endswith(
        "line 2: relevance has the key 'd' twice; keep one"
    )
    assert said(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], ["answer", "answer"])) == (
        "pyarrow.Table: two columns are named answer; rename one"
    )


@pytest.mark.parametrize(
    "content",
    [
        'answer,b\n"' + 'a "" line\n' * 60_000 + '",y\n',
        'answer,b\n"stray,x\n' + 'say ""hi"",y\n' * 60_000,
        'answer,b\n"stray,x\n' + "plain\n" * 60_000,
        pytest.param(
            ",".join(f"c{i}" for i in range(100_000)) + "\n" + ",".join("x" * 100_000) + "\n", marks=pytest.mark.long
        ),
    ],
    ids=["long field", "stray quote", "stray quote alone", "columns"],
)
def test_csv_takes_linear_time(content: str, tmp_path: Path) -> None:
    path, start = saved(tmp_path, "a.csv", content), time.process_time()
    try:
        read(path)
    except DataError as error:
        assert "line 2: has a quote that is never closed" in str(error) or "the number of columns above" in str(error)  # noqa: PT017
    assert time.process_time() - start < 8


def test_columns_are_limited(tmp_path: Path) -> None:
    limit = "brings the number of columns above 4,096, which is the limit"
    lines = [json.dumps({"answer": "x", f"k{k}": 1}) for k in range(20_000)]
    assert "line 2065: makes the rows lack more fields than allowed" in said(
        saved(tmp_path, "a.jsonl", "\n".join(lines))
    )
    row = json.dumps({f"c{k}": 1 for k in range(5000)})
    assert f"line 1: {limit}" in said(saved(tmp_path, "a.jsonl", row))
    assert limit in said({f"c{k}": [1] for k in range(5000)})
    assert limit in said([{"inputs": {f"k{k}": 1 for k in range(5000)}}])
    assert limit in said(pa.table({f"c{k}": [1] for k in range(5000)}))
    nested = [json.dumps({"answer": "x", "m": {"a": {f"k{k}": 1}}}) for k in range(20_000)]
    assert len(rows(saved(tmp_path, "b.jsonl", "\n".join(nested)))) == 20_000


@pytest.mark.costly
def test_rows_with_ever_new_keys_are_refused_in_little_time_and_memory(tmp_path: Path) -> None:
    flat = [{"answer": "a", f"k{i % 4000}": 1} for i in range(20_000)]
    nested = [{"inputs": {"question": "a", f"k{i % 4000}": 1}} for i in range(20_000)]
    limit = "makes the rows lack more fields than allowed (4,194,304, and 16 for each field that is there); put keys"
    start = time.process_time()
    tracemalloc.start()
    assert f"line 2065: {limit}" in said(saved(tmp_path, "a.jsonl", "\n".join(map(json.dumps, flat))))
    assert f"row 2065: {limit}" in said(saved(tmp_path, "a.json", json.dumps(flat)))
    assert f"row 2065: {limit}" in said(flat)
    assert f"row 2065: {limit}" in said(nested)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()
    assert time.process_time() - start < 8


@pytest.mark.costly
def test_what_rows_lack_is_added_up_over_the_whole_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece that is read together has keys of its own, and few enough of them; pieces and the limit are small."""
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 1 << 11)
    for module in ("source", "reading"):
        monkeypatch.setattr(f"ragauge.formats.{module}.MOST_ABSENT", 1 << 19)
    sparse = [{f"k{i >> 11}_{i % 200}": 1} for i in range(2048)]
    assert read(saved(tmp_path, "a.json", json.dumps(sparse))).rows == 2048
    sparse = [{f"k{i >> 11}_{i % 200}": 1} for i in range(7_500)]
    assert "(4,194,304, and 16 for each field that is there)" in said(saved(tmp_path, "a.json", json.dumps(sparse)))
    nested = [{"inputs": {"question": "a", **row}} for row in sparse]
    assert "(4,194,304, and 16 for each field that is there)" in said(saved(tmp_path, "c.json", json.dumps(nested)))
    full = [{f"k{key}": 1 for key in range(i % 9, 300, 9)} for i in range(3_750)]
    assert read(saved(tmp_path, "b.json", json.dumps(full))).rows == 3_750


def test_as_many_fields_as_said_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.source.MOST_ABSENT", 40)
    # Of 20 columns, 18 rows lack 360 fields: 40, and 16 for each of the 20 that are there.
    first = {f"k{key}": 1 for key in range(20)}
    assert read([first, *[{}] * 18]).rows == 19
    with pytest.raises(DataError, match="row 20: "):
        read([first, *[{}] * 19])


@pytest.mark.long
def test_columns_of_the_first_row_cost_nothing_in_the_rows_after(tmp_path: Path) -> None:
    first, others = {f"k{key}": 1 for key in range(4000)}, [{"a": key} for key in range(60_000)]
    path = saved(tmp_path, "a.jsonl", "\n".join(map(json.dumps, [first, *[{"a": "x" * 4200}] * 1000, *others])))
    start = time.process_time()
    assert read(path).rows == 61_001
    assert time.process_time() - start < 20


def test_missing_values_in_a_dict_of_columns_make_no_row_of_it() -> None:
    nan = float("nan")
    data = {"answer": ["a", "b", "c"], "contexts": [["x"], nan, ["y"]], "relevance": [nan, {"d": 1}, nan]}
    assert [row.get("contexts") for row in rows(data)] == [["x"], None, ["y"]]


@pytest.mark.costly
def test_rows_may_lack_most_of_two_hundred_columns() -> None:
    *_, last = read([{"answer": "a", f"k{i % 200}": i} for i in range(20_000)]).batches()
    assert last.table().slice(len(last) - 1).to_pylist()[0]["k199"] == 19_999


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.json.gz", "a.csv.gz"])
def test_a_row_is_limited(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("opening", "json_text", "csv"):
        monkeypatch.setattr(f"ragauge.formats.{module}.LONGEST", 1 << 20)
    letters = b"a" * (10 << 20)
    content = {
        "a.jsonl.gz": b'{"answer":"' + letters + b'"}\n',
        "a.json.gz": b'[{"answer":"' + letters + b'"}]',
        "a.csv.gz": b'answer,b\n"' + b"a\n" * (5 << 20) + b'",y\n',
    }[name]
    assert "MiB" in said(saved(tmp_path, name, gzip.compress(content, 1)))


def test_many_rows_are_not_limited_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.json_text.LONGEST", 1 << 20)
    rows = [{"id": str(place), "answer": "a" * 1000} for place in range(9_000)]
    assert read(saved(tmp_path, "a.json", json.dumps(rows))).rows == 9_000


def test_a_document_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.json_text._LONGEST_DOCUMENT", 1 << 20)
    content = '{"answer":"' + "a" * (6 << 20) + '"}'
    assert "a JSON object must have at most 1 MiB" in said(saved(tmp_path, "a.json", content))


def test_a_line_over_many_reads() -> None:
    text = b"a" * 1000
    [first, second] = [line for block in blocks(io.BytesIO(text + b"\n" + text), size=7) for line in block.lines]
    assert first == second == text.decode()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a", "a.gz"])
def test_blanks_first(name: str, tmp_path: Path) -> None:
    content = b" " * (1 << 20) + b'\n{"answer":"x"}\n'
    path = saved(tmp_path, name, gzip.compress(content) if name.endswith("gz") else content)
    assert rows(path) == [{"answer": "x"}]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a"])
def test_blanks_alone_are_limited(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.opening.LONGEST", 3 << 20)
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(b" " * (3 << 20) + b'{"answer":"x"}')
    assert said(name) == f"{name}: begins with 3 MiB of blanks; remove them"
    content = b"answer\nx\n" if name == "a.csv" else b'{"answer":"x"}\n'
    Path(name).write_bytes(b" " * ((3 << 20) - 9) + b"\n" + content)
    assert rows(name) == [{"answer": "x"}]


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b'{"answer":"x"}\n'),
        ("a.json", b'[{"answer":"x"}]'),
        ("a.csv", b"answer\nx\n"),
        ("a", b'{"answer":"x"}\n'),
    ],
)
def test_two_byte_order_marks(name: str, content: bytes, ending: str, tmp_path: Path) -> None:
    marked = BOM + BOM + content
    path = saved(tmp_path, name + ending, gzip.compress(marked) if ending else marked)
    assert rows(path) == [{"answer": "x"}]


def test_two_byte_order_marks_of_runs(tmp_path: Path) -> None:
    run = saved(tmp_path, "a.run", BOM * 2 + b"q Q0 d 1 1 t\n")
    beir = saved(tmp_path, "a.tsv", BOM * 2 + b"query-id\tcorpus-id\tscore\nq\td\t1\n")
    for qrels in (beir, saved(tmp_path, "b.json", BOM * 2 + b'{"q":{"d":1}}')):
        assert read_retrieval(run, qrels).rows == 1


PIPED: dict[str, Callable[[], bytes]] = {
    "a.jsonl": lambda: b'{"answer":"x"}\n',
    "a.json": lambda: b'[{"answer":"x"}]',
    "a.csv": lambda: b"answer\nx\n",
    "a": lambda: b'{"answer":"x"}\n',
    "a.jsonl.gz": lambda: gzip.compress(b'{"answer":"x"}\n'),
    "a.parquet": lambda: parquet_of(pa.table({"answer": ["x"]})),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", PIPED)
def test_named_pipes(name: str, tmp_path: Path) -> None:
    path, content = tmp_path / name, PIPED[name]()
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    assert rows(path) == [{"answer": "x"}]
    writer.join(10)


def test_a_name_that_no_file_has() -> None:
    assert "is not the name of a file" in said("a\0b.jsonl")


def test_a_key_of_many_is_found_soon() -> None:
    keys = ",".join(f'"k{k}":1' for k in range(50_000))
    [chunk] = line_chunks(io.BytesIO(f'{{{keys},"k49999":2}}\n'.encode()))
    assert chunk.problems[0].what == "has the key 'k49999' twice; keep one"


@pytest.mark.long
@pytest.mark.parametrize(("columns", "fits"), [(4096, True), (4097, False)])
def test_as_many_columns_as_said_are_read(columns: int, fits: bool, tmp_path: Path) -> None:
    names = [f"c{k}" for k in range(columns)]
    forms: list[Any] = [
        [dict.fromkeys(names, 1)], {name: [1] for name in names}, pa.table({name: [1] for name in names}),
        saved(tmp_path, "a.csv", f"{','.join(names)}\n{',1' * (columns - 1)}\n"),
    ]  # fmt: skip
    for form in forms:
        if fits:
            assert len(read(form).columns) == columns + 1
        else:
            assert "brings the number of columns above 4,096" in said(form)


@pytest.mark.parametrize(("characters", "fits"), [(1 << 20, True), ((1 << 20) + 1, False)])
def test_as_long_a_quoted_field_as_said_is_read(
    characters: int, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragauge.formats.csv.LONGEST", 1 << 20)
    lines = ["x" * 1023] * (characters // 1023) + ["x" * (characters % 1023)]
    path = saved(tmp_path, "a.csv", 'answer,b\n"' + "\n".join(lines) + '\n",y\n')
    if fits:
        assert len(rows(path)[0]["answer"]) > characters
    else:
        assert "line 2: has a quoted field of more than 1 MiB; double the quotes in a field" in said(path)


_GIVE = "give JSON Lines, JSON, CSV, TSV, Parquet, Arrow or Excel"
_KINDS = {
    "a PNG image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "a JPEG image": b"\xff\xd8\xff\xe0\0\x10JFIF\0",
    "a PDF document": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "an SQLite database": b"SQLite format 3\0\x10\xff",
    "a program": b"\x7fELF\x02\x01\x01\xff",
    "a gzip archive within another": gzip.compress(gzip.compress(b"answer\nx\n")),
}


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.txt", "a.xlsx"])
@pytest.mark.parametrize("kind", _KINDS)
def test_a_file_that_is_no_table_is_named_in_one_line(tmp_path: Path, name: str, kind: str) -> None:
    assert said(saved(tmp_path, name, _KINDS[kind])) == f"{tmp_path / name}: is {kind}, no table; {_GIVE}"


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.json"])
def test_an_archive_is_a_workbook_or_to_be_unpacked(tmp_path: Path, name: str) -> None:
    path = saved(tmp_path, name, b"PK\x03\x04\x14\0\0\0")
    assert said(path) == f"{path}: is a ZIP archive; name it .xlsx if it is a workbook, and unpack it if not"


def test_any_other_file_with_bytes_of_zero_is_no_text(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.jsonl", bytes(4096) + b"\xff")
    assert said(path) == f"{path}: is not a text file; {_GIVE}"


@pytest.mark.parametrize(
    "text",
    ["你好，今天天气怎么样？", "今日はいい天気ですね。", "안녕하세요 여러분", "здравствуйте", "مرحبا", "नमस्ते", "สวัสดี"],
)
def test_lines_in_another_encoding_get_one_advice(tmp_path: Path, text: str) -> None:
    lines = [json.dumps({"answer": text}, ensure_ascii=False) for _ in range(3)]
    raw = "\n".join(lines).encode("utf-8").replace(text.encode(), b"\xff" + text.encode())
    problem = said(saved(tmp_path, "a.jsonl", raw))
    assert problem.count("UTF-8 (in Excel") == problem.count("encoding='") == 1
    assert problem.count("not UTF-8: byte 0xff") == 3
