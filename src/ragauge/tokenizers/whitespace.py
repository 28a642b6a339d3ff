"""``whitespace``: what stands between white space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragauge.registry import ingredient
from ragauge.tokenizers._chunks import ChunkTokenizer


@ingredient("tokenizer", "whitespace")
@dataclass(frozen=True)
class Whitespace(ChunkTokenizer):
    """Splits at white space, as `str.split` does; for texts that are tokenised already.

    >>> Whitespace().tokens("Hello , world!")
    ['Hello', ',', 'world!']
    """

    def cut(self, chunks: Sequence[str]) -> list[list[str]]:
        """Keep each chunk whole."""
        return [[chunk] if chunk else [] for chunk in chunks]
