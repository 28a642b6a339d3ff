"""Bodies of the answers of chat servers: text, tokens, and the probabilities of labels."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from ragauge.core.ingredients import Question
from ragauge.judges.chat import read_answer
from ragauge.judges.reply import Unusable
from ragauge.judges.request import NoAnswer, Request
from ragauge.metrics.judged._forms import rating
from tests.fuzz.making import NUMBERS, as_json, damaged
from tests.fuzz.targets.exports import _OTHERS, changed

_FORM = rating("rubric", 1, 5)
_QUESTION = Question(
    prompt="rubric", version="1", messages=(("user", "How good is it?"),), schema=_FORM.schema, max_tokens=32,
    label=_FORM.label, labels=_FORM.labels,
)  # fmt: skip


def _body(logprobs: list[Any]) -> Any:
    tops = [{"token": label, "logprob": one} for label, one in zip("12345", logprobs, strict=False)]
    tokens = [{"token": '{"rating":'}, {"token": " 4", "logprob": -0.1, "top_logprobs": tops}, {"token": "}"}]
    message = {"role": "assistant", "content": '{"rating": 4}'}
    choice = {"message": message, "finish_reason": "stop", "logprobs": {"content": tokens}}
    return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}


_BODIES = st.builds(
    lambda logprobs, others, seed: as_json(changed(_body(logprobs), others, Random(seed))),  # noqa: S311 - no secret
    st.lists(st.one_of(st.floats(-10, 0), NUMBERS), max_size=5),
    _OTHERS,
    st.integers(0, 2**32),
)
STRATEGY = st.one_of(_BODIES, damaged(_BODIES))


def target(data: bytes) -> None:
    """Read a body; the probabilities in it are shares, and add to 1."""
    try:
        answer = read_answer(data, Request(question=_QUESTION, messages=_QUESTION.messages, max_tokens=32))
    except NoAnswer:
        return
    if answer.labels is not None:
        assert set(answer.labels) == set(_FORM.labels)
        assert all(0.0 <= share <= 1.0 for share in answer.labels.values())
        assert sum(answer.labels.values()) == pytest.approx(1.0)
    assert answer.prompt_tokens >= 0
    assert answer.completion_tokens >= 0
    counted = replace(answer).counted(_QUESTION.messages, 32)
    json.loads(counted.to_json())
    try:
        value = counted.value(_QUESTION, lambda question, reply: _FORM.complaint({}, reply))
    except Unusable:
        return
    assert value["rating"] in range(1, 6)
