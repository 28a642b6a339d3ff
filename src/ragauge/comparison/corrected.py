"""What the number of tests does to p-values, intervals and outcomes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ragauge.comparison.difference import Difference, outcome
from ragauge.comparison.metric_tests import Testing
from ragauge.core.ragged import FloatArray
from ragauge.inference.distributions import spread_of_t
from ragauge.inference.intervals import Interval
from ragauge.inference.tests import CORRECTIONS

CORRECTION_TITLES = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}


def corrected(
    differences: Sequence[Difference], testing: Testing, primary: Collection[str], prices: Collection[str] = ()
) -> list[Difference]:
    """Return the differences with corrected p-values, simultaneous intervals, and their outcomes.

    ``primary`` metrics are one family, and the others another: the number of tests counts within a family. Primary
    metrics that are ``prices``, columns of time, tokens or cost, are a family too: what an answer costs is another
    question than how good it is, so a column of latency makes no difference of quality harder to find.
    """
    p_values = np.array([one.p for one in differences], dtype=np.float64)
    is_primary = np.array([one.metric in primary for one in differences], dtype=bool)
    is_price = is_primary & np.array([one.metric in prices for one in differences], dtype=bool)
    shares = np.ones(len(differences))
    for family in (is_primary & ~is_price, is_price, ~is_primary):
        p_values[family] = CORRECTIONS[testing.correction](p_values[family])
        shares[family] = _share(p_values[family], testing)
    return [
        _decided(replace(one, corrected=p, primary=own), testing, share)
        for one, p, own, share in zip(differences, p_values.tolist(), is_primary.tolist(), shares.tolist(), strict=True)
    ]


def _share(corrected_p: FloatArray, testing: Testing) -> float:
    """Return by what the error of an interval is multiplied, so that all of a family hold together.

    1 / m of m tests: Bonferroni's intervals, which hold whatever the dependence of metrics. Under ``bh`` as many more
    of them may miss as are found.

    Source: Dunn 1961, "Multiple comparisons among means"; Benjamini and Yekutieli 2005, "False discovery rate-adjusted
    multiple confidence intervals for selected parameters".
    """
    tests = int(np.sum(~np.isnan(corrected_p)))
    if testing.correction == "none" or tests == 0:
        return 1.0
    found = int(np.sum(corrected_p <= testing.alpha)) if testing.correction == "bh" else 1
    return max(found, 1) / tests


def _decided(one: Difference, testing: Testing, share: float) -> Difference:
    """Return a difference with its outcome and interval.

    Source: Strassburger and Bretz 2008, "Compatible simultaneous lower confidence bounds for the Holm procedure and
    other Bonferroni-based closed tests".
    """
    decided = outcome(one, one.corrected, testing.alpha)
    low, high = _widened(one, testing.level, share)
    if abs(testing.level - (1 - testing.alpha)) < 1e-9:
        # Holm's later tests are less strict than Bonferroni's intervals, and ends of the bootstrap stray a little: the
        # end next to 0 follows the test.
        low, high = _agreeing((low, high), one.difference if decided in ("better", "worse") else 0.0)
    return replace(one, outcome=decided, low=low, high=high)


def _widened(one: Difference, level: float, share: float) -> Interval:
    """Return an interval of the family from that of one metric alone, by quantiles of Student's distribution.

    Quantiles of replicates would hang on a few of them. No difference is beyond the width of its metric's range.
    """
    if share == 1:
        return one.alone_low, one.alone_high
    wider = spread_of_t(1 - (1 - level) * share, one.freedom) / spread_of_t(level, one.freedom)
    low, high = (one.difference + wider * (end - one.difference) for end in (one.alone_low, one.alone_high))
    return max(low, min(-one.width, one.alone_low)), min(high, max(one.width, one.alone_high))


def _agreeing(ends: Interval, sign: float) -> Interval:
    """Return an interval with 0 inside where ``sign`` is 0, else on the side of 0 that ``sign`` has."""
    low, high = ends
    if sign == 0:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, 0.0), high) if sign > 0 else (low, min(high, 0.0))
