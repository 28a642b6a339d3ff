"""``intl``: the tokens of mteval-v14 with its option for all languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from sys import maxunicode

import regex

from ragauge.ragged import Ragged
from ragauge.registry import ingredient
from ragauge.tokenizers._cuts import Cut
from ragauge.tokenizers._mteval import Part, Rules
from ragauge.tokenizers._point_tokenizer import SpanTokenizer
from ragauge.tokenizers._tables import WHITE_SPACE, table_of


@ingredient("tokenizer", "intl")
@dataclass(frozen=True)
class Intl(SpanTokenizer):
    """The tokens of mteval-v14 ``--international-tokenization``, equal to those of sacrebleu 2.6.0.

    Punctuation and symbols of every script stand alone; punctuation beside a digit stays with it on that side. A
    number at the end of a text keeps its full stop, as in the script.

    >>> Intl().tokens("In 2023, «prix»: 3,50 €. In 2024.")
    ['In', '2023', ',', '«', 'prix', '»', ':', '3,50', '€', '.', 'In', '2024.']
    """

    @property
    def versions(self) -> Mapping[str, str]:
        """The library that knows what punctuation is."""
        return {"regex": regex.__version__}

    def cut(self, points: Ragged) -> Cut:
        """Set punctuation and symbols apart."""
        return _rules().cut(points)


@cache
def _rules() -> Rules:
    """Ask ``regex`` for the properties that sacrebleu asks it for."""
    chars = "".join(map(chr, [*range(0xD800), *range(0xE000, maxunicode + 1)]))
    parts = [
        (part, [ord(char) for char in regex.findall(pattern, chars)])
        for part, pattern in ((Part.SEPARATOR, r"\p{P}"), (Part.ALONE, r"\p{S}"), (Part.DIGIT, r"\p{N}"))
    ]
    return Rules(table_of(maxunicode + 1, [*parts, (Part.GAP, WHITE_SPACE)]), padded=False)
