"""Segments that a metric counts, each with its best counterpart, and what each part of a blend found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Message
from ragauge.core.ragged import BoolArray
from ragauge.core.texts import Segments, TextVectors
from ragauge.embedders.blend import BlendVectors
from ragauge.grounding.support.pairs import Best
from ragauge.grounding.support.scorer import Degrees

# Segments of a sample that get a reason: nobody reads more, and finding reasons takes as long as scoring.
_MOST_REASONS = 200


@dataclass(frozen=True, eq=False)
class Compared:
    """The segments that a metric counts, each with its ``best`` counterpart among ``others``."""

    segments: Segments
    others: Segments
    degrees: Degrees
    best: Best
    of_claims: bool = True
    """Whether the segments are claims; else they are evidence, and the others are claims."""

    def why(self, supported: BoolArray | None) -> list[str | None]:
        """Return what decided against the support of each segment, (s,) texts; None where it is supported.

        Only the first 200 segments of a sample get one.
        """
        why: list[str | None] = [None] * len(self.best.place)
        first = self.segments.strings.positions < _MOST_REASONS
        shown = np.flatnonzero(first & (self.best.place >= 0) & ~np.bool_(False if supported is None else supported))
        if self.degrees.decided is None or not len(shown):
            return why
        place = self.best.place[shown]
        claims, claim = (self.segments, shown) if self.of_claims else (self.others, place)
        segment = place if self.of_claims else shown
        reasons = self.degrees.decided(claims.strings.values[claim].tolist(), segment)
        for row, reason in zip(shown.tolist(), reasons, strict=True):
            why[row] = reason
        return why

    @classmethod
    def by_claim(cls, degrees: Degrees, claims: Segments, evidence: Segments) -> Compared:
        """Return each claim with its best evidence."""
        return cls(claims, evidence, degrees, degrees.by_claim)

    @classmethod
    def by_segment(cls, degrees: Degrees, claims: Segments, evidence: Segments) -> Compared:
        """Return each segment of evidence with the claim that it supports best."""
        return cls(evidence, claims, degrees, degrees.by_segment, of_claims=False)


def with_parts(table: pa.Table, texts: TextVectors, others: TextVectors, best: Best) -> pa.Table:
    """Return evidence with a column ``similarity NAME`` for each part of a blend; as it is for other embedders.

    A part's cosine is that of a text with its best counterpart; null where there is none, where the part does not
    compare the two, or where it failed.

    Shapes: ``table`` and ``texts`` have s rows, ``others`` the t counterparts that ``best.place`` numbers.
    """
    vectors = texts.space.vectors
    if not isinstance(vectors, BlendVectors):
        return table
    paired = best.place >= 0
    cosines = vectors.by_part(texts.numbers.values[paired], others.numbers.values[best.place[paired]])
    for name, values in cosines.items():
        column = np.full(len(paired), np.nan)
        column[paired] = values
        table = table.append_column(Message("similarity {name}", name), to_arrow(column, mask=np.isnan(column)))
    return table
