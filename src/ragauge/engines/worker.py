"""A worker: a process that reads or scores the parts whose numbers it is sent, until nobody sends any more."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ragauge.core.loading import imported_file
from ragauge.core.messages import Argument
from ragauge.engines.part import ScoredPart, merge, summed
from ragauge.engines.part_files import PartFiles, writable
from ragauge.engines.plan import Plan
from ragauge.engines.shares import Shares
from ragauge.errors import DataError, UsageError
from ragauge.evaluation.partial import BUCKETS
from ragauge.evaluation.score_file import ScoreFiles, WrittenScores
from ragauge.formats.line_blocks import BlockReader, ReadBlock

if TYPE_CHECKING:
    from ragauge.embedders.store import Store


@dataclass(frozen=True)
class Job:
    """All that a worker must know: what to score, the samples, the folder of the parts, and who they are from.

    ``scores``: where the scores of all samples come together. ``kept``: whether another run may go on with the parts.
    """

    plan: Plan
    shares: Shares
    folder: Path
    scores: ScoreFiles
    source: str
    kept: bool = True

    @cached_property
    def _sums(self) -> list[ScoredPart]:
        """The sums of the parts that this worker has done."""
        return []

    @cached_property
    def _store(self) -> Store | None:
        return self.plan.store()

    @cached_property
    def _starts(self) -> list[int]:
        """The place of the first sample of each part among all."""
        return list(accumulate(self.shares.sizes, initial=0))

    def do(self, number: int, scored: Callable[[int], None]) -> WrittenScores:
        """Score a part and write it; ``scored`` takes the samples done, some at a time.

        What an earlier run has written of the part is taken from its file.

        Raises:
            DataError: the part is there, and its samples were others.
            UsageError: the samples are gone, as those of a run that was killed.
        """
        files = PartFiles(self.folder)
        digest = self.shares.digest(number) if self.kept else None
        before = files.digest(number) if self.kept else None
        if before is not None:
            if before != digest:
                raise DataError(
                    "RG-ENG-036 {changed}: part {number} differs; pass {force} to score all again",
                    files.changed(self.source),
                    number,
                    Argument("force", value=True),
                )
            scored(self.shares.sizes[number])
            return self._done(number, files.sums(number), files.scores(number))
        partials, evidence = [], []
        for one, batch in self.shares.batches(number):
            for partial in self.plan.measure([batch], self._store):
                evidence += [((one.batch, place), table) for place, table in enumerate(partial.evidence)]
                partials.append(replace(partial, evidence=()))
            scored(len(batch))
        if not Path(self.shares.path).exists():
            # Another run, perhaps with other metrics, may have taken the folder.
            raise UsageError(
                "RG-ENG-008 the samples in {folder} were removed while they were scored; score again", self.folder
            )
        part = summed(partials, self.plan, number)
        if self.kept or self.plan.evaluator.evidence:
            files.write(number, part, evidence, digest)
        return self._done(number, part, part.partial.columns)

    def _done(self, number: int, part: ScoredPart, scores: Any) -> WrittenScores:
        self._sums.append(part.sums_alone())
        # Added on the way: no more sums are kept than buckets call for.
        if sum([len(one.partial.sums.keys) for one in self._sums]) > 2 * BUCKETS:
            self._sums[:] = [merge(self._sums)]
        with writable(self.folder):
            return self.scores.write(self._starts[number], scores)

    def conclude(self) -> ScoredPart | None:
        """Return the sums of the parts that this worker has done, and forget them; None where it has done none."""
        total = merge(self._sums) if self._sums else None
        self._sums.clear()
        return total


@dataclass(frozen=True)
class ReadingJob:
    """Reading a file of samples, a block a part."""

    reader: BlockReader

    def do(self, number: int, _: Callable[[int], None]) -> ReadBlock | None:
        """Read a block."""
        return self.reader.read(number)

    def conclude(self) -> None:
        """Do nothing: all is returned."""


def main() -> None:
    """Serve the process that started this one, until its input ends.

    What comes in is pickled: the path of a pickled job, the Python files that its metrics are in, and a part; None for
    the end of the job. What goes out is pickled, too: what it is (``ready``, ``rows``, ``done``, ``refused``,
    ``error``), and a value.
    """
    # Standard output is for replies alone: what libraries print goes where errors go.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    gc.set_threshold(100_000)
    pa.set_cpu_count(1)

    def reply(kind: str, value: Any = None) -> None:
        replies.write(pickle.dumps((kind, value)))
        replies.flush()

    jobs: dict[str, Any] = {}
    # Nobody hears a worker whose starter was killed: it ends.
    with suppress(BrokenPipeError):
        reply("ready")
        while (message := received(sys.stdin.buffer)) is not None:
            path, files, number = message
            try:
                job = jobs[path] = jobs.get(path) or _loaded(path, files)
            except Exception as error:  # noqa: BLE001 - whatever a metric's module raises when it is imported
                reply("refused", f"{type(error).__name__}: {error}")
                continue
            try:
                reply("done", job.conclude() if number is None else job.do(number, lambda rows: reply("rows", rows)))
            except BrokenPipeError:
                raise
            except Exception as error:  # noqa: BLE001 - it is raised where the run was started
                reply("error", _portable(error))


def received(stream: Any) -> Any:
    """Return the next pickled object of a pipe from our own process; None where it has ended, also within an object."""
    try:
        return pickle.load(stream)  # noqa: S301 - our own process wrote it
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        return None


def _loaded(path: str, files: list[str]) -> Job | ReadingJob:
    for file in files:
        imported_file(Path(file))
    job: Job | ReadingJob = pickle.loads(Path(path).read_bytes())  # noqa: S301 - who started this process wrote it
    gc.freeze()
    return job


def _portable(error: Exception) -> Exception:
    """Return ``error``, or one with its name and message where it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - made in this line
    except Exception:  # noqa: BLE001 - of any class, with any way to fail
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
