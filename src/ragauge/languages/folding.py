"""Unicode's forms of a text in time that grows with its length, and texts in NFKC with case folded as code points."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import Array, BoolArray, IntArray, Ragged, offsets_of

# Combining marks in a row from which they are put in order first; words of no language have so many.
_MANY = 64
_END = "\n"
# Distinct characters, and pairs of a character and a mark, whose form is remembered.
_KEPT = 1 << 16
# More marks of one character are written by the form of the whole text; words of no language have so many.
_MOST_MARKS = 32
# Vowels and last consonants of Hangul, which compose by a rule; and where all other characters that compose stand.
_JAMO = range(0x1160, 0x1200)
_COMPOSED = (range(0xC0, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x20000))


def normalize(form: Literal["NFC", "NFKC"], text: str) -> str:
    r"""Return ``text`` in a form of Unicode, as `unicodedata.normalize` does, but never in quadratic time.

    Python puts marks that stand in a row in order one by one: 80,000 unordered marks take it seconds. So long rows are
    put in order before.

    >>> normalize("NFKC", "ﬁne e\u0301")
    'fine é'

    Source: Unicode Standard Annex #15, canonical ordering.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _many().sub(_in_order, text))


def is_normalized(form: Literal["NFC", "NFKC"], text: str) -> bool:
    """Return whether a text has this form; a text with a long row of marks counts as one that has not."""
    return text.isascii() or (not _many().search(text) and unicodedata.is_normalized(form, text))


@cache
def _many() -> Any:
    import regex

    return regex.compile(rf"\p{{M}}{{{_MANY},}}")


def _in_order(match: Any) -> str:
    """Return marks in canonical order: decomposed, and sorted by their class between those of class 0."""
    marks = "".join([unicodedata.normalize("NFD", mark) for mark in match.group()])
    rows = groupby(marks, key=lambda mark: unicodedata.combining(mark) > 0)
    return "".join([mark for _, row in rows for mark in sorted(row, key=unicodedata.combining)])


def folded(texts: Sequence[str]) -> Ragged:
    r"""Return the code points of n texts after NFKC and case folding; a line end becomes a space.

    >>> "".join(map(chr, folded(["Ｇｒöße\nA"])[0]))
    'grösse a'
    """
    joined = _END.join([text.replace(_END, " ") if _END in text else text for text in texts])
    if joined.isascii():
        return _parted(np.frombuffer(joined.lower().encode("ascii"), dtype=np.uint8), len(texts))
    points = _points(joined)
    table = _Folding.of(points)
    out = _parted(table.written(points), len(texts))
    unsure = table.unsure(points)
    if not len(unsure):
        return out
    rows = np.unique(np.searchsorted(np.flatnonzero(points == ord(_END)), unsure))
    return _replaced(out, rows, _whole([texts[row] for row in rows.tolist()]))


def _replaced(lists: Ragged, rows: IntArray, others: Ragged) -> Ragged:
    """Return the lists with those at ``rows`` replaced by others."""
    lengths = lists.lengths
    kept = np.ones(len(lengths), dtype=bool)
    kept[rows] = False
    at = offsets_of(np.where(kept, lengths, 0))[rows]
    values = np.insert(lists.values[np.repeat(kept, lengths)], np.repeat(at, others.lengths), others.values)
    lengths[rows] = others.lengths
    return Ragged.from_lengths(values, lengths)


def _whole(texts: Sequence[str]) -> Ragged:
    """Return the same by the forms of whole texts."""
    joined = _END.join([text.replace(_END, " ") for text in texts])
    # NFKC comes before and after folding, because folding can undo what NFKC composed.
    return _parted(_points(normalize("NFKC", normalize("NFKC", joined).casefold())), len(texts))


def _points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _parted(points: Array, texts: int) -> Ragged:
    """Return the points of n texts that line ends part."""
    if not texts:
        return Ragged(points, np.zeros(1, dtype=np.int64))
    ends = points == ord(_END)
    places = np.flatnonzero(ends)
    edges = np.concatenate([[0], places - np.arange(len(places)), [len(points) - len(places)]])
    return Ragged(points[~ends], edges.astype(np.int64))


@dataclass(frozen=True, eq=False)
class _Folding:
    """How each code point that occurs is written alone: as ``lengths`` code points from ``firsts`` on in ``spelled``.

    Shapes: all but ``spelled`` by code point. ``changed``: whether it is written otherwise than it is; ``marks``:
    whether it may compose with what stands before it; ``odd``: whether that holds of what it is written as, which is
    something else; ``classes``: its combining class.
    """

    firsts: IntArray
    lengths: IntArray
    spelled: npt.NDArray[np.uint32]
    changed: BoolArray
    marks: BoolArray
    odd: BoolArray
    classes: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, points: npt.NDArray[np.uint32]) -> _Folding:
        """Return the table of the points of some texts."""
        seen = np.zeros(int(points.max()) + 1, dtype=bool)
        seen[points] = True
        own = np.flatnonzero(seen)
        texts, marks, odd, classes = zip(*map(_alone, own.tolist()), strict=True)
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        spelled = _points("".join(texts))
        firsts = offsets_of(sizes)[:-1]
        changed = (sizes != 1) | (spelled[firsts] != own)
        columns = (firsts, sizes, changed, np.array(marks), np.array(odd), np.array(classes, dtype=np.uint8))
        tables = [np.zeros(len(seen), dtype=column.dtype) for column in columns]
        for table, column in zip(tables, columns, strict=True):
            table[own] = column
        firsts, lengths, *flags = tables
        return cls(firsts, lengths, spelled, *flags)

    def written(self, points: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        """Return the points as each is written alone."""
        out = self.spelled[self.firsts].take(points)
        longer = np.flatnonzero((self.lengths > 1).take(points))
        if not len(longer):
            return out
        more = Ragged.without_values(self.lengths[points[longer]] - 1)
        rest = self.firsts[points[longer]][more.rows] + 1 + more.positions
        return np.insert(out, longer[more.rows] + 1, self.spelled[rest])

    def unsure(self, points: npt.NDArray[np.uint32]) -> IntArray:
        """Return places that may be written otherwise beside their neighbours, rising.

        Marks are written as they are if they stand in canonical order, and none composes with the character that they
        are marks of, which is written as it is too.
        """
        marks = np.flatnonzero(self.marks.take(points))
        odd = np.flatnonzero(self.odd.take(points)) if self.odd.any() else marks[:0]
        if not len(marks):
            return odd
        own = self.classes[points[marks]]
        before = marks - 1
        unordered = (own > 0) & (before >= 0) & (self.classes[points[before]] > own)
        for _ in range(_MOST_MARKS):
            before -= (before >= 0) & (self.classes[points[before]] > 0)
        unordered |= self.classes[points[before]] > 0
        pairs = points[before].astype(np.int64) << 32 | points[marks]
        distinct, pair = np.unique(pairs, return_inverse=True)
        composing = np.fromiter(map(_composes, distinct.tolist()), bool, len(distinct))[pair]
        unsure = unordered | (before >= 0) & (composing | self.changed[points[before]])
        return np.union1d(marks[unsure], odd)


@lru_cache(_KEPT)
def _alone(point: int) -> tuple[str, bool, bool, int]:
    """Return how a code point is written alone, whether it is a mark, whether its form begins with one, its class."""
    char = chr(point)
    composed = normalize("NFKC", char)
    text = normalize("NFKC", composed.casefold())
    becomes = text != char and any(is_mark(stage[0]) for stage in (composed, composed.casefold(), text))
    return text, is_mark(char), becomes, unicodedata.combining(char)


def is_mark(char: str) -> bool:
    """Return whether a character may compose with the one before it, or change places with it."""
    return unicodedata.combining(char) > 0 or ord(char) in _seconds()


@cache
def _seconds() -> frozenset[int]:
    """Return the code points that compose with one before them."""
    forms = (unicodedata.decomposition(chr(point)) for points in _COMPOSED for point in points)
    pairs = (form.split() for form in forms if form and form[0] != "<")
    return frozenset([int(pair[1], 16) for pair in pairs if len(pair) > 1]).union(_JAMO)


@lru_cache(_KEPT)
def _composes(pair: int) -> bool:
    """Return whether two code points, one in the upper half, are written otherwise together than they are."""
    text = chr(pair >> 32) + chr(pair & 0xFFFFFFFF)
    return normalize("NFKC", text) != text
