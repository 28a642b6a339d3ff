"""``th``: Thai words, as PyThaiNLP finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from ragauge.core.loading import release, require
from ragauge.core.registry import ingredient
from ragauge.tokenizers.base import LibraryTokenizer


@ingredient("tokenizer", "th")
@dataclass(frozen=True)
class Th(LibraryTokenizer):
    """The words of PyThaiNLP, found by maximal matching in its dictionary.

    Args:
        engine: ``newmm``, or ``nlpo3``, which is four times as fast and cuts Thai alike, but not other scripts.

    Raises:
        MissingExtraError: pythainlp or nlpo3 is not installed.
    """

    extra: ClassVar[str] = "th"
    modules: ClassVar[tuple[str, ...]] = ("pythainlp",)
    # Shorter than for MeCab, because PyThaiNLP takes longer for a run of digits; at a space it cuts in any case.
    longest: ClassVar[int] = 500

    engine: Literal["newmm", "nlpo3"] = "newmm"

    def __post_init__(self) -> None:
        """Raise MissingExtraError if PyThaiNLP or the engine is not installed."""
        super().__post_init__()
        if self.engine == "nlpo3":
            require(f"tokenizer {self}", self.extra, "nlpo3")

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of PyThaiNLP, and of nlpo3 if that is the engine."""
        return {**super().versions, **({"nlpo3": release("nlpo3")} if self.engine == "nlpo3" else {})}

    def words(self, text: str) -> list[str]:
        """Return the words of one text."""
        from pythainlp.tokenize import word_tokenize

        return [part for word in word_tokenize(text, engine=self.engine) for part in word.split()]
