"""Texts that decline to answer, recognised by their words.

A word becomes the letter of its class in ``languages/evasions.toml``: "The passages do not say when." reads ``ESENVW``.
What these letters say together is added up: short runs of them have weights in ``languages/declining.toml``, the same
in all languages, fitted by ``benchmarks/fit_refusals.py`` on sentences that decline and on claims, of which most say
"not" without declining anything. A name of the passages beside a negated verb of telling speaks for it, words of no
class speak against it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from math import fsum
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import BoolArray
from ragauge.languages.folding import normalize
from ragauge.languages.simplified import simplified

# Lists of expressions by class and language; yes and no have one list for all.
Words: TypeAlias = dict[str, dict[str, str]]

# Characters of a text; longer ones say more than that something is not said.
_LONGEST = 600
# The letter of each class, in the order in which they are tried at a place.
_LETTERS = {
    "refusals": "X",
    "lacking": "L",
    "kinds": "K",
    "sources": "S",
    "apologies": "A",
    "contrasts": "B",
    "without": "n",
    "negations": "N",
    "stated": "M",
    "facts": "F",
    "telling": "V",
    "speaker": "I",
    "being": "b",
    "that": "C",
    "concerning": "P",
    "asking": "W",
    "empty": "E",
    "end": ".",
    "other": "x",
}
# Each text that declines has a word of one of these.
_DENYING = ("refusals", "lacking", "negations", "without", "apologies", "alone")
# Here a step is a character, because marks or blanks do not separate words, or not from their endings.
_UNSPACED = ("zh", "ja", "ko", "th")
# A letter, with the vowel signs of Hindi, which are none for `re`.
_LETTER = "[\\w\u0900-\u097f]"
# Spellings that count as one: alef of Arabic, yo of Russian, nasal signs of Hindi, i of Turkish; what is left out are
# vowel signs and strokes of Arabic, nukta of Hindi, and the dot that a Turkish capital leaves.
_SPELLINGS = {
    **str.maketrans("ёأإآٱँı’", "еااااंi'"),
    **dict.fromkeys([0x307, 0x640, 0x93C, *range(0x64B, 0x653)]),
}
# RE2 takes linear time and compiles a pattern at each call, as long as `re` takes to match so many texts. It compiles
# in a fifth of the time of `re`, which is used for few texts from this call on.
_FEW = 64
_OFTEN = 8
_COMMA = lazy_pattern(r",\s+")
# Marks beside words: ASCII without letters, and quotes, dashes and stops of other scripts.
_MARK = "[\\x00-`{-\\x7f«»“”„‘—–¿¡।،؟؛…]"
_HAN = lazy_pattern("[\u3400-\u9fff]")
# Characters that an expression looks at around itself, and any that it takes before the word that tells.
_AROUND = lazy_pattern(r"\(\?<?[=!][^()]*\)")
_BEFORE = lazy_pattern(r"^\[[^\]]*\]\{1,\d+\} ?")


# Words in quotes, or between dashes at the beginning of a line, are not those of who answers.
_QUOTED = lazy_pattern(
    r"(?<!\w)'(?=\w).{1,200}?(?<=\w)'(?!\w)"
    '|"[^"]{1,200}"|“[^”]{1,200}”|„[^“”]{1,200}[“”]|«[^»]{1,200}»|»[^«]{1,200}«|「[^」]{1,200}」|『[^』]{1,200}』|^—[^—]{1,200}—'
)
_ENDS = ".。!?！？।"
_MARKS = "\"'«»“”„.。!?！？।…,，、 "
# Before a contrast up to two words of no class are a courtesy: "I have looked, but ...".
_CLAIMED = lazy_pattern("[^SI]*(?:x[^SI]*){3}")
# Letters of a text that are looked at, and the longest run of them that has a weight.
_MOST_LETTERS, _LONGEST_RUN = 80, 4
_PLAIN = lazy_pattern("[xE.]")


def unsaid(texts: Sequence[str]) -> BoolArray:
    """Return which sentences only say that the passages, or the speaker, do not say something: a mask (n,).

    These are no claims about the world. One of over 600 characters says more than that. Recognised in English, Chinese,
    Japanese, Korean, German, Spanish, French, Portuguese, Italian, Dutch, Russian, Arabic, Hindi, Thai, Turkish,
    Vietnamese, Indonesian and Polish.

    >>> sentences = [
    ...     "The passages do not say when.",
    ...     "文中没有提到年份。",
    ...     "It was not built in 1990.",
    ...     "文書には記載がありません。",
    ... ]
    >>> unsaid(sentences).tolist()
    [True, True, False, True]
    """
    array = to_arrow(list(texts), pa.large_string()).dictionary_encode()
    distinct = [plain(text) if len(text) <= _LONGEST else "" for text in array.dictionary.to_pylist()]
    found, written = np.zeros(len(distinct), dtype=bool), set().union(*distinct)
    for language in _lists():
        if not written.isdisjoint(_letters_of(language)):
            for place in _candidates(language, distinct):
                found[place] |= _declines(letters(language, distinct[place]))
    return np.asarray(found[to_numpy(array.indices)])


def _candidates(language: str, texts: list[str]) -> list[int]:
    """Return the places of the plain texts with a word that each text that declines in a language has."""
    if len(texts) <= _FEW and next(_calls(language)) >= _OFTEN:
        search = denying(language).search
        found = [place for place, text in enumerate(texts) if search(text)]
    else:
        some = pc.match_substring_regex(to_arrow(texts, pa.large_string()), _denying(language))
        found = np.flatnonzero(to_numpy(some)).tolist()
    return [place for place in found if not _letters_of(language).isdisjoint(texts[place])]


def plain(text: str) -> str:
    """Return a text in lower case, in one form of Unicode, script and spelling, with straight apostrophes."""
    text = text.lower()
    if text.isascii():
        return text
    text = normalize("NFKC", text).translate(_SPELLINGS)
    return simplified(text) if _HAN.search(text) else text


@cache
def words() -> Words:
    """Return the lists of ``evasions.toml`` in the spelling of `plain`."""
    return tomllib.loads(plain(languages.content("evasions.toml").decode("utf-8")))


def letters(language: str, text: str) -> str | None:
    """Return the letters of the words of a plain text in a language; None for a refusal in one expression.

    Empty where the text goes on to claim something behind a contrast, or did so before it.

    >>> letters("en", "the passages do not say when."), letters("en", "not stated")
    ('ESENVW', None)
    >>> letters("en", '"i do not know," he said')
    'xV'
    """
    whole = text.strip().strip(_MARKS)
    bare = whole if _QUOTED.fullmatch(text.strip().rstrip(_ENDS)) else _QUOTED.sub(" ", text).strip().strip(_MARKS)
    if _foreign(language).search(bare):
        return ""
    if _alone(language).fullmatch(whole):
        return None
    found = "".join([_LETTERS[str(match.lastgroup)] for match in _classes(language).finditer(bare)])
    before, _, behind = found.rpartition("B")
    claimed = behind.strip("E.") != "" and set(behind).isdisjoint("NLXn")
    return "" if len(behind) < len(found) and (claimed or _CLAIMED.fullmatch(before)) else found


def features(found: str) -> set[str]:
    """Return what of the first 80 letters of a text has a weight.

    These are the runs of up to four of them, where ^ is the beginning and $ the end; and each pair of letters of which
    one is somewhere before the other, with ~ between, but for words of no class and empty ones.

    >>> sorted(features("NxV"))
    ['$', 'N', 'Nx', 'NxV', 'NxV$', 'N~V', 'V', 'V$', '^', '^N', '^Nx', '^NxV', 'x', 'xV', 'xV$']
    """
    marked = f"^{found[:_MOST_LETTERS]}$"
    runs = {marked[start : start + n] for n in range(1, _LONGEST_RUN + 1) for start in range(len(marked) - n + 1)}
    some = _PLAIN.sub("", found[:_MOST_LETTERS])
    return runs | {f"{one}~{other}" for place, one in enumerate(some) for other in set(some[place + 1 :])}


def _declines(found: str | None) -> bool:
    """Return whether letters decline; an expression that is a refusal alone does, and "no" alone does not."""
    if not found or set(found) <= set("NnBbECx."):
        return found is None
    weights = _weights()
    return fsum([weights[""], *[weights.get(one, 0.0) for one in features(found)]]) > 0


@cache
def _weights() -> dict[str, float]:
    """Return the weight of each feature; that of the empty one is the intercept."""
    return {name: float(weight) for name, weight in languages.table("declining")["weights"].items()}


@cache
def _lists() -> Words:
    """Return the lists of each language."""
    return {language: lists for language, lists in words().items() if "sources" in lists}


@cache
def _classes(language: str) -> re.Pattern[str]:
    """Return the pattern of a word of any class; the longest of a class counts, and the first class of `_LETTERS`."""
    lists, spaced = _lists()[language], language not in _UNSPACED
    end = f"(?!{_LETTER})" if spaced else ""
    classes = [f"(?P<{name}>(?:{_any(lists[name])}){end})" for name in _LETTERS if name in lists]
    other = f"{_LETTER}+(?:'{_LETTER}+)?" if spaced else "[^\\W_]"
    start = f"(?<!{_LETTER})" if spaced else ""
    return re.compile(f"{start}(?:{'|'.join(classes)})|(?P<end>[.,:!?;、。।،؟؛…])|(?P<other>{other})")


@cache
def _alone(language: str) -> re.Pattern[str]:
    return re.compile(_any(_lists()[language]["alone"]))


@cache
def _foreign(language: str) -> re.Pattern[str]:
    """Return the pattern of a word that no text of a language has."""
    listed = _lists()[language].get("foreign")
    return re.compile(rf"\b(?:{_any(listed)})\b" if listed else "(?!)")


def _any(listed: str) -> str:
    """Return the pattern of any expression of a list; * stands for the rest of a word."""
    longest_first = sorted(_COMMA.split(listed), key=len, reverse=True)
    return "|".join(longest_first).replace("*", f"{_LETTER}*").replace(" ", r"\s+")


@cache
def _denying(language: str) -> str:
    """Return a pattern of RE2 that each text that declines in a language matches.

    RE2 cannot look around, and is slow where any characters stand before what tells: both are left out.
    """
    listed = ", ".join(_lists()[language][name] for name in _DENYING)
    apart = [_BEFORE.sub("", _AROUND.sub("", one)) for one in _COMMA.split(listed)]
    bare = "|".join(apart).replace("*", r"\S*").replace(" ", r"\s+")
    return bare if language in _UNSPACED else f"(?:^|{_MARK})(?:{bare})(?:$|{_MARK})"


@cache
def denying(language: str) -> re.Pattern[str]:
    """Return the pattern of a word that each plain text that declines in a language has."""
    return re.compile(_denying(language))


@cache
def _calls(_language: str) -> Iterator[int]:
    """Return what counts the calls with few texts whose letters a language has."""
    return count()


@cache
def _letters_of(language: str) -> frozenset[str]:
    """Return the letters of the expressions of `_denying`, of which each text that declines has at least one.

    Latin ones do not count where no blanks bound a word: "ai", which is in an expression of Korean, is in "said".
    """
    own = filter(str.isalpha, "".join(_lists()[language][name] for name in _DENYING))
    return frozenset(letter for letter in own if language not in _UNSPACED or not letter.isascii())
