"""How many questions were asked, what they took, and how long: by metric and prompt; and who is told of replies."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Self, TypeAlias

from ragauge.judges.answers import Answer

Progress: TypeAlias = Callable[[int, int], None]
"""Is called with the number of questions that have a reply, and how many were asked so far."""

METRIC: ContextVar[str] = ContextVar("metric", default="")
"""The metric that asks now in this thread or task."""
# Latencies are counted in classes, each a tenth wider than the one below it, so that memory stays flat.
_STEP = math.log(1.1)


@dataclass
class Count:
    """Counts of one prompt of one metric.

    ``calls``: requests that were answered; ``cached``: answers that were kept from before; tokens and cost are those of
    calls; ``estimated``: calls whose tokens are estimated, because the server did not count them. ``late``: requests
    whose answer did not come in time; they may have cost something all the same, so the cost holds the most that they
    may.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    latencies: dict[int, int] = field(default_factory=dict)
    estimated: int = 0
    late: int = 0

    def __iadd__(self, other: Count) -> Self:
        for name in ("calls", "cached", "prompt_tokens", "completion_tokens", "cost", "seconds", "estimated", "late"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for step, number in other.latencies.items():
            self.latencies[step] = self.latencies.get(step, 0) + number
        return self

    @classmethod
    def of(cls, answer: Answer, cost: float) -> Self:
        """Return the counts of one request that was answered."""
        step = round(math.log(max(answer.seconds, 1e-4)) / _STEP)
        tokens = (answer.prompt_tokens, answer.completion_tokens)
        return cls(1, 0, *tokens, cost, answer.seconds, {step: 1}, int(answer.estimated))

    def latency(self, share: float) -> float:
        """Return the seconds within which this share of calls was answered, to a tenth; NaN where there was none.

        >>> count = Count(latencies={0: 9, 24: 1})
        >>> round(count.latency(0.5), 1), round(count.latency(0.95), 1)
        (1.0, 9.8)
        """
        wanted, seen = share * sum(self.latencies.values()), 0
        for step in sorted(self.latencies):
            seen += self.latencies[step]
            if seen >= wanted:
                return math.exp(step * _STEP)
        return math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types; latencies are in seconds."""
        names = ("calls", "cached", "prompt_tokens", "completion_tokens")
        document: dict[str, Any] = {name: getattr(self, name) for name in names}
        document |= {name: getattr(self, name) for name in ("estimated", "late") if getattr(self, name)}
        if self.latencies:
            document["latency"] = {f"p{share}": round(self.latency(share / 100), 3) for share in (50, 95)}
        return document


class Tally:
    """Counts by metric and prompt. Several threads may add to it at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[tuple[str, str], Count] = {}

    @property
    def counts(self) -> Mapping[tuple[str, str], Count]:
        """The counts by the name of the metric and that of the prompt."""
        with self._lock:
            return dict(self._counts)

    @property
    def total(self) -> Count:
        """The sum of all counts."""
        total = Count()
        for count in self.counts.values():
            total += count
        return total

    def count(self, metric: str, prompt: str, count: Count) -> None:
        """Add ``count`` to the counts of a prompt of a metric."""
        with self._lock:
            self._counts.setdefault((metric, prompt), Count()).__iadd__(count)


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

    def count(self, prompt: str, count: Count) -> None:
        """Add ``count`` to the counts of a prompt of the metric that asks."""
        for tally in self.tallies:
            tally.count(self.metric, prompt, count)
