"""The words that `lexicon.toml` lists, ready to be found in texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ragauge import languages
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.grounding.support._characters import normalised
from ragauge.grounding.support._tries import Trie
from ragauge.grounding.support.kinds import Kind

LANGUAGES = ("en", "de", "es", "fr", "ru", "ar", "hi", "zh", "ja", "ko", "th")
"""The languages whose words are known, in the order of their numbers."""
LATIN = LANGUAGES[:4]
GERMAN = LANGUAGES.index("de")
UNSPACED = ("zh", "ja", "ko", "th")
"""Languages in which a listed word may stand anywhere, also inside another."""

NUMBER_FILL, OTHER_FILL = 1, 0
"""Code points that overwrite what was read: of numbers, which a form may name by #, and of all else."""

_PREFIXED = lazy_pattern(r"\((\w+)\)(.*)")


class Form(NamedTuple):
    """One form of a listed word."""

    form: str
    kind: int
    value: float
    barred: bool = False  # begins as a form does, and is none
    opened: bool = False  # any word that begins so
    follows: int = 0  # how many of the last characters only have to follow


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Listed words: their trie, and by number their kind, value and more, (e,) each."""

    trie: Trie
    kinds: IntArray
    values: FloatArray
    barred: np.ndarray
    opened: np.ndarray
    follows: IntArray

    @classmethod
    def of(cls, entries: list[Form]) -> Lexicon:
        """Return the lexicon of these forms."""
        return cls(
            trie=Trie.of((entry.form, number) for number, entry in enumerate(entries)),
            kinds=np.array([entry.kind for entry in entries], dtype=np.int64),
            values=np.array([entry.value for entry in entries], dtype=np.float64),
            barred=np.array([entry.barred for entry in entries], dtype=bool),
            opened=np.array([entry.opened for entry in entries], dtype=bool),
            follows=np.array([entry.follows for entry in entries], dtype=np.int64),
        )


def _forms(listed: str) -> Iterator[str]:
    for form in filter(None, listed.split(", ")):
        prefixed = _PREFIXED.fullmatch(form)
        if prefixed:
            yield from (letter + prefixed[2] for letter in ("", *prefixed[1]))
        else:
            yield form


def _entries(listed: str, kind: int, value: float) -> Iterator[Form]:
    for form in _forms(listed):
        barred, opened = form.startswith("!"), form.endswith("*")
        head, _, tail = form.removeprefix("!").removesuffix("*").partition("|")
        yield Form(_written(head + tail), kind, value, barred, opened, len(_written(tail)))


def _written(form: str) -> str:
    return normalised(form).replace("#", chr(NUMBER_FILL))


def listed() -> Mapping[str, Any]:
    """Return all that `lexicon.toml` holds."""
    return languages.table("lexicon")


@cache
def shared(table: str) -> Lexicon:
    """Return the lexicon of one of the tables for all languages, with the key of each line as value.

    The value of a measure is its place in `measures`.
    """
    named = table in ("measures", "halves")
    entries: list[Form] = []
    for place, (key, forms) in enumerate(listed()[table].items()):
        entries += _entries(forms, 0, place if named else float(key))
    return Lexicon.of(entries)


@cache
def lengths(table: str) -> tuple[int, ...]:
    """Return the lengths of the words of a table, the longest first: so words are found that end at a place."""
    forms = (form for forms in listed()[table].values() for form in _forms(forms))
    return tuple(sorted({len(_written(form)) for form in forms}, reverse=True))


DATE_TABLES = (
    "months", "short_months", "centuries", "tens_in_words", "times", "minutes_before", "clocks", "beside_hours",
    "ordered",
)  # fmt: skip
"""Tables of words of dates and times that stand by themselves in a text."""


@cache
def date_words() -> Lexicon:
    """Return the lexicon of all words of `DATE_TABLES`: the kind is the place of the table, the value the key."""
    entries: list[Form] = []
    for place, table in enumerate(DATE_TABLES):
        for key, forms in listed()[table].items():
            entries += _entries(forms, place, float(key))
    return Lexicon.of(entries)


@cache
def counters(language: str) -> Lexicon:
    """Return the words behind numbers of a language that spells them in single characters.

    The value is the sum of the keys of all lines that list the word.
    """
    listed_counters: dict[str, Form] = {}
    for key, forms in listed()[language]["counters"].items():
        for entry in _entries(forms, 0, float(key)):
            known = listed_counters.get(entry.form, entry._replace(value=0.0))
            listed_counters[entry.form] = entry._replace(value=known.value + entry.value)
    return Lexicon.of(list(listed_counters.values()))


@cache
def native() -> Lexicon:
    """Return the native numbers of Korean below a hundred."""
    values = {float(key): list(_forms(forms)) for key, forms in listed()["ko"]["native"].items()}
    tens = {"": 0.0, **{form: value for value, forms in values.items() for form in forms if value >= 10}}
    ones = {"": 0.0, **{form: value for value, forms in values.items() for form in forms if value < 10}}
    both = [Form(ten + one, 0, tens[ten] + ones[one]) for ten in tens for one in ones if ten + one]
    return Lexicon.of(both)


@cache
def numbers(language: str) -> Lexicon:
    """Return the number words of a language; of Arabic with "and" and the article."""
    heads = ("", "و", "ال") if language == "ar" else ("",)
    entries: list[Form] = []
    for key, forms in listed()[language]["numbers"].items():
        plain = list(_entries(forms, Kind.NUMBER, float(key)))
        entries += [entry._replace(form=head + entry.form) for head in heads for entry in plain]
    return Lexicon.of(entries)


@cache
def joins(language: str) -> tuple[str, ...]:
    """Return the words that stand within a number: twenty and one."""
    return tuple(listed()[language].get("joins", "").split(", "))


@cache
def words(language: str) -> Lexicon:
    """Return weekdays, shares and negations of a language."""
    entries: list[Form] = []
    for key, forms in listed()["weekdays"].items():
        entries += _entries(forms, Kind.WEEKDAY, float(key))
        if language not in UNSPACED:
            entries += _entries(forms.replace(", ", "s, ") + "s", Kind.WEEKDAY, float(key))
    for key, forms in listed()["shares"].items():
        entries += _entries(forms, Kind.NUMBER, float(key))
    entries += _entries(listed()[language]["negation"]["not"], Kind.NEGATION, 0.0)
    return Lexicon.of(entries)


@cache
def measures() -> Mapping[str, tuple[int, float]]:
    """Return the number and the factor of each measure, in the order of the values of ``shared("measures")``."""
    names = {key: key.split() for key in listed()["measures"]}
    kinds = list(dict.fromkeys(name for name, _ in names.values()))
    return {key: (kinds.index(name), float(factor)) for key, (name, factor) in names.items()}


@cache
def currencies() -> Mapping[str, int]:
    """Return for each sign of a currency the place of its measure in `measures`."""
    return {sign: list(measures()).index(key) for sign, key in listed()["currencies"].items()}


@cache
def minus() -> Mapping[int, tuple[str, ...]]:
    """Return the words for minus before a number, by their length."""
    words = [_written(word) for word in listed()["minus"]["words"]]
    return {length: tuple(word for word in words if len(word) == length) for length in sorted(set(map(len, words)))}


NUMBER_WORDS = 60
"""The bit of the first language's number words, behind those of function words."""


@cache
def more() -> Mapping[str, str]:
    """Return more words that tell languages of `LANGUAGES`, by language."""
    found: Mapping[str, str] = languages.table("others")["more"]
    return found


@cache
def others() -> Mapping[str, Mapping[str, str]]:
    """Return the languages that are recognised and not read, with their frequent words and their own letters."""
    found: Mapping[str, Mapping[str, str]] = languages.table("others")["others"]
    return found


@cache
def function_words() -> Mapping[str, int]:
    """Return for each function word the bits of its languages, in the order of `LANGUAGES`.

    Behind them are those of `more` words, of `others`, and from `NUMBER_WORDS` on of number words.
    """
    bits: dict[str, int] = {}
    by_language = [listed()[language].get("function_words", "") for language in LANGUAGES]
    behind = [*more().values(), *(other["words"] for other in others().values())]
    for number, words in enumerate([*by_language, *behind]):
        for word in filter(None, _forms(words)):
            bits[_written(word)] = bits.get(_written(word), 0) | 1 << number
    for language in LATIN:
        bit = 1 << LANGUAGES.index(language) + NUMBER_WORDS
        for word in (form for forms in listed()[language]["numbers"].values() for form in _forms(forms)):
            bits[_written(word)] = bits.get(_written(word), 0) | bit
    return bits
