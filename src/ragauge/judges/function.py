"""A judge that is a Python function: any client that a program has already."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field, replace
from functools import cached_property
from secrets import token_hex
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from ragauge.core.function_names import described, name_of_function
from ragauge.core.functions import OfFunction
from ragauge.core.ingredients import Question
from ragauge.core.messages import Message
from ragauge.core.registry import ingredient
from ragauge.errors import excerpt
from ragauge.judges.base import JudgeBase
from ragauge.judges.reply import Answer
from ragauge.judges.request import NoAnswer, Request
from ragauge.judges.typed import OtherProbabilitiesError, Typed, of_messages, shares_of

if TYPE_CHECKING:
    from ragauge.endpoints.event_loop import EventLoop

_BEGINS = Lock()
"""Held while the event loop of a judge is made."""
Decide: TypeAlias = Callable[[str, Sequence[Typed]], Any]
"""Takes a text and questions about it; returns a probability for each, or those of its options."""
# Parameters of a function that gives probabilities: a text and questions about it, so many at once.
_STATE_AND_QUESTIONS, _QUESTIONS = 2, 1000
_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OF_FORM = ("malformed", "empty", "wrong")
_LOOKS_S = 0.1
"""Seconds after which it is looked whether the run was interrupted."""


@ingredient("judge", "function")
@dataclass(frozen=True)
class FunctionJudge(OfFunction, JudgeBase):
    """A function that takes the messages of a question, pairs of role and text, and returns the text of the reply.

    A function of two parameters is a decision model: it takes a text and a list of typed questions about it, each a
    mapping as in OpenAI's ``/v1/decisions``, and returns for each a probability, or those of its options.

    A coroutine function is one too: all its calls run on one event loop, so that a client keeps its connections. An
    exception of the function fails the question that it was called with. ``name`` is part of signatures and of keys of
    the cache: another model needs another name. Without one, what the function is bound to, as by a closure, and
    the functions of its module that it calls are part of the keys too; where these cannot be told from others, as a
    connection to a server, later runs ask again. What it reads elsewhere, as from a module, is not seen.

    >>> from ragauge.judges import Question
    >>> judge = FunctionJudge(lambda messages: '{"score": 4}', "always-4")
    >>> schema = {"type": "object", "required": ["score"]}
    >>> question = Question(prompt="p", version="1", messages=(("user", "How good is it?"),), schema=schema)
    >>> judge.ask([question], lambda question, value: None)[0].value
    {'score': 4}
    """

    methods: ClassVar[Mapping[str, str]] = {
        "invoke": "judge=lambda messages: model.invoke(messages).content",
        "complete": "judge=lambda messages: model.complete('\\n'.join(text for _, text in messages)).text",
    }

    function: Callable[[Sequence[tuple[str, str]]], str | Answer | Awaitable[str | Answer]] | Decide | None = field(
        default=None, repr=False, metadata={"option": False}
    )
    parallel: int = field(default=8, metadata={"option": False})

    @cached_property
    def questions_at_once(self) -> int:  # type: ignore[override]  # of the class where it writes text
        """The most typed questions of one call, where the function takes a text and questions; else 0."""
        try:
            taken = inspect.signature(self.function).parameters.values()  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return 0
        needed = [one for one in taken if one.kind in _BY_PLACE and one.default is one.empty]
        return _QUESTIONS if len(needed) == _STATE_AND_QUESTIONS else 0

    @property
    def signature(self) -> str:
        """The name."""
        return str(self)

    @property
    def identity(self) -> Any:
        """The name; without one of its own also what the function is bound to."""
        return [self.signature, bound] if (bound := self._bound) else self.signature

    @cached_property
    def asks_anew(self) -> bool:
        """Whether later runs ask again, because the function cannot be told from others of its source."""
        return self._is_named_by_place and described(self.function) is None

    @property
    def _is_named_by_place(self) -> bool:
        return self.name == name_of_function(self.function, self.name.partition("@")[0])

    @cached_property
    def _bound(self) -> str:
        if not self._is_named_by_place:
            return ""
        bound = described(self.function)
        return token_hex(16) if bound is None else bound

    def advised(self, question: Question, reason: str) -> str:
        """Return why a reply of the wrong form cannot be used, with one of the form that is wanted."""
        code, _, words = reason.partition(": ")
        if code not in _OF_FORM:
            return reason
        wanted = question.schema if question.expected is None else question.expected
        template = "RG-JUDGE-029 {reason}; the function must return JSON such as {example}"
        return NoAnswer(code, Message(template, words, json.dumps(wanted))).reason

    @cached_property
    def _loop(self) -> EventLoop:
        from ragauge.endpoints.event_loop import EventLoop

        return EventLoop()

    def _awaited(self, awaitable: Awaitable[Any], request: Request) -> Any:
        with _BEGINS:
            loop = self._loop
        future = loop.begin(awaitable)
        try:
            while not future.done():
                wait([future], _LOOKS_S)
                request.pause(0)
        except BaseException:
            future.cancel()
            raise
        output, error = future.result()
        if error is not None:
            raise error
        return output

    def answer(self, request: Request) -> Answer:
        """Call the function."""
        begun = monotonic()
        try:
            asked = of_messages(request.messages) if self.questions_at_once else None
            replied: Any = self.function(*(asked or (request.messages,)))  # type: ignore[misc]  # it is there
            if inspect.isawaitable(replied):
                replied = self._awaited(replied, request)
            if asked and not isinstance(replied, Answer):
                text = json.dumps({"probabilities": shares_of(asked[1], replied)})
                return Answer(text=text, seconds=monotonic() - begun)
            answer = replied if isinstance(replied, Answer) else Answer(text=str.__str__(str(replied)))
        except OtherProbabilitiesError as error:
            raise NoAnswer("malformed", error.message, alone=True) from None
        except BaseException as error:
            if issubclass(type(error), KeyboardInterrupt | NoAnswer):
                raise
            raise NoAnswer("no-answer", excerpt(error), alone=True) from error
        return answer if answer is replied else replace(answer, seconds=monotonic() - begun)
