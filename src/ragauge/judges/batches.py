"""Batches: the questions of a run that no cache answers are sent together, cost half, and are answered within a day."""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from ragauge.core.messages import Message, Spelled
from ragauge.endpoints.endpoint import Empty, Refused, WrongEndpointError
from ragauge.errors import UsageError
from ragauge.judges.batch_servers import BatchOutcome, BatchServer
from ragauge.judges.budget import Budget
from ragauge.judges.cache import AnswerStore
from ragauge.judges.reply import Answer
from ragauge.judges.request import NoAnswer, Request
from ragauge.judges.sent_batches import Asked, SentBatch, SentBatches

# The most of one batch: OpenAI takes 50,000 requests of 200 MB, Anthropic more.
_MOST_REQUESTS = 50_000
_MOST_BYTES = 100_000_000
# A request whose batch expired is sent so often in all.
_TRIALS = 3
_FIRST_WAIT_S, _LONGEST_WAIT_S, _GROWTH = 2.0, 60.0, 1.5
# A server that so often in a row does not say how a batch is, is asked in another run.
_PATIENCE = 30
_WAITS = Message("waits for its batch")


class Sender(Protocol):
    """What a batch needs of the call that asks, a `ragauge.judges.base.AskingCall`."""

    name: str
    judge: Any

    def send_now(self, key: bytes, request: Request, most: float) -> Answer:
        """Send one request by itself and return its answer."""


@dataclass
class _Queue:
    """Requests that are not sent yet, by their keys."""

    call: Sender
    asked: dict[str, Asked] = field(default_factory=dict)
    bodies: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    size: int = 0


class RequestBatches:
    """The batches of a run, which a file beside the cache remembers, so that the same command goes on with them.

    Args:
        cache: the file of the cache.
        store: the answers in it.
    """

    def __init__(self, cache: Path, store: AnswerStore, budget: Budget) -> None:
        self._file = SentBatches(cache)
        self._store, self._budget = store, budget
        self.collecting = False
        """Whether questions are only collected."""
        self._gathered = False
        self._sent: list[SentBatch] = []
        # By key: who asks what has no answer yet, why there is none, and how often it was sent.
        self._open: dict[str, Sender] = {}
        self._failed: dict[str, NoAnswer] = {}
        self._times: Counter[str] = Counter()
        self._fresh: set[bytes] = set()
        self._queues: dict[str, _Queue] = {}
        self._lock, self._first = Lock(), Lock()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def gather(self, ask: Callable[[], object]) -> None:
        """Have all that ``ask`` asks answered in batches: call it until the cache lacks nothing that may be answered.

        Each call sends what follows from the answers to the one before. It takes as long as the server does.
        """
        self._sent = self._file.read()
        self._failed.clear()
        self._times.clear()
        self._gathered = self.collecting = True
        try:
            while True:
                self._open.clear()
                ask()
                for name in list(self._queues):
                    self._send(self._queues.pop(name))
                if not self._open:
                    return
                self._wait()
        finally:
            self.collecting = False

    def take(self, call: Sender, key: bytes, request: Request, most: float) -> Answer | None:
        """Take a question that the cache does not answer, while they are collected.

        Returns:
            The answer of the first one, which is asked alone and shows how the server wants requests; None where the
            question is to be asked alone as ever.

        Raises:
            NoAnswer: it waits for its batch, which had no answer to it, or the budget does not let it be sent.
            UsageError: the judge has no batches, or questions cannot be collected.
        """
        name = key.hex()
        if not self._gathered:
            template = (
                "RG-JUDGE-062 questions go in batches where ragauge score or evaluate asks them in one process; leave "
                "out {batch} here"
            )
            raise UsageError(template, _BATCH)
        if name in self._failed:
            raise self._failed[name]
        if not self.collecting:
            return None
        with self._lock:
            if name in self._open or any(name in batch.requests for batch in self._sent):
                self._open[name] = call
                raise NoAnswer("batch", _WAITS, alone=True)
        _server_of(call)
        with self._first:
            body = _chat_of(call).batched(request)
            if body is None:
                answer: Answer = call.send_now(key, request, most)
                self._fresh.add(key)
                return answer
        self._queue(call, request, name, body, most)
        raise NoAnswer("batch", _WAITS, alone=True)

    def is_fresh(self, key: bytes) -> bool:
        """Return whether an answer in the cache is new in this run; True once."""
        with self._lock:
            there = key in self._fresh
            self._fresh.discard(key)
            return there

    def _queue(self, call: Sender, request: Request, name: str, body: Mapping[str, Any], most: float) -> None:
        if self._times[name] >= _TRIALS:
            self._failed[name] = NoAnswer("expired", Message("its batches were not answered in time"), alone=True)
            raise self._failed[name]
        refused = self._budget.reserve(most)
        if refused:
            raise NoAnswer("budget", refused)
        self._budget.settle(most, most)
        question = request.question
        with self._lock:
            queue = self._queues.setdefault(call.name, _Queue(call))
            self._open[name] = call
            self._times[name] += 1
            queue.asked[name] = Asked(question.prompt, question.label, question.labels, request.max_tokens)
            queue.bodies[name] = body
            queue.size += len(json.dumps(body))
            is_full = len(queue.bodies) >= _MOST_REQUESTS or queue.size >= _MOST_BYTES
            full = self._queues.pop(call.name) if is_full else None
        if full:
            self._send(full)

    def _send(self, queue: _Queue) -> None:
        """Send a queue as a batch, which is remembered before the server has it, and by its id after."""
        call, now = queue.call, time.time()
        mark = sha256(json.dumps([now, *queue.bodies]).encode()).hexdigest()[:32]
        batch = SentBatch(mark, call.name, now, _chat_of(call).form_of_batches, queue.asked)
        self._file.remember(batch)
        try:
            batch = replace(batch, id=_server_of(call).send(queue.bodies, mark))
        except Refused as refused:
            if refused.late or (refused.status is None and not (refused.final or isinstance(refused, Empty))):
                # Its answer did not come, or not as a whole, so the server may have it all the same.
                self._sent.append(batch)
                return
            self._file.forget(batch)
            self._fail(batch, _code(refused), refused.why)
            return
        except UsageError:
            self._file.forget(batch)
            raise
        self._file.remember(batch)
        self._sent.append(batch)
        template = "batch %s: %d requests; answers come within 24 hours. Interrupted, the same command goes on with it"
        logging.getLogger("ragauge").warning(template, batch.id, len(queue.bodies))

    def _wait(self) -> None:
        """Wait until each batch with an open request has ended, and cache its answers."""
        wait, lost = _FIRST_WAIT_S, Counter[str]()
        while True:
            for batch in list(self._sent):
                call = next((self._open[name] for name in batch.requests if name in self._open), None)
                if call is None:
                    continue
                try:
                    has_ended = self._collected(batch, call)
                    lost[batch.mark] = 0
                except Refused as refused:
                    has_ended, lost[batch.mark] = refused.final, lost[batch.mark] + 1
                    if refused.final or lost[batch.mark] > _PATIENCE:
                        self._fail(batch, _code(refused), refused.why)
                if has_ended:
                    self._sent.remove(batch)
                    self._file.forget(batch)
            if not any(name in self._open for batch in self._sent for name in batch.requests):
                return
            time.sleep(wait)
            wait = min(wait * _GROWTH, _LONGEST_WAIT_S)

    def _collected(self, batch: SentBatch, call: Sender) -> bool:
        """Cache the answers of a batch; return whether nothing is to be waited for. Refused: that is not known."""
        server = _server_of(call)
        try:
            name = batch.id or server.find(batch.mark)
            ended = server.ended(name) if name else None
        except WrongEndpointError as wrong:
            if wrong.status != 404:
                raise
            self._fail(batch, "http-404", wrong.message)
            return True
        if ended is None:
            # Without a name the server never had it.
            return not name
        for key, asked in batch.requests.items():
            self._settle(batch, call, key, asked, ended.outcomes.get(key, ended.rest))
        return True

    def _settle(self, batch: SentBatch, call: Sender, name: str, asked: Asked, outcome: BatchOutcome) -> None:
        key, judge = bytes.fromhex(name), _chat_of(call)
        if outcome.code == "expired":
            return
        try:
            seconds = max(time.time() - batch.sent, 0.0)
            answer = judge.of_batch(outcome, asked.request(key), batch.form, seconds)
        except NoAnswer as none:
            self._failed[name] = none
            return
        if answer.is_empty:
            self._failed[name] = NoAnswer("empty", Message("the reply has no text"), alone=True)
            return
        self._store.put(key, answer, batch.judge, asked.prompt)
        if self._store.find(key) is None:
            self._failed[name] = NoAnswer("no-answer", Message("the judge cache cannot be written"), alone=True)
        self._fresh.add(key)

    def _fail(self, batch: SentBatch, code: str, words: str) -> None:
        for name in batch.requests:
            self._failed[name] = NoAnswer(code, words, alone=True)
            self._open.pop(name, None)


_BATCH = Spelled("batch=True", "--judge-batch")


def _server_of(call: Sender) -> BatchServer:
    server: BatchServer | None = call.judge.batch_server()
    if server is None:
        template = (
            "RG-JUDGE-061 {batch} needs a server that takes batches, as OpenAI's /chat/completions and Anthropic's "
            "/v1/messages do; {judge} takes none. Leave it out, or name another judge"
        )
        raise UsageError(template, _BATCH, call.name)
    return server


def _chat_of(call: Sender) -> Any:
    """Return the judge of a call, a `ragauge.judges.chat.Chat`: only such a judge has a server of batches."""
    return call.judge


def _code(refused: Refused) -> str:
    return "no-answer" if refused.status is None else f"http-{refused.status}"
