"""Our own rules for where sentences end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragauge.sentences._abbreviations import Abbreviations
from ragauge.sentences._enclosures import Enclosure, around, enclosures
from ragauge.sentences._full_stop import belongs_to_word
from ragauge.sentences._marks import CANDIDATE, CLAUSE, GREEK_QUESTION, IDEOGRAPH, NEXT, STRONG

Span = tuple[int, int]

_STRONG = frozenset(STRONG)
_GOES_ON = frozenset(",，、;；:：")
# What follows a quotation and says who spoke it.
_SAID = re.compile(
    "[^，,。！？!?；：:“「]{0,10}?(?:说|說|道|问|問|喊|叫|答|笑|嚷|吼|想)"
    r"|\s+(?:[A-Z]\w*\s+){1,3}(?:said|asked|replied|answered|added|cried|shouted|whispered|wrote)\b"
)
_BLACK = re.compile(r"\S")
_PARTICLE = re.compile("[とっなのはがをにもでかや]")
_FIRST_PERSON = re.compile("I(?:['’]\\w+)?")


class Place(NamedTuple):
    """Marks at which a sentence may end."""

    line: str
    begin: int
    """Where the sentence begins."""
    first: int
    """The first of the marks."""
    marks: str
    """Terminators only; `end` is after the closing marks too."""
    end: int


def spans(text: str, known: Abbreviations) -> Iterator[Span]:
    """Yield where the sentences of ``text`` begin and end."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield from _in_line(line.rstrip(), start, known)
        start += len(line)


def _in_line(line: str, offset: int, known: Abbreviations) -> Iterator[Span]:
    start = 0
    for end in (*_ends(line, known), len(line)):
        piece = line[start:end]
        if (bare := piece.strip()) != "":
            left = offset + start + len(piece) - len(piece.lstrip())
            yield left, left + len(bare)
        start = end


def _ends(line: str, known: Abbreviations) -> list[int]:
    pairs = enclosures(line)
    ends, begin = [], 0
    for match in CANDIDATE.finditer(line):
        marks = match.group(1)
        if _ends_sentence(Place(line, begin, match.start(), marks, match.end()), pairs, known):
            ends.append(begin := match.end())
    if line.isascii():
        return ends
    return sorted({*ends, *(match.start() for match in CLAUSE.finditer(line))})


def _ends_sentence(place: Place, pairs: list[Enclosure], known: Abbreviations) -> bool:
    line, end = place.line, place.end
    if end == len(line) or line[end] in _GOES_ON:
        return False
    closed = around(pairs, place.first)
    if any(pair.closes >= end or _is_part(place, pair) for pair in closed):
        return False
    if not _STRONG.isdisjoint(place.marks):
        return True
    if place.marks[0] == "…" or place.marks.startswith(".."):
        return _ends_after_ellipsis(place, quoted=bool(closed))
    return _ends_after_weak(place, known)


def _is_part(place: Place, pair: Enclosure) -> bool:
    """Say whether what was closed is a part of a sentence that goes on."""
    whole = _starts(place.line, place.begin) >= pair.opens
    if pair.parenthesis:
        return not whole
    if _PARTICLE.match(place.line, place.end) is not None:
        return True
    return whole and _SAID.match(place.line, place.end) is not None


def _starts(line: str, begin: int) -> int:
    """Return where the first character at or after ``begin`` stands that is no space; a slice would copy the line."""
    found = _BLACK.search(line, begin)
    return len(line) if found is None else found.start()


def _ends_after_ellipsis(place: Place, *, quoted: bool) -> bool:
    """An ellipsis is a pause, unless a quotation closes after it or a capital follows that is not ``I``."""
    following = NEXT.match(place.line, place.end)
    if following is None:
        return quoted
    return not _is_lower(following[1]) and _FIRST_PERSON.fullmatch(following[1]) is None


def _ends_after_weak(place: Place, known: Abbreviations) -> bool:
    line, end = place.line, place.end
    if place.marks[0] in GREEK_QUESTION and not "\u0370" <= line[place.first - 1] <= "\u03ff":
        return False
    if not line[end].isspace():
        between = place.first > 0 and IDEOGRAPH.match(line, place.first - 1) and IDEOGRAPH.match(line, end)
        return bool(between) or (place.marks[-1] == "．" and not line[end].isdigit())
    following = NEXT.match(line, end)
    if following is None:
        return True
    if _is_lower(following[1]):
        return False
    return place.marks != "." or not belongs_to_word(line, place.begin, place.first, following, known)


def _is_lower(word: str) -> bool:
    """Say whether a word begins in lower case; those such as ``iPhone`` may begin a sentence."""
    return word[0].islower() and not word[1:2].isupper()
