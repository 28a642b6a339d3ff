"""The probabilities of the labels of a rating come from the one token that is the rating, or there are none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

import ragauge
from ragauge.judges.structured import label_probabilities

from .conftest import ChatServer, chat_answer

ONE_TO_TEN = [str(number) for number in range(1, 11)]


def token(text: str, **alternatives: float) -> dict[str, Any]:
    """Return a token with the probabilities of its alternatives; ``_4`` is the alternative ``4``."""
    tops = [{"token": name.removeprefix("_"), "logprob": math.log(share)} for name, share in alternatives.items()]
    return {"token": text, "top_logprobs": tops}


def shares(*tokens: Mapping[str, Any], labels: list[str] = ONE_TO_TEN) -> dict[str, float] | None:
    found = label_probabilities(tokens, "rating", labels)
    return found and {label: round(share, 3) for label, share in found.items() if share}


BEFORE = token('{"rating": ')


def test_a_rating_that_is_one_token() -> None:
    whole = {"10": 0.75, "1": 0.05, "9": 0.2}
    assert shares(BEFORE, token("10", **whole), token("}")) == {"1": 0.05, "9": 0.2, "10": 0.75}
    assert shares(token('{"rating":'), token(" 4}", **{" 4}": 0.8, " 5": 0.2})) == {"4": 0.8, "5": 0.2}
    assert shares(token('{"rating'), token('":"'), token("4", _4=1.0), token('"}')) == {"4": 1.0}
    # Thoughts that name the same rating change nothing.
    assert shares(token('So "rating": 4, then '), BEFORE, token("4", _4=0.5, _5=0.5), token("}")) == {
        "4": 0.5,
        "5": 0.5,
    }


@pytest.mark.parametrize("text", ["10", "85", "100"])
def test_a_rating_of_several_tokens_has_no_probabilities(text: str) -> None:
    digits = [token(digit, **{digit: 0.99}) for digit in text]
    assert shares(BEFORE, *digits, token("}"), labels=[str(number) for number in range(101)]) is None


def test_a_token_that_may_begin_another_label_has_no_probabilities() -> None:
    # A tokenizer that takes digits one by one: the 1 may be that of 10.
    assert shares(BEFORE, token("1", _1=0.9, _9=0.1), token("}")) is None
    assert shares(BEFORE, token("9", _9=0.9, _1=0.1), token("}")) is None
    # Here 10 is a token of its own, or no label begins with another one.
    assert shares(BEFORE, token("1", **{"1": 0.9, "10": 0.1}), token("}")) == {"1": 0.9, "10": 0.1}
    assert shares(BEFORE, token("1", _1=0.9, _9=0.1), token("}"), labels=ONE_TO_TEN[:-1]) == {"1": 0.9, "9": 0.1}


@pytest.mark.parametrize(
    "tokens",
    [
        [BEFORE, token("4.0", _4=1.0), token("}")],
        [BEFORE, token("4", _4=1.0), token(".0}")],
        [BEFORE, token("4", _4=1.0)],
        [BEFORE, token("4", _5=1.0), token("}")],
        [BEFORE, token("4"), token("}")],
        [token('"rating": 3 or '), BEFORE, token("4", _4=1.0), token("}")],
        [token("no rating")],
        [],
    ],
    ids=["a fraction", "two tokens", "cut off", "not an alternative", "no alternatives", "two values", "none", "empty"],
)
def test_what_has_no_probabilities(tokens: list[Mapping[str, Any]]) -> None:
    assert shares(*tokens) is None


@pytest.mark.parametrize(
    ("text", "low", "high", "score"), [("10", 1, 10, 10.0), ("85", 0, 100, 85.0), ("4", 1, 5, 4.25)]
)
def test_the_score_is_the_rating_that_was_written(
    server: ChatServer, text: str, low: int, high: int, score: float
) -> None:
    digits = [token(digit, **({"4": 0.75, "5": 0.25} if digit == "4" else {digit: 0.99})) for digit in text]
    answer = chat_answer(f'{{"rating": {text}}}')
    answer["choices"][0]["logprobs"] = {"content": [BEFORE, *digits, token("}")]}
    server.reply = lambda body, turn: answer
    metric = f"judged-rubric:criteria=good,low={low},high={high}"
    rows = [{"question": "什么是茶？", "answer": "一种饮料。"}]
    result = ragauge.evaluate(rows, metric, judge=server.judge(), resamples=0)
    assert result[metric].value == pytest.approx(score)


@pytest.mark.parametrize("logprob", [math.nan, None, "-0.1", True, [0.5]])
@pytest.mark.parametrize("label", ["4", "5"])
def test_a_logprob_that_is_no_number_leaves_no_probabilities(logprob: Any, label: str) -> None:
    known = [{"token": one, "logprob": -0.7} for one in ("4", "5") if one != label]
    tops = [*known, {"token": label, "logprob": logprob}]
    assert shares(BEFORE, {"token": "4", "top_logprobs": tops}, token("}")) is None


@pytest.mark.parametrize("logprob", [-(10**400), -math.inf, -1e308])
def test_a_logprob_of_almost_nothing_is_a_probability_of_0(logprob: float) -> None:
    tops = [{"token": "4", "logprob": -0.7}, {"token": "5", "logprob": logprob}, {"token": "6"}]
    assert shares(BEFORE, {"token": "4", "top_logprobs": tops}, token("}")) == {"4": 1.0}
    sure = [{"token": "4", "logprob": 10**400}, {"token": "5", "logprob": 0.0}]
    assert shares(BEFORE, {"token": "4", "top_logprobs": sure}, token("}")) == {"4": 0.5, "5": 0.5}
