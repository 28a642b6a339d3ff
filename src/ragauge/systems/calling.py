"""Calling a system (a function, a coroutine function, or an object of a framework), and what comes of it."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import wait
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from math import inf
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, Protocol, TypeAlias, runtime_checkable

from ragauge.endpoints.event_loop import PATIENCE_S, EventLoop
from ragauge.errors import UsageError, excerpt, is_interrupt
from ragauge.formats.opening import LONGEST
from ragauge.systems.conversation import Said, conversation_of
from ragauge.systems.inputs import QuestionForm, check_signature, function_with_keys, with_documents
from ragauge.systems.objects import Allowance, BadOutputError, with_returned
from ragauge.systems.outputs import GIVEN, read_output
from ragauge.systems.pace import LONGEST_WAIT, asked_wait, cause_of, is_temporary
from ragauge.systems.replies import collected, unwrapped

METHODS = (
    "invoke", "ainvoke", "query", "aquery", "chat", "achat", "retrieve", "aretrieve", "run", "arun", "ask", "aask",
    "answer", "predict",
)  # fmt: skip
"""Methods by which an object that is not callable is asked, in the order in which they are looked for."""
MOST_HANGING = 64
"""Calls that may continue after their time was over: Python cannot stop a function from outside."""
_LONGEST_REASON = 500
"""Characters of a reason that are kept: some servers answer with a page."""


@runtime_checkable
class Chain(Protocol):
    """An object that is asked by ``invoke``, as those of LangChain; `METHODS` names the methods of others."""

    def invoke(self, question: Any, /) -> Any:
        """Return what the system makes of a question."""


System: TypeAlias = Callable[[str], Any] | Chain | Any
"""Takes a question; returns the answer, or a mapping or `Sample` with answer, contexts, retrieved and more."""


def function_of(system: System) -> Callable[[str], Any]:
    """Return the function or method by which ``system`` is asked; UsageError where there is none.

    >>> function_of(str.upper)("tea?")
    'TEA?'
    """
    methods = [getattr(system, name, None) for name in METHODS]
    if isinstance(system, type):
        raise UsageError(
            "RG-SYSTEM-006 system must be a function or an object that is asked; got the class {kind}: name an object "
            "of it, as after bot = {kind}()",
            system.__name__,
        )
    if callable(system):
        check_signature(system, TOLD)
        return system
    method = next(filter(callable, methods), None)
    if method is None:
        raise UsageError(
            "RG-SYSTEM-007 system must be a function that takes a question and returns an answer; got "
            "{system!r}, which has none of the methods {methods} either",
            system,
            ", ".join(METHODS),
        )
    return with_documents(system, method)


def name_of(system: System) -> str:
    """Return the name of a system by which its answers are recognised: module and name of its function or class.

    >>> name_of(str.upper), name_of({}.get)
    ('str.upper', 'dict.get')
    """
    function = getattr(system, "func", system)  # of a partial
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    module = getattr(function, "__module__", None) or ""
    return f"{module}:{name}" if module not in ("", "builtins") else name


TOLD = ("messages", "history")
"""Arguments, and places in the body of a request, that take what was said before."""
BY_BODY = "the body of a request"
"""How a server is told what was said before."""


def told_by(system: System) -> str:
    """Return how a system is told what was said before: by an argument, or `BY_BODY`; empty for not at all.

    >>> told_by(lambda question, history: question), told_by(lambda question: question)
    ('history', '')
    """
    if hasattr(system, "in_conversation"):
        return BY_BODY
    with suppress(TypeError, ValueError):
        names = [*inspect.signature(function_of(system)).parameters][1:]
        return next((name for name in TOLD if name in names), "")
    return ""


class LeftCallError(Exception):
    """A call was left, not begun or not answered; the message is the whole reason.

    ``is_temporary``: the same call may succeed later. A call that took too long is not tried again: that would hide how
    slow the system is. ``wait``: seconds that a server asked to wait before that. ``cause``: what it is counted under.
    """

    def __init__(
        self, why: str, *, is_temporary: bool = False, wait: float | None = None, cause: str = "no answer"
    ) -> None:
        super().__init__(why)
        self.is_temporary, self.cause = is_temporary, cause
        self.wait = None if wait is None else min(max(wait, 0.0), LONGEST_WAIT)


@dataclass(frozen=True)
class Outcome:
    """Outcome of one call.

    ``columns``: the answer as columns of JSON types; None where there is none, and then ``failure`` is the reason.
    ``renamed``: known column -> its name in what the system returned, where that is another. ``is_temporary``: the same
    call may succeed a moment later. ``wait``: seconds that a server asked to wait before that, if it did. ``cause``:
    what a failure is counted under, as `ragauge.systems.pace.cause_of` says. ``returned``: what the system returned, as
    JSON types, where it could not be read.
    """

    columns: Mapping[str, Any] | None = None
    failure: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    is_temporary: bool = False
    wait: float | None = None
    cause: str = ""
    returned: Any = None


def outcome_of(call: Callable[[], Outcome]) -> Outcome:
    """Return what ``call`` returns; whatever it raises is a failure, also SystemExit and cancellation.

    Only the user's Ctrl-C passes.

    >>> outcome_of(lambda: exit(3)).failure
    'SystemExit: 3'
    """
    try:
        return call()
    except BaseException as error:
        if is_interrupt(error):
            raise
        return _failure(error)


def _answered(columns: Mapping[str, Any], renamed: Mapping[str, str]) -> Outcome:
    """Return the outcome of a call that answered: ``columns`` as they are read back from the file that keeps them.

    Raises:
        BadOutputError: they are longer than a row of data may be.
    """
    line = json.dumps(columns, ensure_ascii=False, allow_nan=False)
    if len(line) > LONGEST:
        raise BadOutputError(f"the system returned more than the {LONGEST >> 20} MiB that an answer may have")
    return Outcome(json.loads(line), renamed=renamed)


def _failure(error: BaseException) -> Outcome:
    if issubclass(type(error), BadOutputError | LeftCallError):
        # It may name the fields of the output, which are texts from outside.
        failure = excerpt(str(error), _LONGEST_REASON)
        temporary, wait, cause = (getattr(error, name, None) for name in ("is_temporary", "wait", "cause"))
        return Outcome(None, failure, {}, bool(temporary), wait, cause or "", getattr(error, "returned", None))
    temporary, wait, cause = False, None, ""
    # An exception is code of the system too, whose attributes may raise.
    with suppress(BaseException):
        temporary, wait, cause = is_temporary(error), asked_wait(error), cause_of(error)
    return Outcome(failure=excerpt(error, _LONGEST_REASON), is_temporary=temporary, wait=wait, cause=cause)


class Caller:
    """Calls a system, from several threads at once, and reads what it returns.

    Coroutines run on one event loop: clients that pool connections keep them, and a loop that runs already, as in a
    notebook, is not touched. Where a coroutine blocks it beyond its time, later calls get another loop.

    Args:
        system: what `function_of` takes.
        timeout: seconds for each call, with the reading of what it returns; None: no limit.
        mapping: as in `ragauge.systems.outputs.columns_of`.
        split: likewise.
    """

    def __init__(
        self,
        system: System,
        timeout: float | None = None,
        mapping: Mapping[str, str] | None = None,
        split: Mapping[str, str] | None = None,
    ) -> None:
        self._function: Callable[[Any], Any] = function_of(system)
        self._form = QuestionForm(system, (BadOutputError, LeftCallError))
        self.conversation = conversation_of(system)
        self._told_by = told_by(system)
        own_call = getattr(self._function, "__call__", None)  # noqa: B004 - that of an object with `async def __call__`
        self._is_coroutine = any(map(inspect.iscoroutinefunction, (self._function, own_call)))
        self._timeout, self._mapping, self._split = timeout, mapping, split
        self._lock = Lock()
        self._hanging: list[Thread] = []
        self._loop: EventLoop | None = None

    @property
    def keeps_conversation(self) -> bool:
        """Whether all questions go to an object that keeps a conversation, so that they are asked in turn."""
        return self.conversation is not None and self.conversation.is_shared

    def __call__(self, question: str | Mapping[str, Any], said: Said | None = None) -> Outcome:
        """Return what the system makes of a question: an answer, or a failure for whatever it raises.

        ``said``: the conversation that the question goes on with; None: it begins one.
        """
        if self._timeout is None:
            return outcome_of(lambda: self._read(question, said, inf))
        return outcome_of(lambda: self._within(question, said, self._timeout or 0.0))

    def _read(self, question: str | Mapping[str, Any], said: Said | None, until: float) -> Outcome:
        beside = said.beside if said is not None else None
        if beside is None:
            beside = {} if self.conversation is None else self.conversation.begin()
        if said is not None:
            said.beside = beside
            text = question if isinstance(question, str) else str(question["question"])
            told = {"messages": said.messages(text), "history": said.history}
            if self._told_by == BY_BODY:
                question = {"question": text, **(question if isinstance(question, Mapping) else {}), **told}
            elif self._told_by:
                beside = {**beside, self._told_by: told[self._told_by]}
        function = partial(self._function, **beside) if beside else self._function
        call = partial(self._columns, function, until)
        return self._form.call(question, call) if isinstance(question, str) else call(question)

    def _columns(self, function: Callable[[Any], Any], until: float, given: str | Mapping[str, Any]) -> Outcome:
        """Call the system, and read what it returns."""
        try:
            output = function(given)
            if inspect.isawaitable(output):
                output = self._awaited(output, until)
        except KeyError as error:
            advice = "" if isinstance(given, str) else function_with_keys(self._function, error, given)
            if not advice:
                raise
            raise LeftCallError(advice) from error
        left = Allowance(until, self._late)
        if isinstance(output, AsyncIterator):
            output = (one for one in self._awaited(collected(output, left), until))
        output, is_written = unwrapped(output)
        try:
            columns, renamed = read_output(output, self._mapping, self._split, left)
        except BadOutputError as error:
            raise with_returned(error, output) from None
        if is_written:
            # A note says so, and where the values were.
            renamed = {name: f"JSON in a text.{renamed.get(name, name)}" for name in columns if name in GIVEN}
        return _answered(columns, renamed)

    def read_again(self, returned: Any) -> Outcome:
        """Return what is read now of what the system returned to an earlier call."""
        return outcome_of(lambda: _answered(*read_output(returned, self._mapping, self._split)))

    def _within(self, question: str | Mapping[str, Any], said: Said | None, seconds: float) -> Outcome:
        """Call the system in a thread, and leave it alone once its time is over."""
        self._check_hanging()
        outcome: SimpleQueue[Outcome] = SimpleQueue()
        until = monotonic() + seconds

        def call() -> None:
            outcome.put(outcome_of(lambda: self._read(question, said, until)))

        thread = Thread(target=copy_context().run, args=(call,), daemon=True)
        thread.start()
        # A coroutine that is late is cancelled by the thread, which first finds out whether it blocks the loop.
        grace = 2 * PATIENCE_S if self._is_coroutine else 0.0
        try:
            return outcome.get(timeout=seconds + grace)
        except Empty:
            with self._lock:
                self._hanging.append(thread)
            raise self._late() from None

    def _awaited(self, awaitable: Awaitable[Any], until: float) -> Any:
        loop = self._open_loop()
        future = loop.begin(awaitable)
        try:
            wait([future], None if until == inf else max(0.0, until - monotonic()))
        except BaseException:
            future.cancel()
            raise
        if not future.done():
            is_running = getattr(awaitable, "cr_running", True)
            future.cancel()
            raise self._late_in(loop, is_running=is_running)
        output, error = future.result()
        if error is not None:
            raise error
        return output

    def _late_in(self, loop: EventLoop, *, is_running: bool) -> LeftCallError:
        """Return the error of a late coroutine; where the loop is blocked, later calls get another one."""
        if not loop.is_blocked():
            return self._late()
        with self._lock:
            if self._loop is loop:
                self._loop = None
                self._hanging.append(loop.thread)
                loop.close(patience=0.0)
        if is_running:
            return self._late()
        return LeftCallError(f"{self._late()}: another call blocked the event loop", is_temporary=True)

    def _late(self) -> LeftCallError:
        return LeftCallError(f"no answer within {self._timeout:g} s")

    def _check_hanging(self) -> None:
        """Raise LeftCallError where too many late calls have not ended yet: the system is not called then.

        That is `MOST_HANGING` of them, and one where the system keeps a conversation, which it may still change.
        """
        most = 1 if self.keeps_conversation else MOST_HANGING
        with self._lock:
            self._hanging = [thread for thread in self._hanging if thread.is_alive()]
            if len(self._hanging) >= most:
                late = "a call that took too long has" if most == 1 else f"{most} calls that took too long have"
                raise LeftCallError(f"{late} not ended yet", is_temporary=most == 1)

    def _open_loop(self) -> EventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = EventLoop()
            return self._loop

    def close(self) -> None:
        """Cancel the coroutines that still run, and end the loop."""
        if self._loop is not None:
            self._loop.close()
