"""Values in languages whose other words are not read: numbers, months, weekdays and measures, as CLDR has them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from ragauge import languages
from ragauge.core.lazy import lazy_pattern
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support.units import likely_languages_of

SOURCE = "cldr41"
"""Of the data of languages, as signatures name it: made by benchmarks/make_values.py; a new one changes no others."""
_NOT_DIGITS = lazy_pattern(r"\D+")
_MARKS = str.maketrans("٬٫", ",.")
CEDILLAS = str.maketrans("șț", "şţ")
_SUPERSCRIPTS = dict.fromkeys(map(ord, "⁰¹²³⁴⁵⁶⁷⁸⁹"))
# Signs of measures that are the same in all languages.
_SIGNS = {
    "length 1000": "km", "length 1": "m", "length 0.01": "cm", "length 0.001": "mm", "mass 1000": "kg", "mass 1": "g",
    "mass 0.001": "mg", "volume 1": "l", "volume 0.001": "ml", "percent 1": "%, ٪", "celsius 1": "°c",
    "fahrenheit 1": "°f", "USD 1": "$, usd", "EUR 1": "€, eur", "GBP 1": "£, gbp", "RUB 1": "₽, rub", "INR 1": "₹, inr",
}  # fmt: skip
_NO_SIGNS: Mapping[str, str] = {}
_BEFORE = frozenset("%٪$€£₹₽")
_MOST_WORDS = 3
"""Of a measure."""
_LONG = 5
"""Names of months of fewer letters are read beside a number only; those of as many in all cases."""
_ENDING, _ENDLESS = 4, 1 << 30
_PREFIXES = "בלמהוכש"
"""Of Hebrew words: in, to, from, the, and, as, that."""
_BEGIN = 3
_ALIKE = 0.75
"""The share of the longer word that two forms of one word both begin with."""
_HUNDRED, _THOUSAND, _MONTHS = 100, 1000, 12
_HOURS, _MINUTES, _HALF_A_DAY = 24, 60, 720

Key = tuple[str, float]
"""What a value may be: a number ``n``, a month ``m``, a weekday ``d``, minutes of a time ``t``, or of a measure."""
Keys = frozenset[Key]
_NONE: Keys = frozenset()


class Value(NamedTuple):
    """A value of a text: what it may be, the same in the base of its measure, its characters, and the word it is."""

    keys: Keys
    scaled: Keys
    text: str
    word: str = ""


class TextValues(NamedTuple):
    """A text: its values, their keys without a measure and with one, these in bases, its words by their beginning."""

    values: list[Value]
    plain: Keys
    measured: Keys
    scaled: Keys
    words: Mapping[str, set[str]]


class _Token(NamedTuple):
    text: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class ValueWords:
    """Words of languages: numbers, powers of ten, months and weekdays, measures, "and"; the long of the third."""

    numbers: Mapping[str, float]
    scales: Mapping[str, float]
    named: Mapping[str, Key]
    units: Mapping[str, tuple[str, float]]
    joins: frozenset[str]

    stems: Mapping[str, set[str]]

    @cached_property
    def forms(self) -> Mapping[Key, list[str]]:
        """The words that are a value, by value."""
        found: dict[Key, list[str]] = {}
        for form, key in [*((form, ("n", number)) for form, number in self.numbers.items()), *self.named.items()]:
            found.setdefault(key, []).append(form)
        return found


def _by_beginning(words: Iterable[str]) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word in words:
        found.setdefault(word[:_BEGIN], set()).add(word)
    return found


@cache
def words_of(codes: tuple[str, ...]) -> ValueWords:
    """Return the words of all of these languages; number words that are frequent as other words are none."""
    tables = [languages.table(f"values/{code}") for code in codes]
    frequent = {word for code in codes for word in lexicon.others().get(code, {}).get("words", "").split(", ")}

    def forms(name: str, more: Mapping[str, str] = _NO_SIGNS) -> Iterator[tuple[str, str]]:
        least = 1 if name in ("numbers", "joins") else 2
        for table in tables:
            for key, listed in table.get(name, {}).items():
                yield from ((form.rstrip("."), key) for form in listed.split(", ") if len(form) >= least)
        yield from ((form, key) for key, listed in more.items() for form in listed.split(", "))

    months = {form: ("m", float(key)) for form, key in forms("months")}
    measures = {key: (key.split()[0], float(key.split()[1])) for _, key in forms("units", _SIGNS)}
    named = months | {form: ("d", float(key)) for form, key in forms("weekdays")}
    return ValueWords(
        {form: float(key) for form, key in forms("numbers") if form not in frequent},
        {form: float(key) for form, key in forms("scales")},
        named,
        {form: measures[key] for form, key in forms("units", _SIGNS)},
        frozenset(form for form, _ in forms("joins")),
        _by_beginning(form for form in named if len(form) >= _LONG),
    )


def absent_values(
    claims: Sequence[str], passages: Sequence[str], granted: Sequence[Sequence[str]] | None = None
) -> list[list[str]]:
    """Return the values of each of k claims that its passage and granted texts lack; none where no language is told.

    The language is that of the passage, or of the claim where nothing tells that of the passage.

    >>> absent_values(["Muzeum otwarto w maju 1995 roku."], ["Otwarte w maju 1994 roku, bilet to 20 zł."])
    [['1995 roku']]
    """
    texts = list(dict.fromkeys([*passages, *claims]))
    told = {
        text: tuple(filter(_is_listed, names)) for text, names in zip(texts, likely_languages_of(texts), strict=True)
    }
    found = []
    for place, (claim, passage) in enumerate(zip(claims, passages, strict=True)):
        codes = told[passage] or told[claim]
        own = read_values(claim, codes).values if codes else []
        known = [passage, *(granted[place] if granted else ())] if own else []
        others = [read_values(text, codes) for text in known]
        found.append([value.text for value in own if not any(_has(other, value, words_of(codes)) for other in others)])
    return found


@cache
def _is_listed(code: str) -> bool:
    return languages.has(f"values/{code}.toml")


def _has(text: TextValues, value: Value, words: ValueWords) -> bool:
    """Return whether a text has a value; a number with a measure stands for that with none, but not with another."""
    if value.keys & text.plain or value.scaled & text.scaled:
        return True
    if value.keys & text.measured:
        return not value.scaled
    if value.word and value.word in text.words.get(value.word[:_BEGIN], ()):
        return True
    forms = (form for key in value.keys for form in words.forms.get(key, ()))
    return any(_alike(form, word) for form in forms for word in text.words.get(form[:_BEGIN], ()))


def _alike(one: str, other: str) -> bool:
    """Return whether two words may be forms of one: they begin alike."""
    common = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), _ENDLESS)
    return min(common, len(one), len(other)) >= _ALIKE * max(len(one), len(other))


@cache
def _tokens() -> Callable[[str], Iterator[Any]]:
    import regex

    numbers = r"\d{1,4}-\d{1,2}-\d{1,4}(?!\d)|\d{1,3}(?:[ ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’٫٬:/]\d+)*"
    pattern = rf"{numbers}|[\p{{L}}\p{{M}}]+|°\p{{L}}?|[%٪$€£₹₽]"
    found: Callable[[str], Iterator[Any]] = regex.compile(pattern).finditer
    return found


@lru_cache(maxsize=1 << 12)
def read_values(text: str, codes: tuple[str, ...]) -> TextValues:
    """Return the values of a text in one of some languages; "one" is none, as it is an article mostly."""
    small = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS)).lower()
    small = small.replace("\u0307", "").translate(CEDILLAS)
    reading = _Reading([_Token(one[0], *one.span()) for one in _tokens()(small)], small, words_of(codes))
    values, parts = reading.all()
    measured = [value for value in values if value.scaled]
    return TextValues(
        [value for value in values if not value.word or value.keys != {("n", 1.0)}],
        frozenset(parts.union(*(value.keys for value in values if not value.scaled))),
        frozenset().union(*(value.keys for value in measured)),
        frozenset().union(*(value.scaled for value in measured)),
        _by_beginning(token.text for token in reading.tokens),
    )


@dataclass(frozen=True, eq=False)
class _Reading:
    """Reads values of the tokens of a text."""

    tokens: list[_Token]
    small: str
    words: ValueWords

    def all(self) -> tuple[list[Value], set[Key]]:
        """Return all values, and what parts of them may be."""
        values: list[Value] = []
        parts: set[Key] = set()
        place = 0
        while place < len(self.tokens):
            text = self.tokens[place].text
            if text[0].isdigit():
                *earlier, keys = digits(text)
                values += [Value(frozenset(one), _NONE, text) for one in earlier]
                if " " in text:
                    parts |= {("n", float(part)) for part in text.split() if part.isdecimal()}
                place = self._measured(place, place + 1, keys, "", values, parts)
            elif (spelled := self._spelled(place)) is not None:
                number, own, after = spelled
                parts |= own
                word = text if after == place + 1 else " "
                place = self._measured(place, after, {("n", number)}, word, values, parts)
            else:
                key = self._named(place)
                values += [] if key is None else [Value(frozenset([key]), _NONE, text, text)]
                place += 1
        return values, parts

    def _beside(self, place: int) -> bool:
        """Return whether a token stands right behind the one before it, or a space between."""
        return 0 < place < len(self.tokens) and self.tokens[place].start - self.tokens[place - 1].end <= 1

    def _measured(self, place: int, after: int, keys: set[Key], word: str, values: list[Value], parts: set[Key]) -> int:
        """Add a number with what scales and measures it, and return the place behind it."""
        if self._beside(after) and self.tokens[after].text in self.words.scales:
            parts |= keys
            scale = self.words.scales[self.tokens[after].text]
            keys, after = {("n", number * scale) for kind, number in keys if kind == "n"}, after + 1
        unit, end = self._unit(place, after)
        scaled = {(unit[0], float(f"{one * unit[1]:.6g}")) for kind, one in keys if kind == "n"} if unit else set()
        text = self.small[self.tokens[place].start : self.tokens[end - 1].end]
        values.append(Value(frozenset(keys), frozenset(scaled), text, word))
        return end

    def _unit(self, place: int, after: int) -> tuple[tuple[str, float] | None, int]:
        """Return the measure of a number, behind it or a sign before it, and the place behind both."""
        size = 0
        while size < _MOST_WORDS and self._beside(after + size):
            size += 1
        for end in range(after + size, after, -1):
            unit = self.words.units.get(" ".join(token.text for token in self.tokens[after:end]))
            if unit is not None:
                return unit, end
        before = self.tokens[place - 1].text if self._beside(place) else ""
        return self.words.units.get(before) if before in _BEFORE else None, after

    def _named(self, place: int) -> Key | None:
        """Return the month or weekday that a word is."""
        text = self.tokens[place].text
        key = self.words.named.get(text) or (text[0] in _PREFIXES and self.words.named.get(text[1:])) or None
        if key is not None and key[0] == "m" and len(text) < _LONG:
            beside = self.tokens[max(place - 1, 0) : place + 2]
            return key if any(token.text[0].isdigit() for token in beside) else None
        for form in self.words.stems.get(text[:_BEGIN], ()) if key is None else ():
            if (text.startswith(form) and len(text) <= len(form) + _ENDING) or _alike(form, text):
                return self.words.named[form]
        return key

    def _number(self, place: int) -> tuple[float, int] | None:
        """Return the number that a word or two are, and the place behind them; None: they are none."""
        for end in (place + 2, place + 1):
            if end == place + 1 or self._beside(place + 1):
                number = self.words.numbers.get(" ".join(token.text for token in self.tokens[place:end]))
                if number is not None:
                    return number, end
        return None

    def _spelled(self, place: int) -> tuple[float, set[Key], int] | None:
        """Return the number that words from a place on make, those of its parts, and the place behind it."""
        values: list[float] = []
        after, found = place, self._number(place)
        while found is not None:
            values.append(found[0])
            after = found[1]
            joined = self._beside(after) and self.tokens[after].text in self.words.joins
            found = self._number(after + joined) if self._beside(after + joined) else None
        return (added(values), {("n", one) for one in values if one > 1 and len(values) > 1}, after) if values else None


def added(values: Iterable[float]) -> float:
    """Return the number that number words make.

    >>> added([2.0, 100.0, 30.0, 5.0, 1000.0, 6.0])
    235006.0
    """
    total = current = 0.0
    for value in values:
        if value >= _THOUSAND:
            total, current = total + max(current, 1) * value, 0.0
        elif value == _HUNDRED:
            current = max(current, 1) * value
        else:
            current += value
    return total + current


def digits(text: str) -> list[set[Key]]:
    """Return what each value may be that digits with marks between them are: one, or those of a date or a list.

    >>> [sorted(keys) for keys in digits("1.500")]
    [[('n', 1.5), ('n', 1500.0)]]
    """
    groups = ["".join(str(unicodedata.digit(digit)) for digit in group) for group in _NOT_DIGITS.split(text)]
    marks = _NOT_DIGITS.findall(text.translate(_MARKS))
    numbers = list(map(float, groups))
    if not marks:
        return [{("n", numbers[0])}]
    whole = not set(":/-") & set(marks) and all(len(group) in (2, 3) for group in groups[1:-1])
    keys: set[Key] = set()
    if whole and len(groups[-1]) == 3:
        keys.add(("n", float("".join(groups))))
    if whole and marks[-1] in ".," and marks[-1] not in marks[:-1]:
        keys.add(("n", float(f"{''.join(groups[:-1])}.{groups[-1]}")))
    if len(groups) == 2 and marks[0] in ":." and len(groups[1]) == 2 and numbers[0] <= _HOURS and numbers[1] < _MINUTES:
        keys.add(("t", (numbers[0] * _MINUTES + numbers[1]) % _HALF_A_DAY))
        keys |= {("n", numbers[0]), ("n", numbers[0] % 12)} if numbers[1] == 0 else set()
    if keys:
        return [keys]
    dated = len(numbers) == 3
    return [{("n", one), ("m", one)} if dated and 1 <= one <= _MONTHS else {("n", one)} for one in numbers]
