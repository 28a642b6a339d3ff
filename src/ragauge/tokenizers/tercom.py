"""``tercom``: the tokens of TER."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.ragged import Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._points import Cut, white_space
from ragauge.tokenizers.base import PointTokenizer

# tokenizer_ter.py of sacrebleu 2.6.0, in its order; the patterns are kept with their oddities.
_MARKS = "([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb])"
_FULL_WIDTH = "([\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])"
_WESTERN = (
    *(("\n-", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), (r"\A|\Z", " ")),
    *((r"([{-~[-` -&(-+:-@/])", r" \1 "), ("'s ", " 's "), ("'s$", " 's"), (r"([^0-9])([\.,])", r"\1 \2 ")),
    *((r"([\.,])([^0-9])", r" \1 \2"), (r"([0-9])(-)", r"\1 \2 ")),
)
_ASIAN = (
    *(
        (f"([{characters}])", r" \1 ")
        for characters in (
            *("\u4e00-\u9fff\u3400-\u4dbf", "\u31c0-\u31ef\u2e80-\u2eff", "\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f"),
            "\u3200-\u3f22",
        )
    ),
    *(
        (f"(^|^[{kana}])([{kana}]+)(?=$|^[{kana}])", r"\1 \2 ")
        for kana in ("\u3040-\u309f", "\u30a0-\u30ff", "\u31f0-\u31ff")
    ),
    *((_MARKS, r" \1 "), (_FULL_WIDTH, r" \1 ")),
)


@ingredient("tokenizer", "tercom")
@dataclass(frozen=True)
class Tercom(PointTokenizer):
    """The tokens of tercom, by which TER is scored, equal to those of sacrebleu 2.6.0.

    Args:
        normalized: split off punctuation, and decode four entities; otherwise texts are split at white space only.
        no_punct: leave out the commonest punctuation.
        asian: both also for Chinese and Japanese: single characters of Han, and full-width punctuation.

    >>> Tercom(normalized=True, asian=True).tokens("It's 3.5, 猫が好き。")
    ['It', "'s", '3.5', ',', '猫', 'が', '好', 'き', '。']
    """

    normalized: bool = False
    no_punct: bool = False
    asian: bool = False

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Return the texts with spaces between their tokens."""
        if not (self.normalized or self.no_punct):
            return texts
        return to_arrow(self.prepare_strings(texts.to_pylist()), pa.large_string())

    def prepare_strings(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the same of strings of Python."""
        rules = [
            *(_WESTERN if self.normalized else ()),
            *(_ASIAN if self.normalized and self.asian else ()),
            *(((r'[\.,\?:;!"\(\)]', ""),) if self.no_punct else ()),
            *(((_MARKS, ""), (_FULL_WIDTH, "")) if self.no_punct and self.asian else ()),
        ]
        texts = [text.rstrip() for text in texts]
        for pattern, replacement in rules:
            substitute = re.compile(pattern).sub
            texts = [text and substitute(replacement, text) for text in texts]
        return texts

    def cut(self, points: Ragged) -> Cut:
        """Return what stands between white space."""
        gap = white_space(points)
        return Cut(points, np.zeros(len(gap), dtype=bool), gap)
