"""``sacrebleu-zh``: Chinese characters one by one, the rest as in ``13a``."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from ragauge.ragged import Ragged
from ragauge.registry import ingredient
from ragauge.tokenizers._cuts import Cut
from ragauge.tokenizers._mteval import Part, Rules
from ragauge.tokenizers._point_tokenizer import PointTokenizer
from ragauge.tokenizers._tables import table_of
from ragauge.tokenizers.mteval_13a import PARTS

if TYPE_CHECKING:
    import pyarrow as pa

# sacrebleu 2.6.0, tokenizer_zh.py. It writes two ranges beyond U+FFFF with four digits and a trailing one, so that they
# cover U+2001 to U+2A6D and U+2F81 to U+2FA1 instead, and nothing beyond U+FFFF.
_RANGES = (
    *((0x2001, 0x2A6D), (0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF), (0x3000, 0x303F), (0x3100, 0x312F)),
    *((0x31A0, 0x31BF), (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D)),
    *((0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF)),
)
_CHINESE = chain.from_iterable(range(first, last + 1) for first, last in _RANGES)
_RULES = Rules(table_of(0x10000, [(Part.ALONE, _CHINESE), *PARTS]), padded=False)


@ingredient("tokenizer", "sacrebleu-zh")
@dataclass(frozen=True)
class SacrebleuZh(PointTokenizer):
    """The tokens of ``zh`` in sacrebleu 2.6.0, by which WMT scores BLEU into Chinese.

    Known oddities are kept: dashes, curly quotes and arrows stand alone, characters beyond U+FFFF do not.

    >>> SacrebleuZh().tokens("GPT-4得了85.5%。")
    ['GPT-4', '得', '了', '85.5', '%', '。']
    """

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Take off white space at both ends: a point at the very end of a text is special."""
        import pyarrow.compute as pc

        return pc.utf8_trim_whitespace(texts)

    def cut(self, points: Ragged) -> Cut:
        """Set Chinese characters and punctuation apart."""
        return _RULES.cut(points)
