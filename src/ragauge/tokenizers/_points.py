"""Tokens found by arrays over code points; no Python loop over tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy, utf8
from ragauge.core.ingredients import Vocabulary
from ragauge.core.ragged import BoolArray, IntArray, Ragged, offsets_of, runs

PointArray = npt.NDArray[Any]
CodeArray = npt.NDArray[np.int32]

_ASCII_END = 128
# Bytes per block: large enough that distinct tokens are few beside tokens, small enough for the temporaries.
_BLOCK = 1 << 22
# A sort of fewer code points is quicker than a table of all code points.
_FEW = 1 << 12
# As strings of Python, so many tokens are numbered faster than as an array of Arrow.
_FEW_TOKENS = 1 << 8


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The tokens of n texts as marks on their m code points, the texts one after the other.

    >>> points = Ragged.from_lengths(np.frombuffer(b"a bcd", dtype=np.uint8), [5])
    >>> begins, gap = np.array([1, 0, 1, 0, 1], dtype=bool), np.array([0, 1, 0, 0, 0], dtype=bool)
    >>> vocabulary = Vocabulary()
    >>> Cut(points, begins, gap).encode(vocabulary).to_lists(), vocabulary.words
    ([[0, 1, 2]], ['a', 'bc', 'd'])
    """

    points: Ragged  # n lists of code points: uint8 where all are ASCII, else uint32
    begins: BoolArray  # (m,) where a token begins; one also begins at the start of a text and after a gap
    gap: BoolArray  # (m,) code points that belong to no token

    def encode(self, vocabulary: Vocabulary) -> Ragged:
        """Return n lists of int32 codes."""
        points, lengths, offsets = self._tokens()
        return Ragged(_codes(points, lengths, vocabulary), offsets)

    def _tokens(self) -> tuple[PointArray, IntArray, IntArray]:
        """Return the code points of all tokens, the length of each token, and where those of each text begin."""
        bound = np.ones(len(self.gap) + 1, dtype=bool)
        np.logical_or(self.begins, self.gap, out=bound[:-1])
        bound[1:-1] |= self.gap[:-1]
        bound[self.points.offsets] = True
        held = ~self.gap
        first = (bound[:-1] & held).nonzero()[0]
        lengths = (bound[1:] & held).nonzero()[0]
        lengths -= first
        lengths += 1
        return _chosen(self.points.values, held), lengths, np.searchsorted(first, self.points.offsets)


def code_points(texts: pa.Array) -> Iterator[Ragged]:
    """Yield the code points of n strings in blocks of texts."""
    done = 0
    for block in code_units(texts):
        if len(block.values) and block.values.max() >= _ASCII_END:
            wide = np.frombuffer(block.values.tobytes().decode().encode("utf-32-le"), dtype=np.uint32)
            yield Ragged.from_lengths(wide, to_numpy(pc.utf8_length(texts.slice(done, len(block)))))
        else:
            yield block
        done += len(block)


def points_of(texts: Sequence[str]) -> Ragged:
    """Return the code points of n strings, uint8 where all are ASCII: for few and short texts, without Arrow.

    >>> points_of(["ab", "c"]).values
    array([97, 98, 99], dtype=uint8)
    """
    together = "".join(texts)
    if together.isascii():
        points: PointArray = np.frombuffer(together.encode(), dtype=np.uint8)
    else:
        points = np.frombuffer(together.encode("utf-32-le"), dtype=np.uint32)
    return Ragged.from_lengths(points, [*map(len, texts)])


def code_units(texts: pa.Array) -> Iterator[Ragged]:
    """Yield the UTF-8 bytes of n strings in blocks of texts."""
    data, offsets = utf8(texts)
    for first, last in runs(offsets[1:] - offsets[0], _BLOCK):
        yield Ragged(data, offsets).between(first, last)


def ascii_apart(texts: pa.Array) -> tuple[list[pa.Array], IntArray]:
    """Return the texts that are ASCII apart from the others, because the code points of ASCII are bytes.

    They come in one array or two, with the place of each text, (n,), in these arrays one after the other.
    """
    plain = to_numpy(pc.string_is_ascii(texts))
    if plain.all() or not plain.any():
        return [texts], np.arange(len(texts))
    places = np.empty(len(texts), dtype=np.int64)
    places[np.concatenate([np.flatnonzero(plain), np.flatnonzero(~plain)])] = np.arange(len(texts))
    return [texts.filter(to_arrow(part)) for part in (plain, ~plain)], places


def begins_of(lengths: Iterable[Iterable[int]], size: int) -> BoolArray:
    """Return a mask of the ``size`` code points at which a token begins; tokens of ``lengths`` fill all texts."""
    flat = np.fromiter(chain.from_iterable(lengths), dtype=np.int64)
    begins = np.zeros(size, dtype=bool)
    begins[np.cumsum(flat) - flat] = True
    return begins


def joined(parts: list[Ragged], dtype: npt.DTypeLike) -> Ragged:
    """Return the lists of all ``parts`` in one."""
    if len(parts) == 1:
        return parts[0]
    values = np.concatenate([np.empty(0, dtype), *(part.values for part in parts)])
    return Ragged.from_lengths(values, np.concatenate([np.empty(0, np.int64), *(part.lengths for part in parts)]))


def _chosen(points: PointArray, held: BoolArray) -> PointArray:
    """Return the points that are held, found a part at a time, because the places of all take eight bytes each."""
    parts = [slice(first, first + _BLOCK) for first in range(0, max(len(held), 1), _BLOCK)]
    chosen = [points[part][held[part].nonzero()[0]] for part in parts]
    return chosen[0] if len(chosen) == 1 else np.concatenate(chosen)


def _codes(points: PointArray, lengths: IntArray, vocabulary: Vocabulary) -> CodeArray:
    """Return the codes of tokens of these ``lengths`` that fill ``points``."""
    if len(lengths) <= _FEW_TOKENS:
        return vocabulary.codes(_words(points, lengths))
    single = lengths == 1
    if points.dtype == np.uint8 or 2 * np.count_nonzero(single) < len(lengths):
        return _codes_of_words(points, lengths, vocabulary)
    codes = np.empty(len(lengths), dtype=np.int32)
    inside = np.repeat(single, lengths)
    codes[single] = _codes_of_characters(points[inside], vocabulary)
    codes[~single] = _codes_of_words(points[~inside], lengths[~single], vocabulary)
    return codes


def _words(points: PointArray, lengths: IntArray) -> list[str]:
    """Return the tokens of these ``lengths`` that fill ``points``: code points, or bytes of UTF-8."""
    held = points.tobytes()
    ends = lengths.cumsum().tolist()
    starts = [0, *ends]
    if points.dtype != np.uint8 or held.isascii():
        text = held.decode("ascii" if points.dtype == np.uint8 else "utf-32-le")
        return [text[start:end] for start, end in zip(starts, ends, strict=False)]
    return [held[start:end].decode() for start, end in zip(starts, ends, strict=False)]


def _codes_of_characters(points: PointArray, vocabulary: Vocabulary) -> CodeArray:
    if len(points) < _FEW:
        few, places = np.unique(points, return_inverse=True)
        return np.asarray(vocabulary.codes([*map(chr, few.tolist())])[places])
    table = np.zeros(int(points.max(initial=0)) + 1, dtype=np.int32)
    table[points] = 1
    distinct = np.flatnonzero(table)
    table[distinct] = vocabulary.codes([*map(chr, distinct.tolist())])
    return np.asarray(table[points])


def _codes_of_words(points: PointArray, lengths: IntArray, vocabulary: Vocabulary) -> CodeArray:
    """Return the codes of words, a part of them at a time: those of a long text take a hundred bytes each."""
    codes, done = np.empty(len(lengths), dtype=np.int32), 0
    for first in range(0, len(lengths), _BLOCK):
        own = lengths[first : first + _BLOCK]
        size = int(own.sum())
        codes[first : first + _BLOCK] = _codes_of_part(points[done : done + size], own, vocabulary)
        done += size
    return codes


def _codes_of_part(points: PointArray, lengths: IntArray, vocabulary: Vocabulary) -> CodeArray:
    data: PointArray | bytes = points
    offsets = offsets_of(lengths)
    if points.dtype != np.uint8:
        data = points.tobytes().decode("utf-32-le").encode()
        width = 1 + (points >= 0x80).astype(np.uint8) + (points >= 0x800) + (points >= 0x10000)
        offsets = offsets_of(width)[offsets]
    words = pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(data))
    encoded = words.dictionary_encode()
    return np.asarray(vocabulary.codes(encoded.dictionary.to_pylist())[to_numpy(encoded.indices)])


Table = npt.NDArray[np.uint8]

WHITE_SPACE = (
    *(*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680),
    *(*range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
)
"""The code points at which `str.split` splits."""


def table_of(size: int, classes: Iterable[tuple[int, Iterable[int]]]) -> Table:
    """Return a table of ``size`` with each class at its code points, 0 elsewhere; the last class counts."""
    table = np.zeros(size, dtype=np.uint8)
    for number, points in classes:
        table[list(points)] = number
    return table


def looked_up(table: Table, points: PointArray) -> Table:
    """Return the class of each code point; those past the table's end have the class of its last entry.

    ``table``: of at least 256 code points.
    """
    if points.dtype == np.uint8:
        return np.frombuffer(points.tobytes().translate(table[:256].tobytes()), dtype=np.uint8)
    return np.asarray(table[np.minimum(points, len(table) - 1)])


SPACES = table_of(max(WHITE_SPACE) + 2, [(1, WHITE_SPACE)])
"""The class of each code point: 1 for white space, else 0."""


def white_space(points: Ragged) -> BoolArray:
    """Return a mask of the code points that are white space, (m,)."""
    return looked_up(SPACES, points.values).astype(bool)
