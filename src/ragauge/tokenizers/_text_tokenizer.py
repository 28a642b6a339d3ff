"""Tokenizers that hand each distinct text to a library."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from ragauge.errors import DataError
from ragauge.ingredients import Vocabulary
from ragauge.ragged import BoolArray, IntArray, Ragged
from ragauge.tokenizers._base import TokenizerBase
from ragauge.tokenizers._cuts import Cut, code_points, joined
from ragauge.tokenizers._tables import WHITE_SPACE, looked_up, table_of

if TYPE_CHECKING:
    import pyarrow as pa

_TABLE = table_of(max(WHITE_SPACE) + 2, [(1, WHITE_SPACE)])


class TextTokenizer(TokenizerBase):
    """A tokenizer that needs the texts themselves, each distinct one once."""

    @abstractmethod
    def cut(self, points: Ragged, texts: Sequence[str]) -> Cut:
        """Say where the tokens of n texts begin and end; ``points`` are their code points."""

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Cut n strings into n lists of int32 codes; equal texts once."""
        distinct, which = _distinct(texts)
        codes = joined([cut.encode(vocabulary) for cut in self._cuts(distinct)], np.int32)
        return codes if len(distinct) == len(texts) else codes.take(which)

    def offsets(self, texts: pa.Array) -> tuple[Ragged, Ragged]:
        """Return where each token begins and ends, in code points: n lists each of int64."""
        spans = [cut.spans() for cut in self._cuts(texts)]
        return joined([start for start, _ in spans], np.int64), joined([end for _, end in spans], np.int64)

    def _cuts(self, texts: pa.Array) -> list[Cut]:
        cuts, done = [], 0
        for points in code_points(texts):
            part = texts.slice(done, len(points)).to_pylist()
            cuts.append(self.cut(points, part))
            done += len(points)
        return cuts


class LibraryTokenizer(TextTokenizer):
    """A `TextTokenizer` that takes from its library the tokens of a text, in order, with nothing but space between."""

    @abstractmethod
    def words(self, text: str) -> list[str]:
        """Return the tokens of a text, none of them with white space in it."""

    def cut(self, points: Ragged, texts: Sequence[str]) -> Cut:
        """Spread the tokens over the code points that are not white space."""
        gap = white_space(points)
        held = np.flatnonzero(~gap)
        lengths = [[*map(len, self.words(text))] for text in texts]
        given = np.array([*accumulate(map(sum, lengths))], dtype=np.int64)
        if not np.array_equal(given, np.searchsorted(held, points.offsets[1:])):
            raise DataError(f"tokenizer {self}: its library changed a text, so that its tokens do not fill it")
        flat = np.fromiter(chain.from_iterable(lengths), dtype=np.int64)
        begins = np.zeros(len(gap), dtype=bool)
        begins[held[np.cumsum(flat) - flat]] = True
        return Cut(points, begins, gap)


def white_space(points: Ragged) -> BoolArray:
    """Say which code points are white space, (m,)."""
    return looked_up(_TABLE, points.values).astype(bool)


def _distinct(texts: pa.Array) -> tuple[pa.Array, IntArray]:
    encoded = texts.dictionary_encode()
    return encoded.dictionary, np.asarray(encoded.indices, dtype=np.int64)
