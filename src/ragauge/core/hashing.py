"""64-bit hashes of strings, columns and rows: the same on every machine, without a Python loop."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core import native
from ragauge.core.arrow import filled, to_arrow, to_numpy, utf8
from ragauge.core.ragged import Ragged

HashArray = npt.NDArray[np.uint64]

# splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"): its constants.
GOLDEN = 0x9E3779B97F4A7C15
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_BLOCK = 1 << 16
_SHORT = 64
"""Bytes of a short string, such as an id."""
_ENOUGH = 1 << 13
"""Bytes of strings from which on the kernel, where it is installed, is faster."""
_NULL = np.uint64(0x6E756C6C)
"""The hash of null: the letters of the word."""


MADE_ID = r"[0-9a-f]{16}(?:-[0-9]+)?"
"""The form of ids that are made from the content of rows."""


def splitmix64(values: HashArray) -> HashArray:
    """Return each 64-bit value, of any shape, mixed: every bit of it depends on every bit of the input.

    Source: the output function of splitmix64 (Steele, Lea and Flood 2014), after one step of its counter.

    >>> splitmix64(np.array([0], dtype=np.uint64)).tolist() == [0xE220A8397B1DCDAF]
    True
    """
    z = values + np.uint64(GOLDEN)
    z ^= z >> np.uint64(30)
    z *= _FIRST
    z ^= z >> np.uint64(27)
    z *= _SECOND
    z ^= z >> np.uint64(31)
    return z


def hash_strings(strings: pa.Array | pa.ChunkedArray | Sequence[str]) -> HashArray:
    """Hash the UTF-8 bytes of each string to 64 bits.

    Simple tabulation hashing: the sum of one random word per (position, byte), mixed with the length. Two different
    strings collide with a chance of 2^-64. Null hashes as the empty string. Shapes: n strings to (n,) uint64.

    >>> hash_strings(["a", "b", "a"])[0] == hash_strings(["a"])[0]
    np.True_
    """
    data, offsets = utf8(strings)
    sums = native.byte_sums(data, offsets) if offsets[-1] - offsets[0] >= _ENOUGH else None
    if sums is None:
        sums = np.zeros(len(offsets) - 1, dtype=np.uint64)
        # A part at a time, also of one string, so that temporaries stay in cache.
        for start in range(offsets[0], offsets[-1], _BLOCK):
            end = min(start + _BLOCK, int(offsets[-1]))
            first, last = np.searchsorted(offsets, start, "right") - 1, np.searchsorted(offsets, end)
            bounds = np.clip(offsets[first : last + 1], start, end)
            lengths = np.diff(bounds)
            keys = np.arange(start << 8, end << 8, 256)
            keys -= np.repeat(offsets[first:last] << 8, lengths)
            keys |= data[start:end]
            is_short = np.diff(offsets[first : last + 1]).max() <= _SHORT
            words = _words_of_short()[keys] if is_short else splitmix64(keys.view(np.uint64))
            # An empty string keeps the sum 0, because reduceat has no empty sums.
            there = np.flatnonzero(lengths)
            sums[first + there] += np.add.reduceat(words, bounds[there] - start)
    return splitmix64(sums ^ splitmix64(np.diff(offsets).astype(np.uint64)))


@cache
def _words_of_short() -> HashArray:
    """Return the random words of each position below ``_SHORT`` and byte: looking them up is faster than mixing."""
    return splitmix64(np.arange(_SHORT << 8, dtype=np.uint64))


def hash_array(array: pa.Array, *, ordered: bool = True) -> HashArray:
    """Hash each value of an Arrow array to 64 bits, (n,) uint64; all nulls have one hash.

    Equal numbers have equal hashes: 1 and 1.0, 0.0 and -0.0; integers that no float64 holds keep hashes of their own.
    The fields of a struct have no order, and one that is null is an absent one. ``ordered``: whether the order of a
    list's items matters; the order of lists within always does.

    >>> import pyarrow as pa
    >>> one, other = hash_array(pa.array([["a", "b"], ["b", "a"]]))
    >>> same, too = hash_array(pa.array([["a", "b"], ["b", "a"]]), ordered=False)
    >>> bool(one == other), bool(same == too)
    (False, True)
    """
    kind = array.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = to_numpy(filled(pc.cast(array, pa.float64(), safe=False), 0.0))
        # Adding zero turns -0.0 into 0.0.
        hashes = splitmix64((numbers + 0.0).view(np.uint64))
        if pa.types.is_int64(kind) or pa.types.is_uint64(kind):
            hashes = _with_lost_digits(hashes, to_numpy(filled(array, 0)))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        hashes = _hash_lists(array, ordered=ordered)
    elif pa.types.is_struct(kind) and kind.num_fields:
        hashes = hash_rows(
            {field.name: pc.struct_field(array, [place]) for place, field in enumerate(kind)}, len(array)
        )
    else:
        try:
            texts = pc.cast(array, pa.large_string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            texts = to_arrow([None if one is None else repr(one) for one in array.to_pylist()], pa.large_string())
        hashes = hash_strings(texts)
    return np.where(to_numpy(pc.is_null(array)), _NULL, hashes)


def hash_rows(columns: Mapping[str, pa.Array], rows: int, *, unordered: Collection[str] = ()) -> HashArray:
    """Hash each of the ``rows`` of ``columns``, (rows,) uint64; columns have no order, and null is an absent column.

    ``unordered``: the columns of lists whose items have no order.
    """
    total = np.zeros(rows, dtype=np.uint64)
    for name, column in columns.items():
        hashes = combine(np.repeat(hash_strings([name]), rows), hash_array(column, ordered=name not in unordered))
        total += np.where(to_numpy(pc.is_valid(column)), hashes, np.uint64(0))
    return splitmix64(total)


def combine(left: HashArray, right: HashArray) -> HashArray:
    """Hash ordered pairs of hashes, element by element."""
    return splitmix64(splitmix64(left) ^ right)


def _with_lost_digits(hashes: HashArray, integers: npt.NDArray[Any]) -> HashArray:
    """Return ``hashes`` of the float64 of n ``integers``, with other hashes for those that it rounds."""
    bits = integers.astype(np.uint64)
    size = np.where(integers < 0, -bits, bits)
    last_bit = np.maximum(size & -size, np.uint64(1))
    rounded = size // last_bit >> np.uint64(53) > 0
    return np.where(rounded, combine(hashes, bits), hashes) if rounded.any() else hashes


def _hash_lists(array: pa.Array, *, ordered: bool) -> HashArray:
    lists = Ragged.from_lengths(hash_array(pc.list_flatten(array)), to_numpy(filled(pc.list_value_length(array), 0)))
    places = splitmix64(np.arange(lists.lengths.max(initial=0) if ordered else 1, dtype=np.uint64))
    hashes = combine(lists.values, places[lists.positions] if ordered else places)
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    return splitmix64(np.diff(sums[lists.offsets]) ^ splitmix64(lists.lengths.astype(np.uint64)))


def is_made_id(name: str) -> bool:
    """Return whether an id is made from the content of its row: users do not know it.

    >>> is_made_id("00000000000000ff-2"), is_made_id("q7")
    (True, False)
    """
    return re.fullmatch(MADE_ID, name) is not None
