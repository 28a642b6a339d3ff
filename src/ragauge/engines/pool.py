"""Several processes of one machine: the same result as one process, to the last bit."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from ragauge._version import __version__
from ragauge.core.arrow import as_batch, whole
from ragauge.core.batch import Dataset
from ragauge.core.messages import Message
from ragauge.core.temporary import temporary_folder
from ragauge.engines.local import OneProcess
from ragauge.engines.part import ScoredPart, merge
from ragauge.engines.part_files import PartFiles, evidence_tables, locked, writable
from ragauge.engines.plan import ASKS, Plan, asks_judge, with_vectors
from ragauge.engines.processes import NotSharedError, Processes
from ragauge.engines.worker import ScoringJob, Shares, written
from ragauge.errors import DataError
from ragauge.evaluation.evaluator import Progress
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.request import RunRequest
from ragauge.evaluation.score_file import ScoreFiles, WrittenScores
from ragauge.formats import read
from ragauge.formats.line_blocks import FEWEST, read_in_blocks
from ragauge.formats.opening import BLOCK, file_state
from ragauge.formats.rows import Spool
from ragauge.results.result import Result

ALONE = "scored in one process: "
"""The note begins so where workers were asked for and not used."""
_READING = "with a run and its qrels most of the work is reading, which is not shared"


class Pool:
    """The workers of a ``request`` on this machine, and the folder that keeps the parts that they have finished.

    UsageError where the folder has parts already, and the request does not resume.
    """

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self._folder = None if request.parts is None else Path(request.parts)
        if self._folder is not None:
            PartFiles(self._folder).check(resume=bool(request.resume))
        count = Processes.one_per_core() if request.workers == "all" else cast(int, request.workers)
        self._processes = Processes.of(count)
        self._state = file_state(request.data)

    def read(self, source: object, **reading: Any) -> Dataset:
        """Return the samples as `ragauge.formats.read` does; the workers read large files of JSON Lines with it."""
        size = 0 if self._state is None else self._state[0]
        # Windows removes no file that is open, so that the temporary ones would stay.
        if size >= FEWEST * BLOCK and reading["limit"] is None and sys.platform != "win32":
            with suppress(NotSharedError):
                self._processes.start()
                data = read_in_blocks(
                    str(source),
                    lambda reader, count: self._processes.results(reader.read, range(1, count)),
                    reading,
                )
                if data is not None:
                    return data
        return read(source, **reading)

    def run(self, plan: Plan, data: Dataset, progress: Progress | None) -> Result:
        """Return the scores of ``data``; where this process has to score alone, a note says why.

        Raises:
            UsageError: the folder of parts is in use, or has other parts; or a part's worker was killed twice.
            DataError: the samples have changed since parts were scored, or while they were read.
        """
        try:
            return self._scored(plan, data, progress or (lambda _, __: None))
        except NotSharedError as why:
            noted = replace(data, notes=(*data.notes, f"{ALONE}{why}"))
            return OneProcess(self._request.session).run(plan, noted, progress)

    def _scored(self, plan: Plan, data: Dataset, progress: Progress) -> Result:
        """Let the workers score; NotSharedError where one process must do it."""
        if self._request.run is not None:
            raise NotSharedError(_READING)
        if asks_judge(plan.evaluator.metrics):
            raise NotSharedError(ASKS)
        if file_state(self._request.data) != self._state:
            raise DataError(
                "RG-ENG-007 {source} changed while it was read; score it when nothing writes to it", data.source
            )
        # Evidence is in the order of these batches, as in one process.
        data = with_vectors(data, plan.store())
        with ExitStack() as stack:
            kept = None if self._folder is None else stack.enter_context(locked(self._folder))
            folder = self._folder or Path(stack.enter_context(temporary_folder()))
            stack.enter_context(_terminated())
            shares, scores, ids = stack.enter_context(_shared(data, folder))
            parts = range(len(shares.slices))
            if kept is not None:
                about = {"version": __version__, "plan": plan.identity, "code": plan.code, "samples": data.rows}
                kept.begin({**about, "parts": len(parts), "source": data.source})
            elif len(parts) < 2:
                few = "1 sample is" if data.rows == 1 else f"{data.rows} samples are"
                raise NotSharedError(f"{few} too few to share")
            if not parts:
                raise DataError.of(data.source, [Message("RG-EVAL-023 there are no samples in it")])
            job = ScoringJob(plan, shares, scores, data.source, kept)
            evidence, places = Spool(), list[WrittenScores]()

            def done() -> Iterator[bytes]:
                progress(0, data.rows)
                with closing(self._processes.results(job, parts)) as results:
                    for place, content in results:
                        places.append(place)
                        progress(place.last, data.rows)
                        yield content

            # Evidence is put together while other parts are scored.
            with closing(_evidence(done())) as tables:
                for table in tables:
                    evidence.add(as_batch(table))
            sums = self._sums(job, parts)
            # Their memory is given back before all comes together here.
            self._processes.close()
            total = merge(sums).partial.sums
            return plan.evaluator.finish(Partial(total, tuple(ids), scores.read(places), evidence.tables()), data)

    def _sums(self, job: ScoringJob, parts: Iterable[int]) -> list[ScoredPart]:
        """Return the sums of all parts; those that a worker had done before it was killed are scored again."""
        sums = list(filter(None, self._processes.conclusions()))
        there = {number for part in sums for first, last in part.numbers for number in range(first, last + 1)}
        lost = [number for number in parts if number not in there]
        if lost:
            for _ in self._processes.results(job, lost):
                pass
            sums += self._sums(job, lost)
        return sums


@contextmanager
def _shared(data: Dataset, folder: Path) -> Iterator[tuple[Shares, ScoreFiles, list[pa.Array]]]:
    """Yield the samples in a file of ``folder`` as long as workers need them, a place for scores, and the ids.

    Files that a killed run left there are removed.
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
        yield shares, scores, ids
    finally:
        path.unlink(missing_ok=True)
        shutil.rmtree(scores.folder, ignore_errors=True)


def _evidence(contents: Iterable[bytes]) -> Generator[pa.Table]:
    """Yield evidence in the order of the samples: a table per metric and batch, which may lie in two parts."""
    placed = chain.from_iterable(map(evidence_tables, contents))
    for _, of_batch in groupby(placed, key=lambda one: one[0][0]):
        by_metric: dict[int, list[pa.Table]] = {}
        for (_, metric), table in of_batch:
            by_metric.setdefault(metric, []).append(table)
        for tables in by_metric.values():
            joined = pa.concat_tables(tables, promote_options="permissive")
            yield pa.table([whole(column) for column in joined.columns], schema=joined.schema)


@contextmanager
def _terminated() -> Iterator[None]:
    """Let SIGTERM end the process as Ctrl-C does, with its own exit code: workers stop, finished parts stay.

    Where a program handles the signal itself, as the command line does, its own handler stays.
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
