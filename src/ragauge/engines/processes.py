"""Processes that score parts: each gets one at a time; one that is killed is replaced, and its part tried again."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from base64 import b64decode
from collections.abc import Generator, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple

from ragauge.core.loading import imported_files
from ragauge.errors import RagaugeError, UsageError

_START = (
    "import sys; sys.path[:] = filter(None, sys.path); import json, signal; "
    "signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = json.loads(sys.argv[1]); "
    "from ragauge.engines.worker import main; main(*sys.argv[2:])"
)
"""A worker ends when its input does; Ctrl-C is for the process that started it. The main module is not run again.

No module comes from the working directory, where a file may be called json.py, unless the starter finds it there too.
"""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_TRIES = 2
"""Times that a part is scored: it may be what kills the worker, as by taking all memory."""
_LOOK_S = 0.5
"""Seconds between looks for Ctrl-C, which does not wake a thread that waits on Windows."""


class NotPortable(Exception):  # noqa: N818 - no error: the run goes on in one process
    """A worker cannot have the metrics, for the reason in the text."""


class Event(NamedTuple):
    """``rows`` more samples are done, fewer where a worker was killed; or the part of this number is."""

    rows: int = 0
    part: int | None = None


class Processes:
    """``count`` workers on the ``parts`` of a job, a pickled `ragauge.engines.worker.Job` at ``path``."""

    def __init__(self, path: str, parts: int, count: int) -> None:
        self._path = path
        self._numbers = iter(range(parts))
        self._lock = Lock()
        self._events: SimpleQueue[Any] = SimpleQueue()
        self._errors: dict[int, Exception] = {}
        self._running: set[subprocess.Popen[str]] = set()
        self._ended = False
        self._threads = [Thread(target=self._serve, daemon=True) for _ in range(min(count, parts))]

    def events(self) -> Generator[Event]:
        """Score all parts; yield what happens. The first part that failed is raised when all is at rest.

        Raises:
            NotPortable: a worker cannot have the metrics.
            UsageError: a part's worker was killed twice.
            Exception: what a metric raised, of the first part that failed.
        """
        for thread in self._threads:
            thread.start()
        left = len(self._threads)
        try:
            while left:
                with suppress(Empty):
                    event = self._events.get(timeout=_LOOK_S)
                    if event is None:
                        left -= 1
                    else:
                        yield event
        finally:
            self._end()
        if self._errors:
            raise self._errors[min(self._errors)]

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            for process in self._running:
                process.terminate()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        """Be the thread of one worker: send numbers, take replies, and replace the worker if it is killed."""
        process: subprocess.Popen[str] | None = None
        try:
            # The first that cannot start says so before any part is taken.
            process = self._started()
            for number in self._remaining():
                for _ in range(_TRIES):
                    if self._scored(process, number):
                        break
                    code = self._stopped(process)
                    process = self._started()
                else:
                    self._failed(_killed(number, code))
        except Exception as error:  # noqa: BLE001 - it is raised where all is waited for
            self._failed(error)
        finally:
            if process is not None:
                self._stopped(process)
            self._events.put(None)

    def _failed(self, error: Exception) -> None:
        with self._lock:
            if not self._ended:
                self._errors.setdefault(getattr(error, "part", -1), error)

    def _remaining(self) -> Iterator[int]:
        while True:
            with self._lock:
                # A part after one that failed is not begun, and those before it are waited for.
                number = None if self._ended or self._errors else next(self._numbers, None)
            if number is None:
                return
            yield number

    def _started(self) -> subprocess.Popen[str]:
        environment = {**dict.fromkeys(_THREADS, "1"), **os.environ}
        command = [sys.executable, "-c", _START, json.dumps(sys.path), self._path, *imported_files()]
        with self._lock:
            if self._ended:
                raise UsageError("the run has ended")
            process = subprocess.Popen(  # noqa: S603 - our own module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, encoding="utf-8"
            )
            self._running.add(process)
        hello = _reply(process)
        if hello is None or "refused" in hello:
            self._stopped(process)
            raise NotPortable((hello or {}).get("refused", f"a worker ended with the code {process.returncode}"))
        return process

    def _scored(self, process: subprocess.Popen[str], number: int) -> bool:
        """Let a worker score a part; return whether it lived to say so."""
        done, failure = 0, None
        with suppress(OSError):
            assert process.stdin is not None  # noqa: S101 - it is a pipe
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
            while (reply := _reply(process)) is not None:
                if "error" in reply:
                    failure = reply["error"]
                    break
                if "done" in reply:
                    self._events.put(Event(part=number))
                    return True
                done += reply["rows"]
                self._events.put(Event(reply["rows"]))
        if failure is not None:
            # It may be an OSError too, as of a full disk, and is then no broken pipe.
            error = pickle.loads(b64decode(failure))  # noqa: S301 - our own process wrote it
            error.part = number
            raise error
        # Its samples are scored again, and counted then.
        self._events.put(Event(-done))
        return False

    def _stopped(self, process: subprocess.Popen[str]) -> int:
        """Let a worker end; return its code."""
        with self._lock:
            self._running.discard(process)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        return process.wait()


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
