"""What all matchers of texts share: their signature."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ragauge.errors import OptionError
from ragauge.options import option_texts

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class TextMatcher:
    """A matcher that compares normalised texts."""

    revision: ClassVar[int] = 1

    @property
    def signature(self) -> str:
        """Name, options, revision, and the version of Unicode that decides on case and composition."""
        name = str(self).partition("[")[0]
        known: Mapping[str, object] = {
            **option_texts(self, all_of_them=True),
            "revision": self.revision,
            "unicode": unicodedata.unidata_version,
        }
        return f"{name}[{','.join(f'{key}={value}' for key, value in known.items())}]"


@dataclass(frozen=True)
class ThresholdMatcher(TextMatcher):
    """A matcher with the lowest similarity that matches, above 0 and up to 1."""

    threshold: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            name = str(self).partition("[")[0]
            raise OptionError.value(name, "threshold", "a number above 0 and up to 1", self.threshold)
