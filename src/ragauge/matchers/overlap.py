"""``overlap``: most words of the reference are in the passage."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import count
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.matchers._base import ThresholdMatcher
from ragauge.matchers._normalised import normalised
from ragauge.matchers._pairs import Pairs
from ragauge.registry import ingredient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragauge.ragged import BoolArray, Ragged

# The scripts that are written without spaces between words.
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"


@ingredient("matcher", "overlap")
@dataclass(frozen=True)
class Overlap(ThresholdMatcher):
    """A passage matches a reference passage if it has at least the share ``threshold`` of its distinct tokens.

    The share is |tokens of both| / |tokens of the reference|, 0 to 1, each distinct token once. Tokens are runs of
    letters, marks and numbers, and single characters of Han, kana, Thai, Lao, Khmer and Myanmar. A text without tokens
    matches nothing. Texts are normalised as `ragauge.matchers._normalised.normalised` says.

    Args:
        threshold: the lowest share that matches, above 0 and up to 1.

    Raises:
        OptionError: the threshold is not above 0 and up to 1.

    >>> from ragauge.ragged import Ragged
    >>> passages = Ragged.of([["A cat sat on the mat.", "A dog."]])
    >>> Overlap(threshold=0.75).match(passages, Ragged.of([["The cat sat down."]]))
    array([ True, False])
    """

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        """Compare each passage with each reference; see `ragauge.ingredients.Matcher`."""
        pairs = Pairs.of(retrieved, references, normalised)
        tokens = distinct_tokens(pairs.forms)
        left, right = ([tokens[code] for code in codes.tolist()] for codes in (pairs.left, pairs.right))
        shared = np.fromiter(map(len, map(and_, left, right)), dtype=np.int64, count=len(pairs))
        wanted = np.fromiter(map(len, right), dtype=np.int64, count=len(pairs))
        return pairs.spread((wanted > 0) & (shared >= self.threshold * wanted))


def distinct_tokens(texts: Sequence[str]) -> list[set[int]]:
    """Return the distinct tokens of n texts as numbers, one set each.

    >>> distinct_tokens(["the cat, the cat", "我们a1", "a1"])
    [{0, 1}, {2, 3, 4}, {2}]
    """
    characters = sorted(set().union(*texts))
    alone = {character for character in characters if _unspaced().match(character)}
    gaps = {ord(character): " " for character in characters if character in alone or not _wordly(character)}
    number = defaultdict[str, int](count().__next__).__getitem__
    return [{*map(number, text.translate(gaps).split()), *map(number, alone.intersection(text))} for text in texts]


def _wordly(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


@cache
def _unspaced() -> Any:
    import regex

    return regex.compile(_UNSPACED)
