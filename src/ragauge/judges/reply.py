"""The answer of a judge to one request, as it is cached, and the value of the reply in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, cast, get_args

from ragauge.core.ingredients import Check, Question, Structured
from ragauge.errors import excerpt
from ragauge.judges.prompts import Prompts
from ragauge.judges.structured import NotJson, problem, read_json

# Tokens for a second reply where the first was cut off within a thought; models seldom think longer over one question.
_ROOM = 4096
_CLIPPED = ("length", "max_tokens", "MAX_TOKENS")
_FILTERED = ("content_filter", "safety", "SAFETY")
_LONGEST_SHOWN = 200
MOST_TOKENS = 1 << 53
"""A server that counts more, which no float holds exactly, counts wrongly."""
# Each message has some tokens around it.
_TOKENS_OF_MESSAGE = 8


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: four letters of ASCII are one, any other character is one.

    That is near the truth for English and for Chinese, Japanese and Thai, and high for other languages.

    >>> tokens_of("Who wrote it?"), tokens_of("是谁写的？")
    (4, 5)
    """
    ascii_letters = len(text.encode("ascii", "ignore"))
    return -(-ascii_letters // 4) + len(text) - ascii_letters


def estimated_tokens(messages: tuple[tuple[str, str], ...]) -> int:
    """Estimate the tokens of messages.

    >>> estimated_tokens((("user", "Who wrote it?"),)), estimated_tokens((("user", "是谁写的？"),))
    (12, 13)
    """
    return sum(tokens_of(text) + _TOKENS_OF_MESSAGE for _, text in messages)


def token_count(value: Any) -> int:
    """Return the tokens that a server says it counted; 0 where that is no number that they can be."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS
    return int(value) if usable else 0


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of a judge to one request.

    Args:
        text: the text of the reply; empty if there is none.
        finish: why it ended, in the words of the server: ``stop``, ``length``, ``content_filter``.
        refusal: the words with which the judge refused; empty if it did not.
        prompt_tokens: tokens of the request, as the server counted them.
        completion_tokens: tokens of the reply.
        estimated: whether tokens are estimated from the texts, because the server did not count them.
        seconds: how long it took.
        structured: how the form of the reply was held.
        refused: parameters that the server refused, so that they were not sent, joined by ``/``.
        protocol: that in which a judge that finds it out was asked; empty for any other judge.
        labels: the probability of each label, where they were wanted and given.
        unfit: whether its question found it malformed or wrong, which only the question can tell.
    """

    text: str
    finish: str = "stop"
    refusal: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    structured: Structured = "parsed"
    refused: str = ""
    protocol: str = ""
    labels: Mapping[str, float] | None = None
    estimated: bool = False
    unfit: bool = False

    def counted(self, messages: tuple[tuple[str, str], ...], max_tokens: int) -> Answer:
        """Return it with tokens estimated where the server counted none.

        A reply that was truncated has the most tokens that it may have; thoughts that the server does not send
        cannot be known.

        >>> Answer(text="A drink.").counted((("user", "What is tea?"),), 64).completion_tokens
        2
        """
        wrote = max_tokens > 0 and (bool(self.text or self.refusal) or self.finish in _CLIPPED)
        if self.prompt_tokens and (self.completion_tokens or not wrote):
            return self
        written = max_tokens if self.finish in _CLIPPED else min(tokens_of(self.text + self.refusal), max_tokens)
        prompt = self.prompt_tokens or estimated_tokens(messages)
        return replace(self, prompt_tokens=prompt, completion_tokens=self.completion_tokens or written, estimated=True)

    @property
    def is_empty(self) -> bool:
        """Whether the server answered with nothing, which may pass: another time it may reply."""
        return not (self.text.strip() or self.refusal or self.finish in (*_CLIPPED, *_FILTERED))

    @property
    def failed(self) -> bool:
        """Whether it is no reply: refused, filtered, truncated, empty, without JSON, or unfit for its question."""
        if self.unfit or self.refusal or self.finish in _FILTERED or self.is_empty:
            return True
        try:
            read_json(self.text, alone=self.finish in _CLIPPED)
        except ValueError:
            return True
        return False

    def to_json(self) -> str:
        """Write it as JSON; ValueError or TypeError where a value is not one that `from_json` reads."""
        values = asdict(self.checked())
        # Only an unfit answer says so: caches of others keep their form.
        if not self.unfit:
            del values["unfit"]
        return json.dumps(values, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Answer:
        """Read what `to_json` wrote; ValueError or TypeError where the text is anything else."""
        try:
            return cls(**json.loads(text)).checked()
        except RecursionError:
            raise ValueError("an answer is nested too deeply") from None

    def checked(self) -> Answer:
        """Return it as it is; ValueError or TypeError where a field has a value of another type or range."""
        if not isinstance(self.labels, Mapping | None) or not all(
            isinstance(one, bool) for one in (self.estimated, self.unfit)
        ):
            raise TypeError("a field of an answer has another type")
        texts = (self.text, self.finish, self.refusal, self.refused, self.protocol, *(self.labels or ()))
        shares = () if self.labels is None else self.labels.values()
        numbers = (self.prompt_tokens, self.completion_tokens, self.seconds, *shares)
        if not all(isinstance(one, str) for one in texts) or self.structured not in get_args(Structured):
            raise TypeError("a text of an answer has another type")
        if not all(isinstance(one, int | float) and 0 <= one <= MOST_TOKENS for one in numbers):
            raise ValueError("a number of an answer is out of range")
        return self

    def longer(self, most: int) -> int:
        """Return the most tokens of a reply that takes the place of this one, which was truncated after ``most``.

        A model that was still thinking, so that it wrote no JSON, gets room to think.

        >>> Answer(text='{"n": 12').longer(32), Answer(text="").longer(32)
        (64, 4096)
        """
        thinking = not self.text.lstrip().startswith(("{", "[", "```"))
        return max(2 * most, _ROOM if thinking else 0)

    def value(self, question: Question, check: Check) -> Any:
        """Return the value of the reply; Unusable where there is none, or it is wrong."""
        if self.refusal:
            raise Unusable("refused", excerpt(self.refusal), again=False)
        if self.finish in _FILTERED:
            raise Unusable("content-filter", "the server's filter took the reply away", again=False)
        clipped = self.finish in _CLIPPED
        if not self.text.strip():
            raise Unusable("truncated" if clipped else "empty", "the reply has no text")
        try:
            # JSON in a text that was truncated may be a thought, or a part of what was meant.
            value = read_json(self.text, question.schema, alone=clipped)
        except NotJson as error:
            # Without the dots: the words are in the question that follows, whose reply is cached under them.
            words = f"{error}: {excerpt(self.text)[:_LONGEST_SHOWN]!r}"
            raise Unusable("truncated" if clipped else "malformed", words) from None
        departs = problem(value, question.schema)
        if departs:
            raise Unusable("truncated" if clipped else "malformed", departs)
        complaint = check(question, value)
        if complaint:
            raise Unusable("wrong", complaint)
        return value


class Unusable(Exception):  # noqa: N818 - it becomes the reason of a reply
    """An answer that cannot be used. ``again``: asking once more, with the words, may help."""

    def __init__(self, code: str, words: str, *, again: bool = True) -> None:
        super().__init__(f"{code}: {words}")
        self.code = code
        self.words = words
        self.again = again


def asked_again(question: Question, answer: Answer, why: Unusable) -> tuple[tuple[str, str], ...]:
    """Return the messages that ask once more, with the reply and what is wrong with it."""
    if why.code in ("empty", "truncated"):
        return question.messages
    schema = json.dumps(cast("Any", question.schema), ensure_ascii=False)
    again = question.again or Prompts().template("again", "en")
    complaint = again.replace("{schema}", schema).replace("{problem}", why.words)
    return (*question.messages, ("assistant", answer.text), ("user", complaint))
