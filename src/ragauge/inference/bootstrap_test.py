"""The paired bootstrap test."""

from __future__ import annotations

from math import nan

import numpy as np

from ragauge.inference.outcome import Outcome
from ragauge.ragged import FloatArray


def paired_bootstrap(differences: FloatArray, observed: float) -> Outcome:
    """Test whether two runs differ by how far replicates of the difference stray from it.

    Replicates are centred with their sign, so that the test is two-sided; Koehn's way, to count replicates of the
    other sign, tests one side. With few units it rejects more often than it says: `randomisation` does not.

    Args:
        differences: (r,) of `ragauge.inference.paired.replicated`; NaN is left out.
        observed: the difference of the two runs.

    Source: Efron and Tibshirani 1993, "An introduction to the bootstrap", 16.4; Koehn 2004, "Statistical significance
    tests for machine translation evaluation".

    >>> paired_bootstrap(np.array([1.0, 2.0, 3.0]), 2.0).p
    0.25
    """
    valid = differences[~np.isnan(differences)]
    if len(valid) == 0 or np.isnan(observed):
        return Outcome("bootstrap", nan)
    strayed = np.abs(valid - valid.mean())
    # Rounding must not decide whether identical runs stray from a difference of 0.
    as_far = strayed >= abs(observed) - 1e-11 * max(1.0, abs(observed))
    return Outcome("bootstrap", (1 + int(as_far.sum())) / (1 + len(valid)))
