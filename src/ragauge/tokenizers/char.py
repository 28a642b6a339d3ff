"""``char`` and ``cmrc2018``: every character a token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.native import CutRules
from ragauge.core.ragged import Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._points import WHITE_SPACE, Cut, table_of, white_space
from ragauge.tokenizers.base import PointTokenizer
from ragauge.tokenizers.mteval import PARTS, MtevalRules, Part

_CHARACTERS = table_of(max(WHITE_SPACE) + 2, [(Part.ALONE, range(max(WHITE_SPACE) + 2)), (Part.GAP, WHITE_SPACE)])


@ingredient("tokenizer", "char")
@dataclass(frozen=True)
class Char(PointTokenizer):
    """Each code point that is not white space, as ``char`` in sacrebleu 2.6.0.

    Combining marks are tokens too: for Hindi or Thai, ``auto`` is what a reader would call characters.

    >>> Char().tokens("猫 mat")
    ['猫', 'm', 'a', 't']
    """

    def kernel_rules(self) -> CutRules:
        """Return the same rules for the kernel."""
        return CutRules(_CHARACTERS)

    def cut(self, points: Ragged) -> Cut:
        """Return one token for each code point that is not white space."""
        gap = white_space(points)
        return Cut(points, np.ones(len(gap), dtype=bool), gap)


@ingredient("tokenizer", "dureader")
@dataclass(frozen=True)
class DuReader(Char):
    """The characters on which the Chinese benchmark DuReader scores BLEU-4 and ROUGE-L (``dureader_eval.py``).

    >>> DuReader().tokens("共 12 只")
    ['共', '1', '2', '只']
    """


# cmrc2018_evaluate.py, `mixed_segmentation`: the characters that it deletes, and those that it calls Chinese.
_DELETED = r"[-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』]"
_CHINESE = range(0x4E00, 0x9FA6)
_RULES = MtevalRules(table_of(0xA000, [(Part.ALONE, _CHINESE), *PARTS]), padded=True)


@ingredient("tokenizer", "cmrc2018")
@dataclass(frozen=True)
class Cmrc2018(PointTokenizer):
    """Lower-cases, deletes punctuation, then cuts Chinese characters one by one and words in between.

    The benchmark's own script cuts the words in between by nltk's `word_tokenize`, which needs data to be downloaded;
    here they are cut as by ``13a``. The two differ on contractions and quotation marks in English.

    The benchmark's F1 is over the longest common substring, not over a bag of tokens.

    >>> Cmrc2018().tokens("《红楼梦》共120回，GPT-4说。")
    ['红', '楼', '梦', '共', '120', '回', 'gpt4', '说']
    """

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Return the texts in lower case and without punctuation, whose neighbours are joined."""
        return pc.replace_substring_regex(pc.utf8_lower(texts), _DELETED, "")

    def cut(self, points: Ragged) -> Cut:
        """Return Chinese characters one by one, and the words between."""
        return _RULES.cut(points)
