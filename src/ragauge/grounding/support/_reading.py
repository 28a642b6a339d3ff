"""The units of many texts, read when they are first needed, and where those alike stand in each text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.ragged import BoolArray, IntArray, Ragged, offsets_of
from ragauge.grounding.support._languages import LISTED, READ
from ragauge.grounding.support._lexicon import LANGUAGES
from ragauge.grounding.support._times import TIME
from ragauge.grounding.support.units import CENT, Kind, Units, read

# Words of so many equal first letters may be forms of one word. Korean writes a syllable in one character.
_STEM, _STEM_OF_HANGUL = 4, 2
_HANGUL = range(0xAC00, 0xD7A4)
# Letters of a word that are compared.
_LETTERS = 24
FIRST_TYPED = int(Kind.NUMBER)
"""Kinds from here on are values and cues; those below are words."""


# Languages of one script: a short claim is taken to be in that of the passage, whose function words are more.
_OF_ONE_SCRIPT = (("en", "de", "es", "fr"), ("zh", "ja"))


class Reader:
    """Reads each distinct text once and numbers it, as `ragauge.core.texts.VectorSpace` does with vectors."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self._other: dict[tuple[int, int], int] = {}
        """The number of a text in a language other than its own, by its number and the language's."""
        self._index = Index(read([]))

    def texts(self, texts: Sequence[str]) -> IntArray:
        """Return the number of each of n texts, (n,); new ones are read, each in its own language."""
        new = [text for text in dict.fromkeys(texts) if text not in self._numbers]
        if new:
            self._numbers.update(zip(new, range(len(self._texts), len(self._texts) + len(new)), strict=True))
            self._add(new, read(new))
        return np.fromiter(map(self._numbers.__getitem__, texts), np.int64, len(texts))

    def beside(self, claims: IntArray, passages: IntArray) -> IntArray:
        """Return the numbers of n claims as they are read beside passages, given the numbers of both, (n,) each.

        A claim is read in the language of the passage that it is compared with if both are in one script, and something
        tells that language.
        """
        language, certain = self._index.units.language, self._index.units.told == LISTED
        wanted = np.where(certain[passages], _COMMON[language[claims], language[passages]], language[claims])
        # Of 1,500 m in a claim of no known language the passage's language tells what it is.
        counted = ~certain[claims] & certain[passages] & self._index.ambiguous[claims] & (wanted == language[passages])
        differing = np.flatnonzero((wanted != language[claims]) | counted)
        if not len(differing):
            return claims
        keys = list(zip(claims[differing].tolist(), wanted[differing].tolist(), strict=True))
        new = [key for key in dict.fromkeys(keys) if key not in self._other]
        if new:
            self._other.update(zip(new, range(len(self._texts), len(self._texts) + len(new)), strict=True))
            texts = [self._texts[number] for number, _ in new]
            self._add(texts, read(texts, [LANGUAGES[other] for _, other in new]))
        numbers = claims.copy()
        numbers[differing] = [self._other[key] for key in keys]
        return numbers

    def reads(self, claims: IntArray, passages: IntArray) -> BoolArray:
        """Return whether each of n claims is in a language that is read beside its passage; numbers of both, (n,)."""
        told = self._index.units.told
        return np.asarray(READ[told[claims], told[passages]])

    @property
    def index(self) -> Index:
        """The units of all texts read so far."""
        return self._index

    def _add(self, texts: list[str], units: Units) -> None:
        self._index = Index(Units.joined([self._index.units, units]) if self._texts else units)
        self._texts += texts


def _common_languages() -> npt.NDArray[np.uint8]:
    """Return the language that a text is read in, by its own and that of the text beside it."""
    own = np.arange(len(LANGUAGES), dtype=np.uint8)
    table = np.repeat(own[:, None], len(own), axis=1)
    for group in _OF_ONE_SCRIPT:
        members = [LANGUAGES.index(name) for name in group]
        table[np.ix_(members, members)] = members
    return table


_COMMON = _common_languages()


@dataclass(frozen=True, eq=False)
class KeyLists:
    """Lists of keys, and every list with each of its keys as one number, sorted: which have a key in common.

    >>> KeyLists.of(Ragged.of([[7, 8], [8, 9], [9]])).meet(np.array([0, 1, 0]), np.array([1, 2, 2]))
    array([ True,  True, False])
    """

    codes: Ragged
    size: int
    held: IntArray

    @classmethod
    def of(cls, keys: Ragged) -> KeyLists:
        """Return lists with the codes of their keys."""
        distinct, codes = np.unique(keys.values, return_inverse=True)
        return cls(Ragged(codes, keys.offsets), len(distinct), np.unique(keys.rows * len(distinct) + codes))

    def meet(self, one: IntArray, other: IntArray) -> BoolArray:
        """Return whether two lists have a key in common, (m,)."""
        lengths, offsets = self.codes.lengths, self.codes.offsets
        swapped = lengths[one] > lengths[other]
        short, long = np.where(swapped, other, one), np.where(swapped, one, other)
        meet = np.zeros(len(one), dtype=bool)
        single = np.flatnonzero(lengths[long] == 1)
        single = single[lengths[short[single]] == 1]
        codes = self.codes.values
        meet[single] = codes[offsets[short[single]]] == codes[offsets[long[single]]]
        some = np.flatnonzero(lengths[long] > 1)
        each = Ragged(np.empty(0), offsets_of(lengths[short[some]]))
        pair = some[each.rows]
        wanted = long[pair] * self.size + codes[offsets[short[pair]] + each.positions]
        place = np.minimum(np.searchsorted(self.held, wanted), len(self.held) - 1)
        meet[pair[self.held[place] == wanted]] = True
        return meet


@dataclass(frozen=True, eq=False)
class Index:
    """The units of n texts by text and group: words that may be alike, or units of kinds that exclude each other."""

    units: Units

    @cached_property
    def group(self) -> IntArray:
        """The group of each unit, (u,): words with one beginning, equal stop words, equal characters, or one kind."""
        units = self.units
        group: HashArray = units.text.copy()
        word = np.flatnonzero((units.kind == Kind.WORD) & (units.weight >= CENT))
        if len(word):
            several, beginning = self._beginnings
            word = word[several[units.word[word]]]
            group[word] = beginning[units.word[word]]
        typed = units.kind >= FIRST_TYPED
        # A number may be told as a year.
        kind = np.where(units.kind == Kind.YEAR, np.uint8(Kind.NUMBER), units.kind)
        group[typed] = kind[typed]
        return to_numpy(to_arrow(group).dictionary_encode().indices).astype(np.int64)

    @cached_property
    def _beginnings(self) -> tuple[BoolArray, HashArray]:
        """Return a mask of the words that others may share a beginning with, (words,), and a hash of its beginning.

        Short words and those of digits stand for themselves.
        """
        letters, lengths = self.letters
        hangul = (letters[:, 0] >= _HANGUL.start) & (letters[:, 0] < _HANGUL.stop)
        digits = np.fromiter(map(str.isdigit, self.units.words), bool, len(lengths))
        size = np.where(hangul, _STEM_OF_HANGUL, _STEM)
        shared = np.where(np.arange(_STEM) < size[:, None], letters[:, :_STEM], 0).astype(np.uint64)
        beginning = splitmix64(shared[:, 0] << np.uint64(32) | shared[:, 1])
        beginning = splitmix64(beginning ^ (shared[:, 2] << np.uint64(32) | shared[:, 3]))
        return (lengths >= size) & ~digits, beginning

    @cached_property
    def ambiguous(self) -> BoolArray:
        """A mask of the texts with a number that may have several values, (n,)."""
        several = (self.units.keys.lengths > 1) & (self.units.kind == Kind.NUMBER)
        return np.diff(np.concatenate([[0], np.cumsum(several)])[self.units.offsets]) > 0

    @cached_property
    def hours(self) -> BoolArray:
        """A mask of the units that are times or may be an hour, (u,)."""
        keys, hours = self.units.keys, np.zeros(len(self.units.kind), dtype=bool)
        hours[keys.rows[keys.values.view(np.float64) % 1 == TIME]] = True
        return hours

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def order(self) -> IntArray:
        """The units by text and group, then by place, (u,)."""
        return np.argsort(self._keys, kind="stable")

    @cached_property
    def _keys(self) -> IntArray:
        texts = np.repeat(np.arange(len(self.units)), np.diff(self.units.offsets))
        return np.asarray(texts * self.groups + self.group)

    @cached_property
    def _sorted(self) -> IntArray:
        return self._keys[self.order]

    def ranges(self, texts: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
        """Return where in `order` the units of each text and group, (m,), begin, and how many there are."""
        wanted = texts * self.groups + groups
        first = np.searchsorted(self._sorted, wanted)
        return first, np.searchsorted(self._sorted, wanted, side="right") - first

    @cached_property
    def _valued(self) -> tuple[Ragged, int, IntArray, IntArray]:
        """Return the codes of the keys of each unit and their number; and the units of texts by code, with both."""
        every, owners = [], []
        for place, keys in enumerate((self.units.keys, self.units.scaled)):
            every.append(splitmix64(keys.values ^ np.uint64(place)))
            owners.append(keys.rows)
        owner = np.concatenate(owners)
        codes = np.unique(np.concatenate(every), return_inverse=True)[1].astype(np.int64) * len(Kind)
        # A number may be told as a year, and an hour as a number.
        kind = self.units.kind[owner]
        codes += np.where((kind == Kind.YEAR) | (kind == Kind.TIME), int(Kind.NUMBER), kind)
        distinct, code = np.unique(codes, return_inverse=True)
        text = np.searchsorted(self.units.offsets, owner, side="right") - 1
        order = np.lexsort((owner, code, text))
        by_unit = np.argsort(owner, kind="stable")
        own = Ragged.from_lengths(code[by_unit], np.bincount(owner, minlength=len(self.group)))
        return own, len(distinct), owner[order], (text * len(distinct) + code)[order]

    def agreeing(self, units: IntArray, texts: IntArray, most: IntArray) -> Ragged:
        """Return the units of each text that have a key of each unit, ``most`` a key, (m,) each: m lists, rising."""
        codes, size, held, whole = self._valued
        own = codes.take(units)
        wanted = texts[own.rows] * size + own.values
        first = np.searchsorted(whole, wanted)
        counts = np.minimum(np.searchsorted(whole, wanted, side="right") - first, most[own.rows])
        taken = Ragged.without_values(counts)
        place = first[taken.rows] + taken.positions
        pairs = np.unique(own.rows[taken.rows] << 40 | held[place])
        return Ragged.from_lengths(pairs & ((1 << 40) - 1), np.bincount(pairs >> 40, minlength=len(units)))

    @cached_property
    def _keyed(self) -> tuple[KeyLists, KeyLists]:
        return KeyLists.of(self.units.keys), KeyLists.of(self.units.scaled)

    def meet(self, one: IntArray, other: IntArray) -> BoolArray:
        """Return whether two units have a value in common, (m,); in one unit of measure, if both have one."""
        keys, scaled = self._keyed
        meet = keys.meet(one, other)
        lengths = self.units.scaled.lengths
        both = np.flatnonzero((lengths[one] > 0) & (lengths[other] > 0))
        meet[both] = scaled.meet(one[both], other[both])
        return meet

    @cached_property
    def letters(self) -> tuple[npt.NDArray[np.uint32], IntArray]:
        """The first letters of each word as code points, (words, 24), 0 beyond its end; and its length."""
        words = self.units.words
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        fixed = np.array(words, dtype=f"<U{_LETTERS}") if words else np.zeros(0, dtype=f"<U{_LETTERS}")
        return fixed.view(np.uint32).reshape(len(words), _LETTERS), lengths

    def alike(self, one: npt.NDArray[np.int32], other: npt.NDArray[np.int32]) -> IntArray:
        """Return how alike words are, in hundredths, 0 to 95, (m,), from their places in ``words``, (m,) each.

        The share of the longer word that both begin with, and .15; less than .45 counts as nothing.
        """
        letters, lengths = self.letters
        common = (np.cumsum(letters[one] != letters[other], axis=1) == 0).sum(axis=1)
        longer = np.minimum(np.maximum(lengths[one], lengths[other]), _LETTERS)
        value = np.minimum(common * CENT // np.maximum(longer, 1) + 15, 95)
        return np.where(value >= 45, value, 0)
