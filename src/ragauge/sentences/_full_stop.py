"""Full stops that belong to the word before: abbreviations, initials, numbers in lists, ordinals."""

from __future__ import annotations

import re
import unicodedata

from ragauge.sentences._abbreviations import Abbreviations

_OPENING = "\"'“‘„«‹([{（*_#>–—-"
# An item of a list is looked for this far into a line.
_INDENT = 20
# The words before a full stop are looked for this far back: in a line without an end, all of it would take for ever.
_NEAR = 60
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
_ITEM = re.compile(r"(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,4})(?:\.\d{1,3})*")
# German writes ordinals with a full stop: what often follows them and has a capital letter.
_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
_ORDINAL_OF = "Jahrhundert Jahrhunderts Jahrtausend Klasse Weltkrieg Bundesliga Platz Stock Semester Auflage"
_AFTER_ORDINAL = frozenset(f"{_MONTHS} {_ORDINAL_OF}".split())


def belongs_to_word(line: str, begin: int, stop: int, following: re.Match[str], known: Abbreviations) -> bool:
    """Say whether the full stop at ``stop`` ends no sentence.

    Args:
        line: where it stands.
        begin: where the sentence begins.
        stop: the place of the full stop.
        following: a match of `NEXT`: a word with a capital, a number, or a word of a script without capitals.
        known: the abbreviations of the language.
    """
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
        begins = next_word in known.starters and not _begins_initials(line, following)
        return not begins and not (following[1][0].isupper() and _closes(line[max(begin, stop - _NEAR) : stop], known))
    return False


def _closes(before: str, known: Abbreviations) -> bool:
    """Say whether ``before`` ends an enumeration, as in ``и т. д``."""
    last = "".join(before.lower().split()[-3:])
    return any(last.endswith(closing) for closing in known.closing)


def _begins_initials(line: str, following: re.Match[str]) -> bool:
    return len(following[1]) == 1 and line.startswith(".", following.end())


def _is_initial(line: str, left: int, token: str) -> bool:
    """Say whether ``token`` is one letter with its marks; the English ``I`` after a word in lower case is a pronoun."""
    if not token[:1].isalpha() or not all(unicodedata.category(char)[0] == "M" for char in token[1:]):
        return False
    pronoun = token[0] == "I" and line[max(left - _NEAR, 0) : left].rstrip()[-1:].islower()
    return not pronoun
