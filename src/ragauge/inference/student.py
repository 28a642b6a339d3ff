"""Student's paired t test, by units of any size."""

from __future__ import annotations

from math import nan

from ragauge.inference.distributions import student_two_sided
from ragauge.inference.outcome import Outcome
from ragauge.inference.spread import standard_error
from ragauge.ragged import FloatArray


def student(left_out: FloatArray, observed: float) -> Outcome:
    """Test whether a difference is 0, against its jackknife standard error.

    For the mean difference of samples this is the paired t test. For clusters it is the cluster-robust one, and for
    pooled scores a large-sample one.

    Args:
        left_out: (u,) the difference without each unit.
        observed: the difference of the two runs.

    Source: Student 1908, "The probable error of a mean"; the jackknife for ratios and clusters: Efron 1982, "The
    jackknife, the bootstrap and other resampling plans".
    """
    if len(left_out) < 2:
        return Outcome("t", nan)
    error = standard_error(left_out)
    if error == 0:
        return Outcome("t", 1.0 if observed == 0 else 0.0)
    return Outcome("t", student_two_sided(observed / error, len(left_out) - 1))
