"""What the questions of one run share: the answers that are kept, the limits, the counts, and who is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from ragauge.core.messages import Argument
from ragauge.errors import MissingExtraError, UsageError
from ragauge.judges.budget import Budget, Price, listed_price
from ragauge.judges.cache import AnswerStore
from ragauge.judges.tally import Account, Progress, Replies, Tally


class Session:
    """What the questions of one run share. Several threads may use it at once.

    Args:
        cache: the file that keeps answers from run to run; None: they are kept for this run alone.
        offline: take kept answers only; any other question fails with the reason ``offline``.
        dry_run: send nothing, and count what would be sent; see `Question.expected`.
        max_calls: the most requests that are sent, those that are sent again too; further questions fail with the
            reason ``budget``.
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
            raise UsageError(
                "RG-JUDGE-014 {offline} takes kept answers only, so it needs the file that keeps them: judge_cache",
                Argument("offline", value=True),
            )
        self.store = AnswerStore(None if cache is None else Path(cache))
        self.offline = offline
        self.dry_run = dry_run
        self.price = price
        self.budget = Budget(max_calls, max_cost)
        self.tally = Tally()
        """The counts of the session; those of one evaluation are in its result."""
        self.progress = progress
        self._replies = Replies(progress)
        # The evaluations under way in this thread or task, from the outermost to the innermost.
        self._open: ContextVar[tuple[tuple[Tally, Replies], ...]] = ContextVar("evaluations", default=())
        self._lock = Lock()
        self._listed: dict[str, Price | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file of answers."""
        self.store.close()

    def account(self) -> Account:
        """Return where the questions that this thread or task asks next are counted."""
        under_way = self._open.get()
        replies = under_way[0][1] if under_way else self._replies
        return Account((self.tally, *(tally for tally, _ in under_way)), replies)

    @contextmanager
    def counting(self, progress: Progress | None) -> Iterator[Tally]:
        """Yield a tally of what this thread or task asks meanwhile.

        ``progress`` is told of its replies, where nobody else is. Evaluations in other threads, with the same session,
        count for themselves.
        """
        tally = Tally()
        token = self._open.set((*self._open.get(), (tally, Replies(self.progress or progress))))
        try:
            yield tally
        finally:
            self._open.reset(token)

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
        if not (total.calls or total.cached or total.late):
            return "judge: no request was answered"
        parts = [f"{total.calls} requests", f"{total.cached} kept answers"]
        if total.calls:
            estimated = " (estimated)" if total.estimated else ""
            tokens = f"{total.prompt_tokens} + {total.completion_tokens} tokens{estimated}"
            parts += [tokens, f"{total.latency(0.5):.2g} s each"]
        if total.late:
            parts.append(f"{total.late} timed out")
        if self.prices:
            parts.append(f"cost {total.cost:.4g}")
        return f"judge: {', '.join(parts)}"
