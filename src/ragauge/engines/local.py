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
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, cast

import pyarrow as pa

from ragauge._version import __version__
from ragauge.core.arrow import as_batch, whole
from ragauge.core.batch import Dataset
from ragauge.core.options import check_whole
from ragauge.core.temporary import temporary_folder
from ragauge.engines.part import ScoredPart, merge
from ragauge.engines.part_files import PartFiles, locked, writable
from ragauge.engines.plan import ASKS, OneProcess, Plan, asks_judge, with_vectors
from ragauge.engines.processes import NotPortable, Processes
from ragauge.engines.score_columns import ScoreColumns, WrittenScores
from ragauge.engines.shares import Shares, written
from ragauge.engines.worker import Job, ReadingJob
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.evaluator import Progress
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.request import RunRequest
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
            raise UsageError("parts keeps scores of data that are there; a system's answers are kept by answers")
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
        come: dict[int, ReadBlock | None] = {}
        number = 1
        with closing(self.processes.events(str(path), range(1, count))) as events:
            for event in events:
                if event.part is not None:
                    come[event.part] = event.value
                while number in come:
                    yield come.pop(number)
                    number += 1

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
            raise DataError(f"{data.source} changed while it was read; score it when nothing writes to it")
        # Evidence is in the order of these batches, as in one process.
        data = with_vectors(data, plan.store())
        with ExitStack() as stack:
            folder = self.parts or Path(stack.enter_context(temporary_folder()))
            files = stack.enter_context(locked(folder))
            stack.enter_context(_terminated())
            shares, ids, columns = stack.enter_context(_shared(data, folder))
            if len(shares.slices) < 2 and self.parts is None:
                few = "1 sample is" if data.rows == 1 else f"{data.rows} samples are"
                return f"{ALONE}{few} too few to share"
            about = {"version": __version__, "plan": plan.identity, "code": plan.code, "samples": data.rows}
            files.begin({**about, "parts": len(shares.slices), "source": data.source})
            job = Job(plan, shares, folder, columns, data.source, kept=self.parts is not None)
            if not shares.slices:
                raise DataError.of(data.source, ["there are no samples in it"])
            sums: list[ScoredPart] = []
            written: list[WrittenScores] = []
            try:
                with closing(_scored(job, self.processes, sums, written, progress or (lambda _, __: None))) as numbers:
                    # Evidence is put together while other parts are scored.
                    evidence = Spool()
                    for table in _evidence(
                        files, numbers, len(shares.slices), written=plan.evaluator.evidence or job.kept
                    ):
                        evidence.add(as_batch(table))
            except NotPortable as why:
                return f"{ALONE}the metrics do not travel to other processes ({why})"
            # Their memory is given back before all comes together here.
            self.processes.close()
            whole_run = Partial(merge(sums).partial.sums, tuple(ids), columns.read(written), evidence.tables())
            return plan.evaluator.finish(whole_run, data)


@contextmanager
def _shared(data: Dataset, folder: Path) -> Iterator[tuple[Shares, list[pa.Array], ScoreColumns]]:
    """Yield the samples in a file of ``folder``, their ids, and a place for their scores, as long as workers need them.

    Those that a killed run left are removed.
    """
    for left in folder.glob("data-*"):
        shutil.rmtree(left, ignore_errors=True)
        with suppress(OSError):
            left.unlink()
    path = folder / f"data-{os.getpid()}.arrow"
    columns = ScoreColumns(path.with_suffix(".scores"))
    try:
        with writable(folder):
            columns.folder.mkdir()
            shares, ids = written(data, path)
        yield shares, ids, columns
    finally:
        path.unlink(missing_ok=True)
        shutil.rmtree(columns.folder, ignore_errors=True)


def _can_start() -> bool:
    return not getattr(sys, "frozen", False) and bool(sys.executable)


def _scored(
    job: Job, processes: Processes, sums: list[ScoredPart], written: list[WrittenScores], progress: Progress
) -> Generator[int]:
    """Score all parts that are not there yet; yield the number of each once it and all before it are there.

    At the end ``sums`` has those of each worker's parts, and ``written`` where the scores of each part are.
    """
    if not _can_start():
        raise NotPortable("there is no Python to start")
    path = job.folder / f"data-{os.getpid()}.job"
    try:
        path.write_bytes(pickle.dumps(job))
    except Exception as error:  # noqa: BLE001 - whatever a metric raises when it is pickled
        path.unlink(missing_ok=True)
        why = f"{type(error).__name__}: {error}"
        raise NotPortable(f"{why}. A metric travels where it stands in a file that is imported") from None
    done, total = 0, sum(job.shares.sizes)
    progress(0, total)
    finished: set[int] = set()
    following = count()
    number = next(following)
    try:
        with closing(processes.events(str(path), range(len(job.shares.slices)))) as events:
            for event in events:
                if event.part is not None:
                    if event.value is None:
                        raise UsageError(
                            f"the samples in {job.folder} were removed while they were scored; score again"
                        )
                    finished.add(event.part)
                    written.append(event.value)
                elif event.value is not None:
                    sums.append(event.value)
                while number in finished:
                    yield number
                    number = next(following)
                done += event.rows
                progress(done, total)
        lost = _lost(sums, len(job.shares.slices))
        if lost:
            # Those of a worker that was killed after it had done them.
            with closing(processes.events(str(path), lost)) as events:
                sums += [event.value for event in events if event.part is None and event.value is not None]
    finally:
        path.unlink(missing_ok=True)


def _lost(sums: Iterable[ScoredPart], parts: int) -> list[int]:
    """Return the numbers of the parts that are in none of ``sums``."""
    there = {number for part in sums for first, last in part.numbers for number in range(first, last + 1)}
    return [number for number in range(parts) if number not in there]


def _evidence(files: PartFiles, numbers: Iterable[int], parts: int, *, written: bool) -> Iterator[pa.Table]:
    """Yield evidence in the order of the samples: a table per metric and batch, which may lie in two parts.

    ``written``: whether parts have files of evidence.
    """
    batch, pending = -1, dict[int, list[pa.Table]]()
    for number in numbers:
        for (of, place), table in files.evidence(number) if written else []:
            if of != batch:
                yield from _together(pending)
                batch, pending = of, {}
            pending.setdefault(place, []).append(table)
        if number + 1 == parts:
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
