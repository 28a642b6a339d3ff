"""The words of a question that say what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import regex

from ragauge import languages
from ragauge.core.ragged import Array, BoolArray
from ragauge.embedders.ngrams import Idf, features
from ragauge.languages.folding import folded, normalize
from ragauge.languages.simplified import simplified

# Characters between a number and the noun that it counts: "21 very long episodes", "episodes: 21".
_BEFORE, _AFTER = 25, 15
# A noun is looked for by its first characters, 70 % and four at least, so that its forms are found.
_STEM, _SHORTEST = 0.7, 4
_ENDS = regex.compile("[.;:]")


@dataclass(frozen=True)
class AnswerType:
    """What a sentence that answers a question has.

    Args:
        name: in words, as evidence says it: "a number of episodes".
        stems: first characters of the things whose number is asked for; empty: there are none.
        has: a pattern that the sentence matches, where no things are counted.
    """

    name: str
    stems: tuple[str, ...] = ()
    has: Any = None

    def absent(self, sentences: Array) -> BoolArray:
        """Return a mask of the sentences (s,) of str that have nothing of this type, (s,)."""
        texts = [_plain(sentence) for sentence in sentences]
        if self.stems:
            return np.array([not any(_is_counted(stem, text) for stem in self.stems) for text in texts], dtype=bool)
        return np.array([self.has.search(text) is None for text in texts], dtype=bool)


def answer_type(question: str) -> AnswerType | None:
    """Return the type of answer that ``question`` asks for; None where it asks for none of those that are known.

    >>> asked = answer_type("How many episodes does the series have?")
    >>> asked.name, asked.absent(np.array(["It has 24 episodes.", "Its episodes are long.", "Since 1998."]))
    ('a number of episodes', array([False,  True,  True]))
    >>> answer_type("Who wrote the series?") is None
    True
    """
    text = _plain(simplified(question) if is_chinese(question) else question)
    types = _types()
    if count := types.count.search(text):
        nouns = [word for word in regex.findall(r"\p{L}+", count.group(1)) if word not in wording().stops][:2]
        if nouns:
            return AnswerType(f"a number of {nouns[0]}", tuple(map(_stem, nouns)))
    return next((known for asks, known in types.measures if asks.search(text)), None)


def _plain(text: str) -> str:
    return normalize("NFKC", text).casefold()


def _stem(word: str) -> str:
    return word[: max(_SHORTEST, int(len(word) * _STEM))]


def _is_counted(stem: str, text: str) -> bool:
    """Return whether a number stands before or after a word that begins with ``stem``, in the same clause."""
    place = text.find(stem)
    while place >= 0:
        if not text[place - 1 : place].isalnum() and _is_near(text, place):
            return True
        place = text.find(stem, place + 1)
    return False


def _is_near(text: str, place: int) -> bool:
    """Return whether a number stands near the word at ``place``."""
    number = _types().number
    # Numerals that begin before the last 25 characters may end within them.
    before = _ENDS.split(text[max(place - 2 * _BEFORE, 0) : place])[-1]
    if any(len(before) - match.end() <= _BEFORE for match in number.finditer(before)):
        return True
    end = place
    while end < len(text) and text[end].isalpha():
        end += 1
    after = _ENDS.split(text[end : end + 2 * _AFTER], maxsplit=1)[0]
    match = number.search(after)
    return match is not None and match.start() <= _AFTER


@dataclass(frozen=True)
class _Types:
    count: Any
    number: Any
    measures: Sequence[tuple[Any, AnswerType]]


@cache
def _types() -> _Types:
    table = languages.table("answer_types")
    numerals = "|".join(table["count"]["numeral"].split())
    measures = [
        (regex.compile(one["asks"]), AnswerType(one["name"], has=regex.compile(one["has"]))) for one in table["measure"]
    ]
    return _Types(regex.compile(table["count"]["asks"]), regex.compile(rf"\p{{Nd}}|\b(?:{numerals})\b"), measures)


Pattern: TypeAlias = Any

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
"""Scripts that are written without spaces, and the marks for a long vowel, which belong to no script."""
_WORD = (
    r"[\p{Katakana}\u30fc\uff70]+|\p{Han}+|\p{Hiragana}+|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]+|"
    r"\p{Nd}++(?:[.,]\p{Nd}++)*+(?!\p{Latin})|[[\p{L}\p{M}\p{N}]--[" + UNSPACED + r"]]+"
)
_OPENING = tuple('「『《〈"“')
# A run of Han is divided between two neighbours if the idf of one and of the other exceed that of both together by less
# than this, in sixteenths.
_LEAST_SHARED = 16
# Characters, with their marks, of a part of a run of Thai: with 3 to 7, 90 to 94 % of questions of XQuAD find their
# paragraph; with whole runs 88 %.
_PART = 4


@dataclass(frozen=True)
class Wording:
    """Patterns of what a question has for being one."""

    word: Pattern
    stops: frozenset[str]
    phrases: Mapping[str, Pattern]
    begins: Pattern
    particles: Pattern
    kana: Pattern
    han: Pattern
    hangul: Pattern
    thai: Pattern
    long_han: Pattern
    complex_run: Pattern
    hiragana: Pattern


@cache
def wording() -> Wording:
    """Read the words and phrases of questions that are part of the package."""
    table = languages.table("questions")
    return Wording(
        word=regex.compile(_WORD, regex.V1),
        stops=frozenset(word for words in table["words"].values() for word in words.split()),
        phrases={language: regex.compile(phrases) for language, phrases in table["phrases"].items()},
        begins=regex.compile(table["korean"]["begins"]),
        particles=regex.compile(rf"(?<=\p{{Hangul}}{{2}})(?:{table['korean']['particles']})$"),
        kana=regex.compile(r"[\p{Hiragana}\p{Katakana}]"),
        han=regex.compile(r"\p{Han}"),
        hangul=regex.compile(r"\p{Hangul}"),
        thai=regex.compile(r"\p{Thai}"),
        complex_run=regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]{8,}"),
        long_han=regex.compile(r"\p{Han}{3,}"),
        hiragana=regex.compile(r"\p{Hiragana}+"),
    )


def is_chinese(text: str) -> bool:
    """Return whether ``text`` has Han, and neither kana nor Hangul: traditional and simplified are one script there.

    >>> [is_chinese(text) for text in ("中国", "中国です", "中国은", "China")]
    [True, False, False, False]
    """
    known = wording()
    return bool(known.han.search(text)) and not known.kana.search(text) and not known.hangul.search(text)


def question_words(questions: Sequence[str], idf: Idf) -> list[list[str]]:
    """Return the words of each of n questions that say what it is about, in lower case, Chinese simplified.

    Left out are interrogatives, articles, prepositions and the like of Arabic, Chinese, English, French, German, Hindi,
    Japanese, Korean, Russian, Spanish and Thai, unless nothing else is left. Runs of Han are divided where two
    neighbours say little of each other by ``idf``; a single character joins its neighbour.

    >>> from ragauge.embedders.ngrams import shipped
    >>> question_words(
    ...     ["Who wrote the book Faust?", "《红楼梦》的作者是谁？", "エジソンは何年に生まれましたか？"], shipped()
    ... )
    [['wrote', 'book', 'faust'], ['红楼梦', '作者'], ['エジソン', '生']]
    """
    known = wording()
    texts = [normalize("NFKC", question) for question in questions]
    texts = [simplified(text) if is_chinese(text) else text for text in texts]
    words = [_content_words(text, known) for text in texts]
    runs = list(dict.fromkeys(word for some in words for word in some if known.long_han.fullmatch(word)))
    divided = dict(zip(runs, _divided(runs, idf), strict=True))
    kept = [[part for word in some for part in divided.get(word, [word])] for some in words]
    return [some or _all_words(text, known) for some, text in zip(kept, texts, strict=True)]


def _all_words(text: str, known: Wording) -> list[str]:
    return [word.casefold() for word in known.word.findall(text)]


def _content_words(text: str, known: Wording) -> list[str]:
    """Return the words of content of a question, in lower case; runs of Han whole."""
    for pattern in _phrases_for(text, known):
        text = pattern.sub(" ", text)
    hangul = bool(known.hangul.search(text))
    words: list[str] = []
    for match in known.word.finditer(text):
        word = match.group().casefold()
        if known.hiragana.fullmatch(word):
            # Hiragana is mostly grammar, but not where it is quoted.
            if len(word) < 3 or not text[: match.start()].rstrip().endswith(_OPENING):
                continue
        elif hangul:
            word = "" if known.begins.match(word) else known.particles.sub("", word)
        if word and word not in known.stops:
            words += _parts(word) if known.complex_run.fullmatch(word) else [word]
    return words


def _parts(run: str) -> list[str]:
    """Return equal parts of a run of Thai and its kin, of about four characters with their marks; words are not known.

    >>> _parts("ประเทศไทยมีกี่จังหวัด")
    ['ประเ', 'ทศไท', 'ยมีกี่จั', 'งหวัด']
    """
    characters = regex.findall(r"\X", run)
    count = max(round(len(characters) / _PART), 1)
    edges = [round(len(characters) * place / count) for place in range(count + 1)]
    return ["".join(characters[first:last]) for first, last in pairwise(edges)]


def _phrases_for(text: str, known: Wording) -> list[Pattern]:
    """Return the patterns of question phrases for the scripts of ``text``."""
    if known.kana.search(text):
        return [known.phrases["ja"]]
    if known.han.search(text):
        return [known.phrases["zh"]]
    return [known.phrases["th"]] if known.thai.search(text) else []


def _divided(runs: Sequence[str], idf: Idf) -> list[list[str]]:
    """Return the parts of each run of Han, of three characters or more."""
    pairs = list(dict.fromkeys(one + other for run in runs for one, other in pairwise(run)))
    places = dict(zip(pairs, _says_little(pairs, idf), strict=True)) if pairs else {}
    return [_joined(run, [places[one + other] for one, other in pairwise(run)]) for run in runs]


def _says_little(pairs: Sequence[str], idf: Idf) -> list[bool]:
    """Return for each pair of characters whether one says little of the other."""
    characters = list(dict.fromkeys("".join(pairs)))
    single = dict(zip(characters, _levels(characters, idf), strict=True))
    # The n-grams of a pair are its characters and the pair itself.
    together = _levels(pairs, idf)
    alone = [sum(single[one] for one in set(pair)) for pair in pairs]
    both = [single[pair[0]] + single[pair[1]] for pair in pairs]
    return [whole - (level - part) < _LEAST_SHARED for level, part, whole in zip(together, alone, both, strict=True)]


def _levels(texts: Sequence[str], idf: Idf) -> list[int]:
    """Return the sum of the levels of idf, in sixteenths, of the n-grams of each text."""
    grams = features(folded(texts))
    sums = np.concatenate([[0], np.cumsum(idf.of(grams.keys).astype(np.int64))])
    return list((sums[grams.offsets[1:]] - sums[grams.offsets[:-1]]).tolist())


def _joined(run: str, ends: Sequence[bool]) -> list[str]:
    """Return the parts of ``run``, of two characters or more; ``ends`` says where a part ends.

    >>> _joined("中国首都人", [False, True, True, True])
    ['中国', '首都人']
    """
    parts = [run[0]]
    for character, ended in zip(run[1:], ends, strict=True):
        if ended:
            parts.append(character)
        else:
            parts[-1] += character
    joined: list[str] = []
    for part in parts:
        if len(part) == 1 and joined and len(joined[-1]) < 2:
            joined[-1] += part
        else:
            joined.append(part)
    if len(joined) > 1 and len(joined[-1]) == 1:
        joined[-2:] = [joined[-2] + joined[-1]]
    return joined
