"""The type of answer that a question asks for: the number of some things, a length, an age, a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import regex

from ragauge import languages
from ragauge.core.ragged import Array, BoolArray
from ragauge.grounding.relevance.question import is_chinese, wording
from ragauge.languages.folding import normalize
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
