"""A worker: a process that scores the parts whose numbers it is sent, until nobody sends any more."""

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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ragauge.core.loading import imported_file
from ragauge.engines.part import summed
from ragauge.engines.part_files import PartFiles
from ragauge.engines.plan import Plan
from ragauge.engines.shares import Shares
from ragauge.errors import DataError

if TYPE_CHECKING:
    from ragauge.embedders.store import Store


@dataclass(frozen=True)
class Job:
    """All that a worker is told: what to score, the samples, the folder of the parts, and who they are from."""

    plan: Plan
    shares: Shares
    folder: Path
    source: str

    def score(self, number: int, store: Store | None, scored: Callable[[int], None]) -> None:
        """Score a part and write it, unless it is there; ``scored`` takes the samples done, some at a time.

        Raises:
            DataError: the part is there, and its samples were others.
        """
        files, digest = PartFiles(self.folder), self.shares.digest(number)
        before = files.digest(number)
        if before is not None:
            if before != digest:
                raise DataError(
                    f"{files.changed(self.source)}: part {number} differs; pass force=True to score all again"
                )
            scored(self.shares.sizes[number])
            return
        partials, evidence = [], []
        for one, batch in self.shares.batches(number):
            for partial in self.plan.measure([batch], store):
                evidence += [((one.batch, place), table) for place, table in enumerate(partial.evidence)]
                partials.append(replace(partial, evidence=()))
            scored(len(batch))
        if not Path(self.shares.path).exists():
            # Who started this worker was killed, and another run, perhaps with other metrics, has taken the folder.
            return
        files.write(number, summed(partials, self.plan, number), evidence, digest)


def main(path: str, *files: str) -> None:
    """Serve the process that started this one: read numbers of parts, write what became of each as lines of JSON.

    ``path``: of the pickled job; ``files``: Python files whose metrics it has.
    """
    # Standard output is for replies alone: what libraries print goes where errors go.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    gc.set_threshold(100_000)
    pa.set_cpu_count(1)

    def reply(**message: Any) -> None:
        replies.write(f"{json.dumps(message)}\n")
        replies.flush()

    try:
        for file in files:
            imported_file(Path(file))
        job: Job = pickle.loads(Path(path).read_bytes())  # noqa: S301 - the process that started this one wrote it
    except Exception as error:  # noqa: BLE001 - whatever a metric's module raises when it is imported
        reply(refused=f"{type(error).__name__}: {error}")
        return
    reply(ready=True)
    gc.freeze()
    store = job.plan.store()
    # Nobody hears a worker whose starter was killed: it ends.
    with suppress(BrokenPipeError):
        for line in sys.stdin:
            try:
                job.score(int(line), store, lambda rows: reply(rows=rows))
            except BrokenPipeError:
                raise
            except Exception as error:  # noqa: BLE001 - it is raised where the run was started
                reply(error=b64encode(_pickled(error)).decode())
            else:
                reply(done=True)


def _pickled(error: Exception) -> bytes:
    try:
        content = pickle.dumps(error)
        pickle.loads(content)  # noqa: S301 - made in the line above
    except Exception:  # noqa: BLE001 - of any class, with any way to fail
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return content
