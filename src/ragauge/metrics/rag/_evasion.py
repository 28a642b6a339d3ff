"""Answers that commit to nothing: marked in the data, or recognised by their words."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray
from ragauge.errors import DataError

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
        evasions[answers.rows] = [is_evasive(text) for text in answers.values]
        return evasions
    every = any if rule == "any" else all
    marks_of_samples = [mark if isinstance(mark, list) else [mark] for mark in batch.column(COLUMN).to_pylist()]
    return np.array([bool(marks) and every(map(_is_set, marks)) for marks in marks_of_samples])


def is_evasive(answer: str) -> bool:
    """Return whether an answer states that it does not know, in English, Chinese, Japanese, Korean or Russian.

    It does not count if the answer has more than six times the characters of that phrase (48 at least).

    >>> texts = ["I don't know.", "我不知道。", "わかりません。", "모르겠습니다.", "Не знаю.", "In Rome."]
    >>> [is_evasive(text) for text in texts]
    [True, True, True, True, True, False]
    """
    phrase = _phrases().search(answer.casefold().replace("’", "'"))
    return phrase is not None and len(answer.strip()) <= _LONGEST * max(phrase.end() - phrase.start(), _SHORT)


def _is_set(mark: object) -> bool:
    """Return the value of a mark: a boolean, a number, or a word of a file without types."""
    word = str(mark).strip().casefold()
    if mark is None or word in _UNSET:
        return False
    if word in _SET:
        return True
    raise DataError(f"a mark of the column {COLUMN!r} must be true or false, or 1 or 0; got {mark!r}")


@cache
def _phrases() -> re.Pattern[str]:
    table = tomllib.loads(files("ragauge.metrics.rag").joinpath("evasions.toml").read_text("utf-8"))
    return re.compile("|".join(phrase for phrases in table.values() for phrase in phrases))
