"""Questions to a judge: order, asking once more, cached replies, and the reasons of failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.judges import Answer, FunctionJudge, Question, Session

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def question(text: str, **options: Any) -> Question:
    return Question(prompt="count", version="1", messages=(("user", text),), schema=SCHEMA, **options)


def no_complaint(_question: Question, _value: Any) -> str | None:
    return None


def length(messages: Sequence[tuple[str, str]]) -> str:
    return json.dumps({"n": len(messages[-1][1])})


def test_replies_come_in_the_order_of_the_questions() -> None:
    texts = [*map(str, range(100)), "猫", "١٢", "раз", "하나", "एक", "หนึ่ง"] * 2
    replies = FunctionJudge(length, "length").ask([question(text) for text in texts], no_complaint)
    assert [reply.value["n"] for reply in replies] == [len(text) for text in texts]


def test_equal_questions_are_one_request() -> None:
    seen: list[str] = []
    judge = FunctionJudge(lambda messages: seen.append(messages[-1][1]) or '{"n": 1}', "one")  # type: ignore[func-returns-value]
    with Session() as session:
        judge.ask([question("a"), question("a")], no_complaint, session)
        judge.ask([question("a"), question("b")], no_complaint, session)
        judge.ask([question("a", repeat=1)], no_complaint, session)
        assert (session.tally.total.calls, session.tally.total.cached) == (3, 1)
    assert sorted(seen) == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ("nonsense", "malformed"),
        ('{"m": 1}', "malformed"),
        ('{"n": 7}', "wrong"),
        ("", "empty"),
        ('{"n": NaN}', "malformed"),
    ],
)
def test_a_wrong_reply_is_asked_for_once_more(first: str, code: str) -> None:
    def check(_question: Question, value: Any) -> str | None:
        return "n must not be 7" if value["n"] == 7 else None

    asked: list[Any] = []

    def once_wrong(messages: Any) -> str:
        asked.append(messages)
        return first if len(asked) == 1 else '{"n": 1}'

    [reply] = FunctionJudge(once_wrong, "wrong").ask([question("a")], check)
    assert (reply.value, reply.requests) == ({"n": 1}, 2)
    if first:
        assert asked[1][1] == ("assistant", first)
        assert "cannot be used" in asked[1][2][1]
    [reply] = FunctionJudge(lambda _: first, "always wrong").ask([question("a")], check)
    assert (reply.status, reply.code, reply.value) == ("failed", code, None)


def test_a_refusal_and_a_filter_are_not_asked_again() -> None:
    for answer, code in (
        (Answer(text="", refusal="I cannot help with that."), "refused"),
        (Answer(text='{"n": 1}', finish="content_filter"), "content-filter"),
    ):
        [reply] = FunctionJudge(lambda _, answer=answer: answer, code).ask([question("a")], no_complaint)
        assert (reply.code, reply.requests) == (code, 1)


def test_an_error_of_the_function_fails_its_question_alone() -> None:
    def broken(messages: Any) -> str:
        if messages[-1][1] == "b":
            raise ValueError("down")
        return '{"n": 1}'

    replies = FunctionJudge(broken, "broken").ask([question(text) for text in "abc"], no_complaint)
    assert [reply.ok for reply in replies] == [True, False, True]
    assert replies[1].reason == "no-answer: ValueError: down"


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), asyncio.CancelledError(), None])
def test_whatever_a_function_raises_or_returns_fails_its_question_alone(error: BaseException | None) -> None:
    class Unreadable:
        def __str__(self) -> str:
            raise SystemExit

    def broken(messages: Any) -> Any:
        if messages[-1][1] != "b":
            return '{"n": 1}'
        if error is not None:
            raise error
        return Unreadable()

    replies = FunctionJudge(broken, "broken").ask([question(text) for text in "abc"], no_complaint)
    assert [reply.ok for reply in replies] == [True, False, True]
    assert replies[1].reason.startswith(f"no-answer: {type(error or SystemExit()).__name__}")


def test_a_second_run_asks_nothing(tmp_path: Any) -> None:
    questions = [question(text) for text in ("a", "b", "bad")]
    judge = FunctionJudge(lambda messages: "no" if "bad" in str(messages) else '{"n": 1}', "j")
    with Session(tmp_path / "judge.sqlite") as session:
        first = judge.ask(questions, no_complaint, session)
        assert session.tally.total.calls == 4
    with Session(tmp_path / "judge.sqlite") as session:
        second = judge.ask(questions, no_complaint, session)
        assert (session.tally.total.calls, session.tally.total.cached) == (0, 4)
    assert [(reply.value, reply.reason) for reply in first] == [(reply.value, reply.reason) for reply in second]
    assert all(reply.cached for reply in second)
    with Session(tmp_path / "judge.sqlite", offline=True) as session:
        replies = judge.ask([*questions, question("new")], no_complaint, session)
        assert [reply.code for reply in replies] == ["", "", "malformed", "offline"]


def test_limits_fail_what_is_not_asked() -> None:
    judge = FunctionJudge(length, "length", parallel=1)
    with Session(max_calls=3) as session:
        replies = judge.ask([question(str(number)) for number in range(5)], no_complaint, session)
    assert [reply.code for reply in replies] == ["", "", "", "budget", "budget"]


def test_a_dry_run_sends_nothing_and_goes_on_with_what_is_expected() -> None:
    def never(_messages: Any) -> str:
        raise AssertionError("sent")

    with Session(dry_run=True) as session:
        one, other = FunctionJudge(never, "never").ask(
            [question("a", expected={"n": 3}), question("b")], no_complaint, session
        )
        assert (one.value, other.code) == ({"n": 3}, "dry-run")
        assert session.tally.total.calls == 2
        assert session.tally.total.prompt_tokens > 0


def test_a_function_is_told_which_reply_is_wanted() -> None:
    judge = FunctionJudge(lambda _: '{"score": 1}', "of another form")
    [reply] = judge.ask([question("a", expected={"n": 3})], no_complaint)
    wanted = 'malformed: n is missing; the function must return JSON such as {"n": 3}'
    assert (reply.code, reply.reason) == ("malformed", wanted)
    [reply] = judge.ask([question("a")], no_complaint)
    assert '"required": ["n"]' in reply.reason


def of_number(number: int) -> Any:
    return lambda messages: json.dumps({"n": number})


class Numbered:
    def __init__(self, number: int) -> None:
        self.number = number

    def reply(self, _messages: Any) -> str:
        return json.dumps({"n": self.number})


def numbered(number: int, _messages: Any) -> str:
    return json.dumps({"n": number})


@pytest.mark.parametrize(
    "make", [of_number, lambda number: Numbered(number).reply, lambda number: partial(numbered, number)]
)
def test_functions_bound_to_other_values_share_no_cached_reply(make: Any, tmp_path: Path) -> None:
    for number in (1, 2):
        for calls in (1, 0):
            with Session(tmp_path / "cache") as session:
                [reply] = FunctionJudge(make(number)).ask([question("a")], no_complaint, session)
                assert (reply.value, session.tally.total.calls) == ({"n": number}, calls)


def test_a_function_that_cannot_be_told_from_others_is_asked_anew_with_a_note(tmp_path: Path) -> None:
    rows = [{"question": "谁？", "answer": "林婉。", "contexts": ["林婉。"]}]

    def make(rating: int, connection: object) -> Any:
        return lambda messages: json.dumps({"rating": [rating, str(connection)][0]})

    def scored(judge: Any, session: Session) -> Any:
        return ragauge.evaluate(rows, "judged-context-rating", judge=judge, session=session, resamples=0)

    for rating in (0, 2):
        with Session(tmp_path / "cache") as session:
            judge = FunctionJudge(make(rating, object()))
            results = [scored(judge, session) for _ in range(2)]
            assert {result.table[0].value for result in results} == {rating / 2}
            assert session.tally.total.calls == 1
        [note] = [note for note in results[0].data.notes if "do not find the cached replies of" in note]
        assert "FunctionJudge(function, 'name of the model')" in note
    with Session(tmp_path / "cache") as session:
        named = scored(FunctionJudge(make(1, object()), "model-1"), session)
    assert not [note for note in named.data.notes if "do not find" in note]
    assert not [note for note in scored(FunctionJudge(make(1, object())), Session()).data.notes if "find" in note]
