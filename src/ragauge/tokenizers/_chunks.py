"""Tokenizers that look no further than white space: each distinct chunk of a batch is cut once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ragauge.ingredients import Vocabulary
from ragauge.ragged import IntArray, Ragged
from ragauge.tokenizers._base import TokenizerBase

if TYPE_CHECKING:
    import pyarrow as pa


class ChunkTokenizer(TokenizerBase):
    """A tokenizer that acts on each chunk between white space alone."""

    @abstractmethod
    def cut(self, chunks: Sequence[str]) -> list[list[str]]:
        """Cut each chunk, free of white space and perhaps empty, into its tokens."""

    def prepare(self, texts: pa.Array) -> pa.Array:
        """Change the texts as a whole before they are split."""
        return texts

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Cut n strings into n lists of int32 codes."""
        chunks, distinct = split(self.prepare(texts))
        pieces = self.cut(distinct)
        codes = vocabulary.codes(list(chain.from_iterable(pieces)))
        lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
        return expanded(chunks, Ragged.from_lengths(codes, lengths))


def split(texts: pa.Array) -> tuple[Ragged, list[str]]:
    """Split n texts at white space: n lists of indices, and the distinct chunks that they point to."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = pc.utf8_split_whitespace(texts.cast(pa.large_string()))
    encoded = lists.flatten().dictionary_encode()
    offsets = np.asarray(lists.offsets, dtype=np.int64)
    indices = np.asarray(encoded.indices)
    return Ragged(indices, offsets - offsets[0]), encoded.dictionary.to_pylist()


def expanded(chunks: Ragged, pieces: Ragged) -> Ragged:
    """Put in the place of each index in ``chunks`` the list of ``pieces`` that it points to."""
    tokens = pieces.take(chunks.values)
    return Ragged(tokens.values, _at(tokens.offsets, chunks.offsets))


def _at(ends: IntArray, offsets: IntArray) -> IntArray:
    return np.asarray(ends[offsets])
