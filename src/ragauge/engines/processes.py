"""Processes that do parts of jobs, one at a time: one that is killed is replaced, and its part tried again."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import weakref
from base64 import b64decode
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, ClassVar, NamedTuple

from ragauge.core.loading import imported_files
from ragauge.errors import RagaugeError, UsageError

_START = (
    "import sys; sys.path[:] = filter(None, sys.path); import json, signal; "
    "signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = json.loads(sys.argv[1]); "
    "from ragauge.engines.worker import main; main()"
)
"""A worker ends when its input does; Ctrl-C is for the process that started it. The main module is not run again.

No module comes from the working directory, where a file may be called json.py, unless the starter finds it there too.
"""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_TRIES = 2
"""Times that a part is tried: it may be what kills the worker, as by taking all memory."""
_LARGE = 1 << 24
"""Bytes of a file from which workers are started early: fewer may be scored in one process."""
_LOOK_S = 0.5
"""Seconds between looks for Ctrl-C, which does not wake a thread that waits on Windows."""


class NotPortable(Exception):  # noqa: N818 - no error: the run goes on in one process
    """A worker cannot have the metrics, for the reason in the text."""


class Event(NamedTuple):
    """``rows`` more samples are done, fewer where a worker was killed; or a part is, with what the job returned for it.

    ``worker``: which worker did it; without a number, ``value`` is of all its parts, None where it was killed.
    """

    rows: int = 0
    part: int | None = None
    value: Any = None
    worker: int = 0


class Processes:
    """``count`` workers, each a process that does parts of jobs, pickled objects with a method ``do``.

    They are started at once or when they are first needed, and stay for the next job until `close`, or until nothing
    refers to this object.
    """

    _early: ClassVar[list[Processes]] = []

    def __init__(self, count: int) -> None:
        self.count = count
        self._lock = Lock()
        self._running: dict[int, subprocess.Popen[str]] = {}
        self._greeted: set[int] = set()
        self.close = weakref.finalize(self, _stop_all, self._running)

    @staticmethod
    def one_per_core() -> int:
        """Return how many cores this process may use."""
        return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1

    @classmethod
    def start_early(cls, count: int, path: str) -> None:
        """Start workers for the next run of this process, of the data at ``path``, if these are large.

        They import what they need while this process does so.
        """
        with suppress(OSError, ValueError):
            if Path(path).stat().st_size >= _LARGE and sys.platform != "win32" and sys.executable:
                cls._early.append(cls(count))
                cls._early[-1].start()

    @classmethod
    def of(cls, count: int) -> Processes:
        """Return the workers that were started early, where they are ``count``; else workers that are not started."""
        early = cls._early.pop() if cls._early else None
        return early if early is not None and early.count == count else cls(count)

    def start(self) -> None:
        """Start all workers, without waiting for them: they import what they need meanwhile."""
        for worker in range(self.count):
            if worker not in self._running:
                self._start(worker)

    def events(self, path: str, parts: Iterable[int]) -> Generator[Event]:
        """Do ``parts`` of the job at ``path``; yield what happens. The first part that failed is raised when all rests.

        Raises:
            NotPortable: a worker cannot have the job.
            UsageError: a part's worker was killed twice.
            Exception: what a part raised, the first of them.
        """
        task = _Task(path, imported_files(), iter(parts), SimpleQueue(), {})
        threads = [Thread(target=self._serve, args=(worker, task), daemon=True) for worker in range(self.count)]
        for thread in threads:
            thread.start()
        left = len(threads)
        try:
            while left:
                with suppress(Empty):
                    event = task.events.get(timeout=_LOOK_S)
                    if event is None:
                        left -= 1
                    else:
                        yield event
        finally:
            if left:
                task.ended = True
                with self._lock:
                    for process in self._running.values():
                        process.terminate()
            for thread in threads:
                thread.join()
        if task.errors:
            raise task.errors[min(task.errors)]

    def _serve(self, worker: int, task: _Task) -> None:
        """Be the thread of one worker: send numbers, take replies, and replace the worker if it is killed."""
        try:
            # The first that cannot start says so before any part is taken.
            self._ready(worker, task)
            for number in self._remaining(task):
                for _ in range(_TRIES):
                    if self._done(worker, task, number):
                        break
                    code = self._stopped(worker)
                    self._ready(worker, task)
                else:
                    self._failed(task, _killed(number, code))
            if not task.errors:
                concluded = self._sent(worker, task, None) or {}
                task.events.put(Event(value=_value(concluded), worker=worker))
        except Exception as error:  # noqa: BLE001 - it is raised where all is waited for
            self._failed(task, error)
        finally:
            task.events.put(None)

    def _failed(self, task: _Task, error: Exception) -> None:
        with self._lock:
            if not task.ended:
                task.errors.setdefault(getattr(error, "part", -1), error)

    def _remaining(self, task: _Task) -> Iterator[int]:
        while True:
            with self._lock:
                # A part after one that failed is not begun, and those before it are waited for.
                number = None if task.ended or task.errors else next(task.numbers, None)
            if number is None:
                return
            yield number

    def _start(self, worker: int) -> subprocess.Popen[str]:
        environment = {**dict.fromkeys(_THREADS, "1"), **os.environ}
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-c", _START, json.dumps(sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, encoding="utf-8",
        )  # fmt: skip
        self._running[worker] = process
        self._greeted.discard(worker)
        return process

    def _ready(self, worker: int, task: _Task) -> None:
        """Start a worker that does not run, and wait until it can be sent parts."""
        with self._lock:
            if task.ended:
                raise UsageError("the run has ended")
            process = self._running.get(worker) or self._start(worker)
        if worker not in self._greeted:
            if _reply(process) is None:
                raise NotPortable(f"a worker ended with the code {self._stopped(worker)}")
            self._greeted.add(worker)

    def _done(self, worker: int, task: _Task, number: int) -> bool:
        """Let a worker do a part; return whether it lived to say so."""
        reply = self._sent(worker, task, number)
        if reply is None:
            return False
        if "refused" in reply:
            raise NotPortable(reply["refused"])
        if "error" in reply:
            error = _unpacked(reply["error"])
            error.part = number
            raise error
        task.events.put(Event(part=number, value=_value(reply), worker=worker))
        return True

    def _sent(self, worker: int, task: _Task, number: int | None) -> dict[str, Any] | None:
        """Send a number, or None at the end; return the last reply, or None where the worker was killed."""
        process, done = self._running[worker], 0
        with suppress(OSError):
            assert process.stdin is not None  # noqa: S101 - it is a pipe
            process.stdin.write(json.dumps([task.path, task.files, number]) + "\n")
            process.stdin.flush()
            while (reply := _reply(process)) is not None:
                if "rows" not in reply:
                    return reply
                done += reply["rows"]
                task.events.put(Event(reply["rows"]))
        # Its samples are scored again, and counted then.
        task.events.put(Event(-done))
        return None

    def _stopped(self, worker: int) -> int:
        """Let a worker end; return its code."""
        with self._lock:
            process = self._running.pop(worker)
        return _stop(process)


@dataclass
class _Task:
    """A job under way: the ``numbers`` of the parts that are left, what happens, and what failed.

    ``files``: those that its metrics stand in.
    """

    path: str
    files: list[str]
    numbers: Iterator[int]
    events: SimpleQueue[Any]
    errors: dict[int, Exception]
    ended: bool = False


def _value(reply: dict[str, Any]) -> Any:
    """Return what a job returned: sent, or written to a file where it is large; None where the worker was killed."""
    if "stored" in reply:
        path = Path(reply["stored"])
        value = pickle.loads(path.read_bytes())  # noqa: S301 - our own process wrote it
        path.unlink()
        return value
    return _unpacked(reply["done"]) if "done" in reply else None


def _unpacked(content: str) -> Any:
    return pickle.loads(b64decode(content))  # noqa: S301 - our own process wrote it


def _stop(process: subprocess.Popen[str]) -> int:
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    return process.wait()


def _stop_all(running: dict[int, subprocess.Popen[str]]) -> None:
    for process in running.values():
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
    while running:
        _stop(running.popitem()[1])


def _reply(process: subprocess.Popen[str]) -> dict[str, Any] | None:
    """Return the next message of a worker; None where it has ended."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    line = process.stdout.readline()
    try:
        message: dict[str, Any] = json.loads(line)
    except ValueError:
        # Also the half of a line that a killed worker wrote.
        return None
    return message


def _killed(number: int, code: int) -> RagaugeError:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    error = UsageError(
        f"the worker that scored part {number} was killed twice ({how}), perhaps for lack of memory. Take fewer "
        "workers, or smaller models; finished parts are kept where the run has a folder of parts."
    )
    error.part = number  # type: ignore[attr-defined]
    return error
