"""An event loop in a thread of its own, on which several threads have coroutines of the user run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future
from contextlib import suppress
from threading import Event, Thread
from typing import Any

_LEAVING_S = 2.0
"""Seconds that cancelled calls have to end."""
PATIENCE_S = 1.0
"""Seconds after which a loop that did not react is blocked: a coroutine in it waits without ``await``."""


class EventLoop:
    """Runs coroutines for several threads. It continues whatever a coroutine raises, also ``sys.exit()``."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._is_closing = False
        self.thread = Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self._is_closing:
            # SystemExit and KeyboardInterrupt of any task end `run_forever`, and so does the loop's own `stop`.
            with suppress(BaseException):
                self._loop.run_forever()
        self._loop.close()

    def begin(self, awaitable: Awaitable[Any]) -> Future[tuple[Any, BaseException | None]]:
        """Start to await; the future has what comes of it, and what was raised."""
        return asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._loop)

    def is_blocked(self) -> bool:
        """Return whether the loop does not react, because a coroutine in it never awaits."""
        reacted = Event()
        self._loop.call_soon_threadsafe(reacted.set)
        return not reacted.wait(PATIENCE_S)

    def close(self, *, patience: float = 2 * _LEAVING_S) -> None:
        """Cancel the coroutines that still run, and end the loop; one that is blocked ends when it reacts again."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        # The end of a task that stops its own loop is not reported, so the thread is waited for.
        self.thread.join(patience)

    async def _end(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LEAVING_S)
        await self._loop.shutdown_asyncgens()
        self._is_closing = True
        self._loop.stop()


async def _awaited(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    try:
        return await awaitable, None
    except BaseException as error:  # noqa: BLE001 - it belongs to the call, and must not end the loop
        return None, error
