"""Functions, coroutine functions and objects are called; a call that takes too long is left."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ragauge.errors import UsageError
from ragauge.systems import calling
from ragauge.systems.calling import Caller, function_of, name_of


class Chain:
    """As LangChain's."""

    def invoke(self, question: str) -> str:
        return f"invoked {question}"

    async def ainvoke(self, question: str) -> str:
        raise AssertionError(question)


class AsyncEngine:
    """As LlamaIndex's query engines."""

    async def aquery(self, question: str) -> str:
        return f"awaited {question}"


class Program:
    """As DSPy's modules."""

    def __call__(self, question: str) -> str:
        return f"called {question}"


class AsyncProgram:
    async def __call__(self, question: str) -> str:
        return f"called {question}"


class Pipeline:
    def run(self, question: str) -> str:
        return f"ran {question}"


async def coroutine(question: str) -> str:
    await asyncio.sleep(0)
    return f"awaited {question}"


def returning_a_coroutine(question: str) -> Any:
    return coroutine(question)


@contextmanager
def called(system: Any, timeout: float | None = None) -> Iterator[Caller]:
    caller = Caller(system, timeout)
    try:
        yield caller
    finally:
        caller.close()


@pytest.mark.parametrize("timeout", [None, 60.0])
@pytest.mark.parametrize(
    ("system", "answer"),
    [
        (str.upper, "Q"),
        (coroutine, "awaited q"),
        (returning_a_coroutine, "awaited q"),
        (functools.partial(coroutine), "awaited q"),
        (Chain(), "invoked q"),
        (AsyncEngine(), "awaited q"),
        (Program(), "called q"),
        (AsyncProgram(), "called q"),
        (Pipeline(), "ran q"),
        (Pipeline().run, "ran q"),
    ],
)
def test_systems_of_many_kinds(system: Any, answer: str, timeout: float | None) -> None:
    with called(system, timeout) as caller:
        assert caller("q").columns == {"answer": answer}


def test_a_running_event_loop_is_left_alone() -> None:
    async def notebook() -> str:
        with called(coroutine) as caller:
            return str(caller("q").columns)

    assert asyncio.run(notebook()) == "{'answer': 'awaited q'}"


def test_all_coroutines_share_one_loop() -> None:
    loops = set()

    async def system(question: str) -> str:
        loops.add(id(asyncio.get_running_loop()))
        return question

    with called(system) as caller:
        threads = [threading.Thread(target=caller, args=("q",)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(loops) == 1


def test_a_slow_call_is_left_and_a_slow_coroutine_cancelled() -> None:
    release, cancelled = threading.Event(), []

    def slow(question: str) -> str:
        release.wait(60)
        return question

    async def slow_coroutine(question: str) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(question)
            raise
        return question

    with called(slow, 0.05) as caller:
        assert caller("q").failure == "no answer within 0.05 s"
    release.set()
    with called(slow_coroutine, 0.05) as caller:
        assert caller("q").failure == "no answer within 0.05 s"
    assert cancelled == ["q"]


def test_the_systems_own_time_out_is_its_own() -> None:
    async def system(_: str) -> str:
        raise TimeoutError("of the client")

    with called(system, 60.0) as caller:
        outcome = caller("q")
    assert (outcome.failure, outcome.is_temporary) == ("TimeoutError: of the client", True)


def test_no_more_threads_than_allowed_are_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "MOST_HANGING", 2)
    release = threading.Event()
    with called(lambda _: release.wait(60), 0.01) as caller:
        for _ in range(2):
            assert caller("q").failure == "no answer within 0.01 s"
        assert caller("q").failure == "2 calls that took too long have not ended yet"
        release.set()


@pytest.mark.parametrize("system", [None, 3, object(), Chain, {"invoke": 1}])
def test_what_cannot_be_asked_is_refused(system: Any) -> None:
    with pytest.raises(UsageError, match="system must be a function"):
        function_of(system)


def test_names() -> None:
    assert name_of(coroutine) == "tests.systems.test_calling:coroutine"
    assert name_of(functools.partial(coroutine)) == name_of(coroutine)
    assert name_of(Chain()) == "tests.systems.test_calling:Chain"
    assert name_of(Chain().invoke) == "tests.systems.test_calling:Chain.invoke"


@pytest.mark.parametrize("key", ["input", "question"])
def test_a_system_that_wants_an_object_gets_one(key: str) -> None:
    class Own:
        def invoke(self, given: Any) -> Any:
            return f"answer to {given[key]}"

    caller = Caller(Own())
    assert [caller(question).columns for question in ("谁？", "কে?")] == [
        {"answer": "answer to 谁？"},
        {"answer": "answer to কে?"},
    ]


def test_an_error_that_an_object_does_not_mend_stays() -> None:
    def wrong(given: Any) -> Any:
        raise TypeError(f"no {type(given).__name__}")

    failure = Caller(wrong)("Who?").failure
    assert failure is not None
    assert "no str" in failure


def test_an_object_that_is_written_as_json_is_read() -> None:
    text = '{"answer": "林婉", "context": ["林婉种茶。"]}'
    outcome = Caller(lambda _question: text)("谁？")
    assert outcome.columns == {"answer": "林婉", "contexts": ["林婉种茶。"]}
    assert outcome.renamed == {"answer": "JSON in a text.answer", "contexts": "JSON in a text.context"}
    for alone in (
        '{"answer": "林婉"}',
        '```json\n{"answer": "林婉"}\n```',
        ' ```\n{"response": "林婉"}\n```\n',
        '{"result": "林婉"}',
        '```{"answer": "林婉"}```',
        b'{"answer": "\xe6\x9e\x97\xe5\xa9\x89"}',
        '[{"answer": "林婉"}]',
        '"\\u6797\\u5a49"',
        '"{\\"answer\\": \\"林婉\\"}"',
        '{"choices": [{"message": {"role": "assistant", "content": "林婉"}}]}',
        '{"data": {"text": "林婉"}}',
        'data: {"delta": "林"}\n\ndata: {"delta": "婉"}\n\ndata: [DONE]\n\n',
        '{"response": "林"}\n{"response": "婉"}\n',
    ):
        outcome = Caller({"谁？": alone}.get)("谁？")
        assert outcome.columns == {"answer": "林婉"}
        assert outcome.renamed["answer"].startswith("JSON in a text.")
    sure = Caller({"谁？": '{"answer": "林婉", "confidence": 0.9}'}.get)("谁？")
    assert sure.columns == {"answer": "林婉", "confidence": 0.9}


@pytest.mark.parametrize(
    "answer",
    [
        '{"answer": "a", "contexts": [',
        '{"a": 1, "a": 2}',
        "{" * 9,
        '{"name": "林婉"}',
        '{"answer": {"name": "林婉"}}',
        '{"answer": true}',
        '{"answer": "a", "response": "b"}',
        '{"answer": "a"} {"answer": "b"}',
        'As JSON:\n```json\n{"answer": "林婉"}\n```',
        '["answer"]',
        '"林婉"',
        '"林婉," she said',
        '{"person": {"text": "林婉"}}',
        "data: the plural of datum",
        'data: {"n": 1}',
        '{"text": "a"}\n# comment\n',
    ],
)
def test_a_text_that_is_no_object_with_one_answer_stays_a_text(answer: str) -> None:
    assert Caller({"谁？": answer}.get)("谁？").columns == {"answer": answer}


def test_a_page_of_html_is_a_failure_but_under_answer() -> None:
    page = "\n<!DOCTYPE html><title>登录</title>"
    failure = Caller(lambda _question: page)("谁？").failure
    assert failure is not None
    assert failure.startswith("the system returned a page of HTML, <!DOCTYPE html>")
    assert Caller(lambda _question: {"answer": page})("谁？").columns == {"answer": page}


def test_a_function_that_wants_more_than_the_question_is_told_how_to_be_asked() -> None:
    def search(question: str, top_k: int) -> str:
        return f"{question}{top_k}"

    def ask(*, text: str) -> str:
        return text

    def talk(question: str, history: Any, k: int, *more: Any) -> str:
        return f"{question}{history}{k}{more}"

    with pytest.raises(UsageError, match=r"alone; write lambda question: search\(question=question, top_k=TOP_K\)"):
        Caller(search)
    with pytest.raises(UsageError, match=r"write lambda question: ask\(text=question\)"):
        Caller(ask)
    with pytest.raises(UsageError, match=r"talk\(question=question, history=HISTORY, k=K\)"):
        Caller(talk)
    assert Caller(functools.partial(talk, k=3)).conversation is None
    assert Caller(functools.partial(search, top_k=3))("?").columns == {"answer": "?3"}


@pytest.mark.parametrize("method", ["ask", "answer", "predict"])
def test_objects_are_asked_by_plain_words_too(method: str) -> None:
    assert Caller(type("Bot", (), {method: lambda _self, question: question})())("สี").columns == {"answer": "สี"}
