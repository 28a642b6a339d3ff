"""What all judges share: questions are asked in parallel, kept answers are not asked for, wrong ones are, once more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from threading import Event, Lock
from typing import Any, ClassVar, cast

from ragauge.core.questions import Check, Question, Reply, Structured, Usage
from ragauge.core.registry import Signed
from ragauge.errors import excerpt
from ragauge.judges._pool import in_threads
from ragauge.judges._tokens import estimated_tokens
from ragauge.judges.answers import Answer, Unusable, asked_again
from ragauge.judges.cache import key_of
from ragauge.judges.request import NoAnswer, Request
from ragauge.judges.session import Session
from ragauge.judges.tally import Count

# After so many questions in a row that got no answer, the rest of the call is not asked.
_GIVES_UP = 20
# Fewer where none of the call got one: the first ones wait for each other.
_GIVES_UP_AT_ONCE = 3
# A reason holds at most an address and an excerpt of what its server wrote.
_REASON = 1000
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

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(cast("Any", self))}

    @abstractmethod
    def answer(self, request: Request) -> Answer:
        """Send one request and return its answer; NoAnswer where there is none, UsageError where there can be none."""

    @property
    def identity(self) -> Any:
        """All that decides an answer beside the question, as JSON types; part of the key of kept answers."""
        return self.signature

    def note(self, answer: Answer) -> None:
        """Take note of an answer, also of a kept one: of how its form was held."""

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
        self._given_up = ""

    def replies(self, questions: Sequence[Question]) -> list[Reply]:
        keys = [self.key(question, question.messages, 0) for question in questions]
        distinct = dict(zip(keys, questions, strict=True))
        self.account.replies.add(expected=len(distinct))
        replies: dict[bytes, Reply] = {}
        open_keys = []
        for key, question in distinct.items():
            try:
                replies[key] = self.reply(key, question, send=False)
                self.account.replies.add(replied=1)
            except _Open:
                open_keys.append(key)
        with self._ready(sends=bool(open_keys)):

            def work(key: bytes) -> Reply:
                return self.reply(key, distinct[key], send=True)

            for place, reply in in_threads(work, open_keys, self.judge.parallel, self.stop):
                replies[open_keys[place]] = reply
                self.account.replies.add(replied=1)
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
        form = [question.schema, question.max_tokens, question.label, question.labels]
        prompt = [question.prompt, question.version, question.repeat]
        return key_of(self.identity, messages, form, prompt, attempt)

    def reply(self, key: bytes, question: Question, *, send: bool) -> Reply:
        """Return the reply to ``question``; without ``send`` from kept answers alone, and _Open where they lack one."""
        took = _Took()
        reply = self._replied(key, question, took, send=send)
        if took.kept:
            self.account.count(question.prompt, Count(cached=took.kept))
        return reply

    def _replied(self, key: bytes, question: Question, took: _Took, *, send: bool) -> Reply:
        messages, most = question.messages, question.max_tokens
        for attempt in range(1 + self.judge.asks_again):
            answer = self.session.store.find(key)
            if answer is not None:
                took.kept += 1
            elif not send:
                raise _Open
            else:
                request = self._request(key, question, messages, most)
                if self.session.dry_run:
                    return self._planned(request, took)
                try:
                    answer = self._sent(key, request)
                except NoAnswer as none:
                    return took.reply(failed=str(none))
                took.requests += 1
            took.add(answer)
            self.judge.note(answer)
            try:
                return took.reply(value=answer.value(question, self.check), labels=answer.labels)
            except Unusable as why:
                if not why.again or attempt == self.judge.asks_again:
                    return took.reply(failed=str(why))
                messages = asked_again(question, answer, why)
                key = self.key(question, messages, attempt + 1)
                most = answer.longer(most) if why.code == "truncated" else most
        raise AssertionError("the last attempt returns")

    def _request(
        self, key: bytes, question: Question, messages: tuple[tuple[str, str], ...], max_tokens: int
    ) -> Request:
        return Request(
            question=question,
            messages=messages,
            max_tokens=max_tokens,
            key=key,
            number=int.from_bytes(key[:4]),
            stop=self.stop,
            given_up=lambda: self._given_up,
            limits=_Limits(self, question.prompt, self.cost(estimated_tokens(messages), max_tokens)),
        )

    def answer(self, key: bytes, question: Question) -> Answer:
        """Return the answer that is kept under ``key``, or that the judge gives now; NoAnswer where there is none."""
        answer = self.session.store.find(key)
        if answer is None:
            answer = self._sent(key, self._request(key, question, question.messages, question.max_tokens))
        else:
            self.account.count(question.prompt, Count(cached=1))
        self.judge.note(answer)
        return answer

    def _sent(self, key: bytes, request: Request) -> Answer:
        """Send a request and keep its answer; NoAnswer where there is none."""
        if self.session.offline:
            raise NoAnswer("offline", "no answer to this question is kept in the judge cache")
        request.pause(0)
        most, cost = self.cost(estimated_tokens(request.messages), request.max_tokens), 0.0
        refused = self.session.budget.reserve(most, has_price=self.price is not None)
        if refused:
            raise NoAnswer("budget", refused)
        try:
            answer = _checked(self.judge.answer(request)).counted(request.messages, request.max_tokens)
            cost = self.cost(answer.prompt_tokens, answer.completion_tokens)
        except NoAnswer as none:
            # It may have been answered, too late.
            if none.code == "timeout":
                cost = most
                self.account.count(request.question.prompt, Count(late=1, cost=cost))
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
                self._given_up = str(none)
            elif self._unanswered >= most and not self._given_up:
                self._given_up = f"no-answer: not asked, as {self._unanswered} in a row got no answer; the last: {none}"

    def _planned(self, request: Request, took: _Took) -> Reply:
        tokens = (estimated_tokens(request.messages), request.max_tokens)
        self.account.count(request.question.prompt, Count(1, 0, *tokens, self.cost(*tokens)))
        if request.question.expected is None:
            return took.reply(failed="dry-run: nothing is sent")
        return took.reply(value=request.question.expected)


def _checked(answer: Answer) -> Answer:
    """Return an answer as it is; NoAnswer where it could not be read from the cache, as of a judge of one's own."""
    try:
        return answer.checked()
    except (AttributeError, TypeError, ValueError) as error:
        raise NoAnswer("no-answer", f"the answer is not what a judge gives: {excerpt(error)}", alone=True) from None


@dataclass
class _Limits:
    """The limits of the run for one request, which has reserved its cost for the first time that it is sent."""

    asking: AskingCall
    prompt: str
    most: float
    sent: bool = False

    def __call__(self, late: bool) -> str | None:  # noqa: FBT001 - only `Request.sending` calls it
        if not self.sent:
            self.sent = True
            return None
        if late:
            self.asking.account.count(self.prompt, Count(late=1, cost=self.most))
        return self.asking.session.budget.again(self.most, late=late)


@dataclass
class _Took:
    """What the answers to one question took, together."""

    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    requests: int = 0
    kept: int = 0
    structured: Structured | None = None

    def add(self, answer: Answer) -> None:
        self.usage = Usage(self.usage.prompt + answer.prompt_tokens, self.usage.completion + answer.completion_tokens)
        self.seconds += answer.seconds
        self.structured = answer.structured

    def reply(self, *, value: Any = None, failed: str = "", labels: Any = None) -> Reply:
        reply = Reply(
            status="failed" if failed else "ok", reason=excerpt(failed, _REASON), value=value, usage=self.usage,
            seconds=self.seconds, requests=self.requests, structured=self.structured or "",
        )  # fmt: skip
        return replace(reply, label_probabilities=labels) if labels else reply


class _Open(Exception):  # noqa: N818 - it never leaves the room
    """The kept answers do not suffice for a reply."""
