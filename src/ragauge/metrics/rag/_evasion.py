"""Answers that commit to nothing: said by the data, or seen by how they begin."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ragauge.errors import DataError

if TYPE_CHECKING:
    from ragauge.core.batch import Batch
    from ragauge.core.ragged import BoolArray

Noncommittal: TypeAlias = Literal["off", "any", "all"]
COLUMN = "noncommittal"

# An evasion is all that an evasive answer says.
_LONGEST = 6
_SHORT = 8
_SET = ("true", "yes", "1", "1.0")
_UNSET = ("", "false", "no", "0", "0.0")


def evasive(batch: Batch, rule: Noncommittal) -> BoolArray:
    """Say which answers are noncommittal, (n,): by the column ``noncommittal``, or else by their words.

    The column holds one mark a sample, or one for each generated question: ``any`` of them, or ``all``, must be set.

    Raises:
        DataError: a mark says neither yes nor no.
    """
    if rule == "off":
        return np.zeros(len(batch), dtype=bool)
    if COLUMN not in batch.names:
        answers = batch.segments("answer").strings
        found = np.zeros(len(batch), dtype=bool)
        found[answers.rows] = [is_evasive(text) for text in answers.values]
        return found
    every = any if rule == "any" else all
    return np.array([bool(marks) and every(marks) for marks in map(_marks, batch.column(COLUMN).to_pylist())])


def is_evasive(answer: str) -> bool:
    """Say whether an answer says that it does not know, in English, Chinese, Japanese, Korean or Russian.

    One that says so in passing, in more than six times as many characters (48 at least), does not count.

    >>> [
    ...     is_evasive(text)
    ...     for text in ("I don't know.", "我不知道。", "わかりません。", "모르겠습니다.", "Не знаю.", "In Rome.")
    ... ]
    [True, True, True, True, True, False]
    """
    found = _phrases().search(answer.casefold().replace("’", "'"))
    if found is None:
        return False
    return len(answer.strip()) <= _LONGEST * max(found.end() - found.start(), _SHORT)


def _marks(cell: object) -> list[bool]:
    if cell is None:
        return []
    return [_mark(mark) for mark in (cell if isinstance(cell, list) else [cell])]


def _mark(mark: object) -> bool:
    """Read a mark; files without types hold words, and ``false`` is a word too."""
    said = str(mark).strip().casefold()
    if mark is None or said in _UNSET:
        return False
    if said in _SET:
        return True
    message = f"a mark of the column {COLUMN!r} must be true or false, or 1 or 0; got {mark!r}"
    raise DataError(message)


@cache
def _phrases() -> re.Pattern[str]:
    table = tomllib.loads(files("ragauge.metrics.rag").joinpath("evasions.toml").read_text("utf-8"))
    return re.compile("|".join(phrase for phrases in table.values() for phrase in phrases))
