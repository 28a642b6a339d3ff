"""Metrics that workers import with little else: the length of an answer, and one that kills its process."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.protocol import Direction, Needs, Stage
from ragauge.core.ragged import FloatArray
from ragauge.core.statistics import Rows, Statistics, ratio


@dataclass(frozen=True, kw_only=True)
class Deadly:
    """The length of the answer; a batch with ``victim`` kills the process as often as there are files in ``folder``."""

    folder: str
    victim: str
    average: Literal["samples"] = "samples"
    stage: ClassVar[Stage] = "generation"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1000.0)
    revision: ClassVar[int] = 1
    needs: ClassVar[Needs] = (("answer",),)

    def measure(self, batch: Batch) -> Rows:
        if self.victim in batch.column("id").to_pylist():
            for path in Path(self.folder).iterdir():
                path.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        lengths = [len(answer or "") for answer in batch.column("answer").to_pylist()]
        return Rows.of({"value": np.array(lengths), "count": np.ones(len(batch), int)})

    def score(self, totals: Statistics) -> FloatArray:
        return ratio(totals["value"], totals["count"])


@ragauge.metric(needs=("answer",))
def answer_length(sample: ragauge.Sample) -> float:
    """Return the number of characters."""
    return len(sample.answer or "")
