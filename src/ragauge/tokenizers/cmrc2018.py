"""``cmrc2018``: the tokens by which the Chinese reading benchmark CMRC 2018 scores F1."""

from __future__ import annotations

from dataclasses import dataclass
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

# cmrc2018_evaluate.py, `mixed_segmentation`: what it deletes, and what it takes for a Chinese character.
_DELETED = r"[-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』]"
_CHINESE = range(0x4E00, 0x9FA6)
_RULES = Rules(table_of(0xA000, [(Part.ALONE, _CHINESE), *PARTS]), padded=True)


@ingredient("tokenizer", "cmrc2018")
@dataclass(frozen=True)
class Cmrc2018(PointTokenizer):
    """Lower case, punctuation deleted, then Chinese characters one by one and words in between.

    The benchmark's own script cuts the words in between by nltk's `word_tokenize`, which needs data to be downloaded;
    here they are cut as by ``13a``. The two differ on contractions and quotation marks in English.

    The benchmark's F1 is over the longest common substring, not over a bag of tokens.

    >>> Cmrc2018().tokens("《红楼梦》共120回，GPT-4说。")
    ['红', '楼', '梦', '共', '120', '回', 'gpt4', '说']
    """

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Lower the case and delete punctuation; what stood around it is joined."""
        import pyarrow.compute as pc

        return pc.replace_substring_regex(pc.utf8_lower(texts), _DELETED, "")

    def cut(self, points: Ragged) -> Cut:
        """Set Chinese characters apart."""
        return _RULES.cut(points)
