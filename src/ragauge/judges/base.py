"""Judges of all kinds: how questions are asked through cache, limits and threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from itertools import count
from threading import Event, Lock
from time import monotonic
from typing import Any, ClassVar, cast

from ragauge.core.ingredients import Check, Question, Reply, Usage
from ragauge.core.messages import Message
from ragauge.core.registry import Signed
from ragauge.endpoints.threads import in_threads
from ragauge.errors import excerpt
from ragauge.judges.budget import no_price
from ragauge.judges.cache import key_of
from ragauge.judges.reply import Answer, Unusable, asked_again, estimated_tokens
from ragauge.judges.request import LONGEST_REASON, NoAnswer, Request
from ragauge.judges.session import Count, Session

# After so many questions in a row that got no answer, the rest of the call is not asked.
_GIVES_UP = 20
# Fewer where none of the call got one: the first ones wait for each other.
_GIVES_UP_AT_ONCE = 3
# The code of a failure after which nothing else can be answered.
_FINAL = ("quota",)


class JudgeBase(Signed, ABC):
    """A judge, a frozen dataclass, of which only `answer` remains to be written.

    It sends one request and waits for the answer; several threads call it at once. Pickles and copies of a judge hold
    its options alone.
    """

    parallel: int
    """Requests under way at once."""
    asks_again: ClassVar[int] = 1
    """How often a judge is asked once more where its reply is wrong."""
    questions_at_once: ClassVar[int] = 0
    """The most typed questions of one request to a judge that gives probabilities; 0: it writes text."""

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(cast("Any", self))}

    @abstractmethod
    def answer(self, request: Request) -> Answer:
        """Send one request and return its answer; NoAnswer where there is none, UsageError where there can be none."""

    @property
    def identity(self) -> Any:
        """All that decides an answer beside the question, as JSON types; part of the key in the cache."""
        return self.signature

    def note(self, answer: Answer) -> None:
        """Note how the form of an answer was held; called for cached ones too."""

    def advised(self, question: Question, reason: str) -> str:  # noqa: ARG002 - a judge of one's own may use it
        """Return why a reply to ``question`` cannot be used, with what its author can do about it."""
        return reason

    def most_tokens(self, question: Question) -> int:
        """Return the most tokens that the reply to a question may have, by which its cost is reckoned."""
        return question.max_tokens

    def batch_server(self) -> Any:
        """Return the `ragauge.judges.batch_servers.BatchServer` that takes its requests; None where there is none."""
        return None

    def begin(self) -> None:
        """Get ready; called before a call of `ask` sends its first request. UsageError where no request can be sent."""

    def end(self) -> None:
        """Close connections that are open; called after each call of `ask` that has called `begin`.

        Several threads may ask one judge at once, so that further pairs of `begin` and `end` lie between the two.
        """

    def ask(self, questions: Sequence[Question], check: Check, session: Any = None) -> list[Reply]:
        """Return one reply per question, in their order; see `ragauge.core.ingredients.Judge`."""
        if session is None:
            with Session() as own:
                return self.ask(questions, check, own)
        return AskingCall(self, check, session).replies(questions)


class AskingCall:
    """One call of `JudgeBase.ask`. ``stop``: is set when the run is interrupted."""

    def __init__(self, judge: JudgeBase, check: Check, session: Session, stop: Event | None = None) -> None:
        self.judge, self.check, self.session = judge, check, session
        self.identity, self.name, self.price = judge.identity, str(judge), session.price_of(judge)
        self.account = session.account()
        self.stop = stop or Event()
        self._lock = Lock()
        self._unanswered = 0
        self._answered = False
        if not session.is_evaluating:
            session.given_up.pop(self.name, None)

    @property
    def _given_up(self) -> NoAnswer | None:
        """Why the judge is asked nothing else, by what any call of the run has found; None: it is asked."""
        return self.session.given_up.get(self.name)

    def replies(self, questions: Sequence[Question]) -> list[Reply]:
        """Return the reply to each question; equal questions are asked once."""
        keys = [self.key(question, question.messages, 0) for question in questions]
        distinct = dict(zip(keys, questions, strict=True))
        self.account.progressed(expected=len(distinct))
        replies: dict[bytes, Reply] = {}
        open_keys = []
        for key, question in distinct.items():
            try:
                replies[key] = self.reply(key, question, send=False)
                self.account.progressed(replied=1)
            except _Open:
                open_keys.append(key)

        def work(key: bytes) -> Reply:
            return self.reply(key, distinct[key], send=True)

        with self._ready(sends=bool(open_keys)):
            for place, reply in in_threads(work, open_keys, self.judge.parallel, self.stop):
                replies[open_keys[place]] = reply
                self.account.progressed(replied=1)
        return [replies[key] for key in keys]

    @contextmanager
    def _ready(self, *, sends: bool) -> Iterator[None]:
        """Have the judge ready for requests, where any is sent."""
        if not sends or self.session.dry_run or self.session.offline:
            yield
            return
        self.judge.begin()
        try:
            yield
        finally:
            self.judge.end()

    def key(self, question: Question, messages: Sequence[tuple[str, str]], attempt: int) -> bytes:
        """Return the key of the answer to an attempt in the cache."""
        form = [question.schema, question.max_tokens, question.label, question.labels]
        prompt = [question.prompt, question.version, question.repeat]
        return key_of(self.identity, messages, form, prompt, attempt)

    def reply(self, key: bytes, question: Question, *, send: bool) -> Reply:
        """Return the reply to ``question``; _Open where the cache lacks an answer and nothing may be sent."""
        reply, cached, unusable = Reply(status="failed"), 0, False
        messages, most = question.messages, self.judge.most_tokens(question)
        for attempt in range(1 + self.judge.asks_again):
            answer = self.session.store.find(key)
            if answer is not None:
                cached += self._is_cached(key, question, answer)
            elif not send:
                raise _Open
            else:
                request = self._request(key, question, messages, most)
                if self.session.dry_run:
                    reply = self._planned(request, reply)
                    break
                try:
                    answer = self._sent(key, request)
                except NoAnswer as none:
                    reply = replace(reply, reason=none.reason)
                    break
                reply = replace(reply, requests=reply.requests + 1)
            reply = _with_cost_of(reply, answer)
            self.judge.note(answer)
            try:
                value = answer.value(question, self.check)
            except Unusable as why:
                answer = self._as_unfit(key, question, answer)
                reply, unusable = (
                    replace(reply, reason=self.judge.advised(question, excerpt(str(why), LONGEST_REASON))),
                    answer.failed,
                )
                if not why.again:
                    break
                messages = asked_again(question, answer, why)
                key = self.key(question, messages, attempt + 1)
                most = answer.longer(most) if why.code == "truncated" else most
            else:
                labels = answer.labels or None
                reply = replace(reply, status="ok", reason="", value=value, label_probabilities=labels)
                unusable = False
                break
        if cached or unusable:
            self.account.count(question.prompt, Count(cached=cached, unusable=int(unusable)))
        return reply

    def _as_unfit(self, key: bytes, question: Question, answer: Answer) -> Answer:
        """Return an answer that cannot be used, marked so in the cache too: pruning does not know the question."""
        if answer.failed:
            return answer
        answer = replace(answer, unfit=True)
        if not self.session.offline:
            self.session.store.put(key, answer, self.name, question.prompt)
        return answer

    def _is_cached(self, key: bytes, question: Question, answer: Answer) -> bool:
        """Return whether an answer in the cache is from before; one that a batch brought counts as a request."""
        batches = self.session.batches
        if batches is None or batches.collecting or not batches.is_fresh(key):
            return True
        cost = self.cost(answer.prompt_tokens, answer.completion_tokens)
        self.account.count(question.prompt, Count.of(answer, cost))
        return False

    def _request(
        self, key: bytes, question: Question, messages: tuple[tuple[str, str], ...], max_tokens: int
    ) -> Request:
        limits = self._limits(question.prompt, self.cost(estimated_tokens(messages), max_tokens))
        return Request(
            question=question, messages=messages, max_tokens=max_tokens, key=key, stop=self.stop,
            given_up=lambda: self._given_up, limits=limits,
            early=lambda seconds: self.account.count(question.prompt, Count(early=1, waited=seconds)),
        )  # fmt: skip

    def _limits(self, prompt: str, most: float) -> Callable[[bool], str | None]:
        """Return the limits of the run for one request, whose cost is reserved before it is sent for the first time."""
        times = count()

        def limits(late: bool) -> str | None:  # noqa: FBT001 - only `Request.sending` calls it
            if not next(times):
                return None
            if late:
                self.account.count(prompt, Count(late=1, cost=most))
            return self.session.budget.again(most, late=late)

        return limits

    def answer(self, key: bytes, question: Question) -> Answer:
        """Return the answer that is cached under ``key``, or that the judge gives now; NoAnswer where there is none."""
        answer = self.session.store.find(key)
        if answer is None:
            answer = self._sent(key, self._request(key, question, question.messages, self.judge.most_tokens(question)))
        else:
            self.account.count(question.prompt, Count(cached=1))
        self.judge.note(answer)
        return answer

    def _sent(self, key: bytes, request: Request) -> Answer:
        """Send a request and cache its answer; NoAnswer where there is none."""
        if self.session.offline:
            damaged = Message("the answer to this question in the judge cache is damaged; online it is asked again")
            absent = Message("no answer to this question is in the judge cache")
            raise NoAnswer("offline", damaged if self.session.store.is_damaged(key) else absent)
        request.pause(0)
        most = self.cost(estimated_tokens(request.messages), request.max_tokens)
        if self.price is None and self.session.budget.max_cost is not None:
            raise no_price(self.judge, self.session.budget.max_cost)
        batches = self.session.batches
        taken = None if batches is None else batches.take(self, key, request, most)
        return taken or self.send_now(key, request, most)

    def send_now(self, key: bytes, request: Request, most: float) -> Answer:
        """Send a request that costs at most ``most``, and cache its answer; NoAnswer where there is none."""
        cost = 0.0
        refused = self.session.budget.reserve(most)
        if refused:
            raise NoAnswer("budget", refused)
        try:
            begun = monotonic()
            answer = _checked(self.judge.answer(request)).counted(request.messages, request.max_tokens)
            cost = self.cost(answer.prompt_tokens, answer.completion_tokens)
        except NoAnswer as none:
            # It may have been answered, too late.
            if none.code == "timeout" or none.paid:
                cost = most
                self.account.count(request.question.prompt, self._unread(request, none, cost, monotonic() - begun))
            self._count_failure(none)
            raise
        finally:
            self.session.budget.settle(most, cost)
        if not answer.is_empty:
            # An error in reading it ends this run alone, where the answer is not cached yet.
            with suppress(Unusable):
                answer.value(request.question, self.check)
            self.session.store.put(key, answer, self.name, request.question.prompt)
        self.account.count(request.question.prompt, Count.of(answer, cost))
        with self._lock:
            self._unanswered, self._answered = 0, True
        return answer

    def _unread(self, request: Request, none: NoAnswer, cost: float, seconds: float) -> Count:
        """Return the counts of a request that costs what it may, because its reply came too late or cannot be read."""
        if not none.paid:
            return Count(late=1, cost=cost)
        answer = Answer(text="", seconds=seconds).counted(request.messages, request.max_tokens)
        return Count.of(answer, cost)

    def cost(self, prompt: int, completion: int) -> float:
        """Return the cost of so many tokens; 0 where no price is known."""
        return 0.0 if self.price is None else self.price.of(prompt, completion)

    def _count_failure(self, none: NoAnswer) -> None:
        if none.alone:
            return
        with self._lock:
            self._unanswered += 1
            most = _GIVES_UP if self._answered else _GIVES_UP_AT_ONCE
            if none.code in _FINAL:
                self.session.given_up[self.name] = none
            elif self._unanswered >= most and not self._given_up:
                template = "RG-JUDGE-020 not asked, because {n} in a row got no answer; the last reason: {reason}"
                words = Message(template, self._unanswered, none.reason)
                self.session.given_up[self.name] = NoAnswer("no-answer", words)

    def _planned(self, request: Request, reply: Reply) -> Reply:
        """Count a request of a dry run, and take the expected value for its reply."""
        tokens = (estimated_tokens(request.messages), request.max_tokens)
        self.account.count(request.question.prompt, Count(1, 0, *tokens, self.cost(*tokens)))
        if request.question.expected is None:
            return replace(reply, reason=NoAnswer("dry-run", Message("nothing is sent")).reason)
        return replace(reply, status="ok", reason="", value=request.question.expected)


def _checked(answer: Answer) -> Answer:
    """Return an answer as it is; NoAnswer where it could not be read from the cache, as of a judge of one's own."""
    try:
        return answer.checked()
    except (AttributeError, TypeError, ValueError) as error:
        template = "RG-JUDGE-021 the judge returned no valid answer: {error}"
        raise NoAnswer("no-answer", Message(template, excerpt(error)), alone=True) from None


def _with_cost_of(reply: Reply, answer: Answer) -> Reply:
    """Return a reply with the tokens and the time of one more answer added."""
    usage = Usage(reply.usage.prompt + answer.prompt_tokens, reply.usage.completion + answer.completion_tokens)
    return replace(reply, usage=usage, seconds=reply.seconds + answer.seconds, structured=answer.structured)


class _Open(Exception):  # noqa: N818 - it never leaves the room
    """The cache does not suffice for a reply."""
