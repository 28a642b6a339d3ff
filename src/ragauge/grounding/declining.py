"""Texts that decline to answer, recognised by their words.

A word becomes the letter of its class in ``languages/evasions.toml``: "The passages do not say when." reads ``ESENVW``.
A text declines where its letters follow a pattern, such as a name of the passages beside a negated verb of telling. A
sentence on what a named thing lacks ("The contract does not mention a price.") names neither the passages nor the
speaker, so it claims something.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import BoolArray, IntArray
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
# At most this share of the words may be of no class where neither passages nor speaker are named; chosen on the
# development half of corpora/refusals.
_UNCLASSED = 0.25
# Before a contrast so many are a courtesy: "I have looked, but ...".
_UNCLASSED_BEFORE = 2
# RE2 takes linear time and compiles a pattern at each call, as long as `re` takes to match so many texts. It compiles
# in a fifth of the time of `re`, which is used for few texts from this call on.
_FEW = 64
_OFTEN = 8
# Languages that negate behind the verb, at the end of the clause.
_NEGATED_LATE = ("ja", "ko", "de", "nl", "hi", "tr")


_COMMA = lazy_pattern(r",\s+")
# Marks beside words: ASCII without letters, and quotes, dashes and stops of other scripts.
_MARK = "[\\x00-`{-\\x7f«»“”„‘—–¿¡।،؟؛…]"
_HAN = lazy_pattern("[\u3400-\u9fff]")


class Patterns(NamedTuple):
    """Patterns of the letters of one language."""

    denial: re.Pattern[str]
    refusal: re.Pattern[str]
    about: re.Pattern[str]
    speaker: re.Pattern[str]


def declining(texts: Sequence[str]) -> IntArray:
    """Return how many characters of each text decline to answer, (n,): 0 if none, or if it has over 600 characters.

    >>> texts = ["The passages do not say when.", "资料里没有提到。", "The contract does not mention a price."]
    >>> declining(texts).tolist()
    [15, 7, 0]
    """
    array = to_arrow(list(texts), pa.large_string()).dictionary_encode()
    distinct = [plain(text) if len(text) <= _LONGEST else "" for text in array.dictionary.to_pylist()]
    found, written = np.zeros(len(distinct), dtype=np.int64), set().union(*distinct)
    for language in _lists():
        if not written.isdisjoint(_letters_of(language)):
            for place in _candidates(language, distinct):
                found[place] = max(found[place], _declined(language, distinct[place]))
    return np.asarray(found[to_numpy(array.indices)])


def unsaid(texts: Sequence[str]) -> BoolArray:
    """Return which sentences only say that the passages, or the speaker, do not say something: a mask (n,).

    These are no claims about the world. A sentence that goes on with "but" is one. Recognised in English, Chinese,
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
    return np.asarray(declining(texts) > 0)


def _candidates(language: str, texts: list[str]) -> list[int]:
    """Return the places of the plain texts with a word that each text that declines in a language has."""
    if len(texts) <= _FEW and next(_calls(language)) >= _OFTEN:
        search = _compiled_denying(language).search
        return [place for place, text in enumerate(texts) if search(text)]
    some = pc.match_substring_regex(to_arrow(texts, pa.large_string()), _denying(language))
    return [int(place) for place in np.flatnonzero(to_numpy(some))]


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


def _declined(language: str, text: str) -> int:
    """Return how many characters of a plain text decline in a language."""
    bare = text.strip().strip("\"'«»“”„.。!?！？।…,، ")
    if _foreign(language).search(bare):
        return 0
    if _alone(language).fullmatch(bare):
        return len(bare)
    found = [(_LETTERS[str(match.lastgroup)], *match.span()) for match in _classes(language).finditer(bare)]
    letters = "".join([letter for letter, _, _ in found])
    span = _span(letters.translate(_PLAIN), _patterns(language), letters)
    return found[span[1] - 1][2] - found[span[0]][1] if span else 0


def _span(letters: str, patterns: Patterns, whole: str) -> tuple[int, int] | None:
    """Return where the letters of a text decline, as first and last step, or None.

    ``whole``: the letters with those of kinds of documents and of what is stated.
    """
    if "A" in letters and not set(letters) - set("AIEbC."):
        return 0, len(letters)
    if _goes_on(letters, patterns):
        return None
    refusal = patterns.refusal.search(letters)
    if refusal:
        return refusal.end() - 1, refusal.end()
    if _STATING.search(letters):
        return None
    found = (
        patterns.about.search(letters)
        or patterns.speaker.search(letters)
        or _ELLIPSIS.search(letters)
        or _OF_A_KIND.search(whole)
        or _UNSTATED.search(whole.replace("P", "W"))
    )
    if found:
        return found.span()
    denial = patterns.denial.search(letters)
    bare = denial and letters.count("x") <= _UNCLASSED * len(letters) and _IMPERSONAL.search(letters)
    return (0, len(letters)) if bare else None


def _goes_on(letters: str, patterns: Patterns) -> bool:
    """Return whether a contrast parts what is declined from a claim, which is behind it or before it."""
    before, contrast, _ = letters.partition("B")
    if not contrast:
        return False
    claims = before.count("x") > _UNCLASSED_BEFORE and not set(before) & set("SI")
    # "They say, however, not when": the last clause begins before its contrast.
    behind = letters.rfind("B")
    stop = letters.rfind(".", max(0, behind - 4), behind)
    denied = "X" in letters[behind:] or patterns.denial.search(letters, stop + 1 if stop > 0 else behind)
    return claims or not (denied or patterns.about.search(letters, behind) or _ELLIPSIS.search(letters))


# Without passages or speaker, what is negated must be information, or begin the text, or all words are of a class.
_IMPERSONAL = lazy_pattern("^(?!.*NFx)(?:[AEbC.]*[NLF]|.*F.*N|.*N.*F|.*L|[^x]*$)")
# The passages are on one thing, and not on another: "The articles discuss income tax, not VAT."
_ELLIPSIS = lazy_pattern("(?:S[^N]*V[^N]*[.B]+|F[^N]*B)E?NE{0,3}[WEFx]{1,5}$")
# Other patterns take kinds of documents for any word, what is stated for a verb of telling, and "about" for "whether".
_PLAIN = str.maketrans("KMP", "xVW")
# A kind of document (the lease, the recipe) does not say whether or how, says nothing on it, or has no information on
# it. "The contract does not mention a deadline." is a claim, and so is "The contract says nothing about a deadline."
_OF_A_KIND = lazy_pattern(
    "K[EVMb]{0,5}(?:N[EVMbN]{0,4}C?|L)(?:[.]?W|FE?[WP]|[^.BFN]{0,30}W$)|K[EVMb]{0,3}(?:N[EVMbN]{0,4}|L)[WP]?E{0,3}$"
    "|N[EVM]{0,2}K[^.BN]{0,3}W|K[^.B]{0,14}W[^.B]{0,14}[NL][^.Bx]{0,4}$|W[^.B]{0,20}K[^.B]{0,8}[VMF][^.Bx]{0,4}N"
    "|K[^.B]{0,10}PE{0,2}F[^.B]{0,6}N|NE?VE{0,2}KE{0,2}FE?P|W[^.B]{0,20}K[^.B]{0,14}N[EV]{0,2}M$"
    "|^EN[bEx]{1,3}S$|^E?SENE$"
)
# Whether this is so is not stated; it is not stated whether.
_UNSTATED = lazy_pattern(
    "^[AEb.]{0,3}W[^NB]*N[EbN]{0,2}x?N?M[EW]{0,3}$|^[AEbC.I]*N(?:E|N?b[EbN]{0,2}|N{0,2})M(?:[EN.]{0,3}W|C[^NB]*W$)"
    "|^[^BSC]{0,8}N[bEN]{0,3}M[NWE]{0,3}$|W[^B]{0,8}M[^.B]{0,5}N[^x.B]{0,3}$"
)
# The passages say that something is so; a negation behind it is part of the claim.
_STATING = lazy_pattern("^(?:(?!N.{0,3}V)[^S])*S[^NLS.B]*VE{0,2}C[^S]*$")


# Passages and a negation so close that the verb may be any, if it is not "is": "The article makes no ..."; in languages
# that know `being`, on whose development sentences it pays.
_CLOSE = {"ko": "S[^B.b]{0,30}N[xE]{0,4}$", "de": "S[^B.Cb]{0,6}N", "nl": "S[^B.Cb]{0,6}N"}


@cache
def _patterns(language: str) -> Patterns:
    """Return the patterns of letters, with room for as many words or characters as stand between in such sentences."""
    near, far, gap = (6, 16, 40) if language in _UNSPACED else (3, 10, 20)
    late = language in _NEGATED_LATE
    denial = f"L|N[^.B]{{0,{far}}}[VF]|nE{{0,2}}V|V[^.B]{{0,{14 if late else 3}}}N|F[^.B]{{0,14}}N"
    refusal = "X" if late else "S.*X|(?:^|[.BC])[^x.BC]*x?[^x.BC]*X"
    close = _CLOSE.get(language, "S[EFWI]{0,2}x?N(?!E?b)") + "|NE{1,3}S(?!b)"
    close = close if "being" in _lists()[language] else "(?!)"
    about = f"{close}|^[AE.]{{0,3}}N[Ex]{{0,4}}S[^N.Bb]{{0,5}}[VF]|S.{{0,{gap}}}?(?:{denial})|(?:{denial}).{{0,{gap}}}S"
    speaker = f"I[^.B]{{0,{near}}}(?:N[^.B]{{0,{far}}}[VF]|L)|I[^.B]{{0,{2 * near}}}[VF][^.B]{{0,{near}}}N"
    return Patterns(*map(re.compile, (denial, refusal, about, speaker)))


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
    """Return a pattern of RE2 that each text that declines in a language matches; RE2 cannot look ahead."""
    listed = ", ".join(_lists()[language][name] for name in _DENYING)
    bare = re.sub(r"\(\?[=!][^()]*\)", "", "|".join(_COMMA.split(listed))).replace("*", r"\S*").replace(" ", r"\s+")
    return bare if language in _UNSPACED else f"(?:^|{_MARK})(?:{bare})(?:$|{_MARK})"


@cache
def _compiled_denying(language: str) -> re.Pattern[str]:
    return re.compile(_denying(language))


@cache
def _calls(_language: str) -> Iterator[int]:
    """Return what counts the calls with few texts whose letters a language has."""
    return count()


@cache
def _letters_of(language: str) -> frozenset[str]:
    """Return the letters of the expressions of `_denying`, of which each match has at least one."""
    return frozenset(filter(str.isalpha, "".join(_lists()[language][name] for name in _DENYING)))
