"""Which keys are equal: exact grouping of whole numbers in linear time, without a Python loop."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ragauge.ragged import IntArray

KeyArray = npt.NDArray[np.uint64]

# Odd multipliers near 2^64 divided by the golden ratio and by the plastic number (Roberts 2018, "The unreasonable
# effectiveness of quasirandom sequences"): their products spread neighbouring keys over the whole table.
_MULTIPLIERS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC13FA9A902A6328F, 0x91E10DA5C79E7B1D, 0xD1342543DE82EF95)))


def representatives(keys: KeyArray) -> IntArray:
    """Return for each key the place of one key equal to it, the same place for all of them.

    Every key writes its place into the slot of a table that it hashes to, then reads back what the last writer left
    there. Keys that read the place of another key than their own try again in a new table; what four tables cannot
    tell apart is sorted. Keys are compared in full, so the result does not depend on the hash.

    Args:
        keys: (n,) any values.

    Returns:
        (n,) places in 0 to n - 1, with ``keys[representatives(keys)] == keys``.

    >>> keys = np.array([5, 3, 5, 9], dtype=np.uint64)
    >>> groups = representatives(keys)
    >>> bool(groups[0] == groups[2]), len(set(groups.tolist()))
    (True, 3)
    """
    return _representatives(keys, 0)


def _representatives(keys: KeyArray, attempt: int) -> IntArray:
    if attempt == len(_MULTIPLIERS):
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        return np.asarray(first[group])
    bits = max(len(keys).bit_length() + 1, 4)
    slots = ((keys * _MULTIPLIERS[attempt]) >> np.uint64(64 - bits)).view(np.int64)
    table = np.empty(1 << bits, dtype=np.int64)
    table[slots] = np.arange(len(keys))
    places = table[slots]
    wrong = np.flatnonzero(keys[places] != keys)
    if len(wrong):
        places[wrong] = wrong[_representatives(keys[wrong], attempt + 1)]
    return places
