"""The file that keeps answers as they come, so that an interrupted run can be resumed.

The first line says which system answers, and how many questions. Each further line is the answer to one question, or
why there is none, and goes to the operating system before the next question is asked of it: a killed process loses no
answer. At most once a second, and in the end, the file is forced onto the disk: a machine that fails may lose the
answers of its last second.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from math import fsum
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np

from ragauge._version import __version__
from ragauge.core.messages import Argument, Counted, Joined, Message
from ragauge.core.protocol import FAILURE
from ragauge.core.temporary import lock_file
from ragauge.display.numbers import short_number
from ragauge.errors import DataError, UsageError, at, reason_of
from ragauge.systems.measures import is_measure
from ragauge.systems.outputs import are_columns
from ragauge.systems.pace import Asking, seconds_between_calls

FORMAT = 1
"""Version of the file; raised whenever its lines change."""
_SYNC_S = 1.0
_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would write two bytes for each line end."""


@dataclass(frozen=True)
class SystemAnswer:
    """The answer of a system to one question, or why there is none.

    ``columns``: known and other columns of JSON types; None where it failed, and then ``failure`` says why.
    ``latency``: seconds of the last call. ``attempts``: calls, of which all but the last failed. ``renamed``: known
    column -> its name in what the system returned, where that is another. ``sent``: digest of what the system was given
    where that is more than the question. ``causes``: of the failures after which it was called again. ``returned``:
    what the system returned, where it failed because that could not be read.
    """

    id: str
    question: str
    columns: Mapping[str, Any] | None
    failure: str | None = None
    latency: float | None = None
    attempts: int = 1
    renamed: Mapping[str, str] = field(default_factory=dict)
    sent: str | None = None
    causes: Sequence[str] = ()
    returned: Any = None

    def line(self) -> bytes:
        """Return the answer as one line of JSON in UTF-8."""
        outcome = {FAILURE: self.failure} if self.columns is None else {"output": self.columns}
        measured = {"latency": self.latency, "attempts": self.attempts}
        names = {"renamed": self.renamed} if self.renamed else {}
        sent = {} if self.sent is None else {"sent": self.sent}
        causes = {"causes": [*self.causes]} if self.causes else {}
        returned = {} if self.returned is None else {"returned": self.returned}
        asked = {"id": self.id, "question": self.question, **sent}
        return _line({**asked, **outcome, **returned, **measured, **causes, **names})


class AnswerFile:
    """An open file of answers. ``earlier``: those that are in it already, by id; of several, the last."""

    def __init__(self, descriptor: int, earlier: Mapping[str, SystemAnswer]) -> None:
        self.earlier = earlier
        self._descriptor = descriptor
        self._lock = Lock()
        self._synced = monotonic()
        self._closed = False

    def add(self, answer: SystemAnswer) -> None:
        """Append an answer; OSError where the disk does not take it. A closed file takes none."""
        with self._lock:
            if self._closed:
                return
            _append(self._descriptor, answer.line())
            due = monotonic() - self._synced > _SYNC_S
            self._synced = monotonic() if due else self._synced
        if due:
            # Other threads continue to write meanwhile.
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Take no further answers: calls that were left after an interrupt may still end."""
        with self._lock:
            self._closed = True


@contextmanager
def answer_file(path: Path, system: str, *, resume: bool, questions: int | None = None) -> Iterator[AnswerFile]:
    """Open a file of answers of the system called ``system``, for this process alone.

    Args:
        path: the file; its folder is made.
        system: the name of the system, which is kept in the first line.
        questions: how many are asked. The first line of a new file has the number, so that a viewer can show how many
            remain.
        resume: continue a file that exists; its last line may be torn, as a crash leaves it.

    Raises:
        UsageError: the file exists without ``resume``; it has the answers of another system; another process writes it;
            or it cannot be written.
        DataError: a line before the last is damaged.
    """
    if path.is_fifo():
        # Reading what is there would wait for ever.
        raise UsageError(
            "RG-RUN-003 {path} cannot be written: {reason_of}", path, Message("it is a named pipe, not a file")
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o666)
    except OSError as error:
        raise UsageError("RG-RUN-003 {path} cannot be written: {reason_of}", path, reason_of(error)) from error
    try:
        if lock_file(descriptor) is False:
            raise UsageError(
                "RG-SYSTEM-005 another process is adding answers to {path}. Wait for it, or name another file.", path
            )
        earlier = _earlier(path, descriptor, system, questions, resume=resume)
        file = AnswerFile(descriptor, earlier)
        try:
            yield file
        finally:
            file.close()
    finally:
        os.fsync(descriptor)
        os.close(descriptor)


def _earlier(
    path: Path, descriptor: int, system: str, questions: int | None, *, resume: bool
) -> dict[str, SystemAnswer]:
    """Return the answers of the file, and leave it with whole lines only; write the first line of a new one."""
    lines = path.read_bytes().splitlines(keepends=True)
    if lines and not (lines[-1].endswith(b"\n") and _parsed(lines[-1]) is not None):
        os.ftruncate(descriptor, sum(map(len, lines[:-1])))
        lines.pop()
    head = (_parsed(lines[0]) or {}) if lines else {}
    if lines and "answers_of" not in head:
        raise UsageError(
            "RG-SYSTEM-001 {path} is not a file of answers: its first line does not name a system. Name another file.",
            path,
        )
    if lines and head.get("format") != FORMAT:
        raise DataError(
            "RG-SYSTEM-002 {path} was written by ragauge {get} in another format; use that version",
            path,
            head.get("ragauge"),
        )
    answers = _answers(path, lines)
    unread = resume and any(answer.returned is not None for answer in answers.values())
    if all(answer.columns is None for answer in answers.values()) and not unread:
        # Of a new file, and of one where every question failed: there is nothing to lose or to mix.
        os.ftruncate(descriptor, 0)
        known = {} if questions is None else {"questions": questions}
        _append(descriptor, _line({"answers_of": system, "format": FORMAT, "ragauge": __version__, **known}))
        return {}
    if not resume:
        raise UsageError(
            "RG-SYSTEM-003 {path} has {answers} of an earlier run already. Pass {resume} to continue with them; to ask "
            "all again, remove the file, which is never replaced.",
            path,
            Counted(len(lines) - 1, "answer"),
            Argument("resume", value=True),
        )
    if head["answers_of"] != system:
        raise UsageError(
            "RG-SYSTEM-004 {path} has the answers of {other}, not of {system}: they must not be mixed. Name "
            "another file.",
            path,
            head["answers_of"],
            system,
        )
    return answers


def _answers(path: Path, lines: list[bytes]) -> dict[str, SystemAnswer]:
    answers, problems = {}, []
    for number, line in enumerate(lines[1:], 2):
        answer = _answer(_parsed(line))
        if answer is None:
            problems.append(at("line", number, Message("RG-SYSTEM-021 is not an answer")))
        else:
            answers[answer.id] = answer
    if problems:
        raise DataError.of(str(path), problems, advice="remove these lines to ask their questions again")
    return answers


def _answer(line: Mapping[str, Any] | None) -> SystemAnswer | None:
    if line is None or not {"id", "question"} <= line.keys() or not ("output" in line or FAILURE in line):
        return None
    columns, renamed, attempts = line.get("output"), line.get("renamed") or {}, line.get("attempts", 1)
    latency, sent, causes = line.get("latency"), line.get("sent"), line.get("causes", [])
    if not (
        (columns is None or (isinstance(columns, dict) and are_columns(columns)))
        and isinstance(line["id"], str)
        and isinstance(line["question"], str)
        and isinstance(line.get(FAILURE), str | None)
        and isinstance(sent, str | None)
        and (latency is None or (is_measure(latency) and latency >= 0))
        and is_measure(attempts)
        and attempts >= 1
        and isinstance(renamed, dict)
        and isinstance(causes, list)
        and all(isinstance(text, str) for text in (*renamed.values(), *causes))
    ):
        return None
    of_question = (line["id"], line["question"], columns, line.get(FAILURE))
    return SystemAnswer(*of_question, latency, int(attempts), renamed, sent, tuple(causes), line.get("returned"))


def _line(value: Mapping[str, Any]) -> bytes:
    # Half characters become the escapes of JSON, and line ends within texts are escapes already.
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace") + b"\n"


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the object of a line; None where the line is not one."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _append(descriptor: int, content: bytes) -> None:
    """Write all of ``content``; the system may take it in parts where the disk is nearly full."""
    while content:
        content = content[os.write(descriptor, content) :]


_CODES = frozenset(str(status.value) for status in HTTPStatus)
_TOO_MANY = str(HTTPStatus.TOO_MANY_REQUESTS.value)
_PLAIN = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
"""Numbers of one or two digits to which a rate is rounded down."""
_FASTEST = 600
"""The greatest rate, per minute or hour, that is proposed after a server had too many requests."""
_SHARES = (0.5, 0.9, 0.95, 0.99)
_SECONDS = {
    "latency": "RG-NOTE-020 latency of {answers} in seconds: half within {half}, 90 % {of_90}, 95 % {of_95}, "
    "99 % {of_99}, slowest {slowest}",
    "time_to_first_token": "RG-NOTE-045 time to the first token of {answers} in seconds: half within {half}, "
    "90 % {of_90}, 95 % {of_95}, 99 % {of_99}, slowest {slowest}",
}
_SPENT = {
    "input_tokens": "RG-NOTE-021 tokens in: {total}{each}{unknown}",
    "output_tokens": "RG-NOTE-022 tokens out: {total}{each}{unknown}",
    "cost": "RG-NOTE-023 cost: {total}{each}{unknown}",
}


def notes_on(answers: Sequence[SystemAnswer], asking: Asking | None = None) -> list[str]:
    """Return notes on latency, tokens, cost and further tries of ``answers``; failed ones have no latency here.

    ``asking``: how they were asked, for what to change where a server had too many requests.

    A share of the answers came within a time that was measured: nothing is interpolated between two times.

    >>> notes_on([SystemAnswer("a", "?", {"answer": "x", "cost": 0.5}, latency=0.25)])
    ['latency of 1 answer in seconds: half within 0.25, 90 % 0.25, 95 % 0.25, 99 % 0.25, slowest 0.25', 'cost: 0.5']
    """
    notes: list[str] = []
    for name, template in _SECONDS.items():
        seconds = _numbers(answers, name)
        if seconds:
            within = np.quantile(seconds, _SHARES, method="inverted_cdf").tolist()
            values = [Counted(len(seconds), "answer"), *map(_short, [*within, max(seconds)])]
            notes.append(Message(template, *values))
    for name, template in _SPENT.items():
        numbers = _numbers(answers, name)
        if numbers:
            # Exact sums do not depend on the order in which answers came.
            total = fsum(numbers)
            each = Message(", {mean} an answer", _short(total / len(numbers))) if len(numbers) > 1 else ""
            without = len([one for one in answers if one.columns is not None]) - len(numbers)
            unknown = Message("; unknown for {answers}", Counted(without, "answer")) if without else ""
            notes.append(Message(template, _short(total), each, unknown))
    repeated = [answer for answer in answers if answer.attempts > 1]
    if repeated:
        calls = sum(answer.attempts - 1 for answer in repeated)
        counts = Counter(cause for answer in repeated for cause in answer.causes if cause)
        template = "RG-NOTE-024 {tries} for {questions}, after failures that looked temporary{causes}"
        tries = Counted(calls, "further try", "further tries")
        causes = Message(": {causes}", Joined(map(_counted, counts.items()))) if counts else ""
        notes.append(Message(template, tries, Counted(len(repeated), "question"), causes))
        if counts[_TOO_MANY]:
            template = "RG-NOTE-130 the system had too many requests; to ask it more slowly: {rate}"
            notes.append(Message(template, Argument("rate", _half_the_rate(answers, asking or Asking()))))
    return notes


def _counted(cause: tuple[str, int]) -> Message:
    name, count = cause
    phrase = f" ({HTTPStatus(int(name)).phrase.lower()})" if name in _CODES else ""
    return Message("{name} {times}", f"{name}{phrase}", Counted(count, "time"))


def _half_the_rate(answers: Sequence[SystemAnswer], asking: Asking) -> str:
    """Return about half of the calls that were made in a minute, or in an hour where these are few: a round number."""
    seconds = fsum(answer.latency or 0.0 for answer in answers) / len(answers) / asking.concurrency
    seconds = 2 * max(seconds, 0.0 if asking.rate is None else seconds_between_calls(asking.rate), 1e-3)
    calls, unit = (60 / seconds, "min") if seconds <= 60 else (3600 / seconds, "hour")
    # Where replies come at once, their time says little of what the server allows.
    calls = min(max(calls, 1.0), _FASTEST)
    power = 10 ** max(0, int(math.log10(calls)) - 1)
    return f"{max(one for one in _PLAIN if one * power <= calls) * power}/{unit}"


def _numbers(answers: Sequence[SystemAnswer], name: str) -> list[float]:
    """Return the numbers of those answers that have one: the system's own latency wins over the measured one."""
    own = [{"latency": one.latency, **one.columns}.get(name) for one in answers if one.columns is not None]
    return [float(number) for number in own if number is not None]


def _short(number: float) -> str:
    if number >= 10_000:
        return f"{number:,.0f}"
    return f"{number:.4g}" if number >= 0.0001 or not number else short_number(number)
