"""``edit``: the texts differ in few characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.matchers._base import ThresholdMatcher
from ragauge.matchers._normalised import normalised
from ragauge.matchers._pairs import Pairs
from ragauge.registry import ingredient

if TYPE_CHECKING:
    from ragauge.ragged import BoolArray, Ragged


@ingredient("matcher", "edit")
@dataclass(frozen=True)
class Edit(ThresholdMatcher):
    """A passage matches a reference passage if their edit similarity is at least ``threshold``.

    The similarity is 1 - d / n, 0 to 1: d is the Levenshtein distance of the two normalised texts in code points, n
    the length of the longer one. A passage that only contains a reference has a low similarity: see ``contains`` and
    ``overlap``. An empty text matches nothing. Texts are normalised as `ragauge.matchers._normalised.normalised` says.

    Args:
        threshold: the lowest similarity that matches, above 0 and up to 1.

    Raises:
        OptionError: the threshold is not above 0 and up to 1.

    >>> from ragauge.ragged import Ragged
    >>> passages = Ragged.of([["the cat sat", "a dog ran by"]])
    >>> Edit(threshold=0.8).match(passages, Ragged.of([["the bat sat"]]))
    array([ True, False])

    Source: RapidFuzz, ``Levenshtein.normalized_similarity``. ragas 0.4.3 compares texts as they stand, and at a
    similarity of just 0.5 its recall says no where its precision says yes.
    """

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        """Compare each passage with each reference; see `ragauge.ingredients.Matcher`."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        pairs = Pairs.of(retrieved, references, normalised)
        score = Levenshtein.normalized_similarity
        similarities = cpdist(*pairs.texts(), scorer=score, score_cutoff=self.threshold, dtype=np.float64, workers=-1)
        return pairs.spread(similarities >= self.threshold)
