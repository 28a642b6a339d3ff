"""64-bit hashes of strings: the same on every machine, in any order, without a Python loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragauge.core.arrow import filled, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

HashArray = npt.NDArray[np.uint64]

# splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"): its constants.
GOLDEN = 0x9E3779B97F4A7C15
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_BLOCK = 1 << 20


def splitmix64(values: HashArray) -> HashArray:
    """Mix each 64-bit value so that every bit of it depends on every bit of the input.

    Args:
        values: any shape; not changed.

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
    strings collide with a chance of 2^-64.

    Args:
        strings: ``n`` strings; null hashes as the empty string.

    Returns:
        (n,) uint64.

    >>> hash_strings(["a", "b", "a"])[0] == hash_strings(["a"])[0]
    np.True_
    """
    data, offsets = utf8(strings)
    lengths = np.diff(offsets)
    sums = np.zeros(len(lengths), dtype=np.uint64)
    for first, last in _blocks(offsets):
        sums[first:last] = _sums(data, offsets[first : last + 1])
    return splitmix64(sums ^ splitmix64(lengths.astype(np.uint64)))


def combine(left: HashArray, right: HashArray) -> HashArray:
    """Hash ordered pairs of hashes, element by element."""
    return splitmix64(splitmix64(left) ^ right)


def utf8(
    strings: pa.Array | pa.ChunkedArray | Sequence[str],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the UTF-8 bytes of n strings, and (n + 1,) where in them each begins and ends; null as empty."""
    import pyarrow as pa

    if isinstance(strings, pa.ChunkedArray):
        strings = strings.combine_chunks()
    array = strings if isinstance(strings, pa.Array) else to_arrow(strings, pa.large_string())
    array = filled(array.cast(pa.large_string()), "")
    if len(array) == 0:
        return np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    _, starts, content = array.buffers()
    offsets = np.frombuffer(starts, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(content if content is not None else b"", dtype=np.uint8), offsets


def _blocks(offsets: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut the strings into runs of about a million bytes, so that temporaries stay in cache."""
    total = int(offsets[-1] - offsets[0])
    marks = np.searchsorted(offsets, offsets[0] + np.arange(_BLOCK, total, _BLOCK), side="left")
    cuts = np.unique(np.concatenate([[0], marks, [len(offsets) - 1]]))
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def _sums(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> HashArray:
    lengths = np.diff(offsets)
    positions = np.arange(offsets[0], offsets[-1]) - np.repeat(offsets[:-1], lengths)
    words = splitmix64((positions.astype(np.uint64) << np.uint64(8)) | data[offsets[0] : offsets[-1]])
    sums = np.zeros(len(lengths), dtype=np.uint64)
    filled = lengths > 0
    if filled.any():
        sums[filled] = np.add.reduceat(words, (offsets[:-1] - offsets[0])[filled])
    return sums
