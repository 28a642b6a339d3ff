"""What the questions of one run share: the answers that are kept, the limits, the counts, and who is told of them."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from threading import Event, Lock
from types import TracebackType
from typing import Self, TypeAlias

from ragauge.judges.answers import Answer
from ragauge.judges.budget import Budget, Price
from ragauge.judges.store import AnswerStore
from ragauge.judges.tally import Tally

Progress: TypeAlias = Callable[[int, int], None]
"""Is called with the number of questions that have a reply, and how many were asked so far."""


class Session:
    """What the questions of one run share. Several threads may use it at once.

    Args:
        cache: the file that keeps answers from run to run; None: they are kept for this run alone.
        offline: take kept answers only; any other question fails with the reason ``offline``.
        dry_run: send nothing, and count what would be sent; see `Question.expected`.
        max_calls: the most requests that are sent; further questions fail with the reason ``budget``.
        max_cost: the most that they may cost, in the unit of the price; likewise.
        price: of a million tokens.
        progress: is called after each reply.

    >>> with Session(max_calls=100) as session:
    ...     session.tally.total.calls
    0
    """

    def __init__(
        self,
        cache: str | PathLike[str] | None = None,
        *,
        offline: bool = False,
        dry_run: bool = False,
        max_calls: int | None = None,
        max_cost: float | None = None,
        price: Price | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.store = AnswerStore(None if cache is None else Path(cache))
        self.offline = offline
        self.dry_run = dry_run
        self.price = price
        self.budget = Budget(max_calls, max_cost, price)
        self.tally = Tally()
        self.progress = progress
        self.metric = ""
        """The metric whose questions are counted now."""
        self.stop = Event()
        """Set when the run is interrupted: no further request is sent."""
        self._lock = Lock()
        self._replied = self._expected = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file of answers."""
        self.store.close()

    def expect(self, questions: int) -> None:
        """Take note of ``questions`` that are about to be asked."""
        with self._lock:
            self._expected += questions
        self._tell()

    def replied(self) -> None:
        """Take note of one reply."""
        with self._lock:
            self._replied += 1
        self._tell()

    def keep(self, key: bytes, answer: Answer, judge: str, prompt: str) -> None:
        """Keep an answer before it is used, and count it."""
        self.store.put(key, answer, judge, prompt)
        self.tally.add_sent(self.metric, prompt, answer)

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self._replied, self._expected)
