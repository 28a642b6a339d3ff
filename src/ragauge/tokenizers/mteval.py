"""``13a``, ``intl`` and ``sacrebleu-zh``: the tokenizers of WMT, after NIST's mteval scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import chain
from sys import maxunicode

import numpy as np
import pyarrow as pa
import regex

from ragauge.core import compute as pc
from ragauge.core.arrow import utf8
from ragauge.core.native import CutRules
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._points import WHITE_SPACE, Cut, Table, looked_up, table_of
from ragauge.tokenizers.base import PointTokenizer


class Part(IntEnum):
    """The class of a character in the mteval scripts."""

    OTHER = 0
    GAP = 1
    ALONE = 2  # a token of its own wherever it stands
    SEPARATOR = 3  # a token of its own unless it is between digits
    DIGIT = 4
    DASH = 5  # a token of its own after a digit


# To read a member of an enumeration takes as long as an operation on a short array.
_GAP, _ALONE, _SEPARATOR, _DIGIT, _DASH = map(int, list(Part)[1:])


@dataclass(frozen=True, slots=True)
class MtevalRules:
    """One of the scripts: the `Part` of each code point, and whether texts are put between spaces first.

    Without the spaces a separator at the start or end of a text is treated as if a digit stood beside it.
    """

    table: Table
    padded: bool

    def cut(self, points: Ragged) -> Cut:
        """Return the tokens of n texts from their code points."""
        part = looked_up(self.table, points.values)
        alone, has_digits = part == _ALONE, bool((part == _DIGIT).any())
        if has_digits:
            dashes = part == _DASH
            dashes[1:] &= part[:-1] == _DIGIT
            dashes[points.offsets[:-1][points.lengths > 0]] = False
            alone |= dashes
        begins = np.zeros(len(part) + 1, dtype=bool)
        np.logical_or(alone[1:], alone[:-1], out=begins[1:-1])
        begins[:1] = True
        if has_digits or not self.padded:
            self._separate(part, points.offsets, begins)
        else:
            # Without a digit every separator stands alone.
            at = (part == _SEPARATOR).nonzero()[0]
            begins[at] = begins[at + 1] = True
        return Cut(points, begins[:-1], np.asarray(part == _GAP))

    def _separate(self, part: Table, offsets: IntArray, begins: BoolArray) -> None:
        """Mark in ``begins`` the separators that are not between digits, and the characters after them."""
        at = (part == _SEPARATOR).nonzero()[0]
        if len(at) == 0:
            return
        begins[at] = True
        text = np.searchsorted(offsets, at, side="right")
        opens = np.ones(len(at), dtype=bool)
        opens[1:] = (at[1:] - at[:-1] > 1) | (text[1:] > text[:-1])
        first, text = at[opens], text[opens]
        edges = np.append(opens.nonzero()[0], len(at))
        length = edges[1:] - edges[:-1]
        last = first + length - 1
        before = self._digit(part, first - 1, first > offsets[text - 1])
        after = self._digit(part, last + 1, last + 1 < offsets[text])
        stays = after & ((length + before) % 2 == 0)
        begins[(last + 1)[~stays]] = True
        begins[first[stays & before & (length == 1)]] = False

    def _digit(self, part: Table, at: IntArray, inside: BoolArray) -> BoolArray:
        """Return a mask of the places ``at`` which a digit stands; ``inside`` masks the places within the text."""
        return np.where(inside, part[np.maximum(np.minimum(at, len(part) - 1), 0)] == _DIGIT, not self.padded)


# mteval-v13a.pl by way of sacrebleu 2.6.0 (tokenizer_13a.py, tokenizer_re.py).
_REPLACED = (("<skipped>", ""), ("-\n", ""), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
PARTS = (
    (Part.ALONE, tuple(map(ord, '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'))),
    (Part.SEPARATOR, tuple(map(ord, ".,"))),
    (Part.DIGIT, tuple(map(ord, "0123456789"))),
    (Part.DASH, tuple(map(ord, "-"))),
    (Part.GAP, WHITE_SPACE),
)
_RULES = MtevalRules(table_of(max(WHITE_SPACE) + 2, PARTS), padded=True)


@ingredient("tokenizer", "13a")
@dataclass(frozen=True)
class Mteval13a(PointTokenizer):
    """The tokens of NIST's mteval-v13a script, equal to those of sacrebleu 2.6.0.

    Made for European languages: a clause in Chinese, Japanese or Thai is one token.

    >>> Mteval13a().tokens("It's 3.5, isn't it? (yes)")
    ["It's", '3.5', ',', "isn't", 'it', '?', '(', 'yes', ')']
    """

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Return the texts without ``<skipped>`` and hyphens at line ends, four entities of SGML decoded."""
        content, changed = utf8(texts)[0].tobytes(), False
        for old, new in _REPLACED:
            # A replacement can make what the next one replaces, as in the script: ``&amp;lt;`` makes ``&lt;``.
            if changed or old.encode() in content:
                texts, changed = pc.replace_substring(texts, old, new), True
        return texts

    def prepare_strings(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the same of strings of Python."""
        for old, new in _REPLACED:
            texts = [text.replace(old, new) for text in texts]
        return texts

    def kernel_rules(self) -> CutRules:
        """Return the same rules for the kernel."""
        return CutRules(_RULES.table, decoded=True)

    def cut(self, points: Ragged) -> Cut:
        """Return words and punctuation; points and commas in numbers belong to the number."""
        return _RULES.cut(points)


@ingredient("tokenizer", "intl")
@dataclass(frozen=True)
class Intl(PointTokenizer):
    """The tokens of mteval-v14 ``--international-tokenization``, equal to those of sacrebleu 2.6.0.

    Punctuation and symbols of every script stand alone; punctuation beside a digit stays with it on that side. A
    number at the end of a text keeps its full stop, as in the script.

    >>> Intl().tokens("In 2023, «prix»: 3,50 €. In 2024.")
    ['In', '2023', ',', '«', 'prix', '»', ':', '3,50', '€', '.', 'In', '2024.']
    """

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of ``regex``, whose tables say which characters are punctuation."""
        return {"regex": regex.__version__}

    def kernel_rules(self) -> CutRules:
        """Return the same rules for the kernel."""
        return CutRules(_rules().table, padded=False)

    def cut(self, points: Ragged) -> Cut:
        """Return words, punctuation and symbols."""
        return _rules().cut(points)


@cache
def _rules() -> MtevalRules:
    """Return the rules by the properties of ``regex`` that sacrebleu reads."""
    chars = "".join(map(chr, [*range(0xD800), *range(0xE000, maxunicode + 1)]))
    parts = [
        (part, [ord(char) for char in regex.findall(pattern, chars)])
        for part, pattern in ((Part.SEPARATOR, r"\p{P}"), (Part.ALONE, r"\p{S}"), (Part.DIGIT, r"\p{N}"))
    ]
    return MtevalRules(table_of(maxunicode + 1, [*parts, (Part.GAP, WHITE_SPACE)]), padded=False)


# sacrebleu 2.6.0, tokenizer_zh.py. It writes two ranges beyond U+FFFF with four digits and a trailing one, so that they
# cover U+2001 to U+2A6D and U+2F81 to U+2FA1 instead, and nothing beyond U+FFFF.
_RANGES = (
    *((0x2001, 0x2A6D), (0x2E80, 0x2EFF), (0x2F00, 0x2FDF), (0x2FF0, 0x2FFF), (0x3000, 0x303F), (0x3100, 0x312F)),
    *((0x31A0, 0x31BF), (0x31C0, 0x31EF), (0x3200, 0x33FF), (0x3400, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D)),
    *((0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F), (0xFE30, 0xFE4F), (0xFF00, 0xFFEF)),
)
_CHINESE = chain.from_iterable(range(first, last + 1) for first, last in _RANGES)
_ZH_RULES = MtevalRules(table_of(0x10000, [(Part.ALONE, _CHINESE), *PARTS]), padded=False)


@ingredient("tokenizer", "sacrebleu-zh")
@dataclass(frozen=True)
class SacrebleuZh(PointTokenizer):
    """The tokens of ``zh`` in sacrebleu 2.6.0, by which WMT scores BLEU into Chinese.

    Known oddities are kept: dashes, curly quotes and arrows stand alone, characters beyond U+FFFF do not.

    >>> SacrebleuZh().tokens("GPT-4得了85.5%。")
    ['GPT-4', '得', '了', '85.5', '%', '。']
    """

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Return the texts without white space at both ends, because a point at the end of a text is special."""
        return pc.utf8_trim_whitespace(texts)

    def prepare_strings(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the same of strings of Python."""
        return [text.strip() for text in texts]

    def kernel_rules(self) -> CutRules:
        """Return the same rules for the kernel."""
        return CutRules(_ZH_RULES.table, padded=False, stripped=True)

    def cut(self, points: Ragged) -> Cut:
        """Return Chinese characters and marks one by one, and the words between."""
        return _ZH_RULES.cut(points)
