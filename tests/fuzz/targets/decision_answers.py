"""Bodies of the answers of decision models, in both protocols, and of chat servers that speak one of their own."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from ragauge.core.ingredients import Question
from ragauge.judges.chat import read_answer
from ragauge.judges.decisions import PROTOCOLS, read_decisions
from ragauge.judges.request import NoAnswer, Request
from ragauge.judges.typed import choice, options_of, predicate, scale
from ragauge.judges.wires import wire_of
from tests.fuzz.making import NUMBERS, as_json, damaged
from tests.fuzz.targets.exports import _OTHERS, changed

_ASKED = [predicate("It is."), scale("How?", {"0": "", "1": "", "2": ""}), choice("Which?", {"a": "", "b": ""})]
_QUESTION = Question(prompt="p", version="1", messages=(("user", "How?"),), schema={}, label="n", labels=("1", "2"))
_OTHER_CHATS = [wire_of(f"http://localhost{path}") for path in ("/api/chat", "/v1/messages")]


def _openai(shares: list[Any]) -> Any:
    levels = [{"value": place, "label": str(place), "probability": share} for place, share in enumerate(shares[1:4])]
    options = [{"value": name, "probability": share} for name, share in zip("ab", shares[4:], strict=False)]
    answers = [{"probability": shares[0]}, {"probabilities": levels}, {"probabilities": options}]
    return {"answers": [{"name": f"q{place}", **one} for place, one in enumerate(answers, 1)], "usage": {}}


def _system_one(shares: list[Any]) -> Any:
    levels = {str(place): share for place, share in enumerate(shares[1:4])}
    options = dict(zip("ab", shares[4:], strict=False))
    answers = {"q1": {"noul": shares[0]}, "q2": {"probabilities": levels}, "q3": {"probabilities": options}}
    return {"answers": answers, "usage": {"input_tokens": 9}}


def _ollama(shares: list[Any]) -> Any:
    tops = [{"token": str(place), "logprob": share} for place, share in enumerate(shares)]
    tokens = [{"token": '{"n": '}, {"token": "1", "top_logprobs": tops}, {"token": "}"}]
    return {"message": {"content": '{"n": 1}'}, "done_reason": "stop", "logprobs": tokens, "eval_count": shares[0]}


def _anthropic(shares: list[Any]) -> Any:
    usage = {"input_tokens": shares[0], "output_tokens": shares[1]}
    return {"content": [{"type": "text", "text": '{"n": 1}'}], "stop_reason": "end_turn", "usage": usage}


_SHARES = st.one_of(st.just([0.5, 0.25, 0.25, 0.5, 0.5, 0.5]), st.lists(NUMBERS, min_size=6, max_size=6))
_BODIES = st.builds(
    lambda make, shares, others, seed: as_json(changed(make(shares), others, Random(seed))),  # noqa: S311 - no secret
    st.sampled_from([_openai, _system_one, _ollama, _anthropic]),
    _SHARES,
    _OTHERS,
    st.integers(0, 2**32),
)
STRATEGY = st.one_of(_BODIES, damaged(_BODIES))


def target(data: bytes) -> None:
    """Read a body in each protocol; what is read are shares of what was asked, and can be cached."""
    for protocol in PROTOCOLS:
        with suppress(NoAnswer):
            answer = read_decisions(data, _ASKED, protocol)
            json.loads(answer.counted((("state", "x"),), 0).to_json())
            if not answer.refusal:
                for asked, shares in zip(_ASKED, json.loads(answer.text)["probabilities"], strict=True):
                    assert all(0.0 <= share <= 1.0 for share in shares)
                    assert len(shares) == max(1, len(options_of(asked)))
                    assert asked["type"] == "predicate" or sum(shares) == pytest.approx(1.0)
    for wire in _OTHER_CHATS:
        with suppress(NoAnswer):
            request = Request(question=_QUESTION, messages=_QUESTION.messages, max_tokens=32)
            json.loads(read_answer(data, request, wire=wire).counted(_QUESTION.messages, 32).to_json())
