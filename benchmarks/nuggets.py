"""Measure how nuggets are told in three steps, supported, in part or not, against people: claims of WiCE.

    python benchmarks/nuggets.py [--tuning]

Reads the data of shared/data (or $RAGAUGE_SHARED_DATA); each claim is a nugget, its evidence the answer. Prints the
mean recall of the three steps, which is 33 % for chance, on the half that was not chosen by; with ``--tuning`` on the
other one, for each share of the threshold from which support counts as partial.
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa

from embedders import rows, there
from ragauge.core.batch import Batch
from ragauge.core.ragged import IntArray
from ragauge.metrics.nuggets import PART
from ragauge.metrics.rag.nugget_all import NuggetAll

STEPS = {"not_supported": 0, "partially_supported": 1, "supported": 2}


def main() -> None:
    """Print what was measured."""
    if not there("wice/dev"):
        sys.exit("the data wice/dev are not there")
    claims = rows("wice/dev")
    people = np.array([STEPS[row["human"]["label"]] for row in claims])
    answers = [" ".join(row["evidence_sentences"]) for row in claims]
    table = {"id": [str(place) for place in range(len(claims))], "answer": answers}
    metric = NuggetAll()
    degrees = metric.compared(Batch(pa.table({**table, "nuggets": [[row["answer"]] for row in claims]}))).best.value
    limit = metric.scorer.resolved_threshold.value
    shares = [0.3, 0.4, PART, 0.6, 0.7, 0.8] if "--tuning" in sys.argv else [PART]
    for share in shares:
        found = (degrees >= limit).astype(int) + (degrees >= limit * share)
        print(f"partial from {share:.1f} of {limit}: {100 * recall(found, people):.0f} %  n={len(claims)}")


def recall(found: IntArray, people: IntArray) -> float:
    """Return the mean over the steps of the share of its claims that are found to be of it."""
    return float(np.mean([(found[people == step] == step).mean() for step in STEPS.values()]))


if __name__ == "__main__":
    main()
