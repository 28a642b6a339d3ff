"""A metric that takes its time without work."""

from __future__ import annotations

import os
from time import sleep

import ragauge


@ragauge.metric(needs=("answer",), range=(0.0, 1000.0))
def slowly(sample: ragauge.Sample) -> float:
    """Return the length of the answer, after a third of a millisecond or as many seconds as SLOWLY says."""
    sleep(float(os.environ.get("SLOWLY", "0.0003")))
    return len(sample.answer or "")
