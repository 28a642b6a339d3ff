"""A judge that is a Python function: any client that a program has already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from ragauge.core.functions import OfFunction
from ragauge.core.registry import ingredient
from ragauge.errors import excerpt
from ragauge.judges.base import JudgeBase, NoAnswer, Request
from ragauge.judges.reply import Answer


@ingredient("judge", "function")
@dataclass(frozen=True)
class FunctionJudge(OfFunction, JudgeBase):
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

    function: Callable[[Sequence[tuple[str, str]]], str | Answer] | None = field(
        default=None, repr=False, metadata={"option": False}
    )
    parallel: int = field(default=8, metadata={"option": False})

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
            replied = self.function(request.messages)  # type: ignore[misc]  # it is there from the beginning
            answer = replied if isinstance(replied, Answer) else Answer(text=str.__str__(str(replied)))
        except BaseException as error:
            if issubclass(type(error), KeyboardInterrupt):
                raise
            raise NoAnswer("no-answer", excerpt(error), alone=True) from error
        return answer if answer is replied else replace(answer, seconds=monotonic() - begun)
