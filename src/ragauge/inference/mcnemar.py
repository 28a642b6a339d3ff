"""McNemar's test of paired 0/1 scores."""

from __future__ import annotations

from math import nan

import numpy as np

from ragauge.inference.distributions import fair_two_sided
from ragauge.inference.outcome import Outcome
from ragauge.ragged import FloatArray


def mcnemar(differences: FloatArray) -> Outcome:
    """Test whether as many samples went from 0 to 1 as from 1 to 0: the exact binomial form.

    Args:
        differences: (n,) of -1, 0 and 1.

    Source: McNemar 1947, "Note on the sampling error of the difference between correlated proportions". Equal to
    statsmodels 0.15 with ``exact=True``.

    >>> round(mcnemar(np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 0.0])).p, 12)
    0.21875
    """
    if len(differences) == 0:
        return Outcome("mcnemar", nan)
    rose, fell = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    return Outcome("mcnemar", fair_two_sided(rose, rose + fell))
