"""Ask a system many questions, several at once, and keep each answer when it comes."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import perf_counter
from typing import Any, Protocol

from ragauge.systems.answers import AnswerFile, SystemAnswer
from ragauge.systems.calling import Caller, System
from ragauge.systems.conversation import Said
from ragauge.systems.pace import Asking, Pace, own_wait, seconds_between_calls

NOT_ASKED = "not asked: interrupted"
BROKEN = "not asked: an earlier turn of the conversation has no answer"
_INTERRUPTED = "interrupted"
_GLANCE_S = 0.5
"""Seconds between two looks whether the user interrupts, which Windows does not tell a thread that waits."""


def _exchange(answer: SystemAnswer) -> list[dict[str, Any]]:
    said = (answer.columns or {}).get("answer")
    return [{"role": "user", "content": answer.question}, {"role": "assistant", "content": said}]


class AskingProgress(Protocol):
    """Is called while a system is asked."""

    def asking(self, done: int, failed: int, total: int) -> None:
        """Take the questions that are done, those of them that failed, and all."""

    def stopping(self, running: int) -> None:
        """Take the calls that are waited for after an interrupt."""


@dataclass(frozen=True)
class Questions:
    """Questions with their ids, and how what a system returns is read.

    ``mapping`` and ``split``: of the columns that a system gives, as in `ragauge.systems.outputs.columns_of`.
    ``inputs``: what the system gets in place of the text of each question. ``conversations``: the places of questions
    that are asked one after the other, each told what was said before; none: each question stands alone.
    """

    ids: Sequence[str]
    texts: Sequence[str]
    mapping: Mapping[str, str]
    split: Mapping[str, str]
    inputs: Sequence[Mapping[str, Any]] | None = None
    conversations: Sequence[Sequence[int]] = ()

    def sent(self, place: int) -> str | None:
        """Return the digest of what the system gets for a question; None where that is its text alone."""
        if self.inputs is None:
            return None
        return sha256(json.dumps(self.inputs[place], sort_keys=True, default=str).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class SystemAnswers:
    """Answers in the order of their questions. ``again``: earlier ones to another question, or to one sent otherwise.

    ``interrupted``: some questions were not asked, because the user stopped.
    """

    answers: tuple[SystemAnswer, ...]
    interrupted: bool = False
    again: int = 0


def answers_to(
    questions: Questions,
    system: System,
    asking: Asking,
    file: AnswerFile | None = None,
    progress: AskingProgress | None = None,
) -> SystemAnswers:
    """Return what ``system`` answers to each question; whatever it raises is the failure of that question alone.

    Questions that ``file`` has an answer to are not asked again; those that failed are. An interrupt (Ctrl-C) lets
    the calls that run end, a second one leaves them. With one question at a time and no timeout, the system is called
    in the caller's own thread.

    Raises:
        UsageError: ``system`` cannot be asked.
        OSError: an answer could not be written; no further question is asked then.
    """
    caller = Caller(system, asking.timeout, questions.mapping, questions.split)
    run = _Run(questions, caller, asking, file, progress)
    try:
        interrupted = run.all()
    finally:
        caller.close()
    return SystemAnswers(run.answers(), interrupted, run.again)


class _Run:
    """Questions that are being asked. All that threads share changes under one lock."""

    def __init__(
        self,
        questions: Questions,
        caller: Caller,
        asking: Asking,
        file: AnswerFile | None,
        progress: AskingProgress | None,
    ) -> None:
        self._questions, self._caller, self._asking = questions, caller, asking
        self._file, self._progress = file, progress
        self._pace = Pace(0.0 if asking.rate is None else seconds_between_calls(asking.rate))
        self._lock = Lock()
        self._stop = Event()
        self._begun = self._ended = 0
        self._signals: SimpleQueue[None] = SimpleQueue()
        self._interrupted = False
        self._error: BaseException | None = None
        earlier = {} if file is None else file.earlier
        same = {
            place: earlier[name]
            for place, (name, text) in enumerate(zip(questions.ids, questions.texts, strict=True))
            if name in earlier and (earlier[name].question, earlier[name].sent) == (text, questions.sent(place))
        }
        self.again = sum(name in earlier for name in questions.ids) - len(same)
        self._answers: dict[int, SystemAnswer] = {
            place: answer for place, answer in same.items() if answer.columns is not None
        }
        # Outputs that could not be read may be readable now, as the user maps them; nothing is asked for them.
        for place, answer in same.items():
            if answer.columns is None and answer.returned is not None:
                again = caller.read_again(answer.returned)
                if again.columns is not None:
                    read = replace(answer, columns=again.columns, renamed=again.renamed, failure=None, returned=None)
                    self._answers[place] = read
                    if file is not None:
                        file.add(read)
        self._failed = 0
        every = questions.conversations or [(place,) for place in range(len(questions.ids))]
        asked = [places for places in every if any(place not in self._answers for place in places)]
        # A conversation that was not led to its end is led again from its beginning.
        for place in chain.from_iterable(asked):
            self._answers.pop(place, None)
        self._count, self._conversations = len(asked), iter(asked)

    def all(self) -> bool:
        """Ask all questions; return whether the user interrupted."""
        self._report()
        threads = min(self._asking.concurrency, self._count)
        if self._caller.keeps_conversation:
            threads = min(threads, 1)
        if threads <= 1 and self._asking.timeout is None:
            self._work()
        else:
            self._work_in_threads(threads)
        with self._lock:
            self._stop.set()
            if self._error is not None:
                raise self._error
            return self._interrupted

    def answers(self) -> tuple[SystemAnswer, ...]:
        """Return one answer per question; those that were not asked say so."""
        pairs = enumerate(zip(self._questions.ids, self._questions.texts, strict=True))
        with self._lock:
            there = dict(self._answers)
        return tuple([there.get(place) or SystemAnswer(name, text, None, NOT_ASKED) for place, (name, text) in pairs])

    def _work_in_threads(self, count: int) -> None:
        """Start so many threads, and wait until they have ended; after a second interrupt, leave them.

        Where an interrupt comes while they start, no other is started. One that is about to begin finds all stopped, so
        only those that have begun are waited for. Not by `Thread.join`: Python 3.11 takes a thread for ended where an
        interrupt comes while it is joined.
        """
        context = copy_context()
        waiting = [Thread(target=context.copy().run, args=(self._work_and_end,), daemon=True) for _ in range(count)]
        expected = count
        while True:
            try:
                while waiting:
                    waiting.pop().start()
                if self._ended >= expected:
                    return
                with suppress(Empty):
                    self._signals.get(timeout=_GLANCE_S)
            except KeyboardInterrupt:
                if self._interrupted:
                    return
                self._interrupted = True
                self._stop.set()
                waiting.clear()
                with self._lock:
                    expected = self._begun
                    running = expected - self._ended
                if self._progress is not None:
                    self._progress.stopping(running)

    def _work_and_end(self) -> None:
        with self._lock:
            self._begun += 1
        try:
            self._work()
        finally:
            with self._lock:
                self._ended += 1
            self._signals.put(None)

    def _work(self) -> None:
        """Ask one question after the other, until there are none or all is stopped."""
        for place, said in self._open():
            try:
                answer = self._answer(place, said)
                if answer is None:
                    return
                if said is not None:
                    said.history += _exchange(answer)
                self._keep(place, answer)
            except KeyboardInterrupt:
                self._interrupted = True
                self._stop.set()
                with self._lock:
                    name, text = self._questions.ids[place], self._questions.texts[place]
                    self._answers.setdefault(place, SystemAnswer(name, text, None, _INTERRUPTED))
            except BaseException as error:  # noqa: BLE001 - it is raised by the thread that waits
                self._error = error
                self._stop.set()

    def _open(self) -> Iterator[tuple[int, Said | None]]:
        while not self._stop.is_set():
            with self._lock:
                places = next(self._conversations, None)
            if places is None:
                return
            said = Said() if self._questions.conversations else None
            yield from ((place, said) for place in places if not self._stop.is_set())

    def _answer(self, place: int, said: Said | None) -> SystemAnswer | None:
        """Ask one question, again where a failure looks temporary; None where all was stopped before an answer."""
        name, text = self._questions.ids[place], self._questions.texts[place]
        if said is not None and said.history and not said.history[-1]["content"]:
            return SystemAnswer(name, text, None, BROKEN)
        causes: tuple[str, ...] = ()
        for attempt in range(1, self._asking.retries + 2):
            self._pace.wait(self._stop)
            if self._stop.is_set():
                return None
            start = perf_counter()
            outcome = self._caller(text if self._questions.inputs is None else self._questions.inputs[place], said)
            seconds = perf_counter() - start
            sent = self._questions.sent(place)
            answer = SystemAnswer(
                name, text, outcome.columns, outcome.failure, seconds, attempt, outcome.renamed, sent, causes,
                outcome.returned,
            )  # fmt: skip
            if attempt > self._asking.retries or not outcome.is_temporary:
                return answer
            causes += (outcome.cause,)
            if outcome.wait is not None:
                self._pace.pause(outcome.wait)
            if self._stop.wait(own_wait(attempt, name) if outcome.wait is None else outcome.wait):
                return answer
        return None

    def _keep(self, place: int, answer: SystemAnswer) -> None:
        if self._file is not None:
            self._file.add(answer)
        with self._lock:
            is_first = not any(one.columns is not None for one in self._answers.values())
            if is_first and any("." in path for path in answer.renamed.values()):
                read = ", ".join(f"{known} <- {path}" for known, path in answer.renamed.items())
                template = "the first answer is read as %s; map (--map in a command) chooses other places"
                logging.getLogger("ragauge").warning(template, read)
            self._answers[place] = answer
            self._failed += answer.columns is None
        self._report()

    def _report(self) -> None:
        if self._progress is None:
            return
        # The user's function need not bear several threads at once.
        with self._lock:
            self._progress.asking(len(self._answers), self._failed, len(self._questions.ids))
