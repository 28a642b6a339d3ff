"""Answers and sentences that say that they do not say: marked in the data, or recognised by their words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray, IntArray
from ragauge.errors import DataError
from ragauge.languages.folding import normalize

Noncommittal: TypeAlias = Literal["off", "any", "all"]
COLUMN = "noncommittal"

# An evasive answer is at most so many times as long as its evasive phrase; a phrase counts as 8 characters at least.
_LONGEST = 6
_SHORT = 8
_SET = ("true", "yes", "1", "1.0")
_UNSET = ("", "false", "no", "0", "0.0")


def evasive(batch: Batch, rule: Noncommittal) -> BoolArray:
    """Return a mask of noncommittal answers, (n,): by the column ``noncommittal``, or else by their words.

    The column holds one mark a sample, or one for each generated question: ``any`` of them, or ``all``, must be set. A
    mark that says neither yes nor no raises DataError.
    """
    if rule == "off":
        return np.zeros(len(batch), dtype=bool)
    if COLUMN not in batch.names:
        answers = batch.segments("answer").strings
        evasions = np.zeros(len(batch), dtype=bool)
        evasions[answers.rows] = _by_text(answers.values.tolist(), is_evasive)
        return evasions
    every = any if rule == "any" else all
    marks_of_samples = [mark if isinstance(mark, list) else [mark] for mark in batch.column(COLUMN).to_pylist()]
    return np.array([bool(marks) and every(map(_is_set, marks)) for marks in marks_of_samples])


def is_evasive(answer: str) -> bool:
    """Return whether an answer states that it does not know, in one of eleven languages.

    It does not count if the answer has more than six times the characters of that phrase (48 at least).

    >>> texts = [
    ...     "I don't know.",
    ...     "我不知道。",
    ...     "わかりません。",
    ...     "모르겠습니다.",
    ...     "Не знаю.",
    ...     "Das weiß ich nicht.",
    ...     "In Rome.",
    ... ]
    >>> [is_evasive(text) for text in texts]
    [True, True, True, True, True, True, False]
    """
    plain = _plain(answer)
    phrases = filter(None, (_evasions_in(language).search(plain) for language in _spoken(plain)))
    return any(len(answer.strip()) <= _LONGEST * max(phrase.end() - phrase.start(), _SHORT) for phrase in phrases)


def unsaid(texts: Sequence[str]) -> BoolArray:
    """Return which sentences only say that the passages, or the speaker, do not say something: a mask (n,).

    These are no claims about the world. A sentence that goes on with "but" is one. Recognised in English, Chinese,
    Japanese, Korean, Russian, Arabic, Hindi, Thai, German, Spanish and French.

    >>> sentences = [
    ...     "The passages do not say when.",
    ...     "文中没有提到年份。",
    ...     "It was not built in 1990.",
    ...     "文書には記載がありません。",
    ... ]
    >>> unsaid(sentences).tolist()
    [True, True, False, True]
    """
    return _by_text(texts, _is_unsaid, "subjects")


def evasive_sentences(texts: Sequence[str]) -> BoolArray:
    """Return which sentences are `unsaid`, or are evasive answers: a mask (n,)."""
    return _by_text(texts, lambda text: _is_unsaid(text) or is_evasive(text))


def stances(texts: Sequence[str]) -> IntArray:
    """Return 1 for texts that begin with yes before a mark or their end, -1 with no, else 0: (n,).

    >>> stances(["Yes, twice.", "Nein.", "是的，两次。", "No one came."]).tolist()
    [1, -1, 1, 0]
    """
    yes, no = _stance("yes"), _stance("no")
    plain = [_plain(text[:_OPENING]) for text in texts]
    return np.array([bool(yes.match(text)) - bool(no.match(text)) for text in plain], dtype=np.int64)


# Characters of a text in which yes or no is looked for.
_OPENING = 40
# Longer sentences say more than that something is not said.
_LONGEST_SENTENCE = 600


def _by_text(texts: Sequence[str], holds: Callable[[str], bool], *more: str) -> BoolArray:
    """Return which texts hold, (n,): of equal ones once, and only of short ones that have a word of each list."""
    import pyarrow.compute as pc

    array = to_arrow(list(texts), pa.large_string()).dictionary_encode()
    distinct = array.dictionary
    candidates = np.flatnonzero(to_numpy(pc.utf8_length(distinct)) <= _LONGEST_SENTENCE)
    for words in ("triggers", *more):
        some = distinct.take(to_arrow(candidates))
        has_one = pc.match_substring_regex(some, _words(words), ignore_case=True)
        candidates = candidates[to_numpy(has_one)]
    held = np.zeros(len(distinct), dtype=bool)
    held[candidates] = [holds(distinct[place].as_py()) for place in candidates.tolist()]
    return np.asarray(held[to_numpy(array.indices)])


def _is_unsaid(text: str) -> bool:
    plain, apologies = _apology().subn("", _plain(text), count=1)
    if apologies and not any(map(str.isalnum, plain)):
        return True
    phrases = map(_unsaid_in, _spoken(plain))
    return any(unsaid.search(plain) and not contrast.search(plain) for unsaid, contrast in phrases)


def _plain(text: str) -> str:
    """Return ``text`` in lower case and one form, with straight apostrophes."""
    text = text.lower().replace("’", "'")
    return text if text.isascii() else normalize("NFKC", text)


def _is_set(mark: object) -> bool:
    """Return the value of a mark: a boolean, a number, or a word of a file without types."""
    word = str(mark).strip().casefold()
    if mark is None or word in _UNSET:
        return False
    if word in _SET:
        return True
    raise DataError(
        "RG-METRIC-008 a mark of the column {column!r} must be true or false, or 1 or 0; got {mark!r}", COLUMN, mark
    )


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(normalize("NFKC", languages.content("evasions.toml").decode("utf-8")))


def _spoken(plain: str) -> Iterator[str]:
    """Yield the languages whose letters a text has."""
    return (language for language, letters in _table()["letters"].items() if re.search(letters, plain))


@cache
def _evasions_in(language: str) -> re.Pattern[str]:
    return re.compile("|".join([*_table()["evasions"][language], _unsaid_text(language)]))


@cache
def _unsaid_in(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a language that make a sentence `unsaid`, and a claim all the same."""
    return re.compile(_unsaid_text(language)), re.compile(_table()["contrast"][language])


def _unsaid_text(language: str) -> str:
    return "|".join(_table()["unsaid"][language]).replace("{passages}", _table()["passages"][language])


@cache
def _apology() -> re.Pattern[str]:
    return re.compile(rf"^\W*(?:{'|'.join(_table()['apology'].values())})\W*")


@cache
def _stance(side: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(_table()[side]['words'])})\s*(?:$|[^\w\s]*[.,;:!?。、،؛؟।…—–(-])")


@cache
def _words(name: str) -> str:
    """Return a pattern of RE2 for any word of a list, with either apostrophe."""
    return "|".join(re.escape(word).replace("'", "['’]") for word in _table()[name])
