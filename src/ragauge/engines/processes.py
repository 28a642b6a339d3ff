"""Processes that do the parts of a job: one that is killed is replaced, and its part tried again."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import weakref
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any, ClassVar, TypeAlias

from ragauge.core.loading import imported_files
from ragauge.engines.worker import received
from ragauge.errors import RagaugeError, UsageError, excerpt

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
_AHEAD = 8
"""Parts per worker that are begun before their results are taken: more would only fill the memory."""
_LARGE = 1 << 24
"""Bytes of a file from which workers are started early: fewer may be scored in one process."""
_LOOK_S = 0.5
"""Seconds between looks for Ctrl-C, which does not wake a thread that waits on Windows."""
PickledJob: TypeAlias = tuple[list[str], bytes]
"""The Python files that a job's metrics are in, and the job, pickled."""


class NotSharedError(Exception):
    """Workers cannot do the job, for the reason in the text: one process does it."""


def _not_portable(why: str) -> NotSharedError:
    return NotSharedError(f"the metrics do not travel to other processes ({why})")


class _EndedError(Exception):
    """A worker was killed, or ended itself."""

    def __init__(self, code: int) -> None:
        super().__init__(f"signal {-code}" if code < 0 else f"exit code {code}")


class _Worker:
    """One process; it is ready when it has imported what it needs."""

    def __init__(self) -> None:
        environment = {**dict.fromkeys(_THREADS, "1"), **os.environ}
        command = [sys.executable, "-c", _START, json.dumps(sys.path)]
        self.process = subprocess.Popen(  # noqa: S603 - our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._is_ready = False
        self.job: PickledJob | None = None

    def done(self, job: PickledJob | None, number: int | None) -> Any:
        """Return what the job returns for a part, or at its end for None.

        Raises:
            NotSharedError: the worker cannot start, or not load the job.
            _EndedError: the process has ended.
            Exception: the job raised it.
        """
        if not self._is_ready and received(self.process.stdout) is None:
            raise _not_portable(f"a worker ended: {_EndedError(self.stop())}")
        self._is_ready = True
        assert self.process.stdin is not None  # noqa: S101 - it is a pipe
        reply = None
        with suppress(OSError):
            self.process.stdin.write(pickle.dumps((None if self.job is job else job, number)))
            self.process.stdin.flush()
            self.job = job
            reply = received(self.process.stdout)
        if reply is None:
            raise _EndedError(self.stop())
        kind, value = reply
        if kind == "refused":
            raise _not_portable(value)
        if kind == "error":
            raise value
        return value

    def close_input(self) -> None:
        """Let the process end when it has done its part."""
        with suppress(OSError):
            assert self.process.stdin is not None  # noqa: S101 - it is a pipe
            self.process.stdin.close()

    def stop(self) -> int:
        """Wait until the process has ended; return its code."""
        self.close_input()
        with suppress(OSError):
            assert self.process.stdout is not None  # noqa: S101 - it is a pipe
            self.process.stdout.close()
        return self.process.wait()


class Processes:
    """``count`` workers, each a process that does parts of jobs.

    They are started at once or when they are first needed, and stay for the next job until `close`, or until nothing
    refers to this object.
    """

    _early: ClassVar[list[Processes]] = []

    def __init__(self, count: int) -> None:
        self.count = count
        self._lock = Lock()
        self._workers: dict[int, _Worker] = {}
        self._job: PickledJob | None = None
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
        with suppress(OSError, ValueError, NotSharedError):
            if Path(path).stat().st_size >= _LARGE and sys.platform != "win32":
                cls._early.append(cls(count))
                cls._early[-1].start()

    @classmethod
    def of(cls, count: int) -> Processes:
        """Return the workers that were started early, where they are ``count``; else workers that are not started."""
        early = cls._early.pop() if cls._early else None
        return early if early is not None and early.count == count else cls(count)

    def start(self) -> None:
        """Start all workers, without waiting for them: they import what they need meanwhile.

        NotSharedError where there is no Python to start, as in a program that was frozen into one file.
        """
        if getattr(sys, "frozen", False) or not sys.executable:
            raise _not_portable("there is no Python to start")
        for place in range(self.count):
            self._workers[place] = self._workers.get(place) or _Worker()

    def results(self, job: object, parts: Iterable[int]) -> Generator[Any]:
        """Do ``parts`` of a job; yield what it returns for each, in their order.

        ``job``: is called with the number of a part, and pickles. Each worker loads it once.

        Raises:
            NotSharedError: a worker cannot have the job.
            UsageError: a part's worker was killed twice.
            Exception: what a part raised, the first of them.
        """
        self.start()
        try:
            content = pickle.dumps(job)
        except Exception as error:  # noqa: BLE001 - whatever a metric raises when it is pickled
            why = f"{excerpt(error)}. A metric travels where it is in a file that is imported"
            raise _not_portable(why) from None
        self._job = imported_files(), content
        numbers, free = iter(parts), SimpleQueue[int]()
        for place in range(self.count):
            free.put(place)
        threads = ThreadPoolExecutor(self.count)
        tasks = deque[Future[Any]]()
        try:
            while True:
                for number in islice(numbers, _AHEAD * self.count - len(tasks)):
                    tasks.append(threads.submit(self._tried, self._job, free, number))
                if not tasks:
                    return
                while not tasks[0].done():
                    wait([tasks[0]], _LOOK_S)
                yield tasks.popleft().result()
        except BaseException:
            with self._lock:
                self._job = None
                for worker in self._workers.values():
                    worker.process.terminate()
            threads.shutdown(cancel_futures=True)
            _stop_all(self._workers)
            raise
        finally:
            threads.shutdown()

    def conclusions(self) -> list[Any]:
        """Return what the job of the last `results` returns at its end, of each worker that still lives."""
        working = [worker for worker in self._workers.values() if worker.job is self._job]
        with ThreadPoolExecutor(self.count) as threads:
            return [value for values in threads.map(_concluded, working) for value in values]

    def _tried(self, job: PickledJob, free: SimpleQueue[int], number: int) -> Any:
        """Return what the job returns for a part; UsageError where it kills the worker each time."""
        place = free.get()
        try:
            for _ in range(_TRIES):
                try:
                    return self._living(job, place).done(job, number)
                except _EndedError as error:
                    ended = error
                    del self._workers[place]
            raise _killed(number, ended)
        finally:
            free.put(place)

    def _living(self, job: PickledJob, place: int) -> _Worker:
        """Return the worker at ``place``; one that does not run is started."""
        with self._lock:
            if self._job is not job:
                raise CancelledError
            worker = self._workers[place] = self._workers.get(place) or _Worker()
        return worker


def _concluded(worker: _Worker) -> list[Any]:
    """Return what the job of a worker returns at its end; nothing where the worker has ended."""
    try:
        return [worker.done(worker.job, None)]
    except _EndedError:
        return []


def _stop_all(workers: dict[int, _Worker]) -> None:
    for worker in workers.values():
        worker.close_input()
    while workers:
        workers.popitem()[1].stop()


def _killed(number: int, ended: _EndedError) -> RagaugeError:
    return UsageError(
        "RG-ENG-039 the worker that scored part {number} was killed twice ({ended}), perhaps for lack of memory. Take "
        "fewer workers, or smaller models; finished parts are kept where the run has a folder of parts.",
        number,
        ended,
    )
