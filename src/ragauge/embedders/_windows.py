"""Long texts in windows that a model reads whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import IntArray, Ragged

WINDOWS = "texts read in windows"
"""Note: how many texts are longer than the model reads at once; they were read to their ends, window by window."""
CUT = "claims cut"
"""Note: how many claims leave no room for evidence beside them; their ends were not read."""

Count = Callable[[Sequence[str]], Sequence[int]]
_NEAR = 30


def windows(texts: Sequence[str], count: Count, most: int) -> tuple[list[str], IntArray]:
    """Cut texts so that no piece has more than ``most`` tokens.

    Args:
        texts: n texts.
        count: counts the tokens of texts, special tokens and prompt among them.
        most: what the model reads; a text of one character is not cut further.

    Returns:
        All pieces, and how many there are of each text, (n,).

    >>> windows(["a b c d", "e"], lambda texts: [len(text.split()) for text in texts], 3)
    (['a b', ' c d', 'e'], array([2, 1]))
    """
    pieces, owner = list(texts), list(range(len(texts)))
    while True:
        sizes = list(count(pieces))
        if all(size <= most or len(piece) < 2 for size, piece in zip(sizes, pieces, strict=True)):
            break
        cut = [_cut(piece, -(-size // most)) for piece, size in zip(pieces, sizes, strict=True)]
        owner = [place for place, parts in zip(owner, cut, strict=True) for _ in parts]
        pieces = [part for parts in cut for part in parts]
    return pieces, np.bincount(np.array(owner, dtype=np.int64), minlength=len(texts))


def averaged(vectors: npt.NDArray[np.float32], counts: IntArray) -> npt.NDArray[np.float32]:
    """Return for each text the mean of its pieces' vectors, each taken at length 1; a text of one piece as it is.

    Args:
        vectors: (pieces, d).
        counts: (n,), each at least 1.

    Returns:
        (n, d) float32.
    """
    rows = Ragged.from_lengths(vectors, counts)
    result = vectors[rows.offsets[:-1]]
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(norms > 0, norms, 1.0)
    for text in np.flatnonzero(counts > 1).tolist():
        result[text] = units[rows.offsets[text] : rows.offsets[text + 1]].mean(axis=0)
    return result


def _cut(text: str, parts: int) -> list[str]:
    """Cut ``text`` in about equal parts, before white space where there is some near."""
    if parts < 2 or len(text) < 2:
        return [text]
    places = [_near(text, len(text) * part // min(parts, len(text))) for part in range(1, min(parts, len(text)))]
    edges = sorted({0, *places, len(text)})
    return [text[first:last] for first, last in pairwise(edges)]


def _near(text: str, place: int) -> int:
    back = text.rfind(" ", max(place - _NEAR, 1), place + 1)
    return back if back > 0 else place
