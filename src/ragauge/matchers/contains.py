"""``contains``: one text is part of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.matchers._base import TextMatcher
from ragauge.matchers._normalised import normalised
from ragauge.matchers._pairs import Pairs
from ragauge.registry import ingredient

if TYPE_CHECKING:
    from ragauge.ragged import BoolArray, Ragged


@ingredient("matcher", "contains")
@dataclass(frozen=True)
class Contains(TextMatcher):
    """A passage matches a reference passage if one of the two, normalised, contains the other.

    Either way round, since chunks may be cut shorter or longer than the references. An empty text matches nothing.
    Texts are normalised as `ragauge.matchers._normalised.normalised` says.

    >>> from ragauge.ragged import Ragged
    >>> passages = Ragged.of([["The  cat sat.", "A dog.", ""]])
    >>> Contains().match(passages, Ragged.of([["the cat"]]))
    array([ True, False, False])
    """

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        """Compare each passage with each reference; see `ragauge.ingredients.Matcher`."""
        pairs = Pairs.of(retrieved, references, normalised)
        return pairs.spread(np.fromiter(map(_contains, *pairs.texts()), dtype=bool, count=len(pairs)))


def _contains(left: str, right: str) -> bool:
    return left in right if len(left) < len(right) else right in left
