"""The session of a run, which all its questions share: the cache, the limits, the counts and the progress."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from ragauge.core.messages import Argument, Counted, Joined, Message, Spelled
from ragauge.errors import UsageError
from ragauge.judges.budget import Budget, Price, listed_price
from ragauge.judges.cache import AnswerStore
from ragauge.judges.reply import Answer

if TYPE_CHECKING:
    from ragauge.judges.batches import RequestBatches
    from ragauge.judges.request import NoAnswer

Progress: TypeAlias = Callable[[int, int], None]
"""Is called with the number of questions that have a reply, and how many were asked so far."""

METRIC: ContextVar[str] = ContextVar("metric", default="")
"""The metric that asks now in this thread or task."""
# Latencies are counted in classes, each a tenth wider than the one below it, so that memory stays flat.
_STEP = math.log(1.1)
_SUMMED = (
    "calls",
    "cached",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "seconds",
    "estimated",
    "late",
    "early",
    "waited",
    "unusable",
)


@dataclass
class Count:
    """Counts of one prompt of one metric.

    ``calls``: requests that were answered; ``cached``: answers from the cache; tokens and cost are those of
    calls; ``estimated``: calls whose tokens are estimated, because the server did not count them. ``late``: requests
    whose answer did not come in time; they may have cost something all the same, so the cost holds the most that they
    may. ``early``: replies 429, that a request came too early; ``waited``: the seconds that requests waited after
    them, all together, so that several may have waited at once. ``unusable``: questions whose last answer can be no
    reply, and is cached.
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
    early: int = 0
    waited: float = 0.0
    unusable: int = 0

    def __iadd__(self, other: Count) -> Self:
        for name in _SUMMED:
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
        document |= {name: getattr(self, name) for name in ("estimated", "late", "early") if getattr(self, name)}
        document |= {"waited": round(self.waited, 3)} if self.waited else {}
        if self.latencies:
            document["latency"] = {f"p{share}": round(self.latency(share / 100), 3) for share in (50, 95)}
        return document


class Tally:
    """Counts by metric and prompt, and ``progress``, called after replies. Several threads may use it at once."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress
        self._lock = Lock()
        self._counts: dict[tuple[str, str], Count] = {}
        self._replied = self._expected = 0

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

    def progressed(self, *, replied: int = 0, expected: int = 0) -> None:
        """Report questions that are about to be asked, and replies."""
        with self._lock:
            self._replied += replied
            self._expected += expected
        if self.progress is not None:
            self.progress(self._replied, self._expected)


@dataclass(frozen=True)
class Account:
    """Where the questions of one call are counted. It is made in the thread that asks, and used in those that send.

    Args:
        tallies: that of the session, and those of the evaluations that the call belongs to, the outermost first.
        metric: the metric that asks.
    """

    tallies: Sequence[Tally]
    metric: str = field(default_factory=METRIC.get)

    def count(self, prompt: str, count: Count) -> None:
        """Add ``count`` to the counts of a prompt of the metric that asks."""
        for tally in self.tallies:
            tally.count(self.metric, prompt, count)

    def progressed(self, *, replied: int = 0, expected: int = 0) -> None:
        """Report progress to the outermost evaluation, or to the session where there is none."""
        self.tallies[:2][-1].progressed(replied=replied, expected=expected)


class Session:
    """The session of a run: the cache, limits and counts of its questions. Several threads may use it at once.

    Args:
        cache: the file that stores answers from run to run; None: a temporary file for this run alone.
        offline: use cached answers only; any other question fails with the reason ``offline``.
        dry_run: send nothing, and count what would be sent; see `Question.expected`.
        max_calls: the most requests that are sent, those that are sent again too; further questions fail with the
            reason ``budget``.
        max_cost: the most that they may cost, in the unit of the price; likewise.
        price: of a million tokens; None: as ``genai-prices`` lists it, where that is installed and knows the model.
        progress: is called after each reply.
        batch: have the server answer questions in batches, within a day and at half the price; prices are those of
            single requests. What is under way is remembered beside ``cache``.

    Raises:
        UsageError: ``cache`` is another file, or offline there is none; a limit is not a number.

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
        batch: bool = False,
    ) -> None:
        sends = not (offline or dry_run)
        if batch and sends and cache is None:
            raise UsageError(
                "RG-JUDGE-060 {batch} brings answers later, so it needs a file that caches replies: {judge_cache}",
                Spelled("batch=True", "--judge-batch"),
                Spelled("judge_cache", "--judge-cache"),
            )
        if offline and cache is None:
            raise UsageError(
                "RG-JUDGE-014 {offline} uses cached replies only, so it needs the file that holds them: {judge_cache}",
                Argument("offline", value=True),
                Spelled("judge_cache", "--judge-cache"),
            )
        self.store = AnswerStore(None if cache is None else Path(cache))
        self.offline = offline
        self.dry_run = dry_run
        self.budget = Budget(max_calls, max_cost)
        self.batches: RequestBatches | None = None
        """The batches of the run; None: each question is asked by itself."""
        if sends and cache is not None and (batch or Path(f"{cache}.batches").exists()):
            from ragauge.judges.batches import RequestBatches
            from ragauge.judges.sent_batches import warn_of_batches

            if batch:
                self.batches = RequestBatches(Path(cache), self.store, self.budget)
            else:
                warn_of_batches(Path(cache))
        self.price = price.halved if batch and price else price
        self._halves = batch
        self.tally = Tally(progress)
        """The counts of the session; those of one evaluation are in its result."""
        self.given_up: dict[str, NoAnswer] = {}
        """Why a judge, by its text, is asked nothing else until the next evaluation begins."""
        # The evaluations under way in this thread or task, from the outermost to the innermost.
        self._evaluations: ContextVar[tuple[Tally, ...]] = ContextVar("evaluations", default=())
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
        if self.batches is not None:
            self.batches.close()

    @property
    def is_evaluating(self) -> bool:
        """Whether this thread or task is within an evaluation."""
        return bool(self._evaluations.get())

    def account(self) -> Account:
        """Return where the questions that this thread or task asks next are counted."""
        collecting = self.batches is not None and self.batches.collecting
        return Account((Tally(),) if collecting else (self.tally, *self._evaluations.get()))

    @contextmanager
    def counting(self, progress: Progress | None) -> Iterator[Tally]:
        """Yield a tally of what this thread or task asks meanwhile.

        Its replies are reported to ``progress``, unless the session has its own. Evaluations in other threads, with the
        same session, count for themselves.
        """
        if not self.is_evaluating:
            # By now a server may be well again.
            self.given_up.clear()
        tally = Tally(self.tally.progress or progress)
        token = self._evaluations.set((*self._evaluations.get(), tally))
        try:
            yield tally
        finally:
            self._evaluations.reset(token)

    def price_of(self, judge: Any) -> Price | None:
        """Return the price of a judge's tokens: the one given, or that of a list; None where none is known."""
        if self.price is not None:
            return self.price
        name = str(judge)
        with self._lock:
            if name not in self._listed:
                listed = listed_price(judge)
                self._listed[name] = listed.halved if listed and self._halves else listed
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
        if not (total.calls or total.cached or total.late or total.early):
            return Message("RG-NOTE-032 judge: no request was answered")
        parts = []
        if total.calls:
            parts.append(Message(", {sent} + {received} tokens", total.prompt_tokens, total.completion_tokens))
            parts += [Message(" (estimated)")] if total.estimated else []
            parts.append(Message(", {seconds:.2g} s each", total.latency(0.5)))
        if total.late:
            parts.append(Message(", {late} timed out", total.late))
        if total.early:
            early = Counted(total.early, "reply", "replies")
            parts.append(Message(", {early} 429, waited {waited:.3g} s in all", early, total.waited))
        if self.prices:
            parts.append(Message(", cost {cost:.4g}", total.cost))
        replies = Counted(total.cached, "cached reply", "cached replies")
        template = "RG-NOTE-033 judge: {requests}, {replies}{parts}"
        return Message(template, Counted(total.calls, "request"), replies, Joined(parts, "") if parts else "")
