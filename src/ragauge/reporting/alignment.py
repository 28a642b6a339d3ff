"""The samples that all runs have, by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ragged import IntArray
from ragauge.reporting.run import Run

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Aligned:
    """Samples in all runs, in the order of the first.

    Shapes: ``ids`` n texts; ``places`` (r, n): where each sample stands in each run; ``left_out`` (r,): how many
    samples of each run another one lacks.
    """

    ids: pa.Array
    places: IntArray
    left_out: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ids)


def aligned(runs: Sequence[Run]) -> Aligned:
    """Find the samples that all ``runs`` have; there may be none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = [pa.chunked_array(list(run.result.ids)).cast(pa.large_string()).combine_chunks() for run in runs]
    shared = ids[0]
    for other in ids[1:]:
        shared = shared.filter(pc.is_in(shared, value_set=other))
    places = [np.asarray(pc.index_in(shared, value_set=own), dtype=np.int64) for own in ids]
    return Aligned(shared, np.stack(places), tuple(len(own) - len(shared) for own in ids))
