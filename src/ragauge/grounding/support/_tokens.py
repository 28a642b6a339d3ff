"""The words of texts, and the neighbouring characters of scripts without spaces, with hashes and weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import regex

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.hashing import HashArray, splitmix64
from ragauge.core.ragged import Array, BoolArray, IntArray
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import COMPLEX, DENSE, HAN, KATAKANA, LETTER, MARK, NUMBER
from ragauge.grounding.support._found import spans
from ragauge.grounding.support._letters import Letters

_NONE, _WORD, _KATAKANA, _DENSE, _COMPLEX = range(5)
# Clitics of Arabic before the article, and the article.
_ARTICLE = regex.compile(r"^[وف]?[بكل]?ال(?=..)|^لل(?=..)")
_ARABIC = range(0x600, 0x700)
_WEAK, _PLAIN, _NAME = 15, 100, 150
"""Weights of function words and single letters, of other words, and of names; in hundredths."""
_OF_HAN = np.array([8, 25, 50])
"""Weights of two characters by how many of them are Han; hiragana is mostly grammar."""
_OF_COMPLEX, _SINGLE = 20, 10
_SLOTS = 1 << 18


@dataclass(frozen=True, eq=False)
class WordRuns:
    """The words of texts.

    Shapes: ``start``, ``end``, ``hashes``, ``katakana`` (w,); ``functions`` (w,): the bits of the languages of which
    each is a function word.
    """

    start: IntArray
    end: IntArray
    hashes: HashArray
    functions: HashArray
    katakana: BoolArray

    @classmethod
    def of(cls, letters: Letters, classes: Array) -> WordRuns:
        """Return the words; ``classes`` are as `classes_of` returns them."""
        start, end = _runs_of(classes, (_WORD, _KATAKANA))
        hashes = letters.hashes(start, end)
        return cls(start, end, hashes, _function_bits(hashes), classes[start] == _KATAKANA)

    def within(self, letters: Letters, classes: Array) -> WordRuns:
        """Return the words that are left of these where ``classes`` are nothing now in more places."""
        start, end = _runs_of(classes, (_WORD, _KATAKANA))
        old = np.searchsorted(self.start, start, side="right") - 1
        whole = (self.start[old] == start) & (self.end[old] == end) if len(old) else np.empty(0, dtype=bool)
        left = WordRuns(start, end, self.hashes[old], self.functions[old], self.katakana[old])
        return left.changed(letters, start, np.flatnonzero(~whole))

    def changed(self, letters: Letters, start: IntArray, places: IntArray) -> WordRuns:
        """Return the words with other starts, (w,), of which those at ``places`` are others."""
        hashes, functions = self.hashes.copy(), self.functions.copy()
        hashes[places] = letters.hashes(start[places], self.end[places])
        functions[places] = _function_bits(hashes[places])
        return WordRuns(start, self.end, hashes, functions, self.katakana)


def classes_of(letters: Letters) -> npt.NDArray[np.uint8]:
    """Return what each character may be part of, (m + PAD,)."""
    of_code = np.zeros(len(letters.alphabet), dtype=np.uint8)
    for bits, own in ((LETTER | MARK | NUMBER, _WORD), (KATAKANA, _KATAKANA), (DENSE, _DENSE), (COMPLEX, _COMPLEX)):
        of_code[(letters.alphabet & np.uint32(bits)) != 0] = own
    return np.asarray(of_code[letters.codes])


def _runs_of(classes: Array, wanted: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """Return where runs of one class begin and end."""
    edges = np.flatnonzero(classes[1:] != classes[:-1]) + 1
    kept = np.isin(np.arange(_COMPLEX + 1), wanted)[classes[edges]]
    starts = edges[kept]
    ends = np.append(edges[1:], len(classes))[kept]
    if len(classes) and classes[0] in wanted:
        starts, ends = np.append(0, starts), np.append(edges[:1], ends)
    return starts, ends


def without_articles(words: WordRuns, letters: Letters) -> WordRuns:
    """Return the words with the article of Arabic taken off."""
    first = letters.points[words.start]
    arabic = np.flatnonzero((first >= _ARABIC.start) & (first < _ARABIC.stop))
    if not len(arabic):
        return words
    _, places, inverse = np.unique(words.hashes[arabic], return_index=True, return_inverse=True)
    some = arabic[places]
    texts = (letters.text[a:b] for a, b in zip(words.start[some].tolist(), words.end[some].tolist(), strict=True))
    taken = np.array([match.end() if (match := _ARTICLE.match(text)) else 0 for text in texts], dtype=np.int64)
    start = words.start.copy()
    start[arabic] += taken[inverse]
    return words.changed(letters, start, arabic[taken[inverse] > 0])


@cache
def _slots() -> tuple[IntArray, HashArray, HashArray]:
    """Return a table from the first bits of a hash to a function word, with the hashes and languages of these."""
    words = lexicon.function_words()
    letters = Letters.of(list(words))
    own = letters.hashes(letters.offsets[:-1], letters.offsets[1:] - 1)
    hashes = np.concatenate([np.zeros(1, dtype=np.uint64), own])
    slots = np.zeros((2, _SLOTS), dtype=np.int64)
    for number, place in enumerate((hashes[1:] & np.uint64(_SLOTS - 1)).tolist(), 1):
        slots[int(slots[0, place] > 0), place] = number
    return slots, hashes, np.array([0, *words.values()], dtype=np.uint64)


def _function_bits(hashes: HashArray) -> HashArray:
    """Return for each word the bits of the languages of which it is a function word, (w,)."""
    slots, known, bits = _slots()
    place = hashes & np.uint64(_SLOTS - 1)
    out = np.zeros(len(hashes), dtype=np.uint64)
    for row in slots:
        number = row[place]
        out |= np.where(known[number] == hashes, bits[number], np.uint64(0))
    return out


def word_weights(words: WordRuns, letters: Letters, names: BoolArray, language: npt.NDArray[np.uint8]) -> IntArray:
    """Return the weight of each word in hundredths, (w,); ``language`` (n,) is that of each text."""
    own = language[letters.rows[words.start]].astype(np.uint64)
    weak = (words.functions >> own & np.uint64(1)) == 1
    weak |= (words.end - words.start < 2) & letters.at(words.start, LETTER)
    return np.where(weak, _WEAK, np.where(names, _NAME, _PLAIN))


@dataclass(frozen=True, eq=False)
class GramRuns:
    """Neighbouring characters. Shapes: ``start``, ``end``, ``hashes``, ``weights`` (g,)."""

    start: IntArray
    end: IntArray
    hashes: HashArray
    weights: IntArray

    @classmethod
    def of(cls, letters: Letters, classes: Array) -> GramRuns:
        """Return pairs of Han and hiragana, and threes of Thai and its kin; shorter runs as they are."""
        columns = []
        for own, size in ((_DENSE, 2), (_COMPLEX, 3)):
            start, end = _runs_of(classes, (own,))
            first = spans(start, np.maximum(end - size + 1, start + 1))
            length = np.minimum(np.repeat(end, np.maximum(end - start - size + 1, 1)) - first, size)
            columns.append((first, first + length))
        start, end = (np.concatenate(pair) for pair in zip(*columns, strict=True))
        keys, han = np.zeros(len(start), dtype=np.uint64), np.zeros(len(start), dtype=np.int64)
        for place in range(3):
            there = start + place < end
            keys |= np.where(
                there, letters.points[start + place].astype(np.uint64) << np.uint64(21 * place), np.uint64(0)
            )
            han += there & letters.at(start + place, HAN)
        weights = np.where(end - start > 1, _OF_HAN[np.minimum(han, 2)], _SINGLE)
        return cls(start, end, splitmix64(keys), np.where(letters.at(start, COMPLEX), _OF_COMPLEX, weights))


def distinct(words: WordRuns, letters: Letters) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Return for each word its number among the distinct ones, (w,), and these."""
    encoded = to_arrow(words.hashes).dictionary_encode()
    number: npt.NDArray[np.int32] = to_numpy(encoded.indices)
    first = np.empty(len(encoded.dictionary), dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    edges = zip(words.start[first].tolist(), words.end[first].tolist(), strict=True)
    text = letters.text
    return number, [text[start:end] for start, end in edges]
