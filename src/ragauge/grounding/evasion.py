"""Answers that only decline, marked in the data or recognised by their words, and answers of yes and no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray, IntArray
from ragauge.errors import DataError
from ragauge.grounding.declining import plain, unsaid, words
from ragauge.sentences import split

Noncommittal: TypeAlias = Literal["off", "any", "all"]
COLUMN = "noncommittal"

# An evasive answer has at most so many times the characters of its sentences that decline, or so many characters.
_LONGEST, _SHORT = 3, 48
_SET = ("true", "yes", "1", "1.0")
_UNSET = ("false", "no", "0", "0.0")


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
        evasions[answers.rows] = are_evasive(answers.values.tolist())
        return evasions
    every = any if rule == "any" else all
    marks_of_samples = [mark if isinstance(mark, list) else [mark] for mark in batch.column(COLUMN).to_pylist()]
    return np.array([bool(marks) and every(map(_is_marked, marks)) for marks in marks_of_samples])


def are_evasive(answers: Sequence[str]) -> BoolArray:
    """Return which of n answers state that they do not know, in one of 18 languages: a mask (n,).

    It does not count if the answer has more than three times the characters of the sentences that do (48 at least).

    >>> are_evasive(["I don't know.", "我不知道。", "わかりません。", "모르겠습니다.", "Не знаю.", "In Rome."])
    array([ True,  True,  True,  True,  True, False])
    """
    starts, ends = split(to_arrow(list(answers), pa.large_string()))
    spans = zip(starts.rows.tolist(), starts.values.tolist(), ends.values.tolist(), strict=True)
    declines = unsaid([answers[row][first:last] for row, first, last in spans])
    declining = np.bincount(starts.rows, (ends.values - starts.values) * declines, len(answers))
    lengths = np.array([len(answer.strip()) for answer in answers], dtype=np.int64)
    return np.asarray((declining > 0) & (lengths <= np.maximum(_LONGEST * declining, _SHORT)))


def stances(texts: Sequence[str]) -> IntArray:
    """Return 1 for texts that begin with yes before a mark or their end, -1 with no, else 0: (n,).

    >>> stances(["Yes, twice.", "Nein.", "是的，两次。", "No one came."]).tolist()
    [1, -1, 1, 0]
    """
    yes, no = _stance("yes"), _stance("no")
    openings = [plain(text[:_OPENING]) for text in texts]
    return np.array([bool(yes.match(text)) - bool(no.match(text)) for text in openings], dtype=np.int64)


# Characters of a text in which yes or no is looked for.
_OPENING = 40


def is_set(mark: object) -> bool | None:
    """Return the value of a mark: a boolean, a number, or a word of a file without types; None for any other.

    >>> is_set("Yes"), is_set(0), is_set("perhaps"), is_set("")
    (True, False, None, None)
    """
    word = str(mark).strip().casefold()
    return True if word in _SET else False if word in _UNSET else None


def _is_marked(mark: object) -> bool:
    if mark is None or not str(mark).strip():
        return False
    value = is_set(mark)
    if value is None:
        template = "RG-METRIC-008 a mark of the column {column!r} must be true or false, or 1 or 0; got {mark!r}"
        raise DataError(template, COLUMN, mark)
    return value


@cache
def _stance(side: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(words()[side]['words'])})\s*(?:$|[^\w\s]*[.,;:!?。、،؛؟।…—–(-])")
