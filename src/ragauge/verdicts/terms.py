"""What a claim says, word by word: the n-grams of each word, weighed so that a word counts by how rare it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ragauge.embedders._sparse import KeyArray, SparseVectors
from ragauge.embedders.space import Space
from ragauge.ragged import IntArray, Ragged

# With the marks for a long vowel, which belong to no script.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
# Runs of scripts that are written without spaces count by their length, a word being about two characters of two
# n-grams each.
_NGRAMS_PER_WORD = 4
# Numbers are what claims are most often wrong in: on half of WiCE, supported claims were told from others best when
# they weighed three or four times as much (area under the curve, for 1 to 4: 77, 78.5, 79.7 and 80.0 %).
_NUMBER = 3
# Steps in which an n-gram's share of its word's weight is kept: whole numbers, so that sums are exact.
_STEPS = 1 << 10


@dataclass(frozen=True, eq=False)
class Terms:
    """The n-grams of the words of c claims.

    Shapes: ``keys`` and ``weights`` (m,): n-grams, and what each is worth, whole numbers; an n-gram stands there for
    each word that has it. ``offsets`` (c + 1,): where each claim's begin.
    """

    keys: KeyArray
    weights: IntArray
    offsets: IntArray

    @property
    def totals(self) -> IntArray:
        """What each claim is worth, (c,)."""
        return self.sums(self.weights)

    def sums(self, weights: IntArray) -> IntArray:
        """Add up ``weights`` (m,) by claim, (c,)."""
        sums = np.concatenate([[0], np.cumsum(weights)])
        return np.asarray(sums[self.offsets[1:]] - sums[self.offsets[:-1]])


def terms_of(texts: Sequence[str], space: Space) -> Terms:
    """Return the n-grams of c claims, word by word.

    >>> from ragauge.embedders import get
    >>> terms = terms_of(["Lin Wan", "茶馆", "!"], Space(get()))
    >>> np.diff(terms.offsets), (terms.totals / 1024).round()
    (array([14,  3,  0]), array([1560.,  585.,    0.]))
    """
    found = [_words().findall(text) for text in texts]
    words = Ragged.from_lengths(np.empty(0), [*map(len, found)])
    places = space.places([word for claimed in found for word in claimed], "passage")
    vectors = space.vectors
    if not isinstance(vectors, SparseVectors):
        message = f"coverage takes sparse vectors; {space.embedder} gave {type(vectors).__name__}"
        raise TypeError(message)
    flat = [word for claimed in found for word in claimed]
    spaced = np.array([_unspaced().match(word) is None for word in flat], dtype=bool)
    numbers = np.array([_NUMBER if any(map(str.isdigit, word)) else 1 for word in flat], dtype=np.int64)
    entries, weights, lengths = _weighed(vectors, places, spaced)
    weights *= np.repeat(numbers, lengths)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    return Terms(vectors.keys[entries], weights, ends[words.offsets])


def _weighed(vectors: SparseVectors, places: IntArray, spaced: np.ndarray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the entries of each word, what they are worth, and how many there are of each word."""
    lengths = np.diff(vectors.offsets)[places]
    flat = Ragged.from_lengths(np.empty(0), lengths)
    owner = np.repeat(np.arange(len(places)), lengths)
    entries = vectors.offsets[places][owner] + np.arange(len(owner)) - flat.offsets[:-1][owner]
    weights = vectors.weights[entries].astype(np.int64)
    sums = np.bincount(owner, weights, len(places)).astype(np.int64)
    highest = np.zeros(len(places), dtype=np.int64)
    np.maximum.at(highest, owner, weights)
    worth = np.where(spaced, highest, sums // _NGRAMS_PER_WORD)
    return entries, weights * worth[owner] * _STEPS // np.maximum(sums[owner], 1), lengths


@cache
def _words() -> Any:
    import regex

    return regex.compile(rf"[{_UNSPACED}]+|[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+", regex.V1)


@cache
def _unspaced() -> Any:
    import regex

    return regex.compile(rf"[{_UNSPACED}]")
