"""Parquet and Arrow files, and tables of other libraries."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from ragauge.core.batch import Dataset, concatenated
from ragauge.core.sample import Sample
from ragauge.errors import DataError
from ragauge.formats import read
from tests.approved import pattern
from tests.skips import FRAMES

ROWS: list[dict[str, Any]] = [
    {"question": "谁？", "answer": "安娜", "references": ["安娜"], "contexts": ["书"], "latency": 1.5},
    {"question": "누구?", "answer": None, "references": [], "contexts": None, "latency": None},
    {"question": "Кто?", "answer": "", "references": ["Анна", ""], "contexts": ["a", "b"], "latency": 2.0},
]
TABLE = pa.Table.from_pylist(ROWS)


def rows(data: Dataset) -> list[dict[str, Any]]:
    return concatenated(data.batches()).table().drop_columns(["id"]).to_pylist()  # type: ignore[no-any-return]


def write_stream(path: Path) -> None:
    with pa.ipc.new_stream(path, TABLE.schema) as writer:
        writer.write_table(TABLE)


def write_file(path: Path) -> None:
    with pa.ipc.new_file(path, TABLE.schema) as writer:
        writer.write_table(TABLE)


FILES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "parquet": ("run.parquet", lambda path: pq.write_table(TABLE, path)),
    "small row groups": ("run.parquet", lambda path: pq.write_table(TABLE, path, row_group_size=1)),
    "by content": ("run.data", lambda path: pq.write_table(TABLE, path)),
    "feather": ("run.feather", lambda path: pyarrow.feather.write_feather(TABLE, path)),
    "arrow": ("run.arrow", write_file),
    "arrow stream": ("run.arrows", write_stream),
}


@pytest.mark.parametrize("form", FILES)
def test_files(form: str, tmp_path: Path) -> None:
    name, write = FILES[form]
    write(tmp_path / name)
    assert rows(read(tmp_path / name)) == ROWS


class Selected:
    """A data set as those of Hugging Face: the rows are chosen only by way of its own iteration."""

    def with_format(self, kind: str) -> Selected:
        assert kind == "arrow"
        return self

    def iter(self, batch_size: int) -> Iterator[pa.Table]:
        for row in range(len(TABLE)):
            yield TABLE.slice(row, min(1, batch_size))


def sample(latency: float | None, **columns: Any) -> Sample:
    return Sample(**columns, tags={"latency": latency})


def polars() -> Any:
    return pytest.importorskip("polars", reason=FRAMES)


def relation(table: pa.Table) -> Any:
    duckdb = pytest.importorskip("duckdb", reason=FRAMES)
    return duckdb.arrow(table) if hasattr(duckdb, "arrow") else duckdb.from_arrow(table)


OBJECTS: dict[str, Callable[[], Any]] = {
    "list of dicts": lambda: ROWS,
    "generator": lambda: (row for row in ROWS),
    "dict of columns": lambda: {name: TABLE[name].to_pylist() for name in TABLE.column_names},
    "dict of Arrow columns": lambda: {name: TABLE[name] for name in TABLE.column_names},
    "samples": lambda: [sample(**row) for row in ROWS],
    "pyarrow.Table": lambda: TABLE,
    "RecordBatch": lambda: TABLE.to_batches()[0],
    "RecordBatchReader": TABLE.to_reader,
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas of Arrow": lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda: polars().DataFrame(ROWS),
    "duckdb": lambda: relation(TABLE),
    "datasets": Selected,
}


@pytest.mark.parametrize("form", OBJECTS)
def test_objects(form: str) -> None:
    assert rows(read(OBJECTS[form]())) == ROWS


def test_columns_of_the_right_type_are_not_copied() -> None:
    [batch] = read(TABLE).batches()
    for name in ("question", "contexts"):
        ours, theirs = batch.column(name), TABLE[name].chunk(0)
        assert [b and b.address for b in ours.buffers()] == [b and b.address for b in theirs.buffers()]


@pytest.mark.parametrize(
    "kind",
    [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string()), pa.binary(), pa.large_binary()],
)
def test_texts_in_any_layout(kind: pa.DataType) -> None:
    texts = pa.array(["é", None, ""]).cast(kind)
    lists = pa.array([["é"], None, []], pa.large_list(pa.large_string()))
    [batch] = read(pa.table({"answer": texts, "contexts": lists, "references": texts})).batches()
    assert batch.column("answer").type == pa.string()
    assert batch.column("answer").to_pylist() == ["é", None, ""]
    assert batch.column("contexts").type == pa.list_(pa.string())
    assert batch.column("references").to_pylist() == [["é"], None, [""]]


def test_categories_and_mixed_objects_of_pandas() -> None:
    frame = pd.DataFrame({"answer": ["a", "b", "c"], "topic": pd.Categorical(["x", "y", "x"]), "other": [1, "z", None]})
    [batch] = read(frame).batches()
    assert batch.column("topic").to_pylist() == ["x", "y", "x"]
    assert batch.column("other").to_pylist() == ["1", "z", None]


def test_an_index_of_pandas_is_a_column_only_by_name() -> None:
    frame = pd.DataFrame({"answer": ["a", "b", "c"]})
    assert read(frame[frame["answer"] != "a"]).columns == ("id", "answer")
    named = frame.set_index(pd.Index(["i", "j", "k"], name="id"))
    [batch] = read(named).batches()
    assert batch.column("id").to_pylist() == ["i", "j", "k"]


def test_columns_of_integers_are_ids() -> None:
    [batch] = read(pd.DataFrame({"id": [3, 4], "answer": ["a", "b"]})).batches()
    assert batch.column("id").to_pylist() == ["3", "4"]


def test_arrow_passages_and_judgements() -> None:
    passages = [[{"doc_id": 1, "text": "a", "score": 0.5}], []]
    judgements = [[{"id": "1", "grade": 2}], None]
    table = pa.table({"contexts": passages, "relevance": judgements})
    assert rows(read(table)) == [
        {"contexts": ["a"], "retrieved": ["1"], "retrieved_scores": [0.5], "relevance": [{"id": "1", "grade": 2.0}]},
        {"contexts": [], "retrieved": None, "retrieved_scores": None, "relevance": None},
    ]


def test_relevant_ids_of_an_arrow_table_may_be_numbers() -> None:
    ids = pa.table({"retrieved": [["1"]], "relevant_ids": [[1, 2]]})
    assert rows(read(ids)) == rows(read([{"retrieved": ["1"], "relevant_ids": [1, 2]}]))


def test_columns_of_a_dict_are_counted_and_their_rows_numbered() -> None:
    assert read({"question": ["Who?", "Why?"], "answer": ["a", "b"]}).rows == 2
    with pytest.raises(DataError) as raised:
        read({"question": ["Who?"] * 9_000, "answer": ["a"] * 8_999 + [True]})
    assert list(raised.value.problems) == ["row 9000: answer must be text; got true"]


@pytest.mark.parametrize(("keys", "kind"), [(64, dict), (65, str)])
def test_objects_of_many_keys_are_kept_as_json(keys: int, kind: type) -> None:
    [row] = rows(read([{"answer": "a", "facts": {f"k{i}": i for i in range(keys)}}]))
    assert isinstance(row["facts"], kind)


def test_one_row() -> None:
    assert rows(read({"question": "Who?", "contexts": ["a"]})) == [{"question": "Who?", "contexts": ["a"]}]
    assert rows(read(Sample(question="Who?"))) == [{"question": "Who?"}]
    assert rows(read({"retrieved": ["d1", "d2"]})) == [{"retrieved": ["d1", "d2"]}]
    assert rows(read({"retrieved": [["d1", "d2"]]})) == [{"retrieved": ["d1", "d2"]}]


def test_names_of_columns_become_text() -> None:
    assert rows(read([{"question": "Who?", 1: "x"}])) == [{"question": "Who?", "1": "x"}]


def test_the_name_of_the_source() -> None:
    assert read(pd.DataFrame({"answer": ["a"]})).source == "pandas.DataFrame"
    assert read([{"answer": "a"}]).source == "list of dicts"


def test_a_lazy_frame_is_collected() -> None:
    pl = polars()
    [batch] = read(pl.DataFrame({"answer": ["a", "b"]}).lazy().filter(pl.col("answer") == "b")).batches()
    assert batch.column("answer").to_pylist() == ["b"]


class NotCollected:
    """As a frame of another library that computes when it is asked to."""

    def collect(self) -> None:
        raise AssertionError


def test_splits_of_a_dataset_and_frames_that_are_not_computed_are_refused() -> None:
    with pytest.raises(DataError, match=pattern("formats.the_data_have_the_splits_train_test")):
        read({"train": Selected(), "test": Selected()})
    with pytest.raises(DataError, match=pattern("formats.cannot_read_data_of_type_call_collect")):
        read(NotCollected())


class Unreadable:
    columns = ("answer",)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise ValueError("the query failed")


def test_a_table_that_cannot_hand_over_its_rows() -> None:
    with pytest.raises(DataError, match="cannot be read as Arrow data: the query failed"):
        read(Unreadable())


def test_a_table_without_rows() -> None:
    with pytest.raises(DataError, match=pattern("formats.pyarrow_table_has_no_rows_give_at")):
        read(TABLE.slice(0, 0))


@pytest.mark.parametrize(("levels", "kept"), [(15, True), (16, True), (17, False), (40, False)])
def test_objects_of_more_than_16_levels_are_kept_as_json(levels: int, kept: bool) -> None:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    [row] = rows(read([{"answer": "a", "meta": value}]))
    found = row["meta"]
    assert (found if kept else json.loads(found)) == value


def test_rows_are_counted_over_all_batches() -> None:
    kind = pa.list_(pa.struct([("id", pa.string()), ("grade", pa.float64())]))
    good: list[Any] = [[{"id": "d", "grade": 1.0}]]
    batches = [pa.array(good * 3, kind), pa.array([], kind), pa.array([*good, [{"id": "d", "grade": math.nan}]], kind)]
    table = pa.table({"relevance": pa.chunked_array(batches)})
    with pytest.raises(DataError, match=r"row 5: "):
        read(table)


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("references", [["a", "b"], None], pa.large_list(pa.large_string())),
        ("references", [["a"], []], pa.list_(pa.string_view())),
        ("retrieved_scores", [[1.5], None], pa.large_list(pa.float32())),
        ("retrieved_scores", [[1, 2]], pa.list_(pa.int64(), 2)),
        ("relevance", [[{"id": "d", "grade": 1}]], pa.list_(pa.struct({"id": pa.large_string(), "grade": pa.int8()}))),
        ("relevance", [[("d", 1.0), ("e", 0.0)], [], None], pa.map_(pa.string(), pa.float64())),
        ("relevance", [[("d", 1.0)]], pa.map_(pa.large_string(), pa.int32())),
        ("answer", ["x", None], pa.large_string()),
        ("answer", ["x", "x"], pa.dictionary(pa.int8(), pa.string())),
    ],
)
def test_arrow_columns_are_read_without_a_step_per_value(
    column: str, values: list[Any], kind: pa.DataType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object, **__: object) -> None:
        pytest.fail("values were read one by one")

    monkeypatch.setattr("ragauge.formats.fields.each", slow)
    monkeypatch.setattr("ragauge.formats.documents.judgements", slow)
    beside = {"retrieved": [["a"] * len(values[0])] * len(values)} if column == "retrieved_scores" else {}
    table = pa.table({column: pa.array(values, kind), **beside})
    expected = [dict(one) if pa.types.is_map(kind) and one is not None else one for one in values]
    found = [row[column] for row in rows(read(table))]
    judged = (
        [one if one is None else {pair["id"]: pair["grade"] for pair in one} for one in found]
        if pa.types.is_map(kind)
        else found
    )
    assert judged == expected


def test_rows_are_numbered_over_all_parts_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.formats.tables._ROWS", 2)
    with pytest.raises(DataError) as caught:
        read([{"answer": True if row in (1, 2, 4, 6) else "a"} for row in range(7)])
    assert list(caught.value.problems) == [f"row {row}: answer must be text; got true" for row in (2, 3, 5, 7)]
