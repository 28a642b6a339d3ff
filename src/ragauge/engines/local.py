"""Several processes of one machine: the same result as one process, to the last bit."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import pyarrow as pa

from ragauge._version import __version__
from ragauge.core.arrow import as_batch, whole
from ragauge.core.batch import Dataset
from ragauge.core.messages import Message
from ragauge.core.options import check_whole
from ragauge.core.temporary import temporary_folder
from ragauge.engines.part import ScoredPart, merge
from ragauge.engines.part_files import PartFiles, locked, writable
from ragauge.engines.plan import ASKS, OneProcess, Plan, asks_judge, with_vectors
from ragauge.engines.processes import NotPortable, Processes
from ragauge.engines.shares import written
from ragauge.engines.worker import Job, ReadingJob
from ragauge.errors import DataError, UsageError, excerpt
from ragauge.evaluation.evaluator import Progress
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.request import RunRequest
from ragauge.evaluation.score_file import ScoreFiles, WrittenScores
from ragauge.formats.line_blocks import FEWEST, BlockReader, ReadBlock, read_in_blocks
from ragauge.formats.opening import BLOCK
from ragauge.formats.rows import Spool
from ragauge.results.result import Result

ALONE = "scored in one process: "
"""The note begins so where workers were asked for and not used."""
_READING = "with a run and its qrels most of the work is reading, which is not shared"
FileState: TypeAlias = tuple[int, int] | None


@dataclass(frozen=True)
class LocalEngine:
    """So many ``workers`` of this machine; ``parts``: the folder that keeps what they have finished, or None.

    ``state``: of the file with the samples, before it was read. ``alone``: why this process has to score alone, or "".
    """

    workers: int
    parts: Path | None = None
    resume: bool = False
    state: FileState = None
    source: object = None
    alone: str = ""
    processes: Processes = field(default_factory=lambda: Processes(1), compare=False)
    session: object = None

    @classmethod
    def of(cls, request: RunRequest) -> LocalEngine:
        """Return the engine of a request with ``workers`` or ``parts``.

        Raises:
            OptionError: ``parts`` is given without ``workers``.
            UsageError: ``parts`` is given with a system; or it has parts, and ``resume`` is False.
        """
        count = Processes.one_per_core() if request.workers == "all" else request.workers
        check_whole("evaluate", "workers", 'a whole number from 1, or "all" for one per core', count, 1)
        if request.parts is not None and request.system is not None:
            raise UsageError(
                "RG-ENG-006 parts keeps scores of data that are there; a system's answers are kept by answers"
            )
        folder = None if request.parts is None else Path(request.parts)
        if folder is not None:
            PartFiles(folder).check(resume=bool(request.resume))
        return cls(
            cast(int, count),
            folder,
            bool(request.resume),
            _state(request.data),
            request.data,
            _READING if request.run is not None else "",
            Processes.of(cast(int, count)),
            request.session,
        )

    def read(self, source: object, **reading: Any) -> Dataset:
        """Return the samples as `ragauge.formats.read` does; the workers read large files of JSON Lines with it."""
        from ragauge.formats import read

        size = 0 if self.state is None else self.state[0]
        # Windows removes no file that is open, so that the temporary ones would stay.
        if size >= FEWEST * BLOCK and reading["limit"] is None and sys.platform != "win32" and _can_start():
            self.processes.start()
            with suppress(NotPortable):
                data = read_in_blocks(str(source), self._blocks, reading)
                if data is not None:
                    return data
        return read(source, **reading)

    def _blocks(self, reader: BlockReader, count: int) -> Generator[ReadBlock | None]:
        """Yield all blocks of a file after the first, in order, as workers read them."""
        path = Path(reader.folder, "reading.job")
        path.write_bytes(pickle.dumps(ReadingJob(reader)))
        return self.processes.results(str(path), range(1, count), [])

    def run(self, plan: Plan, data: Dataset, progress: Progress | None) -> Result:
        """Return the scores of ``data``; where this process has to score alone, a note says why.

        Raises:
            UsageError: the folder of parts is in use, or has other parts; or a part's worker was killed twice.
            DataError: the samples have changed since parts were scored, or while they were read.
        """
        outcome = self._run(plan, data, progress)
        if isinstance(outcome, Result):
            return outcome
        return OneProcess(self.session).run(plan, replace(data, notes=(*data.notes, outcome)), progress)

    def _run(self, plan: Plan, data: Dataset, progress: Progress | None) -> Result | str:
        """Return the result, or a note on why one process must do it."""
        if self.alone:
            return f"{ALONE}{self.alone}"
        if asks_judge(plan.evaluator.metrics):
            return f"{ALONE}{ASKS}"
        if _state(self.source) != self.state:
            raise DataError(
                "RG-ENG-007 {source} changed while it was read; score it when nothing writes to it", data.source
            )
        # Evidence is in the order of these batches, as in one process.
        data = with_vectors(data, plan.store())
        with ExitStack() as stack:
            folder = self.parts or Path(stack.enter_context(temporary_folder()))
            files = stack.enter_context(locked(folder))
            stack.enter_context(_terminated())
            job, ids = stack.enter_context(_job(plan, data, folder, kept=self.parts is not None))
            parts = len(job.shares.slices)
            if parts < 2 and not job.kept:
                few = "1 sample is" if data.rows == 1 else f"{data.rows} samples are"
                return f"{ALONE}{few} too few to share"
            about = {"version": __version__, "plan": plan.identity, "code": plan.code, "samples": data.rows}
            files.begin({**about, "parts": parts, "source": data.source})
            if not parts:
                raise DataError.of(data.source, [Message("RG-EVAL-023 there are no samples in it")])
            sums: list[ScoredPart | None] = []
            written: list[WrittenScores] = []
            # Evidence is put together while other parts are scored.
            evidence = Spool()
            try:
                with closing(_scored(job, self.processes, sums, progress or (lambda _, __: None))) as scored:
                    for table in _evidence(job, files, scored, written):
                        evidence.add(as_batch(table))
            except NotPortable as why:
                return f"{ALONE}the metrics do not travel to other processes ({why})"
            # Their memory is given back before all comes together here.
            self.processes.close()
            total = merge(filter(None, sums)).partial.sums
            whole_run = Partial(total, tuple(ids), job.scores.read(written), evidence.tables())
            return plan.evaluator.finish(whole_run, data)


@contextmanager
def _job(plan: Plan, data: Dataset, folder: Path, *, kept: bool) -> Iterator[tuple[Job, list[pa.Array]]]:
    """Yield a job, its samples in a file of ``folder`` as long as workers need them, and the ids of the samples.

    What a killed run left there is removed.
    """
    for left in folder.glob("data-*"):
        shutil.rmtree(left, ignore_errors=True)
        with suppress(OSError):
            left.unlink()
    path = folder / f"data-{os.getpid()}.arrow"
    scores = ScoreFiles(path.with_suffix(".scores"))
    try:
        with writable(folder):
            scores.folder.mkdir()
            shares, ids = written(data, path)
        yield Job(plan, shares, folder, scores, data.source, kept=kept), ids
    finally:
        path.unlink(missing_ok=True)
        shutil.rmtree(scores.folder, ignore_errors=True)


def _can_start() -> bool:
    return not getattr(sys, "frozen", False) and bool(sys.executable)


def _scored(
    job: Job, processes: Processes, sums: list[ScoredPart | None], progress: Progress
) -> Generator[WrittenScores]:
    """Score all parts; yield where the scores of each are, in order. At the end ``sums`` has those of all parts."""
    if not _can_start():
        raise NotPortable("there is no Python to start")
    done, total = 0, sum(job.shares.sizes)

    def add(rows: int) -> None:
        nonlocal done
        done += rows
        progress(done, total)

    add(0)
    path = Path(job.shares.path).with_suffix(".job")
    try:
        _pickle(job, path)
        numbers = range(len(job.shares.slices))
        yield from processes.results(str(path), numbers, sums, add)
        # Those of a worker that was killed after it had done them.
        there = {
            number for part in filter(None, sums) for first, last in part.numbers for number in range(first, last + 1)
        }
        lost = [number for number in numbers if number not in there]
        if lost:
            list(processes.results(str(path), lost, sums))
    finally:
        path.unlink(missing_ok=True)


def _pickle(job: Job, path: Path) -> None:
    """Write ``job`` to a file; NotPortable where a metric cannot be pickled."""
    try:
        path.write_bytes(pickle.dumps(job))
    except Exception as error:  # noqa: BLE001 - whatever a metric raises when it is pickled
        raise NotPortable(f"{excerpt(error)}. A metric travels where it stands in a file that is imported") from None


def _evidence(
    job: Job, files: PartFiles, scored: Iterable[WrittenScores], written: list[WrittenScores]
) -> Iterator[pa.Table]:
    """Yield evidence in the order of the samples: a table per metric and batch, which may lie in two parts.

    ``written`` takes what ``scored`` yields for each part.
    """
    batch, pending = -1, dict[int, list[pa.Table]]()
    for number, one in enumerate(scored):
        written.append(one)
        for (of, place), table in files.evidence(number) if job.kept or job.plan.evaluator.evidence else []:
            if of != batch:
                yield from _together(pending)
                batch, pending = of, {}
            pending.setdefault(place, []).append(table)
    yield from _together(pending)


def _together(tables: dict[int, list[pa.Table]]) -> list[pa.Table]:
    joined = [pa.concat_tables(some, promote_options="permissive") for some in tables.values()]
    return [pa.table([whole(column) for column in table.columns], schema=table.schema) for table in joined]


@contextmanager
def _terminated() -> Iterator[None]:
    """Let SIGTERM end the process as Ctrl-C does, with its own exit code: workers stop, finished parts stay.

    A program that handles the signal itself, as the command line does, goes on doing so.
    """
    alone = threading.current_thread() is threading.main_thread()
    if not alone or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def end(*_: Any) -> None:
        sys.exit(128 + signal.SIGTERM)

    before: Any = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _state(source: object) -> FileState:
    """Return size and time of a file; None of what is none."""
    if isinstance(source, str | os.PathLike):
        with suppress(OSError, ValueError):
            status = Path(source).stat()
            return status.st_size, status.st_mtime_ns
    return None
