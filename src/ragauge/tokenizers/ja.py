"""``ja``: Japanese words, as MeCab finds them with the IPA dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from ragauge.core.extras import release
from ragauge.core.registry import ingredient
from ragauge.tokenizers._base import LibraryTokenizer


@ingredient("tokenizer", "ja")
@dataclass(frozen=True)
class Ja(LibraryTokenizer):
    """The tokens of ``ja-mecab`` in sacrebleu 2.6.0: MeCab with ipadic, by way of fugashi.

    Raises:
        MissingExtraError: fugashi or ipadic is not installed.
    """

    extra: ClassVar[str] = "ja"
    modules: ClassVar[tuple[str, ...]] = ("fugashi", "ipadic")

    @property
    def versions(self) -> Mapping[str, str]:
        """The library and its dictionary."""
        return {"fugashi": release("fugashi"), "ipadic": release("ipadic")}

    def words(self, text: str) -> list[str]:
        """Return the words of one text."""
        return mecab_words(_tagger(), text)


def mecab_words(tagger: Any, text: str) -> list[str]:
    """Return the words that a MeCab in its mode ``wakati`` finds; it stops at U+0000, which stands for no letter."""
    words: list[str] = tagger.parse(text.strip().replace("\0", "\ufffd")).split()
    return words


@cache
def _tagger() -> Any:
    import fugashi
    import ipadic

    return fugashi.GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati")
