"""``rouge-score``: lower-case ASCII letters and digits, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import utf8
from ragauge.core.ingredients import Vocabulary
from ragauge.core.native import CutRules
from ragauge.core.ragged import Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._points import Cut, code_units, joined, looked_up, table_of
from ragauge.tokenizers.base import PointTokenizer

# The only two letters outside ASCII that `str.lower` takes into it: the second becomes i and a combining dot.
_KELVIN, _DOTTED_I = 0x212A, 0x0130
_LOWER = [*range(0x30, 0x3A), *range(0x61, 0x7B)]
_UPPER = [*range(0x41, 0x5B)]
# Code point -> its lower case; 0 for characters that belong to no token.
_TABLE = table_of(
    _KELVIN + 2,
    [*((p, [p]) for p in _LOWER), *((p + 32, [p]) for p in _UPPER), (ord("k"), [_KELVIN]), (ord("i"), [_DOTTED_I])],
)


@ingredient("tokenizer", "rouge-score")
@dataclass(frozen=True)
class RougeScore(PointTokenizer):
    """Runs of ASCII letters and digits after `str.lower`, as in rouge-score 0.1.2 (``tokenize.py``).

    Every other character is a gap, so a text in Chinese, Russian or Greek has no tokens. Use it only to repeat numbers
    of rouge-score. Tokens are stemmed afterwards, see `ragauge.tokenizers.forms`.

    >>> RougeScore().tokens("Don't stop, café!")
    ['don', 't', 'stop', 'caf']
    """

    def kernel_rules(self) -> CutRules:
        """Return the same rules for the kernel."""
        return CutRules(None)

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings: n lists of int32."""
        # Cut as bytes: once these two letters are lower case, no byte of a letter outside ASCII belongs to a token.
        content = utf8(texts)[0]
        for letter in map(chr, (_KELVIN, _DOTTED_I)):
            if (content == letter.encode()[0]).any():
                texts = pc.replace_substring(texts, letter, letter.lower())
        return joined([self.cut(block).encode(vocabulary) for block in code_units(texts)], np.int32)

    def cut(self, points: Ragged) -> Cut:
        """Return runs of letters and digits, cut after the dot that lower case puts on a dotted I."""
        lower = looked_up(_TABLE, points.values)
        begins = np.zeros(len(lower), dtype=bool)
        begins[1:] = points.values[:-1] == _DOTTED_I
        return Cut(Ragged(lower, points.offsets), begins, np.asarray(lower == 0))
