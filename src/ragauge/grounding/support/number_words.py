"""Numbers in words as digits: twelve, zwölf, двенадцать, 열두, สิบสอง."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import regex

from ragauge.core.ragged import BoolArray, IntArray
from ragauge.grounding.support._lexicon import LANGUAGES, listed
from ragauge.grounding.support._reading import Reader
from ragauge.grounding.support.units import Kind, Units, read

_DIGIT = regex.compile(r"\d")
_WORD = regex.compile(r"\p{L}+")
# Languages that write no spaces between words, or numbers and counters as one.
_UNSPACED = ("ko", "th")
# Where a number may end within a span that holds its measure too, as in "twelve kilometres".
_ENDS = regex.compile(r"(?=[\s-])|(?<=\p{Thai})(?=\p{Thai}\P{M}*)")
# Languages of Latin script: a text of a few words says none of them.
_LATIN = ("en", "de", "es", "fr")
_FEW_WORDS = 4
_NUMBERS = Kind.NUMBER, Kind.YEAR
# Chinese characters are read by `ragauge.metrics.text.contains_answer.plain_numbers`.
_BY_CHARACTER = tuple(LANGUAGES.index(name) for name in ("zh", "ja"))


def words_as_digits(answers: Sequence[str], references: Sequence[str], owners: IntArray) -> tuple[list[str], list[str]]:
    """Return texts with number words as digits, where an answer or one of its references has digits.

    A reference is read in the language of its answer if that is in the same script. "One" is no number here: it is an
    article in most languages. Shapes: n answers, m references; ``owners`` (m,): the answer of each.

    >>> words_as_digits(["Es hat zwölf Zimmer und 3 Türen."], ["12", "drei"], np.array([0, 0]))
    (['Es hat 12 Zimmer und 3 Türen.'], ['12', '3'])
    """
    everywhere = np.ones(len(answers), dtype=bool)
    digits = _any_of(answers, references, owners, everywhere, lambda text: _DIGIT.search(text) is not None)
    counted = _any_of(answers, references, owners, digits, _has_number_word)
    counted_answers, beside = np.flatnonzero(counted), np.flatnonzero(counted[owners])
    reader = Reader()
    own = np.full(len(answers), -1, dtype=np.int64)
    own[counted_answers] = reader.texts([answers[place] for place in counted_answers.tolist()])
    others = reader.texts([references[place] for place in beside.tolist()])
    others = reader.beside(others, own[owners[beside]])
    units = reader.index.units
    return _replaced(answers, counted_answers, own[counted_answers], units), _replaced(
        references, beside, others, units
    )


def _any_of(
    answers: Sequence[str], references: Sequence[str], owners: IntArray, among: BoolArray, has: Callable[[str], bool]
) -> BoolArray:
    """Return a mask of those answers ``among`` all that have something, or one of whose references has it, (n,)."""
    matches = np.zeros(len(answers), dtype=bool)
    matches[[place for place in np.flatnonzero(among).tolist() if has(answers[place])]] = True
    beside = np.flatnonzero(among[owners])
    matches[owners[[place for place in beside.tolist() if has(references[place])]]] = True
    return matches


def _has_number_word(text: str) -> bool:
    """Return whether something in a text begins as a number word above one does, so that few texts are read."""
    apart, within, _ = _number_words()
    if any(map(_begins_a_number, _WORD.findall(text))) and apart.search(text):
        return True
    return not text.isascii() and within.search(text) is not None


@lru_cache(maxsize=1 << 16)
def _begins_a_number(word: str) -> bool:
    """Return whether the first word of a number word may begin a word: each is looked at once, as most come again."""
    return _number_words()[2].match(word) is not None


@cache
def _number_words() -> tuple[Any, ...]:
    """Return patterns of number words above one: those at the beginning of a word, those within one, first words."""
    by_language = {
        language: [
            form for key, forms in listed()[language]["numbers"].items() if float(key) > 1 for form in forms.split(", ")
        ]
        for language in LANGUAGES
        if LANGUAGES.index(language) not in _BY_CHARACTER
    }
    by_language["ko"] += [form for forms in listed()["ko"]["native"].values() for form in forms.split(", ")]
    apart = [word for language, listing in by_language.items() if language not in _UNSPACED for word in listing]
    within = [word for language in _UNSPACED for word in by_language[language]]
    first = {_WORD.match(word)[0] for word in apart}
    patterns = (rf"(?<!\p{{L}}){_before(apart)}", _any_word(within), _before(first))
    return tuple(regex.compile(pattern, regex.IGNORECASE) for pattern in patterns)


def _before(words: Iterable[str]) -> str:
    """Return a pattern of any of some words, with what Arabic and German write before them."""
    return rf"(?:و|ال|ein)?(?:{_any_word(words)})"


def _any_word(words: Iterable[str]) -> str:
    return "|".join(map(regex.escape, words))


def _replaced(texts: Sequence[str], places: IntArray, numbers: IntArray, units: Units) -> list[str]:
    """Return ``texts`` with those at ``places`` in digits; ``numbers`` are theirs among the texts of ``units``."""
    out = list(texts)
    replaced: dict[tuple[str, int], str] = {}
    for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
        key = (texts[place], number)
        if key not in replaced:
            replaced[key] = _in_digits(texts[place], number, units)
        out[place] = replaced[key]
    return out


def _in_digits(text: str, number: int, units: Units) -> str:
    """Return one text with its number words as digits."""
    language = int(units.language[number])
    if language in _BY_CHARACTER:
        return text
    parts, last = [], 0
    for start, end, value in _spans(text, number, units):
        parts += [text[last:start], value]
        last = end
    if not parts and LANGUAGES[language] in _LATIN and len(text.split()) <= _FEW_WORDS:
        return _of_a_few_words(text)
    return "".join([*parts, text[last:]])


def _spans(text: str, number: int, units: Units) -> list[tuple[int, int, str]]:
    """Return start, end and digits of the number words of one text."""
    spans = []
    for unit in range(*units.offsets[number : number + 2].tolist()):
        start, end = int(units.start[unit]), int(units.end[unit])
        if units.kind[unit] not in _NUMBERS or _DIGIT.search(text[start:end]):
            continue
        value = float(units.keys[unit].view(np.float64)[0])
        if len(units.scaled[unit]):
            end = start + _length_of(text[start:end], value, LANGUAGES[units.language[number]])
        spans.append((start, end, f"{value:.15g}"))
    return spans


def _length_of(span: str, value: float, language: str) -> int:
    """Return how many characters of a number with its measure are the number: the shortest part of the same value."""
    ends = [match.start() for match in _ENDS.finditer(span)]
    prefixes = [span[:end] for end in ends if end]
    parsed = read(prefixes, [language] * len(prefixes))
    for prefix, edges in zip(prefixes, pairwise(parsed.offsets.tolist()), strict=True):
        units = [unit for unit in range(*edges) if parsed.kind[unit] == Kind.NUMBER]
        if len(units) == 1 and parsed.keys[units[0]].view(np.float64)[0] == value:
            return len(prefix)
    return ends[-1] if ends else len(span)


def _of_a_few_words(text: str) -> str:
    """Return a short text that is a number in one of the languages of Latin script in digits; else as it is."""
    units = read([text] * len(_LATIN), list(_LATIN))
    whole = [_spans(text, number, units) for number in range(len(_LATIN))]
    values = {spans[0][2] for spans in whole if len(spans) == 1 and spans[0][:2] == (0, len(text.strip(" .")))}
    return values.pop() if len(values) == 1 else text
