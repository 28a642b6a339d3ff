"""A metric that ends its process once. It is imported where an engine is: a metric is known to all from then on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import ragauge

from .rows import ARMED


@ragauge.metric(name="ends-a-worker", needs=("answer",))
def ends_a_worker(sample: ragauge.Sample) -> float:
    armed = os.environ.get(ARMED, "")
    if sample.id == "q-250" and armed and Path(armed).exists():
        Path(armed).unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return float(len(sample.answer or ""))
