"""The typed units that a text consists of: words, numbers and dates by value, and cues such as negations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from ragauge.core.hashing import HashArray
from ragauge.core.ragged import Array, BoolArray, IntArray, Ragged, offsets_of, runs
from ragauge.grounding.support import _lexicon as lexicon
from ragauge.grounding.support._characters import COMPLEX, DIGIT, one_of
from ragauge.grounding.support._conventions import by_text
from ragauge.grounding.support._found import value_bits
from ragauge.grounding.support._languages import LISTED, OTHER, LanguageArray, detected, numbered
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._lexicon import LANGUAGES, NUMBER_FILL
from ragauge.grounding.support._names import conjunction_hashes, gram_names, names_of
from ragauge.grounding.support._numbers import stands
from ragauge.grounding.support._tokens import GramRuns, WordRuns, classes_of, distinct, without_articles, word_weights
from ragauge.grounding.support._typed import typed_units
from ragauge.grounding.support.kinds import Kind
from ragauge.languages.scripts import by_script, languages_of_scripts

__all__ = ["Kind", "Units", "read"]

_KOREAN, _THAI, _ARABIC = map(LANGUAGES.index, ("ko", "th", "ar"))
_AND_KOREAN, _GOES_ON_KOREAN = "고며", "있싶"
_AND_THAI, _AND_ARABIC = "และ", ord("و")
_QUOTES = '"“”„«»「」『』'
"""Marks of names and titles too, so that they part no clauses by themselves."""
STEPS = 20
"""Positions count in steps of 1/20 of a word."""
_LACKS = {"uk": "ыэёъ", "be": "ищъ", "bg": "ыэё", "mk": "ыэёъйщюя", "sr": "ыэёъйщюя"}
"""Language -> Cyrillic letters that its alphabet has not, as Russian has."""
_SPELLED = 60
"""Characters from which a text has letters of its own alphabet that Russian lacks, where there are any."""
CENT = 100
"""Weights count in hundredths."""


@dataclass(frozen=True, eq=False)
class Units:
    """The units of n texts, u in all: text by text, in the order of their places.

    Shapes: ``offsets`` (n + 1,); all others (u,) but ``words`` and ``language``.
    """

    offsets: IntArray
    kind: npt.NDArray[np.uint8]
    """A `Kind` each."""
    position: npt.NDArray[np.int32]
    """Position in the stretched text, in steps of 1/20: a word 20, a comma 30, the end of a sentence 100."""
    weight: npt.NDArray[np.int32]
    """In hundredths."""
    start: npt.NDArray[np.int32]
    """The code point of the text at which the unit begins."""
    end: npt.NDArray[np.int32]
    """The code point after its last."""
    name: BoolArray
    """Whether it looks like a name, see `ragauge.grounding.support._names`."""
    text: HashArray
    """A hash of the characters, in lower case."""
    word: npt.NDArray[np.int32]
    """The place of a word in ``words``; -1 of other kinds."""
    keys: Ragged
    """The bits of a float64 each, several where the value is ambiguous (1.240); none of words and characters.

    The value of a number or year, the number of a month, a day or a weekday (Monday is 0); the minutes of a time, also
    behind the value of a number that may be an hour, see `ragauge.grounding.support._times`.
    """
    scaled: Ragged
    """Hashes of a measure and a value in its base: 680 cm and 6.8 m have one; none without a measure."""
    words: list[str]
    """The distinct words, in lower case."""
    language: npt.NDArray[np.uint8]
    """The place in `LANGUAGES` of the language that each text was read in, (n,)."""
    told: npt.NDArray[np.uint8]
    """What each text tells of its own language, see `ragauge.grounding.support._languages`, (n,)."""
    clause: npt.NDArray[np.int32]
    """The number of each unit's clause, rising over all texts; commas, "and" and ends of sentences part clauses."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def within(self, texts: IntArray, first: IntArray, last: IntArray) -> Units:
        """Return the units of k parts of texts: from code point ``first`` of each to before ``last``, (k,) each.

        >>> units = read(["It opened. It has 3 rooms."])
        >>> units.within(np.array([0]), np.array([11]), np.array([26])).start
        array([11, 14, 18, 20], dtype=int32)
        """
        all_units = Ragged(np.arange(len(self.kind)), self.offsets).take(texts)
        kept = all_units.where(
            (self.start[all_units.values] >= first[all_units.rows])
            & (self.end[all_units.values] <= last[all_units.rows])
        )
        own = kept.values
        places, word = np.unique(self.word[own], return_inverse=True)
        words = [self.words[place] for place in places.tolist() if place >= 0]
        return Units(
            offsets=kept.offsets,
            word=(word - (len(places) - len(words))).astype(np.int32),
            keys=self.keys.take(own),
            scaled=self.scaled.take(own),
            words=words,
            language=self.language[texts],
            told=self.told[texts],
            **{
                name: getattr(self, name)[own]
                for name in ("kind", "position", "weight", "start", "end", "name", "text", "clause")
            },
        )

    @classmethod
    def joined(cls, parts: Sequence[Units]) -> Units:
        """Return the units of the texts of all parts, at least one, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        vocabulary = dict(zip(parts[0].words, count(), strict=False))
        words = [parts[0].word]
        for part in parts[1:]:
            own = [vocabulary.setdefault(word, len(vocabulary)) for word in part.words]
            words.append(np.array([*own, -1], dtype=np.int32)[part.word])
        clauses = offsets_of([int(part.clause.max(initial=-1)) + 1 for part in parts])
        return cls(
            offsets=offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
            kind=np.concatenate([part.kind for part in parts]),
            position=np.concatenate([part.position for part in parts]),
            weight=np.concatenate([part.weight for part in parts]),
            start=np.concatenate([part.start for part in parts]),
            end=np.concatenate([part.end for part in parts]),
            name=np.concatenate([part.name for part in parts]),
            text=np.concatenate([part.text for part in parts]),
            word=np.concatenate(words),
            keys=_lists([part.keys for part in parts]),
            scaled=_lists([part.scaled for part in parts]),
            words=list(vocabulary),
            language=np.concatenate([part.language for part in parts]),
            told=np.concatenate([part.told for part in parts]),
            clause=np.concatenate([part.clause + np.int32(a) for part, a in zip(parts, clauses[:-1], strict=True)]),
        )


_BLOCK = 1 << 20
"""Code points that are read at once: temporaries of some hundred megabytes."""

_WEIGHTS = np.zeros(len(Kind), dtype=np.int32)
for _kinds, _weight in (
    ((Kind.NUMBER, Kind.YEAR, Kind.TIME), 200), ((Kind.MONTH, Kind.DAY), 150), ((Kind.WEEKDAY,), 100),
    ((Kind.ORDINAL,), 30), ((Kind.NEGATION,), 0),
):  # fmt: skip
    _WEIGHTS[list(_kinds)] = _weight


def read(texts: Sequence[str], languages: Sequence[str] | None = None) -> Units:
    """Return the units of n texts.

    ``languages``: the language of each text, one of en, de, es, fr, ru, ar, hi, zh, ja, ko, th; by default it is told
    by the script and by function words. Of other languages words, digits and dates in digits are read. The units of a
    text do not depend on the other texts.

    >>> units = read(["It was not 8,849 m high."])
    >>> [Kind(kind).name for kind in units.kind]
    ['WORD', 'WORD', 'NEGATION', 'NUMBER', 'WORD']
    >>> units.keys[3].view(np.float64)
    array([8849.])
    """
    chosen = None if languages is None else numbered(languages)
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    blocks = list(runs(ends, _BLOCK)) if len(texts) else [(0, 0)]
    return Units.joined([_read(texts[a:b], None if chosen is None else chosen[a:b]) for a, b in blocks])


def languages_of(texts: Sequence[str]) -> list[str]:
    """Return the language of each of n texts by its script and its function words; empty where nothing tells it.

    It is one of those of `read`, or ``other`` for one that is recognised beside them.

    >>> texts = ["It opens at nine.", "Es öffnet um neun Uhr.", "De bibliotheek is elke dag open tot zes uur."]
    >>> languages_of([*texts, "Paris", "九点开门。"])
    ['en', 'de', 'other', '', 'zh']
    """
    first = [next(iter(names), "") for names in likely_languages_of(texts)]
    return [one if one in ("", *LANGUAGES) else "other" for one in first]


def likely_languages_of(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the languages that each of n texts may be in: those that most speaks for, those of `read` first.

    Empty where nothing tells them; ``other`` for one that has no words here and no script of its own.

    >>> likely_languages_of(["De bibliotheek is elke dag open tot zes uur.", "Η βιβλιοθήκη", "Hun er ikke her."])
    [('nl',), ('el',), ('da', 'no')]
    """
    if not texts:
        return []
    letters = Letters.of(texts)
    found = detected(letters, WordRuns.of(letters, classes_of(letters)))
    others, scripts = tuple(lexicon.others()), by_script(texts)
    names: list[tuple[str, ...]] = [()] * len(texts)
    for row in np.flatnonzero((found.told == LISTED) | (found.told == OTHER)).tolist():
        bits = int(found.others[row])
        likely = [LANGUAGES[found.language[row]]] if found.told[row] == LISTED else []
        likely += [name for place, name in enumerate(others) if bits >> place & 1 and may_be(name, texts[row])]
        names[row] = tuple(likely) or (scripts[row],)
    return names


def may_be(other: str, text: str) -> bool:
    """Return whether the letters of a text leave it open that it is in another language; those of Cyrillic differ."""
    small = set(text.lower())
    letters = lexicon.others()[other].get("letters", "")
    is_spelled = letters < "\u0400" or len(text) < _SPELLED or not small.isdisjoint(letters)
    return is_spelled and small.isdisjoint(_LACKS.get(other, ""))


def recognised_languages() -> tuple[str, ...]:
    """Return the codes of all languages that `likely_languages_of` names."""
    return (*LANGUAGES, *lexicon.others(), *languages_of_scripts())


def _read(texts: Sequence[str], chosen: LanguageArray | None) -> Units:
    letters = Letters.of(texts)
    classes = classes_of(letters)
    words = WordRuns.of(letters, classes)
    # Nouns of German stay no names where a claim is read in the language of an English passage.
    spoken, told, _ = detected(letters, words)
    certain = told == LISTED
    language = spoken if chosen is None else chosen
    # And 1,500 stays what it is in its own language.
    counting = np.where(certain | (chosen is None), spoken, language)
    typed, points = typed_units(letters, language, by_text(counting, certain | (chosen is not None)))
    classes[points <= NUMBER_FILL] = 0
    words, grams = words.within(letters, classes), GramRuns.of(letters, classes)
    names = names_of(words, letters, spoken)
    conjunctions = words.start[np.isin(words.hashes, conjunction_hashes())]
    words = without_articles(words, letters)
    number, vocabulary = distinct(words, letters)
    start = np.concatenate([typed.start, words.start, grams.start])
    end = np.concatenate([typed.end, words.end, grams.end])
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    rows = letters.rows[start]
    before, behind = np.zeros(len(typed.start), dtype=np.uint8), np.zeros(len(grams.start), dtype=np.uint8)
    plain = np.repeat([int(Kind.WORD), int(Kind.GRAM)], [len(words.start), len(behind)])
    weights = np.concatenate([_WEIGHTS[typed.kind], word_weights(words, letters, names, language), grams.weights])
    keys = Ragged(value_bits(typed.values.values), typed.values.offsets)
    return Units(
        offsets=np.searchsorted(rows, np.arange(len(texts) + 1)),
        kind=np.concatenate([typed.kind, plain]).astype(np.uint8)[order],
        position=_within_texts(letters, start, rows),
        weight=weights.astype(np.int32)[order],
        start=(letters.sources[start] - letters.origins[rows]).astype(np.int32),
        end=(letters.sources[end - 1] + 1 - letters.origins[rows]).astype(np.int32),
        name=np.concatenate([before > 0, names, gram_names(grams, letters, language)])[order],
        text=np.concatenate([letters.hashes(typed.start, typed.end), words.hashes, grams.hashes])[order],
        word=np.concatenate([before.astype(np.int32) - 1, number, behind.astype(np.int32) - 1])[order],
        keys=_spread(keys, order),
        scaled=_spread(typed.scaled, order),
        words=vocabulary,
        language=language,
        told=told,
        clause=_clauses(letters, points, np.concatenate([_parting(letters, language), conjunctions]), start),
    )


def _clauses(letters: Letters, points: Array, parting: IntArray, start: IntArray) -> npt.NDArray[np.int32]:
    """Return the clause of each place; ``points``: with typed units overwritten, whose commas part nothing.

    ``parting``: places that part clauses beside marks.
    """
    breaks = letters.breaks
    read_or_quote = (points[breaks] <= NUMBER_FILL) | one_of(points[breaks], _QUOTES)
    breaks = np.sort(np.concatenate([breaks[~read_or_quote], parting]))
    return np.searchsorted(breaks, start).astype(np.int32)


def _parting(letters: Letters, language: LanguageArray) -> IntArray:
    """Return the spaces that part clauses: of Korean behind endings for "and", of Thai between its letters.

    Also those before an "and" that is one with the word behind it: Thai และ, and Arabic و where digits end. Not those
    of "is doing" (하고 있다).
    """
    points, is_in = letters.points, [language == number for number in (_KOREAN, _THAI, _ARABIC)]
    if not np.logical_or.reduce(is_in).any():
        return np.zeros(0, dtype=np.int64)
    space = np.flatnonzero(points[:-1] == ord(" "))
    korean, thai, arabic = (own[letters.rows[space]] for own in is_in)
    korean &= one_of(points[space - 1], _AND_KOREAN) & ~one_of(points[space + 1], _GOES_ON_KOREAN)
    thai &= stands(points, space + 1, _AND_THAI) | letters.at(space - 1, COMPLEX) & letters.at(space + 1, COMPLEX)
    arabic &= (points[space + 1] == _AND_ARABIC) & letters.at(space - 1, DIGIT)
    return np.asarray(space[korean | thai | arabic])


def _within_texts(letters: Letters, start: IntArray, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the stretched position of each place in its text, at most what an int32 holds."""
    before = np.append(0, letters.positions)[letters.offsets]
    return np.asarray(np.minimum(letters.positions[start] - before[rows], np.iinfo(np.int32).max), dtype=np.int32)


def _spread(lists: Ragged, order: IntArray) -> Ragged:
    """Return the lists, which stand first before ``order`` and keep theirs, with empty ones between them."""
    lengths = np.zeros(len(order), dtype=np.int64)
    lengths[: len(lists)] = lists.lengths
    return Ragged.from_lengths(lists.values, lengths[order])


def _lists(parts: Sequence[Ragged]) -> Ragged:
    lengths = np.concatenate([part.lengths for part in parts])
    return Ragged.from_lengths(np.concatenate([part.values for part in parts]), lengths)
