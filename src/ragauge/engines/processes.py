"""Processes that do parts of jobs, one at a time: one that is killed is replaced, and its part tried again."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, ClassVar

from ragauge.core.loading import imported_files
from ragauge.engines.worker import received
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


class _EndedError(Exception):
    """A worker was killed, or ended itself."""

    def __init__(self, code: int) -> None:
        super().__init__(f"signal {-code}" if code < 0 else f"exit code {code}")


class _Worker:
    """One process; it is ready when it has imported what it needs."""

    def __init__(self) -> None:
        environment = {**dict.fromkeys(_THREADS, "1"), **os.environ}
        command = [sys.executable, "-c", _START, json.dumps(sys.path)]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._is_ready = False
        self.terminate = self._process.terminate

    def wait_until_ready(self) -> None:
        """Wait for the first reply; NotPortable where there is none."""
        if not self._is_ready and received(self._process.stdout) is None:
            raise NotPortable(f"a worker ended: {_EndedError(self.stop())}")
        self._is_ready = True

    def asked(self, message: object) -> Iterator[tuple[str, Any]]:
        """Send a message and yield the replies, each what it is and its value; _EndedError where the process ends."""
        with suppress(OSError):
            assert self._process.stdin is not None  # noqa: S101 - it is a pipe
            self._process.stdin.write(pickle.dumps(message))
            self._process.stdin.flush()
            while (reply := received(self._process.stdout)) is not None:
                yield reply
        raise _EndedError(self.stop())

    def close_input(self) -> None:
        """Let the process end when it has done its part."""
        with suppress(OSError):
            assert self._process.stdin is not None  # noqa: S101 - it is a pipe
            self._process.stdin.close()

    def stop(self) -> int:
        """Wait until the process has ended; return its code."""
        self.close_input()
        with suppress(OSError):
            assert self._process.stdout is not None  # noqa: S101 - it is a pipe
            self._process.stdout.close()
        return self._process.wait()


@dataclass
class _JobUnderWay:
    """A job under way: the ``numbers`` of the parts that are left, what happens, and what failed, by part.

    ``files``: those that its metrics are in. An event is a number of samples, a part with its value, or None where a
    worker is through.
    """

    path: str
    numbers: Iterator[int]
    files: list[str] = field(default_factory=imported_files)
    events: SimpleQueue[int | tuple[int, Any] | None] = field(default_factory=SimpleQueue)
    concluded: list[Any] = field(default_factory=list)
    errors: dict[int, Exception] = field(default_factory=dict)
    is_over: bool = False


class Processes:
    """``count`` workers, each a process that does parts of jobs, pickled objects with a method ``do``.

    They are started at once or when they are first needed, and stay for the next job until `close`, or until nothing
    refers to this object.
    """

    _early: ClassVar[list[Processes]] = []

    def __init__(self, count: int) -> None:
        self.count = count
        self._lock = Lock()
        self._workers: dict[int, _Worker] = {}
        self.close = weakref.finalize(self, _stop_all, self._workers)

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
        for place in range(self.count):
            self._workers[place] = self._workers.get(place) or _Worker()

    def results(
        self, path: str, parts: Sequence[int], concluded: list[Any], done: Callable[[int], None] = lambda _: None
    ) -> Generator[Any]:
        """Do ``parts`` of the job at ``path``; yield what it returns for each, in their order.

        Args:
            path: of the pickled job.
            parts: their numbers.
            concluded: takes what the job returns at the end, of each worker that lives until then.
            done: takes samples that are done, fewer than 0 where a worker was killed with them.

        Raises:
            NotPortable: a worker cannot have the job.
            UsageError: a part's worker was killed twice.
            Exception: what a part raised, the first of them, when all others rest.
        """
        run = _JobUnderWay(path, iter(parts), concluded=concluded)
        following, come = iter(parts), dict[int, Any]()
        number = next(following, None)
        with closing(self._events(run)) as events:
            for event in events:
                if isinstance(event, int):
                    done(event)
                    continue
                come[event[0]] = event[1]
                while number in come:
                    yield come.pop(number)
                    number = next(following, None)

    def _events(self, run: _JobUnderWay) -> Generator[int | tuple[int, Any]]:
        threads = [Thread(target=self._serve, args=(place, run), daemon=True) for place in range(self.count)]
        for thread in threads:
            thread.start()
        left = len(threads)
        try:
            while left:
                with suppress(Empty):
                    event = run.events.get(timeout=_LOOK_S)
                    if event is None:
                        left -= 1
                    else:
                        yield event
        finally:
            if left:
                run.is_over = True
                with self._lock:
                    for worker in self._workers.values():
                        worker.terminate()
            for thread in threads:
                thread.join()
        if run.errors:
            raise run.errors[min(run.errors)]

    def _serve(self, place: int, run: _JobUnderWay) -> None:
        """Be the thread of one worker: send numbers, take replies, and replace the worker if it is killed."""
        number = -1
        try:
            # The first that cannot start says so before any part is taken.
            self._ready(place, run)
            for number in self._remaining(run):
                run.events.put((number, self._tried(place, run, number)))
            number = -1
            if not run.errors:
                with suppress(_EndedError):
                    run.concluded.append(self._asked(place, run, None))
        except Exception as error:  # noqa: BLE001 - it is raised where all is waited for
            with self._lock:
                if not run.is_over:
                    run.errors.setdefault(number, error)
        finally:
            run.events.put(None)

    def _remaining(self, run: _JobUnderWay) -> Iterator[int]:
        while True:
            with self._lock:
                # A part after one that failed is not begun, and those before it are waited for.
                number = None if run.is_over or run.errors else next(run.numbers, None)
            if number is None:
                return
            yield number

    def _tried(self, place: int, run: _JobUnderWay, number: int) -> Any:
        """Return what the job returns for a part; UsageError where it kills the worker each time."""
        for _ in range(_TRIES):
            try:
                return self._asked(place, run, number)
            except _EndedError as error:
                ended = error
        raise _killed(number, ended)

    def _asked(self, place: int, run: _JobUnderWay, number: int | None) -> Any:
        """Let a worker do a part, or conclude the job; _EndedError where it does not live to say so."""
        done = 0
        try:
            for kind, value in self._ready(place, run).asked((run.path, run.files, number)):
                if kind == "done":
                    return value
                if kind == "refused":
                    raise NotPortable(value)
                if kind == "error":
                    raise value
                done += value
                run.events.put(value)
        except _EndedError:
            del self._workers[place]
            # Its samples are scored again, and counted then.
            run.events.put(-done)
            raise

    def _ready(self, place: int, run: _JobUnderWay) -> _Worker:
        """Return a worker that can be sent parts; one that does not run is started."""
        with self._lock:
            if run.is_over:
                raise UsageError("RG-ENG-032 the run has ended")
            worker = self._workers[place] = self._workers.get(place) or _Worker()
        worker.wait_until_ready()
        return worker


def _stop_all(workers: dict[int, _Worker]) -> None:
    for worker in workers.values():
        worker.close_input()
    while workers:
        workers.popitem()[1].stop()


def _killed(number: int, ended: _EndedError) -> RagaugeError:
    return UsageError(
        f"the worker that scored part {number} was killed twice ({ended}), perhaps for lack of memory. Take fewer "
        "workers, or smaller models; finished parts are kept where the run has a folder of parts."
    )
