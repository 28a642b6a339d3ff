"""How much of what was retrieved nobody judged: a warning beside nDCG and MAP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ragauge.statistics import Statistics, ratio

if TYPE_CHECKING:
    from ragauge.metrics.retrieval._view import Column, View
    from ragauge.ragged import FloatArray, IntArray


def depth(view: View, k: int | None) -> IntArray:
    """Return how many documents there are up to rank k, at most those retrieved: (n,)."""
    return view.of.retrieved if k is None else np.minimum(view.of.retrieved, k)


def unjudged_columns(view: View, k: int | None) -> dict[str, Column]:
    """Count the documents up to rank k, and those of them without a grade of 0 or more.

    As in trec_eval's ``unj``, a document with a negative grade was pooled but not judged. Passages are all judged,
    since each was compared with the references.
    """
    there = depth(view, k)
    return {"unjudged": there - view.found(0.0, k), "depth": there}


def unjudged_share(totals: Statistics) -> Mapping[str, FloatArray]:
    """Return the part ``unjudged``; NaN where nothing was retrieved."""
    return {"unjudged": ratio(totals["unjudged"], totals["depth"])}
