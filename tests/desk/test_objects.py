"""Objects as people have them in Python: of plain classes, of frameworks, beside their question."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.core.batch import concatenated
from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from tests.skips import FRAMES


class Document:
    """A document of somebody's own; ``name``: of the attribute with its text."""

    def __init__(self, name: str, text: str) -> None:
        setattr(self, name, text)


class Answer:
    """A response of somebody's own, like that of LlamaIndex."""

    def __init__(self) -> None:
        self.response = "Anna."
        self.source_nodes = [SimpleNamespace(node=SimpleNamespace(text="Anna grows tea.", node_id="n1"), score=0.5)]


def row_of(data: object) -> dict[str, Any]:
    dataset = read(data)
    [row] = concatenated(dataset.batches()).table().drop_columns(["id"]).to_pylist()
    return dict(row)


@pytest.mark.parametrize("name", ["page_content", "text", "content"])
@pytest.mark.parametrize("kind", [Document, lambda name, text: SimpleNamespace(**{name: text, "metadata": {}})])
def test_passages_are_objects_with_a_text(name: str, kind: Any) -> None:
    for column in ("contexts", "docs", "context"):
        row = {"question": "谁？", "answer": "林婉。", column: [kind(name, "林婉种茶。"), kind(name, "茶产于云南。")]}
        assert row_of([row])["contexts"] == ["林婉种茶。", "茶产于云南。"]


@pytest.mark.parametrize("name", ["page_content", "text", "content", "answer", "response"])
def test_an_answer_is_an_object_with_a_text(name: str) -> None:
    for answer in (SimpleNamespace(**{name: "林婉。"}), {name: "林婉。", "tokens": 3}):
        row = row_of([{"query": "谁？", "response": answer, "references": [answer]}])
        assert row == {"question": "谁？", "answer": "林婉。", "references": ["林婉。"]}


def test_rows_are_objects_of_a_plain_class() -> None:
    assert row_of([SimpleNamespace(question="Кто?", answer="Анна.", _own=1)]) == {"question": "Кто?", "answer": "Анна."}


def test_a_response_beside_its_question() -> None:
    for response in (Answer(), {"response": "Anna.", "source_nodes": [{"node": {"text": "Anna grows tea."}}]}):
        row = row_of([{"query": "Who?", "response": response, "topic": "tea"}])
        assert (row["question"], row["answer"], row["topic"]) == ("Who?", "Anna.", "tea")
        assert row["contexts"] == ["Anna grows tea."]


def test_an_exception_is_why_a_sample_failed() -> None:
    error = TimeoutError("no answer")
    error.request = object()  # type: ignore[attr-defined]
    rows = [{"answer": None, "references": ["a"], "failure": error}, {"answer": "a", "references": ["a"]}]
    result = ragauge.evaluate(rows, "token-f1", resamples=0)
    assert (result["token-f1"].failed, result["token-f1"].value) == (1, 1.0)


def test_no_group_is_none() -> None:
    assert ragauge.evaluate([{"answer": "a", "references": ["a"]}], "bleu", by=None, resamples=0)["bleu"].scored == 1


class Slots:
    """A row of a class with slots, some of them of its base and private."""

    __slots__ = ("_own", "answer", "question")

    def __init__(self) -> None:
        self.question, self.answer, self._own = "Кто?", "Анна.", 1


class Properties:
    """A row of a class whose fields are properties."""

    def __init__(self) -> None:
        self._answer = "林婉。"

    @property
    def question(self) -> str:
        return "谁？"

    @property
    def answer(self) -> str:
        return self._answer


def test_rows_are_objects_with_slots_or_properties() -> None:
    assert row_of([Slots()]) == {"answer": "Анна.", "question": "Кто?"}
    assert row_of([Properties()]) == {"question": "谁？", "answer": "林婉。"}


def _series(package: str) -> Callable[[Iterable[Any]], Any]:
    return lambda items: pytest.importorskip(package, reason=FRAMES).Series(list(items))


class Array:
    """An array of a package that ragauge does not know, as those of torch and JAX are."""

    def __init__(self, items: Iterable[Any]) -> None:
        self._items = np.array(list(items))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._items.astype(dtype)

    def tolist(self) -> list[Any]:
        return list(self._items.tolist())


@pytest.mark.parametrize(
    "as_list",
    [
        Array,
        np.array,
        pa.array,
        deque,
        tuple,
        iter,
        lambda items: dict.fromkeys(items).keys(),
        lambda items: (one for one in items),
        lambda items: map(str, items),
        _series("pandas"),
        _series("polars"),
    ],
)
def test_lists_are_columns_arrays_generators_and_keys(as_list: Callable[[list[Any]], Any]) -> None:
    row = {
        "retrieved_ids": as_list(["д1", "文2"]),
        "relevant_ids": as_list(["文2"]),
        "contexts": as_list(["茶。", "Чай."]),
    }
    read_row = row_of([{**row, "answer": "a", "references": as_list(["a", "b"])}])
    assert (read_row["retrieved"], read_row["contexts"]) == (["д1", "文2"], ["茶。", "Чай."])
    assert (read_row["relevance"], read_row["references"]) == ([{"id": "文2", "grade": 1.0}], ["a", "b"])


def test_ids_are_ranges_paths_and_whole_numbers_with_a_point() -> None:
    row = row_of([{"id": 7.0, "retrieved_ids": range(3), "relevant_ids": [2.0]}])
    assert (row["retrieved"], row["relevance"]) == (["0", "1", "2"], [{"id": "2", "grade": 1.0}])
    row = row_of([{"retrieved_ids": [PurePosixPath("a/茶.md")], "relevant_ids": 2.0}])
    assert (row["retrieved"], row["relevance"]) == (["a/茶.md"], [{"id": "2", "grade": 1.0}])
    frame = pytest.importorskip("pandas").DataFrame({"retrieved_ids": [[1, 2], [3]], "relevant_ids": [2.0, None]})
    batch = concatenated(read(frame).batches())
    assert batch.column("relevance").to_pylist() == [[{"id": "2", "grade": 1.0}], None]
    with pytest.raises(DataError, match=r"got the number 2\.5: write each id as text"):
        read([{"retrieved_ids": [1, 2], "relevant_ids": [2.5]}])


def test_grades_are_pairs_and_objects_that_say_relevant() -> None:
    judged = [{"id": "d1", "grade": 0.0}, {"id": "д2", "grade": 1.0}]
    for relevance in ([["d1", 0], ("д2", 1)], [{"id": "d1", "relevant": False}, {"id": "д2", "is_relevant": True}]):
        assert row_of([{"retrieved": ["d1"], "relevance": relevance}])["relevance"] == judged


@pytest.mark.parametrize("column", ["contexts", "reference_contexts", "gold_contexts"])
def test_passages_in_one_text_are_one_and_split_as_the_note_says(column: str) -> None:
    rows = [{"retrieved_contexts": ["a"], column: "茶。|Чай."}] if column != "contexts" else [{column: "茶。|Чай."}]
    known = "contexts" if column == "contexts" else "reference_contexts"
    whole = read(rows)
    [batch] = whole.batches()
    assert batch.column(known).to_pylist() == [["茶。|Чай."]]
    [note] = whole.notes
    assert "1 field is one text, read as one passage; if it holds several, pass split=" in note
    name = note.partition("split={'")[2].partition("'")[0]
    [batch] = read(rows, split={name: "|"}).batches()
    assert batch.column(known).to_pylist() == [["茶。", "Чай."]]


def test_an_answer_is_the_last_message_of_a_completion() -> None:
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "谁？"}]
    completion = [{"role": "assistant", "content": "Hm."}, {"role": "assistant", "content": "林婉。"}]
    row = row_of([{"prompt": prompt, "completion": completion}])
    assert row == {"question": "谁？", "answer": "林婉。"}
    with pytest.raises(DataError, match="answer must be text; got a list"):
        read([{"answer": [{"role": "user", "content": "谁？"}]}])


def test_two_columns_of_one_name_are_named() -> None:
    pandas = pytest.importorskip("pandas")
    for first in ("a", 1):
        frame = pandas.DataFrame([[first, "a", "q"], ["x", "b", "q"]], columns=["答案", "答案", "reference"])
        with pytest.raises(DataError, match="two columns are named 答案; rename one"):
            read(frame)


@pytest.mark.parametrize(
    "answer",
    [
        ["林婉。"],
        ("林婉。",),
        {"role": "assistant", "content": [{"type": "text", "text": "林"}, {"type": "text", "text": "婉。"}]},
        [{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "林婉。"}],
        [{"role": "user", "content": "谁？"}, {"type": "ai", "content": ["林", "婉。"]}],
    ],
)
def test_an_answer_is_a_list_of_one_text_or_the_parts_of_a_message(answer: Any) -> None:
    assert row_of([{"answer": answer, "reference": "茶"}]) == {"answer": "林婉。", "references": ["茶"]}


@pytest.mark.parametrize(
    "answer", [["a", "b"], [], [{"type": "image", "url": "x"}], [{"role": "user", "content": "?"}, 3]]
)
def test_an_answer_of_several_texts_or_none_is_refused(answer: Any) -> None:
    with pytest.raises(DataError, match="answer must be text"):
        row_of([{"answer": answer, "reference": "茶"}])


@pytest.mark.parametrize(
    "references",
    [
        {"text": ["a", "б"]},
        [{"text": ["a", "б"], "answer_start": [1, 2]}],
        ["a", {"text": ["б"]}],
        "frozenset({'a', 'б'})",
    ],
)
def test_alternatives_are_the_texts_of_an_object(references: Any) -> None:
    assert row_of([{"answer": "a", "references": references}])["references"] == ["a", "б"]


@pytest.mark.parametrize("value", [True, date(2020, 1, 1), [None], {"text": [1, None]}, {"a": "b"}])
def test_what_is_no_text_is_told_how_to_become_one(value: Any) -> None:
    with pytest.raises(DataError, match=r"must be text; got .*\nWrite each as text, in pandas with frame\[column\]"):
        read([{"answer": "a", "references": value}])


@pytest.mark.parametrize("ids", ["[d2, d3]", "['d2']", "('d2', 'd3')", "{d2,d3}", "frozenset({'d2'})"])
@pytest.mark.parametrize("column", ["retrieved", "relevant_ids"])
def test_a_list_in_a_text_beside_one_id(ids: str, column: str) -> None:
    rows = [{"retrieved": ["d2"], "relevant_ids": ["d2"], column: ids}]
    rows += [{"retrieved": ["d4"], "relevant_ids": ["d4"], column: "d4"}]
    assert ragauge.evaluate(rows, "hit-rate", resamples=0)["hit-rate"].value == 1


@pytest.mark.parametrize("name", ["context", "문맥", "Context"])
def test_an_ambiguous_column_stops_only_metrics_that_read_passages(name: str) -> None:
    rows = [{"question": "谁？", "answer": "茶", "reference": "茶", name: "茶产于云南。"}]

    def own(sample: ragauge.Sample) -> bool:
        return bool(sample[name] == "茶产于云南。")

    reads: list[Any] = ["groundedness", ["exact-match", "context-recall"], None]
    others: list[Any] = ["exact-match", [own], ["exact-match", own]]
    for metrics in others:
        result = ragauge.evaluate(rows, metrics, resamples=0)
        assert [one.value for one in result.table] == [1] * len(result.table)
        assert any(f"column {name} was kept but not read: it may hold" in note for note in result.data.notes)
    for metrics in reads:
        result = ragauge.evaluate(rows, metrics, resamples=0)
        assert any(f"column {name} was read as the passages that the" in note for note in result.data.notes)
        with pytest.raises(ColumnError, match=f"column {name} is ambiguous"):
            ragauge.evaluate(rows, metrics, resamples=0, strict=True)
    with pytest.raises(ColumnError, match="is ambiguous"):
        ragauge.evaluate(iter(rows), "exact-match", resamples=0)


def test_structured_and_record_arrays_have_columns() -> None:
    kind = [("question", "U9"), ("answer", "U9"), ("reference", "S9")]
    table = np.array([("谁？", "林婉", b"Lin"), ("When?", "1990", b"1990")], dtype=kind)
    for data, value in ((table, 0.5), (table.view(np.recarray), 0.5), (table[1], 1.0), (table[:1], 0.0)):
        assert ragauge.evaluate(data, "exact-match", resamples=0)["exact-match"].value == value
    ids: Any = np.array(
        [("who", ["d1", "d2"], {"d2": 1})], dtype=[("query", "O"), ("retrieved", "O"), ("gold_ids", "O")]
    )
    assert ragauge.evaluate(ids, "mrr", resamples=0)["mrr"].value == 0.5
