"""``13a``: the tokens of mteval-v13a, by which WMT scores BLEU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.hashing import utf8
from ragauge.ragged import Ragged
from ragauge.registry import ingredient
from ragauge.tokenizers._cuts import Cut
from ragauge.tokenizers._mteval import Part, Rules
from ragauge.tokenizers._point_tokenizer import PointTokenizer
from ragauge.tokenizers._tables import WHITE_SPACE, table_of

if TYPE_CHECKING:
    import pyarrow as pa

# mteval-v13a.pl by way of sacrebleu 2.6.0 (tokenizer_13a.py, tokenizer_re.py).
DELETED = (("<skipped>", ""), ("-\n", ""))
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
PARTS = (
    (Part.ALONE, tuple(map(ord, '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'))),
    (Part.SEPARATOR, tuple(map(ord, ".,"))),
    (Part.DIGIT, tuple(map(ord, "0123456789"))),
    (Part.DASH, tuple(map(ord, "-"))),
    (Part.GAP, WHITE_SPACE),
)
_RULES = Rules(table_of(max(WHITE_SPACE) + 2, PARTS), padded=True)


@ingredient("tokenizer", "13a")
@dataclass(frozen=True)
class Mteval13a(PointTokenizer):
    """The tokens of NIST's mteval-v13a script, equal to those of sacrebleu 2.6.0.

    Made for European languages: a clause in Chinese, Japanese or Thai is one token.

    >>> Mteval13a().tokens("It's 3.5, isn't it? (yes)")
    ["It's", '3.5', ',', "isn't", 'it', '?', '(', 'yes', ')']
    """

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Delete ``<skipped>`` and hyphens at line ends, and decode four entities of SGML."""
        import pyarrow.compute as pc

        content = utf8(texts)[0].tobytes()
        for given, wanted in (*DELETED, *(ENTITIES if b"&" in content else ())):
            if given.encode() in content:
                texts = pc.replace_substring(texts, given, wanted)
        return texts

    def cut(self, points: Ragged) -> Cut:
        """Set punctuation apart but for points and commas in numbers."""
        return _RULES.cut(points)
