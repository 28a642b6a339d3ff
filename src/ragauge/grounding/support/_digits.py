"""Runs of digits, and the numbers that runs with separators make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import regex

from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray
from ragauge.grounding.support._characters import DIGIT, GAP, SPACED, one_of
from ragauge.grounding.support._conventions import MarkArray, readings
from ragauge.grounding.support._letters import Letters

# Bounded, so that a long list of numbers takes linear time.
_NUMBER = regex.compile(r"(?:\d{1,2}(?:,\d{2}){1,6},\d{3}|\d{1,3}(?:[ ,.']\d{3}){1,9}(?!\d)|\d+)(?:[.,]\d+)?")
_AND, _LINE_END = ord("و"), ord(GAP)
_EXACT = 15
"""Digits that a float64 holds, whatever they are."""
DIGITS, CARDINAL, ORDINAL = range(3)
"""How a number is written."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of digits of texts, and numbers in words. Shapes: ``start``, ``end``, ``value``, ``spelled`` (r,)."""

    letters: Letters
    start: IntArray
    end: IntArray
    value: FloatArray
    spelled: IntArray
    """`DIGITS`, `CARDINAL` (three) or `ORDINAL` (third)."""

    @classmethod
    def of(cls, letters: Letters) -> Runs:
        """Return all runs of digits."""
        digits = np.flatnonzero(letters.has(DIGIT))
        breaks = np.flatnonzero(np.diff(digits, prepend=-2) != 1)
        start = digits[breaks]
        end = digits[np.append(breaks[1:], len(digits)) - 1] + 1 if len(digits) else start
        return cls(letters, start, end, _values(letters, start, end), np.full(len(start), DIGITS))

    def with_words(self, start: IntArray, end: IntArray, value: FloatArray, spelled: IntArray) -> Runs:
        """Return these runs and numbers in words, by their places."""
        if not len(start):
            return self
        order = np.argsort(np.concatenate([self.start, start]), kind="stable")
        starts, ends = (np.concatenate(pair)[order] for pair in ((self.start, start), (self.end, end)))
        values = np.concatenate([self.value, value])[order]
        return Runs(self.letters, starts, ends, values, np.concatenate([self.spelled, spelled])[order])

    @cached_property
    def in_digits(self) -> BoolArray:
        """A mask of the runs of digits, (r,)."""
        return np.asarray(self.spelled == DIGITS)

    @cached_property
    def length(self) -> IntArray:
        """How many digits each run has, or the number that its words say, (r,)."""
        if self.in_digits.all():
            return self.end - self.start
        digits = np.floor(np.log10(np.clip(self.value, 1, 10.0**_EXACT))).astype(np.int64) + 1
        return np.where(self.in_digits, self.end - self.start, digits)

    @cached_property
    def in_words(self) -> BoolArray:
        """A mask of the runs right behind a letter of a script with spaces, as in B12; Arabic "and" is none, (r,)."""
        letters, before = self.letters, self.start - 1
        conjunction = (letters.points[before] == _AND) & ~letters.at(before - 1, SPACED)
        return np.asarray(letters.at(before, SPACED) & ~conjunction)

    @cached_property
    def before(self) -> Array:
        """The character before each run, (r,)."""
        return self.letters.points[self.start - 1]

    @cached_property
    def after(self) -> Array:
        """The character behind each run, (r,)."""
        return self.letters.points[self.end]

    @cached_property
    def linked(self) -> BoolArray:
        """A mask of the runs that one character parts from the next run, (r,)."""
        linked = np.zeros(len(self.start), dtype=bool)
        linked[:-1] = (self.start[1:] - self.end[:-1] == 1) & (self.after[:-1] != _LINE_END)
        return linked

    @cached_property
    def decimals(self) -> BoolArray:
        """A mask of the runs that stand behind a digit and a point or comma, (r,)."""
        return _shifted(self.linked & one_of(self.after, ".,"))

    def next_by(self, marks: str, *lengths: int) -> BoolArray:
        """Return a mask of the runs whose next one stands behind one of the marks and has one of the lengths, (r,)."""
        there = self.linked & one_of(self.after, marks)
        there[:-1] &= np.isin(self.length[1:], lengths)
        return there


def _shifted(mask: BoolArray) -> BoolArray:
    """Return for each run whether the one before it is in the mask."""
    out = np.zeros(len(mask), dtype=bool)
    out[1:] = mask[:-1]
    return out


def _values(letters: Letters, start: IntArray, end: IntArray) -> FloatArray:
    value, length = np.zeros(len(start)), end - start
    for place in range(min(int(length.max(initial=0)), _EXACT)):
        live = np.flatnonzero(length > place)
        value[live] = value[live] * 10 + (letters.points[start[live] + place].astype(np.float64) - ord("0"))
    for run in np.flatnonzero(length > _EXACT).tolist():
        value[run] = float(letters.text[start[run] : end[run]])
    return value


def plain_numbers(runs: Runs, free: BoolArray, marks: MarkArray) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return start, end, value and second value (or NaN) of the numbers that the ``free`` runs (r,) make.

    Digits right behind a letter of a script with spaces are part of a name: B12. ``marks`` (n,): what commas and points
    of each text may be, see `ragauge.grounding.support._conventions`.
    """
    usable = free & ~runs.in_words
    joint = _joint(runs, usable)
    head = usable & ~_shifted(joint)
    alone = np.flatnonzero(head & ~joint)
    plain = (runs.start[alone], runs.end[alone], runs.value[alone], np.full(len(alone), np.nan))
    chained = _chained(runs, np.flatnonzero(head & joint), np.flatnonzero(_shifted(joint) & ~joint), marks)
    start, end, value, other = (np.concatenate(pair) for pair in zip(plain, chained, strict=True))
    order = np.argsort(start, kind="stable")
    return start[order], end[order], value[order], other[order]


def _joint(runs: Runs, usable: BoolArray) -> BoolArray:
    """Return a mask of the runs that may make one number with the next: 8,849, 5.6, 12 500."""
    joint = runs.linked & usable
    following = np.append(runs.length[1:], 0)
    thousands = one_of(runs.after, " '") & (runs.length <= 3) & (following == 3)
    joint &= one_of(runs.after, ",.") | thousands
    joint[:-1] &= usable[1:]
    return joint


def _chained(
    runs: Runs, heads: IntArray, tails: IntArray, marks: MarkArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return the numbers of chains of runs, each distinct chain parsed once."""
    text = runs.letters.text
    known: dict[str, list[tuple[int, int, str]]] = {}
    rows: list[tuple[int, int, str]] = []
    for first, last in zip(runs.start[heads].tolist(), runs.end[tails].tolist(), strict=True):
        chain = text[first:last]
        if chain not in known:
            known[chain] = [(*match.span(), match.group()) for match in _NUMBER.finditer(chain)]
        rows += [(first + start, first + end, digits) for start, end, digits in known[chain]]
    start = np.array([row[0] for row in rows], dtype=np.int64)
    own = runs.letters.rows[start]
    digits = [row[2] for row in rows]
    values = readings(digits, own, marks)
    return start, np.array([row[1] for row in rows], dtype=np.int64), values[:, 0], values[:, 1]
