"""A chain or a pipeline that describes its inputs gets the question where it wants it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import itemgetter, methodcaller
from types import SimpleNamespace
from typing import Any

import pytest

from ragauge.errors import excerpt
from ragauge.systems.calling import Caller
from ragauge.systems.inputs import function_with_keys, input_of


class Chain:
    """As LangChain's: it gives the JSON Schema of its input."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def get_input_jsonschema(self) -> Any:
        return {} / 0 if self.schema is None else self.schema  # type: ignore[operator]

    def invoke(self, given: Any) -> Any:
        return {"answer": str(given)}


OBJECT = {"type": "object", "properties": {"lang": {}, "question": {}}}


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        (OBJECT, {"question": "茶?"}), ({**OBJECT, "required": ["lang"]}, {"lang": "茶?"}), ({"type": "string"}, "茶?"),
        ({"type": "object", "properties": {}}, "茶?"), ({}, "茶?"), (None, "茶?"), ("odd", "茶?"),
        ({"type": "object", "required": ["input", "query"]}, {"input": "茶?"}),
        ({"type": "object", "required": ["root"]}, {"input": "茶?"}),
    ],
)  # fmt: skip
def test_chains(schema: Any, given: Any) -> None:
    assert input_of(Chain(schema))("茶?") == given
    assert Caller(Chain(schema))("茶?").columns == {"answer": str(given)}


def test_a_graph_that_cannot_describe_its_state() -> None:
    graph = Chain(None)
    graph.builder = SimpleNamespace(channels={"docs": None, "question": None})  # type: ignore[attr-defined]
    assert input_of(graph)("茶?") == {"question": "茶?"}
    assert Caller(graph)("茶?").columns == {"answer": "{'question': '茶?'}"}


def test_pipelines() -> None:
    text = {"type": str, "is_mandatory": True}
    prompt = {**text, "type": Any}
    inputs = {"retriever": {"query": text, "top_k": {"type": int, "is_mandatory": True}}, "llm": {"prompt": prompt},
              "ranker": {"query": {"type": str, "is_mandatory": False}}}  # fmt: skip
    pipeline = SimpleNamespace(inputs=lambda: inputs, add_component=None, run=None)
    assert input_of(pipeline)("茶?") == {"retriever": {"query": "茶?"}, "llm": {"prompt": "茶?"}}


class Chat:
    def chat(self, message: str) -> Any:
        return SimpleNamespace(response=message.upper(), source_nodes=[])


class Retriever:
    def retrieve(self, query: str) -> Any:
        return [SimpleNamespace(node=SimpleNamespace(text=query, node_id="n1"), score=0.5)]


def test_chat_engines_and_retrievers() -> None:
    assert Caller(Chat())("tea").columns == {"answer": "TEA", "contexts": []}
    assert Caller(Retriever())("茶").columns == {"contexts": ["茶"], "retrieved": ["n1"], "retrieved_scores": [0.5]}


class Response:
    """As one of httpx or requests."""

    def __init__(self, status: int, body: Any, kind: str = "application/json") -> None:
        self.status_code, self.body, self.headers, self.text = status, body, {"content-type": kind}, str(body)

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            error: Any = RuntimeError(f"status {self.status_code}")
            error.response = self
            raise error

    def json(self) -> Any:
        return self.body


def test_responses_of_http_clients() -> None:
    assert Caller(lambda _: Response(200, {"answer": "茶"}))("?").columns == {"answer": "茶"}
    assert Caller(lambda _: Response(200, "茶", "text/plain"))("?").columns == {"answer": "茶"}
    for status, is_temporary in ((500, True), (400, False)):
        outcome = Caller(SimpleNamespace(invoke=partial(Response, status)))("?")
        assert (outcome.failure, outcome.is_temporary) == (f"RuntimeError: status {status}", is_temporary)


def test_a_chain_with_a_key_of_its_own_is_told_to_write_a_function() -> None:
    outcome = Caller(itemgetter("topic"))("茶?")
    assert outcome.failure == (
        "KeyError: 'topic': it was given input, question, query, user_input, prompt, text; give it all keys by a "
        "function, lambda question: system({'question': question, 'topic': 'VALUE'}), with the question under the "
        "key where it reads it"
    )


class Prompt(Chain):
    """As a prompt of LangChain: its error names the variables that it lacks in a sentence."""

    def invoke(self, given: Any) -> Any:
        lacking = {name for name in self.schema["required"] if name not in given}
        if lacking:
            raise KeyError(
                f"Input to Prompt is missing variables {lacking}.  Expected: ['frage', 'lang'] Received: [...]"
            )
        return str(given)


class Broken(Chain):
    def __init__(self, schema: Any, error: Exception) -> None:
        super().__init__(schema)
        self.error = error

    def invoke(self, _: Any) -> Any:
        raise self.error


class Lookup(Chain):
    def invoke(self, given: Any) -> Any:
        return given["question"] + given["lang"]


@pytest.mark.parametrize(
    ("system", "given", "lacking"),
    [
        (Prompt({"type": "object", "required": ["frage", "lang", "tone"]}), ["frage"], ["lang", "tone"]),
        (Lookup({"type": "object", "required": ["question", "lang"]}), ["question"], ["lang"]),
    ],
)
def test_a_chain_that_wants_more_keys_names_them_all_and_the_advised_line_works(
    system: Any, given: list[str], lacking: list[str]
) -> None:
    failure = str(Caller(system)("茶?").failure)
    assert failure.startswith(f"KeyError: {', '.join(map(repr, lacking))}: it was given {', '.join(given)}; ")
    line = failure.partition("by a function, ")[2].partition("), with")[0] + ")"
    assert Caller(eval(line, {"system": system}))("茶?").failure is None  # noqa: S307 - the line that users are told to write


def test_any_other_error_of_a_key_is_shown_as_it_is() -> None:
    assert Caller(lambda question: dict[str, str]()[question])("茶?").failure == "KeyError: '茶?'"
    for schema in ({"type": "object", "required": ["question"]}, {"type": "object", "properties": {"question": {}}}):
        for error in (
            KeyError(),
            KeyError(3),
            KeyError("question"),
            *([KeyError("doc-7")] if "required" in schema else []),
        ):
            assert Caller(Broken(schema, error))("茶?").failure == excerpt(error)


def refusing(error: Exception, key: str = "query") -> Any:
    """Return a chain that raises ``error`` for a text, and reads ``key`` of an object."""

    def ask(given: Any) -> str:
        if isinstance(given, str):
            raise error
        return str(given[key])

    return ask


def only(*keys: str, says: str = "Extra inputs are not permitted: {extra}") -> Any:
    """Return a chain whose object may have ``keys`` alone."""

    def ask(given: Any) -> str:
        if not isinstance(given, dict):
            raise TypeError("Expected a dict, got str")
        extra = [name for name in given if name not in keys]
        if extra:
            raise ValueError(says.format(extra="\n".join(extra)))
        return str(given[keys[0]])

    return ask


def of_pydantic(given: Any) -> str:
    """As a model of pydantic with one field that refuses others."""
    if not isinstance(given, dict):
        raise SAID[8]
    if [*given] != ["Frage"]:
        extra = "".join(f"{name}\n  Extra inputs are not permitted\n" for name in given)
        raise ValueError(f"7 validation errors for Inputs\nFrage\n  Field required [type=missing]\n{extra}")
    return str(given["Frage"])


def by_keyword(*, query: str) -> str:
    return query


async def late(given: Any) -> str:
    if isinstance(given, str):
        raise TypeError("Expected a dict, got str")
    return str(given["question"])


def pieces(given: Any) -> Iterator[str]:
    yield str(given["question"])


KEYS = "input, question, query, user_input, prompt, text"
SAID = [
    TypeError("Expected a dict, got str"), ValueError("Input must be a dictionary"), KeyError("question"),
    KeyError("input"), KeyError("query"), TypeError("Expected mapping type as input to ChatPromptTemplate."),
    ValueError("Missing some input keys: {'query'}"), ValueError("input should be an object"),
    ValueError("1 validation error for Inputs\n  Input should be a valid dictionary or instance of Inputs"),
    TypeError("string indices must be integers, not 'str'"), ValueError("missing required field 'question'"),
    TypeError("'str' object is not a mapping"), AssertionError("inputs must be a dict"), ValueError("输入应为字典"),
    RuntimeError("Expected dict, got 茶?"), KeyError("问题"), ValueError("缺少字段 '问题'"),
    TypeError("辞書が必要です"),
]  # fmt: skip


@pytest.mark.parametrize("error", SAID, ids=str)
def test_a_chain_that_wants_an_object_gets_one_and_the_keys_are_logged_once(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caller = Caller(refusing(error))
    assert [caller(question).columns for question in ("茶?", "Tee?")] == [{"answer": "茶?"}, {"answer": "Tee?"}]
    assert caplog.messages == [f"the system takes an object, not a text: each question is given under the keys {KEYS}"]


@pytest.mark.parametrize(
    ("system", "keys"),
    [
        (refusing(TypeError("Expected a dict, got str"), "问题"), f"{KEYS}, 问题"),
        (itemgetter("Frage"), f"{KEYS}, Frage"), (only("query"), "query"), (only("text"), "text"),
        (of_pydantic, "Frage"),
        (only("query", says="unknown keys {extra}"), "query"), (late, KEYS), (pieces, KEYS),
        (lambda given: by_keyword(**given), "query"), (methodcaller("get", "prompt"), KEYS),
    ],
)  # fmt: skip
def test_the_keys_that_a_chain_wants_are_found(system: Any, keys: str, caplog: pytest.LogCaptureFixture) -> None:
    assert Caller(system)("茶?").columns == {"answer": "茶?"}
    assert caplog.messages[-1].endswith(f"under the keys {keys}")


def test_an_error_of_a_system_that_takes_no_object_either_is_that_of_the_text() -> None:
    outcome = Caller(methodcaller("foo"))("茶?")
    assert outcome.failure == "AttributeError: 'str' object has no attribute 'foo'"


def test_after_a_text_was_taken_no_object_is_tried() -> None:
    given: list[Any] = []

    def ask(question: Any) -> str:
        given.append(question)
        return "茶" if len(given) == 1 else question["text"]

    caller = Caller(ask)
    assert [caller("?").failure is None, caller("?").failure is None] == [True, False]
    assert given == ["?", "?"]


def test_an_output_without_a_meaning_is_not_asked_for_again() -> None:
    given: list[Any] = []
    assert "return a text, a mapping" in str(Caller(given.append)("?").failure)
    assert given == ["?"]


ASKED = [{"role": "user", "content": "茶？"}]


class OfMessages:
    """A chain whose input is a list of messages, and more ``others``."""

    def __init__(self, *others: str) -> None:
        self.names = ["messages", *others]

    def get_input_jsonschema(self) -> dict[str, Any]:
        properties = {name: {"type": "array" if name == "messages" else "string"} for name in self.names}
        return {"type": "object", "properties": properties, "required": sorted(self.names)}

    def invoke(self, given: Any) -> Any:
        absent = [name for name in self.names if name not in given]
        if absent:
            raise KeyError(absent[0])
        return given["messages"][-1]["content"]


def test_a_list_of_messages_gets_the_message_of_the_question() -> None:
    assert input_of(OfMessages())("茶？") == input_of(OfMessages("lang"))("茶？") == {"messages": ASKED}
    outcome = Caller(OfMessages("lang"))("茶？")
    line = "lambda question: system.invoke({'messages': [{'role': 'user', 'content': question}], 'lang': 'VALUE'})"
    assert line in str(outcome.failure)


def test_the_key_of_messages_is_found_by_the_first_call() -> None:
    def system(given: Any) -> Any:
        return {"answer": given["messages"][-1]["content"]}

    assert Caller(system)("茶？").columns == {"answer": "茶？"}

    def of_objects(given: Any) -> Any:
        return given["messages"][-1].content

    said = Caller(of_objects)("茶？").failure
    assert said == "AttributeError: 'dict' object has no attribute 'content'"


@pytest.mark.parametrize(("name", "value"), [("history", "[]"), ("chat_history", "[]"), ("lang", "'VALUE'")])
def test_what_to_write_for_a_key_is_of_its_kind(name: str, value: str) -> None:
    said = function_with_keys({}.get, KeyError(name), {"input": "茶？"})
    assert f"system.get({{'input': question, '{name}': {value}}})" in said
