"""A worker: a process that reads or scores the parts whose numbers it is sent, until its input ends."""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import pyarrow as pa

from ragauge.core.batch import Batch, Dataset
from ragauge.core.loading import imported_file
from ragauge.engines.part import GrowingSums, ScoredPart, stream_of, summed
from ragauge.engines.part_files import FinishedPart, PartFiles, evidence_bytes, writable
from ragauge.engines.plan import Plan
from ragauge.errors import UsageError, excerpt
from ragauge.evaluation.score_file import ScoreFiles, WrittenScores
from ragauge.formats.rows import SegmentFile

if TYPE_CHECKING:
    from ragauge.embedders.store import Store

_LEAST, _MOST, _PARTS = 1 << 10, 1 << 15, 64
"""Rows of a part at least and at most, and how many parts there are where rows suffice.

About 64 parts keep workers equally busy and lose little when one is killed; 1,024 rows are worth a part's two files.
"""


class RowRange(NamedTuple):
    """Rows ``first`` to before ``last`` of the batch with this number."""

    batch: int
    first: int
    last: int


@dataclass(frozen=True)
class Shares:
    """Batches in a file, each an Arrow stream, and the parts that they are cut into.

    ``places``: start and size of each batch in the file; ``slices``: of each part, in the order of the samples. Parts
    depend on the samples alone, and not on the number of workers.
    """

    path: str
    places: tuple[tuple[int, int], ...]
    slices: tuple[tuple[RowRange, ...], ...]

    @property
    def sizes(self) -> list[int]:
        """The number of samples in each part."""
        return [sum(one.last - one.first for one in slices) for slices in self.slices]

    def batches(self, part: int) -> Iterator[tuple[RowRange, Batch]]:
        """Yield the rows of a part, a batch or its part at a time."""
        with pa.memory_map(self.path) as file:
            for one in self.slices[part]:
                start, size = self.places[one.batch]
                file.seek(start)
                table = pa.ipc.open_stream(file.read_buffer(size)).read_all()
                yield one, Batch(table.slice(one.first, one.last - one.first))

    def digest(self, part: int) -> str:
        """Return the SHA-256 of the content of a part's samples."""
        hashed = sha256()
        for _, batch in self.batches(part):
            hashed.update(stream_of(batch.table()))
        return hashed.hexdigest()


def written(data: Dataset, path: Path) -> tuple[Shares, list[pa.Array]]:
    """Write the samples of ``data`` to ``path``, and share them out; return their ids too, an array for each batch."""
    places, rows, ids = [], [], []
    file = SegmentFile(path)
    for batch in data.batches():
        table = batch.table()
        segment = file.written(table.combine_chunks())
        places.append((segment.start, segment.size))
        rows.append(table.num_rows)
        # A slice would keep the whole table that it is of.
        ids.append(pa.concat_arrays(table["id"].chunks))
    return Shares(str(path), tuple(places), tuple(shared_out(rows))), ids


def shared_out(rows: Sequence[int]) -> Iterator[tuple[RowRange, ...]]:
    """Yield the slices of each part of batches with so many ``rows``.

    >>> [[tuple(one) for one in slices] for slices in shared_out([1500, 0, 600])]
    [[(0, 0, 1024)], [(0, 1024, 1500), (2, 0, 548)], [(2, 548, 600)]]
    """
    size = _LEAST
    while size < _MOST and size * _PARTS < sum(rows):
        size *= 2
    slices: list[RowRange] = []
    room = size
    for batch, count in enumerate(rows):
        first = 0
        while first < count:
            last = min(count, first + room)
            slices.append(RowRange(batch, first, last))
            first, room = last, room - (last - first)
            if not room:
                yield tuple(slices)
                slices, room = [], size
    if slices:
        yield tuple(slices)


@dataclass(frozen=True)
class ScoringJob:
    """Scoring of parts: the plan, the samples, and the place where the scores of all parts come together.

    ``kept``: the folder of finished parts, by which another run may resume; None: there is none. ``source``: the name
    of the samples in messages.
    """

    plan: Plan
    shares: Shares
    scores: ScoreFiles
    source: str
    kept: PartFiles | None = None

    @cached_property
    def _sums(self) -> GrowingSums:
        """The sums of the parts that this worker has done."""
        return GrowingSums()

    @cached_property
    def _store(self) -> Store | None:
        return self.plan.store()

    @cached_property
    def _starts(self) -> list[int]:
        """The place of the first sample of each part among all."""
        return list(accumulate(self.shares.sizes, initial=0))

    def __call__(self, number: int) -> tuple[WrittenScores, bytes]:
        """Score a part, or take that of an earlier run; return the place of its scores, and its evidence.

        Raises:
            DataError: the part is there, and its samples were others.
            UsageError: the samples are gone, as those of a run that was killed.
        """
        if self.kept is None:
            part, columns, evidence = self._scored(number)
        else:
            digest = self.shares.digest(number)
            finished = self.kept.read(number, digest, self.source)
            part, columns, evidence = finished or self._scored(number)
            if finished is None:
                self.kept.write(number, digest, part, evidence)
        self._sums.add(part)
        with writable(self.scores.folder.parent):
            return self.scores.write(self._starts[number], columns), evidence

    def _scored(self, number: int) -> FinishedPart:
        partials, evidence = [], []
        for one, batch in self.shares.batches(number):
            for partial in self.plan.measure([batch], self._store):
                evidence += [((one.batch, place), table) for place, table in enumerate(partial.evidence)]
                partials.append(replace(partial, evidence=()))
        if not Path(self.shares.path).exists():
            # Another run, perhaps with other metrics, may have taken the folder.
            folder = self.scores.folder.parent
            raise UsageError(
                "RG-ENG-008 the samples in {folder} were removed while they were scored; score again", folder
            )
        part = summed(partials, self.plan, number)
        return FinishedPart(part, part.partial.columns, evidence_bytes(evidence))

    def conclude(self) -> ScoredPart | None:
        """Return the sums of the parts that this worker has done; None where it has done none."""
        return self._sums.total()


def main() -> None:
    """Serve the process that started this one, until its input ends.

    Messages are pickled. A request is a pair: a new job (pickled itself, with the Python files that its metrics are
    in) or None for the same; and the number of a part, or None for the end of the job. A reply is a pair: its kind
    (``ready``, ``done``, ``refused``, ``error``), and a value.
    """
    # Standard output is for replies alone: what libraries print goes where errors go.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    gc.set_threshold(100_000)
    pa.set_cpu_count(1)

    def reply(kind: str, value: Any = None) -> None:
        replies.write(pickle.dumps((kind, value)))
        replies.flush()

    job: Any = None
    messages: SimpleQueue[Any] = SimpleQueue()
    # The stream is of the thread alone: Python aborts where it closes one at its end that a thread reads.
    requests = os.fdopen(os.dup(0), "rb")
    Thread(target=_receive, args=(requests, messages), daemon=True).start()
    del requests
    # A worker whose starter was killed cannot reply: it ends.
    with suppress(BrokenPipeError):
        reply("ready")
        while True:
            new, number = messages.get()
            try:
                job = job if new is None else _loaded(*new)
            except Exception as error:  # noqa: BLE001 - whatever a metric's module raises when it is imported
                reply("refused", excerpt(error))
                continue
            try:
                value = job.conclude() if number is None else job(number)
            except Exception as error:  # noqa: BLE001 - it is raised where the run was started
                reply("error", _portable(error))
            else:
                reply("done", value)


def _receive(requests: BinaryIO, messages: SimpleQueue[Any]) -> None:
    """Pass on what this process is sent; when its input ends, nobody waits for the part under way, so it ends too."""
    while (message := received(requests)) is not None:
        messages.put(message)
    os._exit(0)


def received(stream: Any) -> Any:
    """Return the next pickled object of a pipe from our own process; None where it has ended, also within an object."""
    try:
        return pickle.load(stream)  # noqa: S301 - our own process wrote it
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        return None


def _loaded(files: list[str], content: bytes) -> Any:
    for file in files:
        imported_file(Path(file))
    job = pickle.loads(content)  # noqa: S301 - who started this process wrote it
    gc.freeze()
    return job


def _portable(error: Exception) -> Exception:
    """Return ``error``, or one with its name and message where it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - made in this line
    except Exception:  # noqa: BLE001 - of any class, with any way to fail
        return RuntimeError(excerpt(error))
    return error
