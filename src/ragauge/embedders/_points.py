"""Texts as code points, with what does not tell them apart taken away."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from ragauge.ragged import Ragged

_END = "\n"


def folded(texts: Sequence[str]) -> Ragged:
    r"""Return the code points of n texts after NFKC and case folding, white space as it stands but for line ends.

    >>> "".join(map(chr, folded(["Ｇｒöße\nA"])[0]))
    'grösse a'
    """
    joined = _END.join([text.replace(_END, " ") if _END in text else text for text in texts])
    if joined.isascii():
        data = np.frombuffer(joined.lower().encode("ascii"), dtype=np.uint8)
    else:
        data = np.frombuffer(_composed(joined).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return _split(data, len(texts))


def _composed(text: str) -> str:
    """Apply NFKC before and after folding: folding can undo what NFKC composed."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _split(data: np.ndarray, count: int) -> Ragged:
    """Cut n texts that stand between line ends."""
    if count == 0:
        return Ragged(data, np.zeros(1, dtype=np.int64))
    ends = data == ord(_END)
    places = np.flatnonzero(ends)
    edges = np.concatenate([[0], places - np.arange(len(places)), [len(data) - len(places)]])
    return Ragged(data[~ends], edges.astype(np.int64))
