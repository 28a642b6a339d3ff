"""Lengths of longest common subsequences of lists of codes, by RapidFuzz on strings made of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ragauge.core.ragged import IntArray, Ragged

# Codes become characters: those from U+D800 to U+DFFF are surrogates, which no string can hold, and U+10FFFF is last.
_SURROGATES = 0xD800
_SURROGATE_COUNT = 0x800
_CHARACTERS = 0x110000 - _SURROGATE_COUNT
_BLOCK = 1 << 20


def lcs_lengths(left: Ragged, right: Ragged) -> IntArray:
    """Return the length of the longest common subsequence of ``left[i]`` and ``right[i]`` for each i.

    Args:
        left: n lists of codes, none negative.
        right: n lists of codes.

    Returns:
        (n,) int64.

    >>> lcs_lengths(Ragged.of([[5, 1, 2, 3]]), Ragged.of([[1, 9, 3]]))
    array([2])
    """
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cpdist

    lengths = np.zeros(len(left), dtype=np.int64)
    for first, last in _blocks(left, right):
        pair = _strings(*_characters(left, right, first, last))
        lengths[first:last] = cpdist(*pair, scorer=LCSseq.similarity, dtype=np.int32)
    return lengths


def _characters(left: Ragged, right: Ragged, first: int, last: int) -> tuple[Ragged, Ragged]:
    """Return the lists ``first`` to ``last`` with codes that fit into characters, numbering them anew if need be."""
    parts = [ragged.take(np.arange(first, last)) for ragged in (left, right)]
    flat = np.concatenate([part.values for part in parts])
    if len(flat) and flat.max() >= _CHARACTERS:
        flat = np.unique(flat, return_inverse=True)[1]
    split = len(parts[0].values)
    return Ragged(flat[:split], parts[0].offsets), Ragged(flat[split:], parts[1].offsets)


def _strings(left: Ragged, right: Ragged) -> tuple[list[str], list[str]]:
    return _written(left), _written(right)


def _written(codes: Ragged) -> list[str]:
    """Write each list of codes as a string."""
    values = codes.values.astype(np.uint32)
    values[values >= _SURROGATES] += _SURROGATE_COUNT
    text = values.astype("<u4", copy=False).tobytes().decode("utf-32-le")
    edges = codes.offsets.tolist()
    return [text[start:stop] for start, stop in pairwise(edges)]


def _blocks(left: Ragged, right: Ragged) -> Iterator[tuple[int, int]]:
    """Cut the pairs into runs of at most about `_BLOCK` codes, fewer than there are characters."""
    codes = left.offsets[1:] + right.offsets[1:]
    marks = np.arange(_BLOCK, codes[-1] if len(codes) else 0, _BLOCK)
    edges = np.unique(np.concatenate([[0], np.searchsorted(codes, marks, side="right"), [len(left)]])).tolist()
    yield from pairwise(edges)
