"""A worker: a process that reads or scores the parts whose numbers it is sent, until nobody sends any more."""

from __future__ import annotations

import gc
import json
import os
import pickle
import sys
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ragauge.core.loading import imported_file
from ragauge.engines.part import ScoredPart, merge, summed
from ragauge.engines.part_files import PartFiles
from ragauge.engines.plan import Plan
from ragauge.engines.score_columns import ScoreColumns, WrittenScores
from ragauge.engines.shares import Shares
from ragauge.errors import DataError
from ragauge.evaluation.partial import BUCKETS
from ragauge.formats.line_blocks import BlockReader, ReadBlock

if TYPE_CHECKING:
    from ragauge.embedders.store import Store


_PIPED = 1 << 16
"""Bytes of what a job returned that are sent through the pipe; more are read faster from a file."""


@dataclass(frozen=True)
class Job:
    """All that a worker is told: what to score, the samples, the folder of the parts, and who they are from.

    ``columns``: where the scores of all samples come together. ``kept``: whether another run may go on with the parts.
    """

    plan: Plan
    shares: Shares
    folder: Path
    columns: ScoreColumns
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

    def do(self, number: int, scored: Callable[[int], None]) -> WrittenScores | None:
        """Score a part and write it; ``scored`` takes the samples done, some at a time.

        What an earlier run has written of the part is taken from its files. Returns None if the samples are gone, as
        those of a run that was killed.

        Raises:
            DataError: the part is there, and its samples were others.
        """
        files = PartFiles(self.folder)
        digest = self.shares.digest(number) if self.kept else None
        before = files.digest(number)
        if before is not None:
            if before != digest:
                raise DataError(
                    f"{files.changed(self.source)}: part {number} differs; pass force=True to score all again"
                )
            self._add(files.sums(number))
            written = self.columns.write(self._starts[number], files.scores(number))
            scored(self.shares.sizes[number])
            return written
        partials, evidence = [], []
        for one, batch in self.shares.batches(number):
            for partial in self.plan.measure([batch], self._store):
                evidence += [((one.batch, place), table) for place, table in enumerate(partial.evidence)]
                partials.append(replace(partial, evidence=()))
            scored(len(batch))
        if not Path(self.shares.path).exists():
            # Another run, perhaps with other metrics, may have taken the folder.
            return None
        part = summed(partials, self.plan, number)
        if digest is not None:
            files.write(number, part, evidence, digest)
        elif self.plan.evaluator.evidence:
            files.write_evidence(number, evidence)
        self._add(part)
        return self.columns.write(self._starts[number], part.partial.columns)

    def _add(self, part: ScoredPart) -> None:
        self._sums.append(part.sums_alone())
        # Added on the way: no more sums are kept than buckets call for.
        if sum([len(one.partial.sums.keys) for one in self._sums]) > 2 * BUCKETS:
            self._sums[:] = [merge(self._sums)]

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

    A line of the input names a pickled job, the Python files whose metrics it has, and a part; None for the end of the
    job. What became of it is written as lines of JSON.
    """
    # Standard output is for replies alone: what libraries print goes where errors go.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    gc.set_threshold(100_000)
    pa.set_cpu_count(1)

    def reply(**message: Any) -> None:
        replies.write(f"{json.dumps(message)}\n")
        replies.flush()

    jobs: dict[str, Any] = {}
    # Nobody hears a worker whose starter was killed: it ends.
    with suppress(BrokenPipeError):
        reply(ready=True)
        for line in sys.stdin:
            path, files, number = json.loads(line)
            try:
                job = jobs[path] = jobs.get(path) or _loaded(path, files)
            except Exception as error:  # noqa: BLE001 - whatever a metric's module raises when it is imported
                reply(refused=f"{type(error).__name__}: {error}")
                continue
            try:
                done = job.conclude() if number is None else job.do(number, lambda rows: reply(rows=rows))
                message = _message(pickle.dumps(done), path)
            except BrokenPipeError:
                raise
            except Exception as error:  # noqa: BLE001 - it is raised where the run was started
                reply(error=b64encode(_pickled(error)).decode())
            else:
                reply(**message)


def _message(content: bytes, path: str) -> dict[str, str]:
    """Return the message with what a job returned; what is large is in a file beside that of the job, at ``path``."""
    if len(content) <= _PIPED:
        return {"done": b64encode(content).decode()}
    file = Path(f"{path}.{os.getpid()}")
    file.write_bytes(content)
    return {"stored": str(file)}


def _loaded(path: str, files: list[str]) -> Job | ReadingJob:
    for file in files:
        imported_file(Path(file))
    job: Job | ReadingJob = pickle.loads(Path(path).read_bytes())  # noqa: S301 - who started this process wrote it
    gc.freeze()
    return job


def _pickled(error: Exception) -> bytes:
    try:
        content = pickle.dumps(error)
        pickle.loads(content)  # noqa: S301 - made in the line above
    except Exception:  # noqa: BLE001 - of any class, with any way to fail
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content
