"""Replies that were cut off, that hold thoughts, or that have words around what is meant: never a wrong score."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.judges import FunctionJudge
from ragauge.judges.structured import NotJson, read_json, without_thoughts

from .conftest import ChatServer, chat_answer, no_complaint, question

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "enum": [0, 1, 2]}}, "required": ["n"]}


@pytest.mark.parametrize(
    "text",
    [
        '<think>Could it be {"n": 0}? No, the passages',
        'Let me weigh: {"n": 0} would be too low, because',
        '先想想：{"n": 0} 太低了，因为',
        'Может быть, {"n": 0}? Нет, потому что',
        '{"n": 0} は低すぎる、なぜなら',
        'ربما {"n": 0}؟ لا، لأن',
    ],
)
def test_json_in_a_text_that_was_cut_off_is_no_reply(server: ChatServer, text: str) -> None:
    server.reply = lambda body, turn: chat_answer(text, finish="length")
    assert server.asked().code == "truncated"
    # The model may have been thinking still, so it gets room to think.
    assert server.bodies[1]["max_tokens"] == (2048 if text.startswith("{") else 4096)


@pytest.mark.parametrize(
    "text", ['{"n": 1}', ' {"n": 1}\n', '```json\n{"n": 1}\n```', '<think>{"n": 0}?</think>{"n": 1}']
)
def test_json_that_ended_where_the_text_was_cut_off_is_a_reply(server: ChatServer, text: str) -> None:
    server.reply = lambda body, turn: chat_answer(text, finish="length")
    assert server.asked().value == {"n": 1}


@pytest.mark.parametrize(
    "text", ['<think>{"n": 0} hmm', 'Well. <THINKING>{"n": 0}', '{"n": 0}?</think> I do not know', "<reasoning>{"]
)
def test_a_thought_is_no_reply(text: str) -> None:
    with pytest.raises(NotJson):
        read_json(text)
    [reply] = FunctionJudge(lambda _: text, "thinks").ask([question("a")], no_complaint)
    assert (reply.code, reply.value) == ("malformed", None)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a<think>b</think>c", "ac"),
        ("a<think>b<think>c</think>d", "ad"),
        ("<think></think>" * 3 + "x", "x"),
        ("思<think>考</think>答", "思答"),
        ("a</think>b</think>c", "c"),
    ],
)
def test_what_is_left_without_thoughts(text: str, kept: str) -> None:
    assert without_thoughts(text) == kept


def test_many_thoughts_take_linear_time() -> None:
    assert without_thoughts("<think>" * 300_000) == ""


@pytest.mark.parametrize(
    "text",
    [
        'The rating is {"n": 2} since [1] says so.',
        'It is {"n": 2}, see {"page": 4}.',
        '{"n": 1}? No: {"n": 2} [1, 2]',
        '根据 [1]，评分为 {"n": 2}（见 [1]、[2]）。',
        '{"n": 2.0}',
        '"{n}" [] {"n": 2} {}',
    ],
)
def test_the_last_value_that_is_meant_counts(text: str) -> None:
    asked = question("a")
    asked = type(asked)(**{**vars(asked), "schema": SCHEMA})
    [reply] = FunctionJudge(lambda _: text, text).ask([asked], no_complaint)
    assert (reply.value, reply.requests) == ({"n": 2}, 1)
    assert isinstance(reply.value["n"], int)


def test_a_last_word_that_is_wrong_is_not_replaced_by_an_earlier_one() -> None:
    text = '{"n": 1}? No: {"n": "two"}'
    [reply] = FunctionJudge(lambda _: text, "wrong").ask([question("a")], no_complaint)
    assert reply.code == "malformed"


@pytest.mark.parametrize(("text", "value"), [("[2.5, 3.0]", [2.5, 3]), ('{"a": 1e300}', {"a": 1e300})])
def test_whole_numbers_are_integers(text: str, value: Any) -> None:
    assert repr(read_json(text)) == repr(value)
