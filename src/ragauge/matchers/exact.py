"""``exact``: the texts are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.matchers._base import TextMatcher
from ragauge.matchers._normalised import normalised
from ragauge.matchers._pairs import Pairs
from ragauge.registry import ingredient

if TYPE_CHECKING:
    from ragauge.ragged import BoolArray, Ragged


@ingredient("matcher", "exact")
@dataclass(frozen=True)
class Exact(TextMatcher):
    """A passage matches a reference passage if the two, normalised, are the same text.

    For retrieval of fixed chunks, where references were taken from the same chunks. An empty text matches nothing.
    Texts are normalised as `ragauge.matchers._normalised.normalised` says.

    >>> from ragauge.ragged import Ragged
    >>> passages = Ragged.of([["The  cat sat.", "The cat"]])
    >>> Exact().match(passages, Ragged.of([["the cat sat."]]))
    array([ True, False])
    """

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        """Compare each passage with each reference; see `ragauge.ingredients.Matcher`."""
        pairs = Pairs.of(retrieved, references, normalised)
        return pairs.spread(pairs.left == pairs.right)
