"""One value is read alike in whichever form it comes, and what cannot be read is named; never another exception."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragauge.core.batch import concatenated
from ragauge.core.sample import SCHEMA
from ragauge.errors import RagaugeError
from ragauge.formats import read
from tests import fresh
from tests.repeats import others_long

COLUMNS = (*SCHEMA, "relevant_ids", "other")
VALUES: list[Any] = [
    None, "", " ", "text", "茶", "1", "1.0", "[1]", '["a", "b"]', "['a', \"b\"]", '{"d": 1}', "x" * 41,
    True, False, 0, 1, -2, 10**39, 10**40, (1 << 53) - 1, (1 << 53) + 1, 1.0, 0.5, -0.0, 1e16, 1e300, 1 << 1023,
    [], ["a"], ["a", "a"], ["a", None], ["a", 2], [1, 2], [1.5, 0], [True], [["a"]],
    {}, {"d": 1}, {"d": "1"}, {"d": None}, {"d": True}, {"d": {}}, {"text": "a"},
    [{"text": "a"}], [{"text": "a"}, "b"], [{"id": "d", "grade": 1}], [{"doc_id": 7, "score": 2.5, "text": "a"}],
    [{"id": "d"}], [{"id": "d", "grade": 1}, {"id": "d", "grade": 1}], [{"role": "user", "content": "Who?"}],
    [{"type": "human", "content": [{"text": "Who"}, {"text": "?"}, 3]}], [{"role": "user"}],
    [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "A."}],
]  # fmt: skip
# Where something is: a file with its line, or a row; the rest of a message must be the same in every form.
PLACE = re.compile(r"\S*\.(?:jsonl?|csv|parquet)(?:, line \d+|:\d+)?:? ?|(?:row|line|sample) \d+")


def read_rows(source: Any) -> list[dict[str, Any]]:
    """Return rows without what they lack."""
    table = concatenated(read(source).batches()).table()
    return [{name: one for name, one in row.items() if one is not None} for row in table.to_pylist()]


def outcome(source: Any) -> list[dict[str, Any]] | str:
    """Return the rows, or what is wrong without its place; another kind of exception is a failure."""
    try:
        return read_rows(source)
    except RagaugeError as error:
        return PLACE.sub("", str(error))


def same(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same rows, or both are refused."""
    return repr(one) == repr(other) if isinstance(one, list) or isinstance(other, list) else True


def half_of(column: str) -> list[Any]:
    """Return every second value: of each column one half in this run, the other in the next."""
    return VALUES[(fresh.seed() + COLUMNS.index(column)) % 2 :: 2]


@pytest.mark.parametrize("column", others_long(COLUMNS, 4))
def test_a_value_is_the_same_as_object_line_and_document(column: str, tmp_path: Path) -> None:
    lines, document = tmp_path / "a.jsonl", tmp_path / "a.json"
    for value in half_of(column):
        row = {"question": "Who?", "id": "i", column: value}
        text = json.dumps(row)
        lines.write_text(f"{text}\n", encoding="utf-8")
        document.write_text(f"[{text}]", encoding="utf-8")
        found = outcome([row])
        assert same(outcome(str(lines)), found), value
        assert same(outcome(str(document)), found), value


@pytest.mark.parametrize("column", others_long(COLUMNS, 4))
def test_a_value_is_the_same_in_parquet(column: str, tmp_path: Path) -> None:
    for value in half_of(column):
        row = {"question": "Who?", "id": "i", column: value}
        try:
            table = pa.Table.from_pylist([row])
            pq.write_table(table, tmp_path / "a.parquet")
        except (pa.ArrowException, OverflowError):
            continue
        assert same(outcome(str(tmp_path / "a.parquet")), outcome(table)), value


EXPORTS: dict[str, Any] = json.loads(Path(__file__).with_name("exports.json").read_text("utf-8"))
OTHERS: tuple[Any, ...] = (None, "", "x", 3, [], {}, ["x"])


def varied(value: Any) -> Iterator[Any]:
    """Yield the value with each place within it left out, or replaced by a value of each other kind."""
    places: list[tuple[Any, Any]] = []
    if isinstance(value, Mapping | list):
        places = list(value.items() if isinstance(value, Mapping) else enumerate(value))
    for key, inner in places:
        rest = {name: one for name, one in places if name != key}
        yield rest if isinstance(value, Mapping) else list(rest.values())
        for other in (*OTHERS, *varied(inner)):
            changed = {name: other if name == key else one for name, one in places}
            yield changed if isinstance(value, Mapping) else list(changed.values())


@pytest.mark.parametrize("name", others_long(EXPORTS, 8))
def test_a_damaged_export_is_read_or_refused_as_a_file_and_as_objects(name: str, tmp_path: Path) -> None:
    given = EXPORTS[name]
    whole = outcome(given)
    assert isinstance(whole, list)
    assert whole
    path = tmp_path / "a.json"
    read_whole = 0
    # A third of the changes in each run, others in the next; of these, some as a file.
    for place, changed in islice(enumerate(varied(given)), fresh.seed() % 3, None, 3):
        found = outcome(changed)
        read_whole += isinstance(found, list)
        if place % 7 == 0:
            path.write_text(json.dumps(changed), encoding="utf-8")
            assert same(outcome(str(path)), found) or not isinstance(changed, list)
    # Most of an export is beside the point, so most changes leave it readable.
    assert read_whole > 0


DOCUMENTS = [
    '[{"question": "a", "n": 1},\n {"question": "茶", "n": [1, {"k": "]"}]}]\n',
    '{"question": "a"}\n{"question": "b"}',
    '{"results": [{"question": "a"}], "n": 1}',
    '{"question": ["a", "b"], "answer": ["c", null]}',
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_that_json_refuses_is_refused_and_another_is_read_as_its_objects(
    document: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    for content in broken(document):
        path.write_text(content, encoding="utf-8")
        found = outcome(str(path))
        values = values_of(content)
        if values is None:
            assert isinstance(found, str), content
        else:
            assert same(found, outcome(values)), content


def broken(document: str) -> Iterator[str]:
    """Yield the document, its beginnings, and the document with a sign too many in each place."""
    yield document
    yield from (document[:end] for end in range(1, len(document)))
    for at, before in enumerate(document):
        if before in "[]{},:":
            yield from (f"{document[:at]}{sign}{document[at:]}" for sign in ",]}x")


def values_of(content: str) -> Any:
    """Return what a document holds: its rows, its one value, or its lines; None where it is not valid JSON."""
    try:
        value = json.loads(content)
        return value.get("results", value) if isinstance(value, dict) else value
    except ValueError:
        try:
            return [json.loads(line) for line in content.splitlines() if line.strip()] or None
        except ValueError:
            return None


LINES = [
    "question,b\n",
    "\n\nquestion,b\n1,2\n\n",
    "question;b\n1;2",
    "question\tb\n1\t2",
    'question,b\n"x""y",z',
    'question,b\n"x\ny",z',
    'question,b\n"x\r\ny",z\r\n',
    'question,b\nx"y,z',
    "question,b\r\n1,2\r\n",
    "question,b\n\n1,2\n\n3,4",
    "question,b\n01,1\n2,2",
    "question,b\n茶,2\n",
]


@pytest.mark.parametrize("content", LINES)
def test_fields_of_csv_are_those_of_pythons_reader(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content.encode())
    delimiter = next(one for one in ",;\t" if one in content)
    wanted = [row for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter) if any(row)]
    found = outcome(str(path))
    if len(wanted) == 1:
        assert isinstance(found, str)
    else:
        assert isinstance(found, list)
        assert [row.get("question", "") for row in found] == [row[0] for row in wanted[1:]]
        assert [str(row.get("b", "")) for row in found] == [_number(row[1]) for row in wanted[1:]]


def _number(text: str) -> str:
    return str(int(text)) if text.isdecimal() else text


WRITTEN = [
    '["a"]', '["a", "b"]', "['a', 'b']", "['a', None]", '["a", null]', "['\\u8336']", "[]", "a", "a b", "[1] note",
]  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN)
def test_a_list_in_a_field_is_that_of_json_or_python_and_other_text_is_one_reference(
    written: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    quoted = written.replace('"', '""')
    path.write_text(f'question,references\nWho?,"{quoted}"\n', encoding="utf-8")
    try:
        wanted = ast.literal_eval(written.replace("null", "None"))
    except (ValueError, SyntaxError):
        wanted = [written]
    assert same(outcome(str(path)), outcome([{"question": "Who?", "references": wanted}]))


@pytest.mark.parametrize(
    ("name", "value"),
    [("retrieved_contexts", ["a"]), ("ground_truth", "a"), ("response", "a"), ("user_input", "a")],
)
def test_a_name_is_known_however_it_is_spelled(name: str, value: Any) -> None:
    spelled = (name, name.replace("_", " ").title(), name.replace("_", "-").upper())
    known = [{column for column, source in read([{"x": "1", one: value}]).mapping.items() if source == one}
             for one in spelled]  # fmt: skip
    assert known[0]
    assert known == known[:1] * 3
