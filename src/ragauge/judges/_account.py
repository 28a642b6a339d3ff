"""For whom the questions of one call are counted: the metric, the evaluation, and who is told of replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

from ragauge.judges.answers import Answer
from ragauge.judges.prices import Price
from ragauge.judges.tally import Tally

Progress: TypeAlias = Callable[[int, int], None]
"""Is called with the number of questions that have a reply, and how many were asked so far."""

METRIC: ContextVar[str] = ContextVar("metric", default="")
"""The metric that asks now in this thread or task."""


class Replies:
    """The questions of one evaluation that have a reply, and how many were asked. Several threads may add to it."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self._lock = Lock()
        self._replied = self._expected = 0

    def add(self, *, replied: int = 0, expected: int = 0) -> None:
        """Take note of questions that are about to be asked, and of replies."""
        with self._lock:
            self._replied += replied
            self._expected += expected
        if self.progress is not None:
            self.progress(self._replied, self._expected)


@dataclass(frozen=True)
class Account:
    """Where the questions of one call are counted. It is made in the thread that asks, and used in those that send.

    Args:
        tallies: those of the session and of the evaluations that the call belongs to.
        replies: who is told of replies.
        metric: the metric that asks.
    """

    tallies: Sequence[Tally]
    replies: Replies
    metric: str = field(default_factory=METRIC.get)

    def expect(self, questions: int) -> None:
        """Take note of ``questions`` that are about to be asked."""
        self.replies.add(expected=questions)

    def replied(self) -> None:
        """Take note of one reply."""
        self.replies.add(replied=1)

    def count_sent(self, prompt: str, answer: Answer, price: Price | None) -> None:
        """Count a request that was answered."""
        cost = 0.0 if price is None else price.of(answer.prompt_tokens, answer.completion_tokens)
        for tally in self.tallies:
            tally.add_sent(self.metric, prompt, answer, cost)

    def count_late(self, prompt: str, tokens: tuple[int, int], price: Price | None) -> None:
        """Count a request whose answer did not come in time; ``tokens``: the most that it may have taken."""
        for tally in self.tallies:
            tally.add_late(self.metric, prompt, 0.0 if price is None else price.of(*tokens))

    def count_kept(self, prompt: str) -> None:
        """Count an answer that was kept from before."""
        for tally in self.tallies:
            tally.add_cached(self.metric, prompt)

    def count_planned(self, prompt: str, tokens: tuple[int, int], price: Price | None) -> None:
        """Count a request that a dry run does not send, with the tokens of the question and of the longest reply."""
        for tally in self.tallies:
            tally.add_planned(self.metric, prompt, tokens, 0.0 if price is None else price.of(*tokens))
