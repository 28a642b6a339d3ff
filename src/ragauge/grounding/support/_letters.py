"""Texts as one array of code points in one written form, with what each character is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import Array, BoolArray, IntArray, offsets_of
from ragauge.grounding.support._characters import (
    ALNUM,
    CLAUSE,
    ENDS,
    GAP,
    HAN,
    KANA,
    LETTER,
    LIGHT,
    MARK,
    flags_of,
    lower,
    written,
)
from ragauge.grounding.support._found import spans
from ragauge.languages.folding import is_normalized, normalize

PAD = 64
"""Zeros behind the last text, so that no place that is looked at lies outside."""

_STEPS = ((ENDS, 100), (CLAUSE, 30), (HAN, 10), (LIGHT, 4), (KANA, 3))
"""Steps of a position at a character, in 1/20 of a word; of its bits the first counts."""
_WORD_STEP, _END_STEP = 20, 100
_INSIDE = 1 << 7
"""Marks letters, digits and marks beside a step, which is less."""
_AFTER_END = np.array([0, *map(ord, " \n\u3000")])
"""Behind one of these a point ends a sentence."""
# A letter with marks that it may be written as one with, or a Hangul syllable in parts. At most 30 marks, as Unicode
# says of stream-safe text (UAX #15): putting more in order takes quadratic time. Fractions such as ½ compose with none.
_CLUSTER = lazy_pattern(
    r"[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|[^\n\u00bc-\u00be\u2150-\u215f\u2189]"
    "[\u0300-\u036f\u0653-\u0655\u093c\u09be\u3099\u309a]{1,30}|[\uff66-\uff9d][\uff9e\uff9f]"
)
# Marks of halfwidth katakana: they are of the letter before them, though NFC leaves them.
_HALFWIDTH = lazy_pattern("[\uff9e\uff9f]")
# An odd factor, so that its powers can be undone modulo 2^64.
_FACTOR = 0x9E3779B97F4A7C15
_INVERSE = pow(_FACTOR, -1, 1 << 64)


@dataclass(frozen=True, eq=False)
class Letters:
    """The characters of n texts, each text followed by a line end.

    Normalised: NFKC, lower case, native digits as 0-9, one kind of apostrophe and of space.
    Shapes: ``points`` (m + PAD,): the code points in lower case; ``codes`` (m + PAD,): the place of each character in
    ``alphabet`` (a,), the bits of the distinct characters with their case, and in ``small`` (a,), their code points in
    lower case; ``offsets`` (n + 1,): where each text begins;
    ``sources`` (m + PAD,): the place of each character among those of the texts as they are; ``origins`` (n,): where
    each text begins there.
    """

    points: Array
    codes: Array
    alphabet: npt.NDArray[np.uint32]
    small: npt.NDArray[np.uint32]
    offsets: IntArray
    sources: Array
    origins: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Letters:
        """Return the characters of n texts.

        >>> letters = Letters.of(["Ｔél 5"])
        >>> "".join(map(chr, letters.points[:5]))
        'tél 5'
        """
        joined = "".join([text + GAP for text in texts])
        starts = offsets_of(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
        raw, sources = _points(joined), np.arange(len(joined), dtype=np.int32)
        if not joined.isascii() and (_HALFWIDTH.search(joined) or not is_normalized("NFC", joined)):
            raw, sources = _composed(joined)
        table = _Spelling.of(raw)
        codes, sources = table.coded(raw, sources)
        offsets = np.searchsorted(sources, starts)
        pad = np.zeros(PAD, dtype=np.int32)
        codes = np.concatenate([codes, pad.astype(codes.dtype)])
        points = table.lower.astype(raw.dtype)[codes]
        sources = np.concatenate([sources, pad + len(joined)])
        return cls(points, codes, table.flags, table.lower, offsets, sources, starts[:-1])

    @cached_property
    def text(self) -> str:
        """The points as a string, one character each."""
        return self.points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    @cached_property
    def rows(self) -> npt.NDArray[np.int32]:
        """The text of each point, (m + PAD,)."""
        last = max(len(self.origins) - 1, 0)
        lengths = np.diff(self.offsets, append=len(self.points))
        return np.repeat(np.minimum(np.arange(len(lengths), dtype=np.int32), np.int32(last)), lengths)

    def has(self, bits: int) -> BoolArray:
        """Return a mask of the characters with any of the bits, (m + PAD,)."""
        return np.asarray(((self.alphabet & np.uint32(bits)) != 0)[self.codes])

    @cached_property
    def inside_words(self) -> BoolArray:
        """A mask of letters and their marks, (m + PAD,)."""
        return self.has(LETTER | MARK)

    @cached_property
    def word_starts(self) -> IntArray:
        """Where words of letters begin, rising."""
        starts = np.flatnonzero(self.inside_words[1:] & ~self.inside_words[:-1]) + 1
        starts = np.append(0, starts) if self.inside_words[0] else starts
        return starts[self.at(starts, LETTER)]

    @cached_property
    def word_ends(self) -> IntArray:
        """Where words of letters and marks end, rising."""
        return np.flatnonzero(self.inside_words[:-1] & ~self.inside_words[1:]) + 1

    def at(self, places: IntArray, bits: int) -> BoolArray:
        """Return a mask of the places whose character has any of the bits."""
        return np.asarray(((self.alphabet & np.uint32(bits)) != 0)[self.codes[places]])

    @cached_property
    def positions(self) -> Array:
        """The stretched position of each character from the first of all texts on, in steps of 1/20 of a word."""
        steps = self._steps
        wide = len(steps) * _END_STEP > np.iinfo(np.int32).max
        return np.cumsum(steps, dtype=np.int64 if wide else np.int32)

    @cached_property
    def _steps(self) -> npt.NDArray[np.uint8]:
        """How far each character stands from the one before, (m + PAD,)."""
        of_code = np.zeros(len(self.alphabet), dtype=np.uint8)
        for bits, step in reversed(_STEPS):
            of_code[(self.alphabet & np.uint32(bits)) != 0] = step
        # A letter or digit that has no step counts as a word where it begins one; one gather finds all three.
        of_code[((self.alphabet & np.uint32(ALNUM)) != 0) & (of_code == 0)] = _WORD_STEP
        of_code[(self.alphabet & np.uint32(ALNUM | MARK)) != 0] |= _INSIDE
        steps = of_code[self.codes]
        inside = steps >= _INSIDE
        steps &= np.uint8(_INSIDE - 1)
        steps[1:][inside[:-1] & (steps[1:] == _WORD_STEP)] = 0
        stops = np.flatnonzero(self.points == ord("."))
        steps[stops[np.isin(self.points[stops + 1], _AFTER_END)]] = _END_STEP
        return steps

    @cached_property
    def breaks(self) -> IntArray:
        """The places of the characters that part clauses: commas and their like, and ends of sentences, rising."""
        return np.flatnonzero(self._steps > _WORD_STEP)

    def hashes(self, start: IntArray, end: IntArray) -> HashArray:
        """Return a hash of the characters from each start to before its end, in lower case; (s,)."""
        sums, undo = self._sums
        return splitmix64((sums[end] - sums[start]) * undo[start])

    @cached_property
    def _sums(self) -> tuple[HashArray, HashArray]:
        """The sum of characters times powers before each place, and the inverses of these powers."""
        size = len(self.points)
        powers, undo = np.full(size, _FACTOR, dtype=np.uint64), np.full(size, _INVERSE, dtype=np.uint64)
        powers[0] = undo[0] = 1
        np.multiply.accumulate(powers, out=powers)
        np.multiply.accumulate(undo, out=undo)
        powers *= splitmix64(self.small.astype(np.uint64))[self.codes]
        sums = np.zeros(size + 1, dtype=np.uint64)
        np.cumsum(powers, out=sums[1:])
        return sums, undo


def _points(joined: str) -> Array:
    if joined.isascii():
        return np.frombuffer(joined.encode("ascii"), dtype=np.uint8)
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _in_one_form(cluster: str) -> str:
    """Return a letter with its marks as one, or as it is where nothing composes, whatever the other texts are."""
    composes = normalize("NFC", cluster) != cluster or _HALFWIDTH.search(cluster) is not None
    return normalize("NFKC", cluster) if composes else cluster


def _composed(joined: str) -> tuple[Array, Array]:
    """Return the points with marks composed, and the place of each in ``joined``."""
    known: dict[str, str] = {}
    segments, cuts, done = [], [], 0
    for match in _CLUSTER.finditer(joined):
        cluster = match.group()
        composed = known.setdefault(cluster, _in_one_form(cluster))
        if composed != cluster:
            start, end = match.span()
            segments += [joined[done:start], composed]
            cuts += [(start, len(composed)), (end, 0)]
            done = end
    segments.append(joined[done:])
    sources = np.arange(len(joined), dtype=np.int32)
    kept = np.ones(len(joined), dtype=np.int64)
    for (start, size), (end, _) in zip(cuts[::2], cuts[1::2], strict=True):
        kept[start:end] = 0
        kept[start] = size
    return _points("".join(segments)), np.repeat(sources, kept)


@dataclass(frozen=True, eq=False)
class _Spelling:
    """How each code point that occurs is written: as ``lengths`` codes from ``firsts`` on in ``spelled``.

    Shapes: ``flags`` and ``lower`` (a,), of the distinct characters that are written; the first is the zero.
    """

    firsts: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]
    spelled: Array
    flags: npt.NDArray[np.uint32]
    lower: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, points: Array) -> _Spelling:
        size = int(points.max(initial=0)) + 1
        seen = np.zeros(size, dtype=bool)
        seen[points] = True
        firsts, lengths = np.zeros(size, dtype=np.int32), np.ones(size, dtype=np.int32)
        alphabet = {"\0": 0}
        spelled: list[int] = []
        for point in np.flatnonzero(seen).tolist():
            text = written(point)
            firsts[point], lengths[point] = len(spelled), len(text)
            spelled += [alphabet.setdefault(one, len(alphabet)) for one in text]
        chars = list(map(ord, alphabet))
        flags = np.array([0, *map(flags_of, chars[1:])], dtype=np.uint32)
        dtype = np.uint8 if len(chars) < 1 << 8 else np.uint16 if len(chars) < 1 << 16 else np.uint32
        small = np.array([0, *map(lower, chars[1:])], dtype=np.uint32)
        return cls(firsts, lengths, np.array(spelled, dtype=dtype), flags, small)

    def coded(self, points: Array, sources: Array) -> tuple[Array, Array]:
        """Return the codes of the characters that are written for the points, and where each comes from."""
        if (self.lengths == 1).all():
            return self.spelled[self.firsts[points]] if len(points) else points, sources
        changed = np.flatnonzero(self.lengths[points] != 1)
        sizes = self.lengths[points[changed]].astype(np.int64)
        ends = changed + np.cumsum(sizes - 1) + 1
        places = np.arange(len(points) + int((sizes - 1).sum()), dtype=np.int32)
        shifts = np.append(0, np.cumsum(sizes - 1)).astype(np.int32)
        places -= np.repeat(shifts, np.diff(ends, prepend=0, append=len(places)))
        inside = spans(ends - sizes, ends)
        places[inside] = np.repeat(changed, sizes)
        firsts = self.firsts[points[places]]
        firsts[inside] += (inside - np.repeat(ends - sizes, sizes)).astype(np.int32)
        return self.spelled[firsts], sources[places]
