"""What small inputs of every format are read as today: ``python -m tests.formats.stood`` writes stood.txt anew.

Inputs with the same result stand together below it, the first of them in words. Most are a good input with one place
left out or replaced.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ragauge.core.batch import concatenated
from ragauge.formats import column_names, fields, read, read_retrieval
from ragauge.formats.column_names import known_name
from ragauge.formats.csv import Fields, guessed_delimiter
from ragauge.formats.json_window import Window
from ragauge.formats.literals import parsed
from ragauge.formats.trec import read_qrels, read_run
from tests.stood import Case, Group, Stood, shown

STOOD = Stood(Path(__file__).with_name("stood.txt"))
LONG = 10**40
OTHERS: tuple[Any, ...] = (None, "", "x", 3, [], {}, ["x"])
VALUES: list[Any] = [
    None,
    "",
    " ",
    "text",
    "茶",
    "1",
    "1.0",
    "[1]",
    '["a", "b"]',
    "['a', \"b\"]",
    '{"d": 1}',
    "\ud800",
    "x" * 41,
    b"text",
    b"\xff",
    True,
    False,
    0,
    1,
    -2,
    LONG - 1,
    LONG,
    10**4301,
    (1 << 53) - 1,
    1 << 53,
    (1 << 53) + 1,
    1.0,
    0.5,
    -0.0,
    1e16,
    1e300,
    float("nan"),
    float("inf"),
    (1 << 1023) - 1,
    1 << 1023,
    1 << 1024,
    np.int64(3),
    np.float32(0.5),
    np.float64(2.0),
    np.float64("nan"),
    np.bool_(True),
    np.str_("text"),
    pd.NA,
    pd.NaT,
    np.datetime64("NaT", "s"),
    datetime(2026, 1, 2),  # noqa: DTZ001
    [],
    ["a"],
    ["a", "a"],
    ["a", None],
    ["a", 2],
    [1, 2],
    [1.5, 0],
    [True],
    [["a"]],
    [float("nan")],
    ("a", "b"),
    np.array([1, 2]),
    np.array(["a"]),
    {},
    {"d": 1},
    {"d": "1"},
    {"d": None},
    {"d": True},
    {"d": {}},
    {1: 1},
    {"text": "a"},
    [{"text": "a"}],
    [{"text": "a"}, "b"],
    [{"id": "d", "grade": 1}],
    [{"doc_id": 7, "score": 2.5, "text": "a"}],
    [{"id": "d"}],
    [{"id": "d", "grade": 1}, {"id": "d", "grade": 1}],
    [{"role": "user", "content": "Who?"}],
    [{"type": "human", "content": [{"text": "Who"}, {"text": "?"}, 3]}],
    [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "A."}],
    [{"role": "user"}],
    {3},
    object,
]


def rows(source: Any, **options: Any) -> Any:
    """Return rows without what they lack, the types of columns that are not known, and notes."""
    data = read(source, **options)
    table = concatenated(data.batches()).table()
    found = [{name: one for name, one in row.items() if one is not None} for row in table.to_pylist()]
    kinds = {field.name: str(field.type) for field in table.schema if field.name not in KNOWN}
    return found, kinds, data.notes


KNOWN = (
    "id",
    "question",
    "answer",
    "language",
    "references",
    "contexts",
    "reference_contexts",
    "retrieved",
    "retrieved_scores",
    "relevance",
)


def varied(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the value with each place within it left out, or replaced by a value of each other kind."""
    places = (
        list(value.items()) if isinstance(value, Mapping) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, inner in places:
        here = f"{path}.{key}"
        without = {name: one for name, one in places if name != key}
        yield f"{here} left out", without if isinstance(value, Mapping) else list(without.values())
        for other in OTHERS:
            yield f"{here} = {other!r}", _replaced(value, key, other)
        for name, changed in varied(inner, here):
            yield name, _replaced(value, key, changed)


def _replaced(value: Any, key: Any, inner: Any) -> Any:
    if isinstance(value, Mapping):
        return {**value, key: inner}
    return [inner if place == key else one for place, one in enumerate(value)]


@STOOD.group
def single_fields() -> Iterator[Case]:
    for function in (
        fields.kind_of,
        fields.is_missing,
        fields.is_number,
        fields.is_list,
        fields.text,
        fields.text_or_number,
        fields.identifier,
        fields.question,
        fields.number,
    ):
        for value in VALUES:
            yield f"{function.__name__} {shown(value, 60)}", partial(function, value)


COLUMNS = (*KNOWN, "relevant_ids", "other")


@STOOD.group
def columns_of_rows() -> Iterator[Case]:
    for column in COLUMNS:
        for value in VALUES:
            row = {"question": "Who?", "id": "i", column: value}
            yield f"{column} {shown(value, 60)}", partial(rows, [row])


@STOOD.group
def columns_of_two_rows() -> Iterator[Case]:
    few: list[Any] = [
        None,
        "text",
        1,
        2.5,
        True,
        (1 << 53) + 1,
        ["a"],
        [1.5],
        [True],
        {"k": 1},
        {"k": "a"},
        {"k": [1]},
        [{"k": 1}],
        {},
        [[]],
        datetime(2026, 1, 2),  # noqa: DTZ001
    ]
    for first in few:
        for second in few:
            two = [{"question": "a", "other": first}, {"question": "b", "other": second}]
            yield f"{first!r}, {second!r}", partial(rows, two)


ARRAYS: list[pa.Array] = [
    pa.nulls(1),
    pa.array(["a"]),
    pa.array(["a"], pa.large_string()),
    pa.array(["a"], pa.string_view()),
    pa.array([b"a"]),
    pa.array([b"\xff"]),
    pa.array(["a"]).dictionary_encode(),
    pa.array([1]).dictionary_encode(),
    pa.array([1]),
    pa.array([2], pa.uint8()),
    pa.array([1.0]),
    pa.array([0.5], pa.float32()),
    pa.array([float("nan")]),
    pa.array([True]),
    pa.array([datetime(2026, 1, 2)]),  # noqa: DTZ001
    *(
        pa.array([one], pa.list_(kind))
        for one, kind in (
            (["a", "b"], pa.string()),
            (["a"], pa.large_string()),
            (["a", None], pa.string()),
            ([], pa.string()),
            ([], pa.null()),
            ([None], pa.null()),
            ([1, 2], pa.int64()),
            ([1.5], pa.float64()),
            ([0.5], pa.float32()),
            ([float("nan")], pa.float64()),
            ([True], pa.bool_()),
        )
    ),
    pa.array([["a"]], pa.large_list(pa.string())),
    pa.array([[1.5]], pa.large_list(pa.float64())),
    pa.array([["a"]], pa.list_(pa.string(), 1)),
    pa.array([[1, 2]], pa.list_(pa.int32(), 2)),
    pa.array([["a"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    pa.array([[{"id": "d", "grade": 1.0}]]),
    pa.array([[{"grade": 1, "id": "d"}]]),
    pa.array([[{"id": "d", "grade": None}]], pa.list_(pa.struct({"id": pa.string(), "grade": pa.float64()}))),
    pa.array([[{"id": 7, "grade": 1.0}]]),
    pa.array([[{"id": "d", "grade": 1.0, "x": 1}]]),
    pa.array([[{"text": "a", "id": "d", "score": 0.5}]]),
    pa.array([{"d": 1.0}]),
    pa.array([[("d", 1.0)]], pa.map_(pa.string(), pa.float64())),
    pa.array([[("d", "1")]], pa.map_(pa.string(), pa.string())),
    pa.array([[("d", 1.0), ("d", 2.0)]], pa.map_(pa.string(), pa.float64())),
    pa.array([[(7, 1)]], pa.map_(pa.int64(), pa.int64())),
]


@STOOD.group
def columns_of_arrow() -> Iterator[Case]:
    for column in COLUMNS:
        for array in ARRAYS:
            other = {} if column == "question" else {"question": ["Who?"]}
            table = pa.table({**other, column: array})
            yield f"{column} {array.type} {shown(array.to_pylist(), 60)}", partial(rows, table)


@STOOD.group
def numbers_among_texts() -> Iterator[Case]:
    for array in ARRAYS:
        yield f"{array.type} {shown(array.to_pylist(), 60)}", partial(fields.numbers_among, array)
    for value in VALUES:
        yield shown(value, 60), partial(fields.numbers_among, ["a", value])


WRITTEN = [
    "a",
    "1",
    "1.5",
    "true",
    "null",
    "[]",
    "{}",
    "[1, 2]",
    "[1.5]",
    '["a"]',
    '["a", "b"',
    "['a', 'b']",
    "['a', None]",
    "[True]",
    "['a'",
    "[1 2]",
    "['a' 'b']",
    "array(['a'])",
    "[array([1])]",
    '[["a"]]',
    '["a", 2]',
    '["a", null]',
    "{'d': 1}",
    '{"d": 1}',
    '{"d": "1"}',
    '{"d": NaN}',
    "{'d': 1",
    "{1: 2}",
    "{'a'}",
    '[{"id": "d", "grade": 2}]',
    "[{'id': 'd', 'grade': 2}]",
    '[{"text": "a", "id": "d"}]',
    "a;b",
    "a | b",
    "d1, d2",
    "d1 d2",
    "[1] note",
    "(1, 2)",
    "('a', 'b')",
    "[nan]",
    "[1e400]",
    "[1.5, nan]",
    "[-1, +2]",
    "[0x10]",
    "[1_000]",
    "['\\u8336']",
    "[r'a']",
    "[b'a']",
    "[f'a']",
    "[1] + [2]",
    "[x]",
    "[...]",
    '"a"',
    "'a'",
    "-",
    "nan",
    "None",
]


@STOOD.group
def literals() -> Iterator[Case]:
    for kind in ("text", "texts", "numbers", "judgements"):
        for written in WRITTEN:
            yield f"{kind} {written}", partial(parsed, written, kind)


def _of_file(content: bytes | str, name: str, reader: Callable[..., Any] = rows) -> Any:
    with TemporaryDirectory() as folder, chdir(folder):
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        found = reader(name)
        return found.to_pylist() if isinstance(found, pa.Table) else found


@STOOD.group
def fields_of_csv() -> Iterator[Case]:
    for column in (*COLUMNS[3:], "answer"):
        for written in ("", '""', *WRITTEN):
            quoted = written if written in {"", '""'} else '"' + written.replace('"', '""') + '"'
            yield (
                f"{column} {written}",
                partial(_of_file, f"question,{column}\nWho?,{quoted}\n", "a.csv"),
            )


LINES = [
    "a,b",
    "a,b\n",
    "\n\na,b\n\n",
    "a;b",
    "a\tb",
    "a|b",
    "a,b;c;d",
    '"a,b";c',
    "sep=;\na,b;c",
    '"sep=|"\na|b',
    "sep=x\na,b",
    "a,a",
    "a,,b",
    " a , b ",
    "a,b\n1,2,3",
    "a,b\n1",
    "a,b\n,",
    'a,b\n"",""',
    'a,b\n"x""y",z',
    'a,b\n"x\ny",z',
    'a,b\n"x\r\ny",z\r\n',
    'a,b\n"x" y,z',
    'a,b\n"x\ny" q,z\n1,2',
    'a,b\nx"y,z',
    'a,b\n"x,y',
    'a,b\n1,2\n"x\n\n3,4',
    "a,b\r1,2\r",
    "a,b\r\n1,2\r\n",
    "a,b\n\n1,2\n \n,\n3,4",
    "a,b\n1,2\n\x003,4",
    "a,b\n01,1\n2,2",
    "a,b\n1,true\n,False",
    "a,b\n1.5,x\n-2,",
    "a,b\n1e5,0.5\n+1,-0",
    "a,b\n1,9223372036854775808",
    "question,a\nWho?,1\n",
    'a,b\n"",1\n"2",3',
]


@STOOD.group
def lines_of_csv() -> Iterator[Case]:
    for content in LINES:
        for name in ("a.csv", "a.tsv"):
            yield f"{name} {content!r}", partial(_of_file, content, name)
        yield f"delimiter {content!r}", partial(guessed_delimiter, content.split("\n"))
        yield f"fields {content!r}", partial(_records, content)
    for tail in ("1,2", "茶,2", "1,\xe9"):
        for encoding in ("utf-8-sig", "utf-16", "gb18030", "latin-1"):
            encoded = f"question,b\n{tail}\n".encode(encoding, "replace")
            yield f"{encoding} {tail}", partial(_of_file, encoded, "a.csv")


def _records(content: str) -> list[Any]:
    cut = Fields(",")
    found: list[Any] = []
    for line in content.split("\n"):
        try:
            found.append((cut.record(line), cut.unfinished, cut.size if cut.unfinished else 0))
        except ValueError as error:
            found.append((str(error), cut.unfinished, 0))
    return found


DOCUMENTS = [
    '[{"question": "a", "n": 1},\n {"question": "茶", "n": [1, {"k": "]"}]}]\n',
    '{"resourceSpans":\n[{"scopeSpans": [{"spans": [{"traceId": "t", "spanId": "s", "attributes": []}], "x": [1]}]}], "y": 2}',  # noqa: E501
    '{"question": "a"}\n{"question": "b"}',
    '{"results": [{"question": "a"}], "n": 1}',
    '{"question": ["a", "b"], "answer": ["c", null]}',
]


@STOOD.group
def documents_of_json() -> Iterator[Case]:
    for document in DOCUMENTS:
        ends = [document[:end] for end in range(len(document))]
        more = [
            f"{document[:at]}{sign}{document[at:]}"
            for at, before in enumerate(document)
            if before in "[]{},:"
            for sign in ",]}x"
        ]
        for content in (document, f"{document}\n", f"{document} x", f"{document}[]", f"{document}]", *ends, *more):
            yield repr(content), partial(_of_file, content, "a.json")


@STOOD.group
def rest_of_windows() -> Iterator[Case]:
    for content in ("", " \n", "[1]", ' \n {"a": 1} x', '{"a": 1}', '{"a": 1} {"b": 2}', '{"a": 1}, ', '{"a'):
        for size in (1, 4, 100):

            def looked(content: str = content, size: int = size) -> Any:
                window = Window(io.TextIOWrapper(io.BytesIO(content.encode()), newline=""), size, "a.json")
                return window.skip_space(), window.line(window.start), window.document(), window.start, window.rest()

            yield f"{content!r} by {size}", looked


@STOOD.group
def lines_of_json() -> Iterator[Case]:
    for line in (
        "{}",
        "[]",
        "3",
        "null",
        '"a"',
        "{",
        "[",
        '{"a": 1',
        '{"question": "b"} x',
        '{"question": "b"} ',
        ' {"question": "b"}',
        "\t",
        "x",
        '{"question": NaN}',
        '{"question": "\\ud800"}',
        '{"n": Infinity}',
        '{"question": 1e999}',
        '{"question": tru',
        "{'question': 'b'}",
        '{"question": "b",}',
        '{"question" "b"}',
        '{"question": "b", "question": "c"}',
        '{"a": {"b": 1, "b": 2}}',
    ):
        for content in (f'{{"question": "a"}}\n{line}\n', f"{line}\n"):
            yield repr(content), partial(_of_file, content, "a.jsonl")


RUNS = [
    "q Q0 d 1 2.5 t",
    "q Q0 d 1 2.5",
    "q Q0 d 1 x t",
    "q Q0 d 1 nan t",
    "q Q0 d 1 1e999 t",
    "q Q0 d 1 1. t u v",
    "q\tQ0\td 1\t1\t2\tt",
    "q  Q0 d 1 2 t",
    " q Q0 d 1 2 t",
    "q Q0 d 1 0x1 t",
    "q Q0 d 1 1_0 t",
    "q 0 d 1",
    "q 0 d -1",
    "q 0 d 1.5",
    "q 0 d",
    "q 0 d 1 2",
    "q 0 d x",
    "q 0 d １",
    "q\t0\t\t1",
    "\t0\td\t1",
    "#q 0 d 1",
    "query-id\tcorpus-id\tscore\nq\td\t1",
    "query-id corpus-id score\nq d 1",
    "qid\tdoc\tgrade\nq\td\t1\nq\te",
    "q Q0 d 1 2 t\np Q0 d 1 2 t\nq Q0 e 2 1 t",
    "q 0 d 1\np 0 d 1\nq 0 e 2",
    "q 0 d 1\nq 0 d 2",
    "q Q0 d 1 2 t\nq Q0 d 2 1 t",
    "",
    "\n",
    "# x",
    "q 0 d 1\r\n\r\nq 0 e 0\r\n",
    '{"q": {"d": 1}}',
    '{"q": {"d": 1.5, "e": -1}, "p": {}}',
    '{"q": {"d": "1"}}',
    '{"q": {"d": true}}',
    '{"q": {"d": null}}',
    '{"q": ["d"]}',
    '{"q": 1}',
    "[]",
    '{"q": {"d": 1}',
    '{"q": {"d": 1e999}}',
    '{"q": {"d": [1]}}',
]


@STOOD.group
def runs_and_judgements() -> Iterator[Case]:
    for content in RUNS:
        for reader in (read_run, read_qrels):
            for name in ("a.txt", "a.json"):
                yield (
                    f"{reader.__name__} {name} {content!r}",
                    partial(_of_file, content, name, reader),
                )


def _pairs(**columns: Any) -> Any:
    return pa.table(
        {name: pa.array([value]) if not isinstance(value, pa.Array) else value for name, value in columns.items()}
    )


@STOOD.group
def runs_of_objects() -> Iterator[Case]:
    good: dict[str, Any] = {"q": {"d": 1.5, "e": 1.0}}
    sources: list[Any] = [
        good,
        {"q": ["d", "e"]},
        {"q": ["d"], "p": []},
        {"q": []},
        {"q": {}},
        {},
        {"q": None},
        {"q": "d"},
        {"q": {"d": "x"}},
        {"q": {"d": None}},
        {"q": {"d": float("nan")}},
        {"q": {"d": True}},
        {"q": {1: 1}},
        {1: {"d": 1}},
        {"p": {"d": 1}},
        [],
        [{"qid": "q", "docno": "d", "score": 1.5}],
        [{"qid": "q", "docno": "d", "score": 1.5}, {"qid": "p", "docno": "d", "score": 1}],
        [{"query_id": "q", "doc_id": "d", "relevance": 1}],
        [{"query-id": "q", "corpus-id": 7, "score": 2}],
        [{"qid": "q", "docno": "d"}],
        [{"docno": "d", "score": 1}],
        3,
        "",
        [3],
        [{"qid": None, "docno": "d", "score": 1}],
        [{"qid": "q", "docno": "d", "score": None}],
        [{"qid": 1.0, "docno": 2.0, "score": 1}],
        _pairs(qid="q", docno="d", score=1),
        _pairs(qid=pa.array(["q"]).dictionary_encode(), docno="d", score=0.5),
        _pairs(qid=1, docno=2, score=True),
        _pairs(qid="q", docno="d", score="1"),
    ]
    for source in sources:
        for name, two in (("run", (source, {"q": {"d": 1}})), ("qrels", (good, source))):
            yield f"{name} {shown(source, 150)}", partial(_retrieval, *two)


def _retrieval(run: Any, qrels: Any) -> Any:
    data = read_retrieval(run, qrels)
    return [row for batch in data.batches() for row in batch.table().to_pylist()], data.notes


def _mapping(source: Any) -> dict[str, str]:
    return dict(read(source).mapping)


@STOOD.group
def names_of_columns() -> Iterator[Case]:
    every: set[str] = set(KNOWN)
    # What Python gives every module, as __builtins__, holds what other tests leave there.
    own = [value for name, value in vars(column_names).items() if not name.startswith("__")]
    for value in own:
        for one in (
            value.values()
            if isinstance(value, Mapping)
            else value
            if isinstance(value, set | frozenset | tuple)
            else ()
        ):
            every |= (
                {one}
                if isinstance(one, str)
                else {name for name in one if isinstance(name, str)}
                if isinstance(one, tuple | list | set | frozenset)
                else set()
            )
        every |= {name for name in value if isinstance(name, str)} if isinstance(value, Mapping) else set()
    for name in sorted(every):
        for written in (name, name.replace("_", " ").title(), name.replace("_", "-").upper()):
            yield written, partial(known_name, written)
        yield f"{name} beside a question", partial(_mapping, [{"question": "Who?", name: ["a"]}])


EXPORTS: dict[str, Any] = json.loads(Path(__file__).with_name("exports.json").read_text("utf-8"))


def _export(name: str) -> Group:
    def cases() -> Iterator[Case]:
        given = EXPORTS[name]
        yield "as it is", partial(rows, given)
        for place, changed in varied(given):
            yield place, partial(rows, changed)

    cases.__name__ = name.replace(" ", "_")
    return cases


for _name in EXPORTS:
    STOOD.group(_export(_name))


if __name__ == "__main__":
    STOOD.write()
