"""The order, by their ids, of documents with equal scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import Ragged
from ragauge.rankings._strings import Strings

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import IntArray


def before(
    places: IntArray, first: IntArray, last: IntArray, names: Callable[[IntArray], pa.Array], *, descending: bool
) -> IntArray:
    """Count the documents of equal score whose ids come before that of each document: (m,).

    Args:
        places: (m,) the flat place of each document.
        first: (m,) the flat place of the first document of equal score.
        last: (m,) that of one past the last.
        names: gives the ids of the documents at flat places; it is asked for those of equal score only.
        descending: whether a greater id, by its bytes, comes first.
    """
    counts = np.zeros(len(places), dtype=np.int64)
    tied = np.flatnonzero(last - first > 1)
    starts, index, group = np.unique(first[tied], return_index=True, return_inverse=True)
    members = Ragged.from_lengths(np.empty(0), (last - first)[tied][index])
    flat = np.arange(members.offsets[-1]) + np.repeat(starts - members.offsets[:-1], members.lengths)
    rising = Strings.of(names(flat)).places(members.rows)[members.offsets[group] + places[tied] - first[tied]]
    counts[tied] = members.lengths[group] - 1 - rising if descending else rising
    return counts
