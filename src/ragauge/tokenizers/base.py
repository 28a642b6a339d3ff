"""Base classes of tokenizers."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.ingredients import Tokenizer, Vocabulary
from ragauge.core.loading import release, require
from ragauge.core.ragged import Ragged
from ragauge.core.registry import Signed
from ragauge.errors import DataError
from ragauge.tokenizers._points import Cut, ascii_apart, begins_of, code_points, joined, points_of, white_space
from ragauge.tokenizers.forms import Forms


class TokenizerBase(Signed, ABC):
    """A tokenizer: a frozen dataclass whose fields are its options.

    Tokens stand as they are in the text, punctuation among them; `ragauge.tokenizers.forms` normalises them afterwards.
    """

    extra: ClassVar[str] = ""  # installs `modules`
    modules: ClassVar[tuple[str, ...]] = ()  # the optional ones that it needs

    def __post_init__(self) -> None:
        """Raise MissingExtraError if a module is not installed."""
        require(f"tokenizer {self}", self.extra, *self.modules)

    @abstractmethod
    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings without null, n lists of int32; new tokens are added to ``vocabulary``."""

    def encode_strings(self, texts: Sequence[str], vocabulary: Vocabulary) -> Ragged:
        """Return what `encode` returns, of strings of Python: faster where they are few and short."""
        return self.encode(to_arrow(texts, pa.large_string()), vocabulary)

    def tokens(self, text: str, normalize: bool = False) -> list[str]:  # noqa: FBT001, FBT002
        """Return the tokens of one text; with ``normalize`` their forms, see `Forms`.

        Meant for looking at single texts; metrics use `encode`.
        """
        return tokens_of(self, text, normalize=normalize)


def tokens_of(tokenizer: Tokenizer, text: str, *, normalize: bool = False) -> list[str]:
    """Return the tokens of one text by any tokenizer, also one that has no more than the protocol asks for."""
    vocabulary = Vocabulary()
    codes = tokenizer.encode(to_arrow([text], pa.large_string()), vocabulary).values
    words = vocabulary.words
    if normalize:
        forms = Forms().of(words)
        return [form for code in codes.tolist() if (form := forms[code]) is not None]
    return [words[code] for code in codes.tolist()]


class TextTokenizer(TokenizerBase):
    """A tokenizer that reads the texts themselves, each distinct one once."""

    @abstractmethod
    def cut(self, points: Ragged, texts: Sequence[str]) -> Cut:
        """Return the tokens of n texts; ``points`` are their code points."""

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings, n lists of int32; equal strings are cut once."""
        distinct = texts.dictionary_encode()
        codes = joined([cut.encode(vocabulary) for cut in self._cuts(distinct.dictionary)], np.int32)
        return codes if len(distinct.dictionary) == len(texts) else codes.take(to_numpy(distinct.indices))

    def _cuts(self, texts: pa.Array) -> Iterator[Cut]:
        done = 0
        for points in code_points(texts):
            yield self.cut(points, texts.slice(done, len(points)).to_pylist())
            done += len(points)


# A piece ends in its second half at the last line break; without one at the last end of a sentence; without one at the
# last white space.
_ENDS = (r"\n", "[。！？][」』）]*", r"[.!?]\s", r"\s", "")


def pieces(text: str, longest: int) -> list[str]:
    """Return ``text`` in pieces of about ``longest`` code points, cut where tokens are likely to stay as they are."""
    if len(text) <= longest:
        return [text]
    parts = [rf".{{{longest // 2},{longest - 1}}}{end}" for end in _ENDS]
    return re.findall("|".join([*parts, ".+"]), text, re.DOTALL)


class LibraryTokenizer(TextTokenizer):
    """A `TextTokenizer` whose library returns the tokens of a text in order, with nothing but white space between.

    The library gets a longer text than `longest` in pieces, because libraries take time that grows with the square of a
    run of one kind of character, such as digits.
    """

    longest: ClassVar[int] = 4000  # code points of a piece

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the libraries."""
        return {module.replace("_", "-"): release(module) for module in self.modules}

    @abstractmethod
    def words(self, text: str) -> list[str]:
        """Return the tokens of a text, none of them with white space in it."""

    def cut(self, points: Ragged, texts: Sequence[str]) -> Cut:
        """Return the tokens of the library, spread over the code points that are not white space."""
        gap = white_space(points)
        held = np.flatnonzero(~gap)
        lengths = [[len(word) for piece in pieces(text, self.longest) for word in self.words(piece)] for text in texts]
        ends = np.array([*accumulate(map(sum, lengths))], dtype=np.int64)
        if not np.array_equal(ends, np.searchsorted(held, points.offsets[1:])):
            raise DataError(
                "RG-TOKEN-001 tokenizer {owner}: the tokens of its library do not add up to the text; try another "
                "tokenizer",
                self,
            )
        begins = np.zeros(len(gap), dtype=bool)
        begins[held] = begins_of(lengths, len(held))
        return Cut(points, begins, gap)


class PointTokenizer(TokenizerBase):
    """A tokenizer whose rules read code points, all of them at once."""

    @abstractmethod
    def cut(self, points: Ragged) -> Cut:
        """Return the tokens of n texts from their code points."""

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Return the texts as they are cut; the base changes nothing."""
        return texts

    def prepare_strings(self, texts: Sequence[str]) -> Sequence[str]:
        """Return what `prepare` returns, of strings of Python."""
        if type(self).prepare is PointTokenizer.prepare:
            return texts
        prepared: list[str] = self.prepare(to_arrow(texts, pa.large_string())).to_pylist()
        return prepared

    def encode_strings(self, texts: Sequence[str], vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings: n lists of int32."""
        return self.cut(points_of(self.prepare_strings(texts))).encode(vocabulary)

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of n strings: n lists of int32."""
        parts, places = ascii_apart(self.prepare(texts))
        codes = [self.cut(block).encode(vocabulary) for part in parts for block in code_points(part)]
        whole = joined(codes, np.int32)
        return whole if len(parts) == 1 else whole.take(places)
