"""Requests in threads of our own: begun in order, and cancelled at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")
# Seconds between two looks for Ctrl-C, where waiting for a queue cannot be interrupted, as on Windows.
_TICK_S = 0.5


def in_threads(
    work: Callable[[Item], Done], items: Sequence[Item], threads: int, stop: Event
) -> Iterator[tuple[int, Done]]:
    """Yield the place of each item and what ``work`` returns for it, as they are done; items are begun in order.

    An error of ``work``, or one that comes while the caller waits (Ctrl-C), sets ``stop`` and is raised at once: no
    further item is begun. Calls under way end by themselves, in threads that no program waits for at its end.

    >>> sorted(in_threads(len, ["a", "", "abc"], 2, Event()))
    [(0, 1), (1, 0), (2, 3)]
    """
    places, lock = iter(range(len(items))), Lock()
    finished: SimpleQueue[tuple[int, Done | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        while not stop.is_set():
            with lock:
                place = next(places, None)
            if place is None:
                return
            try:
                finished.put((place, work(items[place]), None))
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
                stop.set()
                finished.put((place, None, error))

    for number in range(min(threads, len(items))):
        Thread(target=run, name=f"ragauge-request-{number}", daemon=True).start()
    try:
        for _ in items:
            place, result, error = _next(finished)
            if error is not None:
                raise error  # noqa: TRY301 - as if it came while waiting
            yield place, result  # type: ignore[misc]  # without an error there is a result
    except BaseException:
        stop.set()
        raise


def _next(finished: SimpleQueue[Item]) -> Item:
    while True:
        try:
            return finished.get(timeout=_TICK_S)
        except Empty:
            continue
