"""Which samples of two runs are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.errors import ColumnError, DataError, UsageError, did_you_mean
from ragauge.hashing import HashArray, hash_strings
from ragauge.ragged import IntArray
from ragauge.result import Result

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Pairs:
    """Samples that both runs have, in the order of the base.

    Shapes: ``base`` and ``candidate`` (n,): the place of each in its run; ``names`` n ids; ``only_base`` and
    ``only_candidate``: the ids that the other run lacks.
    """

    names: pa.Array
    base: IntArray
    candidate: IntArray
    only_base: pa.Array
    only_candidate: pa.Array

    def __len__(self) -> int:
        return len(self.base)

    @property
    def keys(self) -> HashArray:
        """A hash of each pair's id, (n,)."""
        return hash_strings(self.names)


def pairs_of(base: Result, candidate: Result, on: str, runs: tuple[str, str]) -> Pairs:
    """Pair the samples of two runs by column ``on``.

    Raises:
        ColumnError: a run has no such column.
        DataError: the column does not tell samples apart.
        UsageError: no value is in both runs.
    """
    import pyarrow.compute as pc

    left, right = (_values(result, on, run) for result, run in zip((base, candidate), runs, strict=True))
    place = pc.index_in(left, value_set=right)
    found = place.is_valid().to_numpy(zero_copy_only=False)
    if not found.any():
        raise UsageError(_disjoint(left, right, on, runs))
    inverse = pc.index_in(right, value_set=left).is_null()
    return Pairs(
        left.filter(place.is_valid()),
        np.flatnonzero(found).astype(np.int64),
        np.asarray(place.drop_null(), dtype=np.int64),
        left.filter(place.is_null()),
        right.filter(inverse),
    )


def column(result: Result, name: str) -> pa.Array:
    """Return a column of a run's data as one array."""
    import pyarrow as pa

    chunks = [batch.column(name) for batch in result.data.batches()]
    return pa.chunked_array(chunks).combine_chunks() if len(chunks) != 1 else chunks[0]


def _values(result: Result, on: str, run: str) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if on != "id" and on not in result.data.columns:
        message = f"{run} has no column {on!r} to pair samples by{did_you_mean(on, result.data.columns)}"
        raise ColumnError(message)
    raw = pa.chunked_array(list(result.ids)).combine_chunks() if on == "id" else column(result, on)
    values = raw.cast(pa.large_string())
    counted = pc.value_counts(values)
    repeated = [item["values"].as_py() for item in counted.filter(pc.greater(counted.field("counts"), 1))[:_SHOWN]]
    if values.null_count or repeated:
        what = f"{repeated[0]!r} is in several" if repeated else f"{values.null_count} samples have none"
        raise DataError.of(run, [f"column {on!r} does not tell samples apart: {what}; pair by another column"])
    return values


def _disjoint(left: pa.Array, right: pa.Array, on: str, runs: tuple[str, str]) -> str:
    examples = [", ".join(repr(name) for name in ids[:_SHOWN].to_pylist()) for ids in (left, right)]
    advice = "score both with the same ids, or pair them by a column that tells samples apart, as in --on question"
    has = "; ".join(f"{run} has {shown}" for run, shown in zip(runs, examples, strict=True))
    return f"the runs have no sample in common by {on!r}: {has}; {advice}"
