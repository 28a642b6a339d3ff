"""What all tokenizers share: the signature, and tokens as strings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from ragauge.extras import require
from ragauge.ingredients import Vocabulary
from ragauge.options import option_texts
from ragauge.ragged import Ragged
from ragauge.tokenizers.forms import Forms

if TYPE_CHECKING:
    import pyarrow as pa


class TokenizerBase(ABC):
    """A tokenizer: a frozen dataclass whose fields are its options.

    Tokens are surfaces: they stand as they are in the text, punctuation among them. What is done to them afterwards is
    in `ragauge.tokenizers.forms`.
    """

    revision: ClassVar[int] = 1
    """Raised when the tokens change."""
    extra: ClassVar[str] = ""
    """The extra that brings `modules`."""
    modules: ClassVar[tuple[str, ...]] = ()
    """The optional modules that it needs."""

    def __post_init__(self) -> None:
        """Raise MissingExtraError for what is not installed."""
        require(f"tokenizer {self}", self.extra, *self.modules)

    @property
    def versions(self) -> Mapping[str, str]:
        """What else decides the tokens: versions of libraries, hashes of dictionaries."""
        return MappingProxyType({})

    @property
    def signature(self) -> str:
        """Name, options and versions: whatever changes the tokens."""
        name = str(self).partition("[")[0]
        known = {**option_texts(self, all_of_them=True), **self.versions, "revision": str(self.revision)}
        return f"{name}[{','.join(f'{key}={text}' for key, text in known.items())}]"

    @abstractmethod
    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Cut n strings, none of them null, into n lists of int32 codes; new tokens are added to ``vocabulary``."""

    def tokens(self, text: str, normalize: bool = False) -> list[str]:  # noqa: FBT001, FBT002
        """Return the tokens of one text; with ``normalize`` their forms, see `Forms`.

        Meant for looking at single texts; metrics use `encode`.
        """
        import pyarrow as pa

        vocabulary = Vocabulary()
        codes = self.encode(pa.array([text], pa.large_string()), vocabulary).values
        words = vocabulary.words
        if normalize:
            forms = Forms().of(words)
            return [form for code in codes.tolist() if (form := forms[code]) is not None]
        return [words[code] for code in codes.tolist()]
