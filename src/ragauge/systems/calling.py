"""Calling a system: a function, a coroutine function, or an object of a framework; with a limit of time."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import wait
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, Protocol, TypeAlias, runtime_checkable

from ragauge.errors import UsageError

METHODS = ("invoke", "ainvoke", "query", "aquery", "run", "arun")
"""Methods by which an object that is not callable is asked, in the order in which they are looked for."""
MOST_HANGING = 64
"""Calls that may go on after their time was over: Python cannot stop a function from outside."""
_LEAVING = 2.0
"""Seconds that cancelled calls have to end."""


@runtime_checkable
class Chain(Protocol):
    """An object that is asked by ``invoke``, as those of LangChain; `METHODS` names the methods of others."""

    def invoke(self, question: Any, /) -> Any:
        """Return what the system makes of a question."""


System: TypeAlias = Callable[[str], Any] | Chain | Any
"""Takes a question; returns the answer, or a mapping or `Sample` with answer, contexts, retrieved and more."""


class OutOfTimeError(Exception):
    """A call took longer than it may. It is not asked again: that would only hide how slow the system is."""


class HangingError(Exception):
    """Too many calls go on after their time was over."""


def function_of(system: System) -> Callable[[str], Any]:
    """Return the function or method by which ``system`` is asked; UsageError where there is none.

    >>> function_of(str.upper)("tea?")
    'TEA?'
    """
    methods = [getattr(system, name, None) for name in METHODS]
    if isinstance(system, type):
        raise UsageError(f"system must be a function or an object that is asked; got the class {system.__name__}")
    if callable(system):
        return system
    method = next(filter(callable, methods), None)
    if method is None:
        message = f"system must be a function that takes a question and returns an answer; got {system!r}"
        raise UsageError(f"{message}, which has none of the methods {', '.join(METHODS)} either")
    return method


def name_of(system: System) -> str:
    """Return the name of a system by which its answers are recognised: module and name of its function or class.

    >>> name_of(str.upper), name_of({}.get)
    ('str.upper', 'dict.get')
    """
    function = getattr(system, "func", system)  # of a partial
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    module = getattr(function, "__module__", None) or ""
    return f"{module}:{name}" if module not in ("", "builtins") else name


class Caller:
    """Calls a system, from several threads at once.

    Coroutines run on an event loop in a thread of its own, one for all calls: clients that pool connections keep
    them, and a loop that runs already, as in a notebook, is not touched.
    """

    def __init__(self, system: System, timeout: float | None) -> None:
        self._function = function_of(system)
        own_call = getattr(self._function, "__call__", None)  # noqa: B004 - that of an object with `async def __call__`
        self._is_coroutine = any(map(inspect.iscoroutinefunction, (self._function, own_call)))
        self._timeout = timeout
        self._lock = Lock()
        self._hanging: list[Thread] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, question: str) -> Any:
        """Return what the system makes of a question.

        Raises:
            OutOfTimeError: it took longer than it may.
            HangingError: `MOST_HANGING` such calls have not ended yet, and the system is not called.
            Exception: whatever the system raises.
        """
        start = monotonic()
        if self._timeout is None or self._is_coroutine:
            output = self._function(question)
        else:
            output = self._within(question, self._timeout)
        if inspect.isawaitable(output):
            left = None if self._timeout is None else max(0.0, self._timeout - (monotonic() - start))
            output = self._awaited(output, left)
        return output

    def _within(self, question: str, seconds: float) -> Any:
        """Call the system in a thread, and leave it alone once its time is over."""
        with self._lock:
            self._hanging = [thread for thread in self._hanging if thread.is_alive()]
            if len(self._hanging) >= MOST_HANGING:
                raise HangingError(f"{MOST_HANGING} calls that took too long have not ended yet")
        outcome: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def call() -> None:
            try:
                outcome.put((self._function(question), None))
            except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
                outcome.put((None, error))

        thread = Thread(target=copy_context().run, args=(call,), daemon=True)
        thread.start()
        try:
            output, error = outcome.get(timeout=seconds)
        except Empty:
            with self._lock:
                self._hanging.append(thread)
            raise self._late() from None
        if error is not None:
            raise error
        return output

    def _awaited(self, awaitable: Awaitable[Any], seconds: float | None) -> Any:
        future = asyncio.run_coroutine_threadsafe(_coroutine(awaitable), self._running_loop())
        try:
            wait([future], seconds)
        except BaseException:
            future.cancel()
            raise
        if not future.done():
            future.cancel()
            raise self._late()
        return future.result()

    def _late(self) -> OutOfTimeError:
        return OutOfTimeError(f"no answer within {self._timeout:g} s")

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_run_and_close, args=(self._loop,), daemon=True).start()
            return self._loop

    def close(self) -> None:
        """Cancel the coroutines that still run, and end the loop."""
        loop = self._loop
        if loop is None:
            return
        future = asyncio.run_coroutine_threadsafe(_cancelled(), loop)
        wait([future], 2 * _LEAVING)
        loop.call_soon_threadsafe(loop.stop)


def _run_and_close(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


async def _coroutine(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


async def _cancelled() -> None:
    """Cancel all other tasks of this loop, and give them a moment to end."""
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_LEAVING)
    await asyncio.get_running_loop().shutdown_asyncgens()
