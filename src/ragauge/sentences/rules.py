"""Rules for the ends of sentences."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import NamedTuple

from ragauge import languages
from ragauge.core.lazy import lazy_pattern


@dataclass(frozen=True, slots=True, eq=False)
class Abbreviations:
    """Lower-case words, without their last full stop; `abbreviations` makes one object for each language."""

    never: frozenset[str]
    """A word always follows: titles, ``vgl.``, ``см.``."""
    before_number: frozenset[str]
    """No sentence ends here if a number follows: ``No. 5``; otherwise they are ordinary words."""
    maybe: frozenset[str]
    """A sentence ends here if the next word is one that often begins sentences: ``etc. The``."""
    starters: frozenset[str]
    """Words that often begin sentences and are no part of names."""
    closing: frozenset[str]
    """Ends of enumerations, without spaces: a sentence ends here if a word with a capital follows: ``и т. д.``"""


@cache
def abbreviations(language: str | None) -> Abbreviations:
    """Return the lists of ``language``; those of all languages where it is None or not known.

    >>> "mr" in abbreviations("en").never, "vgl" in abbreviations("en").never, "vgl" in abbreviations(None).never
    (True, False, True)
    """
    tables = languages.table("abbreviations")
    own = tables.get((language or "").lower().split("-")[0])
    chosen = [own] if own is not None else list(tables.values())
    kinds = [" ".join([table.get(kind.name, "") for table in chosen]) for kind in fields(Abbreviations)]
    return Abbreviations(*[frozenset(words.split()) for words in kinds])


_PAIRS = dict(zip("“„«「『（(《【[‹", "”“»」』）)》】]›", strict=True))
_MARKS = lazy_pattern(r'["“”„«»‹›「」『』（）()《》【】\[\]]')
# Characters. In a longer quotation sentences end, because it is a passage of its own.
_LONGEST = 200


class Enclosure(NamedTuple):
    """A pair of marks: their places, and whether it is a parenthesis rather than a quotation."""

    opens: int
    closes: int
    parenthesis: bool


def enclosures(line: str) -> list[Enclosure]:
    """Return the pairs of marks in which no sentence ends, sorted by their opening marks.

    They close in the line, do not fill it, and hold at most `_LONGEST` characters.

    >>> enclosures("He said “Stop. Now.” and (maybe) left.")
    [Enclosure(opens=8, closes=19, parenthesis=False), Enclosure(opens=25, closes=31, parenthesis=True)]
    """
    if _MARKS.search(line) is None:
        return []
    pairs: list[Enclosure] = []
    open_marks: list[tuple[int, str]] = []
    # The places in `open_marks` by the closing mark that they wait for, because a search is slow in long lines.
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for match in _MARKS.finditer(line):
        mark, at = match.group(), match.start()
        if waiting[mark]:
            place = waiting[mark][-1]
            pairs.append(Enclosure(open_marks[place][0], at, mark in "）)】]"))
            for _, closer in open_marks[place:]:
                waiting[closer].pop()
            del open_marks[place:]
        elif mark in _PAIRS or (mark == '"' and _opens(line, at)):
            closer = _PAIRS.get(mark, mark)
            waiting[closer].append(len(open_marks))
            open_marks.append((at, closer))
    first, last = len(line) - len(line.lstrip()), len(line.rstrip()) - 1
    short = [pair for pair in pairs if pair.closes - pair.opens <= _LONGEST]
    return sorted([pair for pair in short if pair.opens > first or pair.closes < last])


def around(pairs: list[Enclosure], at: int) -> list[Enclosure]:
    """Return those of ``pairs``, sorted as by `enclosures`, that open before ``at`` and close there or later."""
    if not pairs:
        return []
    near = pairs[bisect_left(pairs, (at - _LONGEST,)) : bisect_left(pairs, (at,))]
    return [pair for pair in near if at <= pair.closes]


def _opens(line: str, at: int) -> bool:
    """Return whether the straight quotation mark at ``at`` can open a quotation."""
    return not line[at - 1 : at].isalnum() and not line[at + 1 : at + 2].isspace()


_OPENING = "\"'“‘„«‹([{（*_#>–—-"
# Characters from the start of a line within which the number of an item may stand.
_INDENT = 20
# Characters before a full stop that are searched for words, because searching all of a very long line is quadratic.
_NEAR = 60
_DOTTED = lazy_pattern(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
_ITEM = lazy_pattern(r"(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,4})(?:\.\d{1,3})*")
# Nouns that often follow German ordinals, which end in a full stop.
_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
_ORDINAL_OF = "Jahrhundert Jahrhunderts Jahrtausend Klasse Weltkrieg Bundesliga Platz Stock Semester Auflage"
_AFTER_ORDINAL = frozenset(f"{_MONTHS} {_ORDINAL_OF}".split())


def belongs_to_word(place: Place, following: re.Match[str], known: Abbreviations) -> bool:
    """Return whether a full stop belongs to a word and ends no sentence.

    ``following`` is a match of `NEXT`: a word with a capital, a number, or a word of a script without capitals.
    """
    line, begin, stop = place.line, place.begin, place.first
    words = line[max(line.rfind(" ", begin, stop), begin) : stop].split()
    if not words:
        return False
    left = stop - len(words[-1])
    token = words[-1].lstrip(_OPENING)
    if left < _INDENT and not line[:left].strip(" \t•*#>-–") and _ITEM.fullmatch(token):
        return True
    word, next_word = token.lower(), following[1].lower()
    if word in known.never or (following[1][0].isdigit() and word in known.before_number):
        return True
    if token.isdecimal():
        return len(token) <= 2 and following[1] in _AFTER_ORDINAL
    if word in known.maybe or _is_initial(line, left, token) or _DOTTED.fullmatch(token):
        is_initial = len(following[1]) == 1 and line.startswith(".", following.end())
        begins = next_word in known.starters and not is_initial
        return not begins and not (following[1][0].isupper() and _closes(line[max(begin, stop - _NEAR) : stop], known))
    return False


def _closes(before: str, known: Abbreviations) -> bool:
    """Return whether ``before`` ends an enumeration, as in ``и т. д``."""
    last = "".join(before.lower().split()[-3:])
    return any(last.endswith(closing) for closing in known.closing)


def _is_initial(line: str, left: int, token: str) -> bool:
    """Return whether ``token`` is an initial: one letter with its marks, but not the English pronoun ``I``."""
    if not token[:1].isalpha() or not all(unicodedata.category(char)[0] == "M" for char in token[1:]):
        return False
    pronoun = token[0] == "I" and line[max(left - _NEAR, 0) : left].rstrip()[-1:].islower()
    return not pronoun


# Of Unicode's property Sentence_Terminal: marks that end a sentence whether or not a space follows.
STRONG = "。！？｡।॥۔؟։።፧፨។៕။༎᠃᪨෴"
# Marks that end one only if a space follows, or between characters of Chinese, Japanese and the like.
GREEK_QUESTION = ";\u037e"
WEAK = f".!?．{GREEK_QUESTION}"
ELLIPSES = "…"
CLOSING = "\"'”’»›」』）)】〕》〉]}*_"

# Marks, then closing quotation marks and brackets, then references such as [3].
CANDIDATE = lazy_pattern(f"([{re.escape(STRONG + WEAK + ELLIPSES)}]+)[{re.escape(CLOSING)}]*(?:\\[[0-9,\\s-]+\\])*")
IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
IDEOGRAPH = lazy_pattern(f"[{IDEOGRAPHS}]")
# Thai and Lao write no full stop: a space between their letters ends a clause, the nearest thing to a sentence.
_CLAUSE_LETTER = lazy_pattern("[\u0e01-\u0e5b\u0e81-\u0edf]")
CLAUSE = lazy_pattern("(?<=[\u0e01-\u0e5b\u0e81-\u0edf])[ \u3000]+(?=[“\"'(]?[\u0e01-\u0e45\u0e81-\u0ec4])")
SHORTEST_CLAUSE = 8
"""Characters of a clause of Thai; a shorter word before a space is a name or a title mostly."""
ERAS = ("พ.ศ.", "ค.ศ.")
# The next word, after opening marks. A `\s+` in front would make long runs of blanks quadratic.
NEXT = lazy_pattern(r"\s[\s\"'“‘„«‹(\[{¿¡*_#>–—-]*(\w[\w'’]*)")

Span = tuple[int, int]

_STRONG = frozenset(STRONG)
_GOES_ON = frozenset(",，、;；:：")
# Text after a quotation that names its speaker.
_SPEAKER = lazy_pattern(
    "[^，,。！？!?；：:“「]{0,10}?(?:说|說|道|问|問|喊|叫|答|笑|嚷|吼|想)"
    r"|\s+(?:[A-Z]\w*\s+){1,3}(?:said|asked|replied|answered|added|cried|shouted|whispered|wrote)\b"
)
_BLACK = lazy_pattern(r"\S")
_PARTICLE = lazy_pattern("[とっなのはがをにもでかや]")
_FIRST_PERSON = lazy_pattern("I(?:['’]\\w+)?")


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
        sentence = line[start:end]
        if (bare := sentence.strip()) != "":
            left = offset + start + len(sentence) - len(sentence.lstrip())
            yield left, left + len(bare)
        start = end


def _ends(line: str, known: Abbreviations) -> list[int]:
    pairs, unsure = enclosures(line), _unsure(known)
    ends, begin = [], 0
    for match in CANDIDATE.finditer(line):
        first, end = match.span()
        ends_here = _plainly_ends(line, first, end, unsure)
        if ends_here is None or (ends_here and around(pairs, first)):
            ends_here = _ends_sentence(Place(line, begin, first, match.group(1), end), pairs, known)
        if ends_here:
            ends.append(begin := end)
    if line.isascii() or _CLAUSE_LETTER.search(line) is None:
        return ends
    return sorted({*ends, *_clause_ends(line, ends)})


@cache
def _unsure(known: Abbreviations) -> frozenset[str]:
    """Return all words after which a full stop may not end a sentence."""
    return known.never | known.before_number | known.maybe


def _plainly_ends(line: str, first: int, end: int, unsure: frozenset[str]) -> bool | None:
    """Return whether a sentence ends here, where that is seen at once, as mostly; else None.

    It ends after a common word and a full stop, or after another mark, where a space and no small letter follow; and it
    goes on where a letter follows at once, or a space and a small letter. The answer is that of `_ends_sentence`
    outside enclosures.
    """
    if end - first > 1 or line[first] not in ".!?":
        return None
    following = line[end : end + 3]
    if following[:1] != " " or not following[1:2].isalnum():
        return False if following[:1].isalnum() and following[0].isascii() else None
    if following[1].islower():
        return None if following[2:].isupper() else False
    if line[first] != ".":
        return True
    word = line[line.rfind(" ", max(first - _NEAR, 0), first) + 1 : first]
    if len(word) < 2 or not word.isalpha() or word.lower() in unsure or _ITEM.fullmatch(word):
        return None
    return True


def _clause_ends(line: str, ends: list[int]) -> Iterator[int]:
    """Yield the spaces that end clauses of Thai: a space is in names too, and before the era of a year."""
    begin, later = 0, iter(ends)
    following = next(later, len(line))
    for match in CLAUSE.finditer(line):
        while following <= match.start() < len(line) and following < len(line):
            begin, following = following, next(later, len(line))
        if match.start() - begin >= SHORTEST_CLAUSE and not line.startswith(ERAS, match.end()):
            begin = match.end()
            yield match.start()


def _ends_sentence(place: Place, pairs: list[Enclosure], known: Abbreviations) -> bool:
    line, end = place.line, place.end
    if end == len(line) or line[end] in _GOES_ON:
        return False
    closed = around(pairs, place.first)
    for pair in closed:
        if pair.closes >= end or _is_part(place, pair):
            return False
    if not _STRONG.isdisjoint(place.marks):
        return True
    if place.marks[0] == "…" or place.marks.startswith(".."):
        return _ends_after_ellipsis(place, quoted=bool(closed))
    return _ends_after_weak(place, known)


def _is_part(place: Place, pair: Enclosure) -> bool:
    """Return whether the enclosure is part of a sentence that goes on after it."""
    # A search, because a slice would copy the line.
    first = _BLACK.search(place.line, place.begin)
    whole = first is None or first.start() >= pair.opens
    if pair.parenthesis:
        return not whole
    if _PARTICLE.match(place.line, place.end) is not None:
        return True
    return whole and _SPEAKER.match(place.line, place.end) is not None


def _ends_after_ellipsis(place: Place, *, quoted: bool) -> bool:
    """Return whether a quotation closes here or a capital other than ``I`` follows; else the ellipsis is a pause."""
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
    return place.marks != "." or not belongs_to_word(place, following, known)


def _is_lower(word: str) -> bool:
    """Return whether a word begins in lower case; ``iPhone`` does not count, because it may begin a sentence."""
    return word[0].islower() and not word[1:2].isupper()
