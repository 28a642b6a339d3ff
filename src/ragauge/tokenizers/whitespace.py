"""``whitespace``: what stands between white space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.ragged import Ragged
from ragauge.registry import ingredient
from ragauge.tokenizers._cuts import Cut
from ragauge.tokenizers._point_tokenizer import SpanTokenizer
from ragauge.tokenizers._tables import WHITE_SPACE, looked_up, table_of

_TABLE = table_of(max(WHITE_SPACE) + 2, [(1, WHITE_SPACE)])


@ingredient("tokenizer", "whitespace")
@dataclass(frozen=True)
class Whitespace(SpanTokenizer):
    """Splits at white space, as `str.split` does; for texts that are tokenised already.

    >>> Whitespace().tokens("Hello , world!")
    ['Hello', ',', 'world!']
    """

    def cut(self, points: Ragged) -> Cut:
        """Begin a token after each gap only."""
        gap = looked_up(_TABLE, points.values).astype(bool)
        return Cut(points, np.zeros(len(gap), dtype=bool), gap)
