"""``char``: every character a token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.ragged import Ragged
from ragauge.registry import ingredient
from ragauge.tokenizers._cuts import Cut
from ragauge.tokenizers._point_tokenizer import SpanTokenizer
from ragauge.tokenizers._tables import WHITE_SPACE, looked_up, table_of

_TABLE = table_of(max(WHITE_SPACE) + 2, [(1, WHITE_SPACE)])


@ingredient("tokenizer", "char")
@dataclass(frozen=True)
class Char(SpanTokenizer):
    """Each code point that is not white space, as ``char`` in sacrebleu 2.6.0.

    Combining marks are tokens too: for Hindi or Thai, ``auto`` is what a reader would call characters.

    >>> Char().tokens("猫 mat")
    ['猫', 'm', 'a', 't']
    """

    def cut(self, points: Ragged) -> Cut:
        """Begin a token everywhere."""
        gap = looked_up(_TABLE, points.values).astype(bool)
        return Cut(points, np.ones(len(gap), dtype=bool), gap)


@ingredient("tokenizer", "dureader")
@dataclass(frozen=True)
class DuReader(Char):
    """The characters by which the Chinese benchmark DuReader scores BLEU-4 and ROUGE-L (``dureader_eval.py``).

    >>> DuReader().tokens("共 12 只")
    ['共', '1', '2', '只']
    """
