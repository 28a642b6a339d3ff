"""``auto``: characters or words, by script, with no dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from ragauge.registry import ingredient
from ragauge.tokenizers._chunks import ChunkTokenizer

_find = regex.compile(
    r"""
    [\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}--\p{Nd}]\p{M}*+
  | [\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}ー]\p{M}*+
  | (?: [\p{L}\p{M}\p{N}--\p{Thai}--\p{Lao}--\p{Khmer}--\p{Myanmar}
         --\p{Han}--\p{Hiragana}--\p{Katakana}--\p{Bopomofo}--[ー]]
      | (?<=\p{Nd})[.,](?=\p{Nd}) )+
  | \X
    """,
    regex.V1 | regex.X,
).findall


@ingredient("tokenizer", "auto")
@dataclass(frozen=True)
class Auto(ChunkTokenizer):
    """One token per Han or kana character, maximal runs of letters, marks and digits in other scripts.

    >>> Auto().tokens("GPT-4在2023年得了85.5%！")
    ['GPT', '-', '4', '在', '2023', '年', '得', '了', '85.5', '%', '！']
    """

    def cut(self, chunks: Sequence[str]) -> list[list[str]]:
        """Find the tokens of each chunk."""
        return [[chunk] if chunk.isascii() and chunk.isalnum() else _find(chunk) for chunk in chunks]
