"""Typed questions about one text, which a decision model answers with probabilities: how they are sent and read.

Each is a mapping as in OpenAI's ``/v1/decisions``: ``type`` and ``instructions``, and of a ``choice`` its ``choices``,
of a ``score`` its ``levels``. A request to a judge holds them as messages: the text has the role ``state``, each
question the role ``question``, as JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ragauge.core.messages import Message
from ragauge.judges.prompts import Messages

Typed: TypeAlias = Mapping[str, Any]
Shares: TypeAlias = Sequence[float]
"""Of a predicate its probability, else the probability of each option, in their order."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"probabilities": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}},
    "required": ["probabilities"],
}
"""The schema of the reply to a request with typed questions: a list of shares for each, in their order."""
MOST_LEVELS = 10
"""Servers take no score of more levels."""
# Servers round probabilities, and give them in 32 bits.
_OFF = 0.02
_SHOWN = 60


class OtherProbabilitiesError(Exception):
    """Answers are not probabilities of what was asked; ``message`` says why."""

    def __init__(self, template: str, *arguments: object) -> None:
        self.message = Message(template, *arguments)
        super().__init__(self.message)


ONE_EACH = "RG-JUDGE-078 there must be one answer for each of {count} questions; got {given}"


def predicate(instructions: str) -> Typed:
    """Return a question whose answer is the probability that ``instructions`` hold."""
    return {"type": "predicate", "instructions": instructions}


def scale(instructions: str, levels: Mapping[str, str]) -> Typed:
    """Return a question for one of several levels, the lowest first: name -> description, empty for none."""
    if len(levels) > MOST_LEVELS:
        return choice(instructions, levels)
    described = [{"label": name, **({"description": text} if text else {})} for name, text in levels.items()]
    return {"type": "score", "instructions": instructions, "levels": described}


def choice(instructions: str, options: Mapping[str, str]) -> Typed:
    """Return a question for one of several options: name -> description, empty for none."""
    described = [{"value": name, **({"description": text} if text else {})} for name, text in options.items()]
    return {"type": "choice", "instructions": instructions, "choices": described}


def options_of(asked: Typed) -> list[str]:
    """Return the names of the options of a question, in their order; none of a predicate."""
    return [one.get("value", one.get("label")) for one in asked.get("choices", asked.get("levels", ()))]


def as_messages(state: str, asked: Sequence[Typed]) -> Messages:
    """Return the messages of a request about ``state``."""
    return ("state", state), *(("question", json.dumps(one, ensure_ascii=False)) for one in asked)


def of_messages(messages: Messages) -> tuple[str, list[Typed]]:
    """Return the text and the questions of a request that `as_messages` made; ValueError for any other."""
    if [role for role, _ in messages] != ["state", *["question"] * (len(messages) - 1)]:
        raise ValueError("the request holds no typed questions")
    return messages[0][1], [json.loads(text) for _, text in messages[1:]]


def shares_of(asked: Sequence[Typed], given: Sequence[Any]) -> list[list[float]]:
    """Return the shares of each question; OtherProbabilitiesError where ``given`` has no such ones.

    ``given``: of each question, in their order, a number for a predicate; else a number for each option, in their order
    or by name.

    >>> shares_of([predicate("It rains."), choice("Which?", {"a": "", "b": ""})], [0.25, {"b": 0.9, "a": 0.1}])
    [[0.25], [0.1, 0.9]]
    """
    given = _plain(given)
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence) or len(given) != len(asked):
        count = len(given) if isinstance(given, Sequence | Mapping) else 0
        raise OtherProbabilitiesError(ONE_EACH, len(asked), count)
    return [_shares(number, one, value) for number, (one, value) in enumerate(zip(asked, given, strict=True), 1)]


def _shares(number: int, asked: Typed, given: Any) -> list[float]:
    names = options_of(asked)
    if not names:
        return [_probability(number, given)]
    if isinstance(given, Mapping):
        keys = [str(key) for key in given]
        indices = [str(place) for place in range(len(names))]
        order = indices if asked["type"] == "score" and sorted(keys) == sorted(indices) else names
        if sorted(keys) != sorted(order):
            shown = ", ".join(keys)[:_SHOWN]
            template = "RG-JUDGE-080 question {number} must have the options {names}; got {shown}"
            raise OtherProbabilitiesError(template, number, ", ".join(names), shown)
        by_key = dict(zip(keys, given.values(), strict=True))
        given = [by_key[key] for key in order]
    given = _plain(given)
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != len(names):
        template = "RG-JUDGE-081 question {number} must have one probability for each of {count} options"
        raise OtherProbabilitiesError(template, number, len(names))
    shares = [_probability(number, one) for one in given]
    total = math.fsum(shares)
    if abs(total - 1) > _OFF:
        template = "RG-JUDGE-082 the probabilities of question {number} must add to 1; they add to {total:.3g}"
        raise OtherProbabilitiesError(template, number, total)
    return [share / total for share in shares]


def _plain(given: Any) -> Any:
    """Return numbers of NumPy or of another library of arrays as Python's, and other values as they are."""
    return given.tolist() if hasattr(given, "tolist") else given


def _probability(number: int, value: Any) -> float:
    value = _plain(value)
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    if not usable or not 0 <= value <= 1:
        shown = repr(value)[:_SHOWN]
        template = "RG-JUDGE-083 the probability of question {number} must be from 0 to 1; got {shown}"
        raise OtherProbabilitiesError(template, number, shown)
    return float(value)
