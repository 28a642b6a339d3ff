"""What the questions of one run share: the answers that are kept, the limits, the counts, and who is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeAlias

from ragauge.errors import MissingExtraError, UsageError
from ragauge.judges.answers import Answer
from ragauge.judges.budget import Budget
from ragauge.judges.prices import Price, listed_price
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
        price: of a million tokens; None: as ``genai-prices`` lists it, where that is installed and knows the model.
        progress: is called after each reply.

    Raises:
        UsageError: ``cache`` is another file, or offline there is none; a limit is no number.

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
        if offline and cache is None:
            raise UsageError("offline=True takes kept answers only, so it needs the file that keeps them: judge_cache")
        self.store = AnswerStore(None if cache is None else Path(cache))
        self.offline = offline
        self.dry_run = dry_run
        self.price = price
        self.budget = Budget(max_calls, max_cost)
        self.tally = Tally()
        """The counts of the session; those of one evaluation are in its result."""
        self._tallies = [self.tally]
        self.progress = progress
        self.metric = ""
        """The metric whose questions are counted now."""
        self._lock = Lock()
        self._listed: dict[str, Price | None] = {}
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

    def keep(self, key: bytes, answer: Answer, judge: str, prompt: str, price: Price | None) -> None:
        """Keep an answer of ``judge`` before it is used, and count it."""
        self.store.put(key, answer, judge, prompt)
        cost = 0.0 if price is None else price.of(answer.prompt_tokens, answer.completion_tokens)
        for tally in self._tallies:
            tally.add_sent(self.metric, prompt, answer, cost)

    def count_kept(self, prompt: str) -> None:
        """Count an answer that was kept from before."""
        for tally in self._tallies:
            tally.add_cached(self.metric, prompt)

    def plan(self, prompt: str, tokens: tuple[int, int], price: Price | None) -> None:
        """Count a request that a dry run does not send, with the tokens of the question and of the longest reply."""
        for tally in self._tallies:
            tally.add_planned(self.metric, prompt, tokens, 0.0 if price is None else price.of(*tokens))

    @contextmanager
    def counting(self, progress: Progress | None) -> Iterator[Tally]:
        """Yield a tally of what follows alone; ``progress`` is told of replies meanwhile, where nobody else is."""
        tally, before = Tally(), self.progress
        if len(self._tallies) == 1:
            self._replied = self._expected = 0
        self._tallies.append(tally)
        self.progress = before or progress
        try:
            yield tally
        finally:
            self._tallies.remove(tally)
            self.progress = before

    def price_of(self, judge: Any) -> Price | None:
        """Return the price of a judge's tokens: the one given, or that of a list; None where none is known."""
        if self.price is not None:
            return self.price
        name = str(judge)
        with self._lock:
            if name not in self._listed:
                try:
                    self._listed[name] = listed_price(judge)
                except MissingExtraError:
                    self._listed[name] = None
            return self._listed[name]

    def to_dict(self, tally: Tally | None = None) -> dict[str, Any]:
        """Return the counts of ``tally`` as JSON types, for a manifest; None: those of the session."""
        total = (tally or self.tally).total
        document = total.to_dict()
        if self.prices:
            document["cost"] = round(total.cost, 6)
            document["prices"] = [asdict(one) for one in self.prices]
        return document

    @property
    def prices(self) -> list[Price]:
        """The prices that are known."""
        return [self.price] if self.price is not None else list(dict.fromkeys(filter(None, self._listed.values())))

    @property
    def counts(self) -> list[dict[str, Any]]:
        """The counts of each prompt of each metric, and their sums in the last row, as JSON types."""
        named = {(metric or "", prompt): count for (metric, prompt), count in self.tally.counts.items()}
        rows = [*named.items(), (("all", ""), self.tally.total)]
        return [
            {
                "metric": metric,
                "prompt": prompt,
                "requests": count.calls,
                "kept_answers": count.cached,
                "prompt_tokens": count.prompt_tokens,
                "reply_tokens": count.completion_tokens,
                "cost": round(count.cost, 6) if self.prices else None,
            }
            for (metric, prompt), count in rows
        ]

    def summary(self, tally: Tally | None = None) -> str:
        """Return the counts of ``tally`` in one line; None: those of the session."""
        total = (tally or self.tally).total
        parts = [f"{total.calls} requests", f"{total.cached} kept answers"]
        if total.calls:
            parts += [f"{total.prompt_tokens} + {total.completion_tokens} tokens", f"{total.latency(0.5):.2g} s each"]
        if self.prices:
            parts.append(f"cost {total.cost:.4g}")
        return f"judge: {', '.join(parts)}"

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self._replied, self._expected)
