"""How many questions were asked, what they took, and how long: by metric and prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Self

from ragauge.judges.answers import Answer

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

    def add_sent(self, metric: str, prompt: str, answer: Answer, cost: float) -> None:
        """Count a request that was answered."""
        step = round(math.log(max(answer.seconds, 1e-4)) / _STEP)
        tokens = (answer.prompt_tokens, answer.completion_tokens)
        self._add(metric, prompt, Count(1, 0, *tokens, cost, answer.seconds, {step: 1}, int(answer.estimated)))

    def add_cached(self, metric: str, prompt: str) -> None:
        """Count an answer that was kept from before."""
        self._add(metric, prompt, Count(cached=1))

    def add_late(self, metric: str, prompt: str, cost: float) -> None:
        """Count a request whose answer did not come in time, with the most that it may cost."""
        self._add(metric, prompt, Count(late=1, cost=cost))

    def add_planned(self, metric: str, prompt: str, tokens: tuple[int, int], cost: float) -> None:
        """Count a request that a dry run would send, with the tokens of the question and of the longest reply."""
        self._add(metric, prompt, Count(1, 0, *tokens, cost))

    def _add(self, metric: str, prompt: str, count: Count) -> None:
        with self._lock:
            self._counts.setdefault((metric, prompt), Count()).__iadd__(count)
