"""What a task of a cluster does, without a cluster: read its share as the driver understood it, score it, send sums."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.engines.prepare import Prepared, prepare, request_of
from ragauge.engines.task import SUMS, Task, merged_rows, repeated_ids, sums_row, task_of, whole
from ragauge.errors import ColumnError, DataError, MissingExtraError, OptionError, RagaugeError, UsageError
from ragauge.evaluation.request import RunRequest
from tests.repeats import others_long

from .rows import METRICS, OPTIONS, RowsHere, by_id, sample_scores, table

SOURCE = "the rows"


def prepared(rows: pa.Table, metrics: Any = METRICS, *, scores: bool = False, **options: Any) -> Prepared:
    return prepare(RowsHere(rows), request_of(metrics, options), scores=scores)  # type: ignore[arg-type]


def sent(ready: Prepared, rows: pa.Table, shares: int, order: Sequence[int], *, numbered: bool = True) -> pa.Table:
    """Score ``shares`` of the rows, each by a task that has travelled."""
    edges = np.linspace(0, len(rows), shares + 1).astype(int)
    chosen = rows.select(list(ready.columns))
    batches: list[pa.RecordBatch] = []
    for share in order:
        task = task_of(ready.task.to_bytes())
        part = chosen.slice(edges[share], edges[share + 1] - edges[share])
        batches += task.rows(part.to_batches(max_chunksize=30), share if numbered else None)
    return pa.Table.from_batches(batches, ready.task.schema)


@pytest.mark.parametrize("shares", others_long([16, 2]))
@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.costly
def test_the_same_bits_as_in_one_process(shares: int, *, numbered: bool) -> None:
    rows = table().take(np.random.default_rng(shares).permutation(400))
    ready = prepared(rows, **OPTIONS)
    # The first share arrives twice, as from a task that was tried again.
    arriving = sent(ready, rows, shares, [0, *range(shares)], numbered=numbered)
    assert arriving.schema == SUMS
    assert "unread" not in ready.columns
    half = 1 + shares // 2
    tree = [row for part in (arriving.slice(0, half), arriving.slice(half)) for row in merged_rows(part.to_batches())]
    assert len(tree) == 2
    result = ready.result(whole((row for batch in tree for row in batch.to_pylist()), SOURCE))
    assert repr(result.table) == repr(ragauge.evaluate(table(), METRICS, **OPTIONS).table)


def test_scores_of_each_row_come_beside_the_sums() -> None:
    ready = prepared(table(), scores=True)
    arriving = sent(ready, table(), 3, range(3))
    assert arriving["part"].null_count == len(table())
    assert by_id(arriving.filter(arriving["id"].is_valid()).drop_columns(SUMS.names)) == sample_scores(table())


def test_a_task_is_made_once_in_a_process() -> None:
    content = prepared(table()).task.to_bytes()
    assert task_of(content) is task_of(content)


@pytest.mark.costly
def test_metrics_and_names_of_columns_are_chosen_as_in_one_process() -> None:
    names = {"question": "问题", "answer": "模型回答", "references": "参考答案", "lang": "语言"}
    rows = table(40).rename_columns(names)
    ready = prepared(rows, None, by="语言", resamples=0)
    here = ragauge.evaluate(rows, by="语言", resamples=0)
    arriving = sent(ready, rows, 3, range(3))
    result = ready.result(whole(arriving.to_pylist(), SOURCE))
    assert repr(result.table) == repr(here.table)
    assert dict(result.data.mapping) == dict(here.data.mapping)


def failing(ready: Prepared, rows: pa.Table, shares: int = 2) -> RagaugeError:
    with pytest.raises(RagaugeError) as caught:
        whole(sent(ready, rows, shares, range(shares)).to_pylist(), SOURCE)
    return caught.value


def test_wrong_rows_are_sent_in_place_of_sums() -> None:
    scores = pa.table({"id": [f"茶{i}" for i in range(300)], "retrieved": [["a", "b"]] * 300,
                       "retrieved_scores": [[1.0, 2.0] if i not in (120, 290) else [1.0] for i in range(300)],
                       "relevance": [[{"id": "a", "grade": 1.0}]] * 300})  # fmt: skip
    error = failing(prepared(scores, "mrr"), scores)
    assert isinstance(error, DataError)
    assert [line.partition(":")[0] for line in error.problems] == ["the row with id '茶120'", "the row with id '茶290'"]
    again = scores.set_column(0, "id", pa.array([f"茶{i if i != 250 else 251}" for i in range(300)]))
    good = again.drop_columns(["retrieved_scores"])
    assert str(failing(prepared(good, "mrr"), good)) == "the rows: two rows have the id '茶251'; ids must be unique"
    absent = good.set_column(0, "id", pa.array([None if i == 299 else str(i) for i in range(300)]))
    assert str(failing(prepared(absent, "mrr"), absent)) == "the rows: 1 row has no id; give every row an id of its own"


def test_an_error_that_is_not_of_rows_comes_back_once_and_as_it_was() -> None:
    rows = [sums_row(None, {"UsageError": ["the model is not here"]}) for _ in range(3)]
    with pytest.raises(UsageError, match=r"\Athe model is not here\Z"):
        whole((row for batch in merged_rows(rows) for row in batch.to_pylist()), SOURCE)


def test_a_column_that_only_later_rows_imply() -> None:
    passages = [[{"text": "Tee", **({"id": "d"} if i > 100 else {"id": None})}] for i in range(200)]
    rows = pa.table({"id": [str(i) for i in range(200)], "answer": ["Tee"] * 200, "contexts": passages})
    error = failing(prepared(rows, "groundedness"), rows)
    assert "column retrieved is in some rows only" in str(error)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"bye": "lang"}, OptionError, "evaluate on a cluster has no option 'bye'; did you mean by"),
        (
            {"map": 3},
            OptionError,
            "'map' of evaluate must be a dict with names of columns as keys and texts as values",
        ),
        ({"ci": 2}, OptionError, "'ci' of evaluate must be a number between 0 and 1, as in 0.95; got 2"),
        ({"cluster": "documnet"}, ColumnError, "the data have no column 'documnet'; did you mean document"),
        ({"map": {"id": "document"}, "by": "x"}, DataError, "two rows have the id 'doc0'"),
        ({"preset": "rag"}, UsageError, "give metrics or a preset, not both"),
    ],
)
def test_wrong_options(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        prepared(table(), **options)


def test_rows_without_ids_get_those_of_one_process() -> None:
    rows = table().drop_columns(["id"])
    ready = prepared(rows, ["bleu", "ndcg@10"], by="topic")
    assert ready.id is None
    alone = ragauge.evaluate(rows, ["bleu", "ndcg@10"], by="topic")
    made = [one for batch in ready.task.made_ids(rows.to_batches(max_chunksize=70)) for one in batch["id"].to_pylist()]
    assert made == list(alone.ids[0].to_pylist())
    merged = whole(sent(ready, rows, 3, range(3)).to_pylist(), SOURCE)
    assert repr(ready.result(merged).table) == repr(alone.table)
    twice = pa.concat_tables([rows, rows.slice(7, 1)])
    again = [one for batch in ready.task.made_ids(twice.to_batches()) for one in batch["id"].to_pylist()]
    assert again[-1] == again[7]
    error = repeated_ids(SOURCE, [again[7]], "id", has_own=False)
    assert str(error) == (
        f"the rows: several rows have the same content (its hash is {again[7]})\n"
        "They are told apart by ids alone: add a column of ids, each its own"
    )


def test_wrong_rows_without_ids_are_named_by_their_text() -> None:
    scores = pa.table({"question": [f"茶{i}？" for i in range(300)], "retrieved": [["a", "b"]] * 300,
                       "retrieved_scores": [[1.0, 2.0] if i != 290 else [1.0] for i in range(300)],
                       "relevance": [[{"id": "a", "grade": 1.0}]] * 300})  # fmt: skip
    error = failing(prepared(scores.slice(0, 200), "mrr"), scores)
    assert isinstance(error, DataError)
    assert [line.partition(":")[0] for line in error.problems] == ["the row with question '茶290？'"]


def test_each_row_by_its_language() -> None:
    rows = table()
    here = RowsHere(rows, 3)
    by_language = RunRequest(metrics=["bleu", "rouge-l"], lang="column")
    ready = prepare(here, by_language, scores=False)
    assert here.asked == ["lang"]
    merged = whole(sent(ready, rows, 3, range(3)).to_pylist(), SOURCE)
    alone = ragauge.evaluate(rows, ["bleu", "rouge-l"], lang="column")
    assert repr(ready.result(merged).table) == repr(alone.table)
    assert [note for note in ready.data.notes if note.startswith("tokenizer ")] == [
        note for note in alone.data.notes if note.startswith("tokenizer ")
    ]
    with pytest.raises(ColumnError, match="needs the column language"):
        prepare(RowsHere(rows.drop_columns(["lang"])), by_language, scores=False)
    many = pa.concat_tables([rows] * 26).set_column(7, "lang", pa.array([f"l{i}" for i in range(10_400)]))
    with pytest.raises(UsageError, match=r"the column lang has more than 10,000 values, too many for languages"):
        prepare(RowsHere(many), by_language, scores=False)


def test_samples_and_scores_make_a_run_that_loads(tmp_path: Path) -> None:
    rows = table()
    options: Any = OPTIONS
    ready = prepare(RowsHere(rows), request_of(list(METRICS), options), scores=False, samples=True)
    content = sent(ready, rows, 3, range(3))
    scored = content.filter(content["id"].is_valid())

    def tables(names: Sequence[str]) -> Iterator[pa.Table]:
        yield from (scored.slice(start, 90).select(list(names)) for start in range(0, len(scored), 90))

    result = ready.with_samples(whole(content.to_pylist(), SOURCE), tables)
    alone = ragauge.evaluate(rows, METRICS, **OPTIONS)
    assert repr(result.table) == repr(alone.table)
    result.save(tmp_path / "run")
    back = ragauge.load(tmp_path / "run")
    assert repr(back.table) == repr(alone.table)
    assert back.data.rows == 400
    columns = pa.concat_tables([batch.table() for batch in back.data.batches()])
    assert {"question", "answer", "unread", "topic"} <= set(columns.column_names)
    places = {one: place for place, one in enumerate(columns["id"].to_pylist())}
    assert [columns["answer"][places[one]].as_py() for one in rows["id"].to_pylist()] == rows["answer"].to_pylist()


def test_rows_of_another_form() -> None:
    with pytest.raises(DataError, match="the rows: has no rows; give at least one"):
        whole([], SOURCE)


@pytest.mark.parametrize(("module", "engine"), [("pyspark", "spark"), ("ray", "ray")])
def test_the_library_is_named_where_it_is_missing(module: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    evaluate = import_module(f"ragauge.engines.{engine}").evaluate
    with pytest.raises(MissingExtraError, match=rf"engine '{engine}' needs .*; run: pip install 'ragauge\[{engine}\]'"):
        evaluate(None, "bleu")


def test_a_task_does_not_need_the_order_of_columns() -> None:
    ready = prepared(table(), "bleu")
    assert isinstance(ready.task, Task)
    backwards = table().select(list(reversed(table().column_names)))
    one = whole(sent(ready, backwards, 2, range(2)).to_pylist(), SOURCE)
    assert repr(ready.result(one).table) == repr(ragauge.evaluate(table(), "bleu").table)


def a_metric_of_a_script(sample: ragauge.Sample) -> float:
    return float(len(sample.answer or ""))


def test_a_metric_that_workers_cannot_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(a_metric_of_a_script, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "a_metric_of_a_script", a_metric_of_a_script, raising=False)
    metric = ragauge.metric(name="of-a-script", needs=("answer",))(a_metric_of_a_script)
    with pytest.raises(
        UsageError, match="defined in the script or notebook itself, which workers cannot import; put it"
    ):
        prepared(table(), metric).task.to_bytes()
