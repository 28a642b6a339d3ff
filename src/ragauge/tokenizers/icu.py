"""``icu``: the words of ICU, which knows Chinese, Japanese, Thai, Khmer, Lao and Burmese by dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ragauge.core.registry import ingredient
from ragauge.tokenizers.base import LibraryTokenizer


@ingredient("tokenizer", "icu")
@dataclass(frozen=True)
class Icu(LibraryTokenizer):
    """The words between ICU's word boundaries (Unicode Standard Annex 29), by way of icu4py.

    They differ from one version of ICU to another, so the version is in the signature; the locale makes no difference.

    Raises:
        MissingExtraError: icu4py is not installed.
    """

    extra: ClassVar[str] = "icu"
    modules: ClassVar[tuple[str, ...]] = ("icu4py",)

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of ICU."""
        from icu4py import icu_version

        return {"icu": icu_version}

    def words(self, text: str) -> list[str]:
        """Return the words of one text."""
        from icu4py.breakers import WordBreaker

        # Strings, because the positions that icu4py returns count UTF-16 units.
        return [part for segment in WordBreaker(text, "root") for part in segment.split()]
