"""What is computed in a thread of its own, so that no page waits for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import Condition, Thread
from typing import Any, Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Made = TypeVar("_Made")


class Aside(Generic[_Key, _Made]):
    """Values by key, each made once by ``make``, one after another in the order in which they are wanted."""

    def __init__(self, make: Callable[..., _Made]) -> None:
        self._make = make
        self._known: dict[_Key, _Made] = {}
        self._waiting: list[tuple[_Key, tuple[Any, ...]]] = []
        self._changed = Condition()
        Thread(target=self._work, daemon=True).start()

    def known(self, wanted: Mapping[_Key, tuple[Any, ...]]) -> dict[_Key, _Made]:
        """Return those of ``wanted`` that are made; the others are made from their arguments from now on."""
        with self._changed:
            self._waiting = [(key, arguments) for key, arguments in wanted.items() if key not in self._known]
            self._changed.notify()
            return {key: self._known[key] for key in wanted if key in self._known}

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                key, arguments = self._waiting.pop(0)
                if key in self._known:
                    continue
            made = self._make(*arguments)
            with self._changed:
                self._known[key] = made
