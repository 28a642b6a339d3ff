"""A judge that is a Python function: any client that a program has already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from ragauge.errors import excerpt
from ragauge.judges.base import JudgeBase, NoAnswer, Request
from ragauge.judges.reply import Answer


@dataclass(frozen=True)
class FunctionJudge(JudgeBase):
    """A function that takes the messages of a question, pairs of role and text, and returns the text of the reply.

    An exception of the function fails the question that it was called with. ``name`` is part of signatures and of keys
    of the cache: another model needs another name.

    >>> from ragauge.judges import Question
    >>> judge = FunctionJudge(lambda messages: '{"score": 4}', "always-4")
    >>> schema = {"type": "object", "required": ["score"]}
    >>> question = Question(prompt="p", version="1", messages=(("user", "How good is it?"),), schema=schema)
    >>> judge.ask([question], lambda question, value: None)[0].value
    {'score': 4}
    """

    function: Callable[[Sequence[tuple[str, str]]], str | Answer]
    name: str
    parallel: int = 8

    def __str__(self) -> str:
        return f"function[name={self.name}]"

    @property
    def signature(self) -> str:
        """The name."""
        return str(self)

    @property
    def identity(self) -> Any:
        """The name."""
        return self.signature

    def answer(self, request: Request) -> Answer:
        """Call the function."""
        begun = monotonic()
        try:
            replied = self.function(request.messages)
        except Exception as error:
            raise NoAnswer("no-answer", excerpt(error), alone=True) from error
        if isinstance(replied, Answer):
            return replied
        return replace(Answer(text=str(replied)), seconds=monotonic() - begun)
