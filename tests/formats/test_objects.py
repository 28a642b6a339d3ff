"""Objects of other libraries as plain values: what is a document, a row, a mapping, and what stays as it is."""

from __future__ import annotations

import json
from collections import UserDict, namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace
from typing import Any, ClassVar
from uuid import UUID

import numpy as np
import pytest

from ragauge.core.batch import concatenated
from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.objects import as_mapping, as_passage, is_convertible, plain_value, plain_values, rows_within


class Exporting:
    """An object with ``to_dict`` alone."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def to_dict(self) -> Any:
        return self.held


@dataclass
class Case:
    input: str
    hidden: str = field(default="secret", repr=False)


@dataclass
class Private:
    text: str
    _own: int = 1

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "exported": True}


@dataclass
class OnlyPrivate:
    _own: int = 1


class Model:
    """As pydantic's: its fields are named by the class."""

    model_fields: Mapping[str, Any] = {"question": None, "absent": None}
    model_extra: Mapping[str, Any] | None = None

    def __init__(self, **fields: Any) -> None:
        self.__dict__ |= fields

    def model_dump(self) -> Any:
        raise AssertionError


class Report:
    """As Haystack's result of an evaluation."""

    def __init__(self) -> None:
        self.run_name = "a"

    def detailed_report(self) -> Any:
        raise AssertionError

    def to_dict(self) -> Any:
        raise AssertionError


@dataclass
class Document:
    page_content: Any
    id: Any = None
    metadata: Any = None


@dataclass
class Described:
    """As Haystack's documents: a text, and a description beside it."""

    content: str
    meta: Any = None
    id: Any = None
    score: Any = None


@dataclass
class Message:
    content: str
    role: str
    meta: Any = None


@dataclass
class Scored:
    node: Any
    score: Any = None


class Colour(Enum):
    RED = "红"


Pair = namedtuple("Pair", ["question", "answer"])  # noqa: PYI024 - the plain kind is read too


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"a": 1}, {"a": 1}),
        (Pair("Who?", "Anna."), {"question": "Who?", "answer": "Anna."}),
        (Case("Who?"), {"input": "Who?", "hidden": "secret"}),
        (Private("茶"), {"text": "茶", "exported": True}),
        (OnlyPrivate(), None),
        (Exporting({"a": 1}), {"a": 1}),
        (Exporting([1]), None),
        (Model(question="Who?"), {"question": "Who?", "absent": None}),
        (Model(question="Who?", model_extra={"more": 1}), {"question": "Who?", "absent": None, "more": 1}),
        (Report(), {"run_name": "a"}),
        (SimpleNamespace(a=1), None),
        ("text", None),
        (3, None),
        ([1], None),
        (Case, None),
        (np.float64(3), None),
    ],
)
def test_fields(value: Any, fields: Any) -> None:
    assert as_mapping(value) == fields


@pytest.mark.parametrize(
    ("value", "passage"),
    [
        (Document("茶"), {"text": "茶"}),
        (Document("茶", "d1"), {"text": "茶", "id": "d1"}),
        (Document("茶", 7), {"text": "茶", "id": "7"}),
        (Document("茶", UUID(int=7)), {"text": "茶", "id": "00000000-0000-0000-0000-000000000007"}),
        (Document("茶", object()), {"text": "茶"}),
        (Document(None, "d1"), {"page_content": None, "id": "d1", "metadata": None}),
        (Described("茶", score=0.5), {"text": "茶", "score": 0.5}),
        (Described("茶", score=0), {"text": "茶", "score": 0}),
        (Described("茶", score="high"), {"text": "茶"}),
        (Scored(Document("茶", "d1"), 0.25), {"text": "茶", "id": "d1", "score": 0.25}),
        ({"text": "茶", "any": 1}, {"text": "茶", "any": 1}),
        ("茶", None),
    ],
)
def test_passages(value: Any, passage: Any) -> None:
    assert as_passage(value) == passage


class DataSet(Exporting):
    def __init__(self, **lists: Any) -> None:
        super().__init__({"exported": 1})
        self.__dict__ |= lists


def test_rows_within_an_object() -> None:
    assert rows_within(DataSet(samples=[1, 2], goldens=[3])) == [1, 2]
    assert rows_within(DataSet(test_cases=[], goldens=[3])) == [3]
    case = Case("Who?")
    assert rows_within(case) == [case]
    for none in ({"samples": [1]}, OnlyPrivate(), [1], "text", Case):
        assert rows_within(none) is None


@pytest.mark.parametrize(
    ("kind", "is_one"),
    [(UUID, True), (Colour, True), (Case, True), (Pair, True), (Exporting, True), (Document, True), (Report, True),
     (str, False), (bool, False), (float, False), (list, False), (dict, False), (set, False), (bytes, False),
     (SimpleNamespace, True), (np.ndarray, False), (type, False)],
)  # fmt: skip
def test_what_is_converted(kind: type, is_one: bool) -> None:
    assert is_convertible(kind) is is_one


def test_values_within_values() -> None:
    held = {"case": [Case("Who?"), (Document("茶", "d1"), Colour.RED)], 3: Pair(1, UUID(int=0))}
    assert plain_value(held) == {
        "case": [{"input": "Who?", "hidden": "secret"}, [{"text": "茶", "id": "d1"}, "红"]],
        "3": {"question": 1, "answer": "00000000-0000-0000-0000-000000000000"},
    }
    assert plain_value(Message("Who?", "user")) == {"content": "Who?", "role": "user", "meta": None}
    assert plain_value(Described("茶")) == {"text": "茶"}
    assert plain_value(Scored(Described("茶", id="n"), None)) == {"text": "茶", "id": "n"}
    assert plain_value({1, 2}) == {1, 2}
    assert plain_value(OnlyPrivate()) == OnlyPrivate()


def test_an_object_that_holds_itself_is_null_there() -> None:
    own: dict[str, Any] = {"name": "a"}
    own["parent"] = own
    assert plain_value(own) == {"name": "a", "parent": None}
    twice = Case("Who?")
    assert plain_value([twice, twice]) == [{"input": "Who?", "hidden": "secret"}] * 2


def test_a_column_without_objects_is_the_same_list() -> None:
    values: list[Any] = ["a", None, 3, [1, {"b": ("c",)}], {"d": [{}]}]
    assert plain_values(values) is values
    for place in ([Case("x")], {"a": Case("x")}, (Case("x"),), [[{"a": [Case("x")]}]]):
        column = ["a", place]
        converted = plain_values(column)
        assert converted is not column
        assert "input" in str(converted[1])


def nested(levels: int, inner: Any) -> Any:
    for _ in range(levels):
        inner = [inner]
    return inner


def test_levels_that_are_searched_and_converted() -> None:
    """A column is searched for objects 64 levels deep; objects within objects are converted as deep."""
    found, hidden = [nested(63, Case("x"))], [nested(64, Case("x"))]
    assert plain_values(found) is not found
    assert plain_values(hidden) is hidden
    chain: Any = "end"
    for _ in range(66):
        chain = {"next": chain}
    depth, value = 0, plain_value(chain)
    while isinstance(value, dict):
        depth, value = depth + 1, value["next"]
    assert (depth, value) == (65, None)


def test_rows_of_objects_are_read() -> None:
    rows = [{"question": "Who?", "answer": "Anna.", "contexts": [Document("茶", "d1"), Scored(Described("水"), 0.5)]}]
    [batch] = read(rows).batches()
    assert batch.column("contexts").to_pylist() == [["茶", "水"]]
    [batch] = read(DataSet(samples=[Pair("Who?", "Anna.")])).batches()
    assert (batch.column("question").to_pylist(), batch.column("answer").to_pylist()) == (["Who?"], ["Anna."])


def test_an_object_that_has_neither_rows_nor_fields_is_no_data() -> None:
    class Plain:
        answers: ClassVar[list[dict[str, str]]] = [{"question": "Who?"}]

    assert rows_within(Plain()) is None
    with pytest.raises(DataError, match=r"cannot read data of type .*Plain: give a path, a list of dicts"):
        read(Plain())


class Slots:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Own:
    """A class of somebody's own, with any attributes."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__ |= attributes


@pytest.mark.parametrize("text", ["Tea grows here.", "茶", "お茶", "차", "чай", "شاي", "चाय", "ชา"])
@pytest.mark.parametrize("kind", [Own, SimpleNamespace])
def test_objects_of_any_class_are_rows_and_passages(kind: Any, text: str) -> None:
    for name in ("page_content", "text", "content"):
        passages = [kind(**{name: text, "id": "d1", "score": 0.5}), Slots(text)]
        for row in ({"answer": text, "contexts": passages}, kind(answer=text, contexts=passages, _client=object())):
            [batch] = read([row]).batches()
            assert (batch.column("answer").to_pylist(), batch.column("contexts").to_pylist()) == ([text], [[text] * 2])
            assert "_client" not in batch.names
    assert plain_value([kind(role="user", content=text)]) == [{"role": "user", "content": text}]


class Span:
    """As a span of OpenTelemetry's SDK, which writes its JSON."""

    def __init__(self, kind: str, **attributes: str) -> None:
        self.attributes = {"openinference.span.kind": kind, **attributes}

    def to_json(self) -> str:
        context = {"trace_id": "0x0e50", "span_id": self.attributes["openinference.span.kind"]}
        return json.dumps({"name": "s", "context": context, "parent_id": None, "attributes": self.attributes})


def test_spans_as_they_are() -> None:
    found = {"retrieval.documents.0.document.content": "茶"}
    spans = [Span("CHAIN", **{"input.value": "Who?", "output.value": "Anna."}), Span("RETRIEVER", **found)]
    data = read(spans)
    assert data.notes[0] == "read as OpenTelemetry spans"
    [row] = concatenated(data.batches()).table().to_pylist()
    assert row == {"id": "0x0e50", "question": "Who?", "answer": "Anna.", "contexts": ["茶"], "span_id": "CHAIN"}


def test_an_object_without_a_text_is_no_passage() -> None:
    with pytest.raises(DataError, match="contexts item 1 must be a text or an object with a text; got an Own"):
        read([{"answer": "a", "contexts": [Own(title="Tea")]}])


def test_a_mapping_is_one_row_whatever_it_exports() -> None:
    class Row(UserDict[str, Any]):
        samples = (1, 2)

        def to_dict(self) -> dict[str, Any]:
            return {"question": "another"}

    assert rows_within(Row(question="Who?")) is None
