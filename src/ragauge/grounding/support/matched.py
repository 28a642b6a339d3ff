"""``matched``: a matcher of texts decides which claims are supported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.ingredients import Ingredient, Matcher, ingredient_field
from ragauge.core.options import option_texts
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.grounding.matchers import TokenOverlap
from ragauge.grounding.support.pairs import ClaimPairs


@ingredient("support", "matched")
@dataclass(frozen=True)
class Matched:
    """A claim is supported by evidence that matches it: degree 1, else 0.

    Args:
        matcher: how texts match. The claim is the reference: ``overlap`` takes the share of the claim's tokens that the
            evidence has, ``contains`` looks for one text in the other.

    >>> claims, evidence = Ragged.of([["a cat sat"]]), Ragged.of([["there a cat sat", "a dog"]])
    >>> Matched().degrees(claims, evidence)
    array([1., 0.])
    """

    matcher: Ingredient[Matcher] = ingredient_field(TokenOverlap)

    threshold: ClassVar[float] = 1.0

    @property
    def signature(self) -> str:
        """The name, and the matcher's signature."""
        options = option_texts(self, all_of_them=True)
        return f"matched[{','.join(f'{key}={text}' for key, text in options.items())}]"

    def degrees(self, claims: Ragged, evidence: Ragged) -> FloatArray:
        """Return 1 for each pair of a claim and evidence that match, else 0; see `SupportModel` for the order."""
        # The matrices of a matcher have a row for each segment of evidence; here each claim has one.
        matches = self.matcher.match(evidence, claims).astype(np.float64)
        transposed = ClaimPairs.of(evidence.offsets, claims.offsets)
        order = np.lexsort(transposed.part(0, len(evidence.values)))
        return np.asarray(matches[order])
