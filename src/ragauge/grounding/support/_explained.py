"""Which feature decided how far a claim is supported, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ragauge.core.messages import Message
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.grounding.support._absent import lacking
from ragauge.grounding.support._features import absent, matched
from ragauge.grounding.support._matching import Matching, kernel, match, near
from ragauge.grounding.support._reading import Reader
from ragauge.grounding.support._replaced import replaced
from ragauge.grounding.support._values import absent_values
from ragauge.grounding.support.features import AGAINST, SupportByFeatures, columns_of, model
from ragauge.grounding.support.units import CENT, Kind

# Logits below which a feature did not decide: less than half of the degree's distance from a half to .8.
_LEAST = 0.7
# A share of the claim that is matched, and how near that stands together, below which this is the reason.
_FEW, _APART = 0.4, 0.6
# How far words around a value count, of the claim and of the passage.
_AROUND = kernel(6.0)
# Pairs at once.
_BLOCK = 1024
_MOST_NAMED = 3
# Characters of a unit of Thai, whose words nothing parts.
_OF_THAI = 3


def reasons(scored: SupportByFeatures, claims: Sequence[str], segments: IntArray) -> list[str | None]:
    """Return what decided against support for each of k claims beside the passages of k segments; None: nothing did."""
    passages, sentences = scored.passages[scored.source[segments]].tolist(), scored.segments[segments].tolist()
    return reasons_of(scored.reader, claims, passages, sentences)


def reasons_of(
    reader: Reader, claims: Sequence[str], passages: Sequence[str], sentences: Sequence[str] | None = None
) -> list[str | None]:
    """Return what decided against support for each of k claims and passages; None: nothing did.

    ``sentences``: those of the passages that match best; None: the passages are sentences.

    >>> reasons_of(Reader(), ["It opened in 1990."], ["It opened in 1991."])
    ['the passage has 1991 where the claim has 1990']
    """
    out: list[str | None] = []
    for first in range(0, len(claims), _BLOCK):
        some = slice(first, first + _BLOCK)
        out += _reasons(reader, claims[some], passages[some], (passages if sentences is None else sentences)[some])
    return out


def _reasons(
    reader: Reader, claims: Sequence[str], passages: Sequence[str], sentences: Sequence[str]
) -> list[str | None]:
    other = reader.texts(passages)
    one = reader.beside(reader.texts(claims), other)
    matching = match(reader.index, one, other)
    fits = matched(matching)
    own = columns_of(matching, fits.near) * fits.scale[:, None]
    begin = np.array([passage.find(told) for passage, told in zip(passages, sentences, strict=True)])
    part = begin, begin + np.array(list(map(len, sentences)))
    taken = np.column_stack([own, replaced(reader.index.units, (one, other), part)])
    taken *= np.array([model().against[name] for name in AGAINST])
    worst = taken.argmin(axis=1)
    shown = _Shown(matching, claims, passages)
    size = np.maximum(matching.rows.sums(matching.rows.content), 1)
    recall = matching.rows.sums(matching.rows.content * matching.best) / (size * CENT)
    apart = fits.near < _APART * recall
    read = reader.reads(one, other)
    unread = np.flatnonzero(~read).tolist()
    lacking = absent_values([claims[pair] for pair in unread], [passages[pair] for pair in unread])
    found = dict(zip(unread, lacking, strict=True))
    return [
        _unread(found[pair])
        if pair in found
        else shown.of(pair, AGAINST[place])
        if taken[pair, place] <= -_LEAST
        else _weak(float(recall[pair]), apart=bool(apart[pair]))
        for pair, place in enumerate(worst.tolist())
    ]


def _unread(values: Sequence[str]) -> str:
    """Return what decided where only n-grams and values are read, from the values that the passage lacks."""
    if values:
        return Message("not in the passage: {names}", _enumerated(values))
    return "nothing tells that the claim is in a language that is read: only shared n-grams and values are counted"


def _weak(recall: float, *, apart: bool) -> str | None:
    """Return why a match is weak; None: it is not."""
    if recall < _FEW:
        return "few of the claim's words are in the passage"
    return "the claim's words stand far apart in the passage" if apart else None


@dataclass(frozen=True, eq=False)
class _Shown:
    """Puts into words what was found of k pairs."""

    matching: Matching
    claims: Sequence[str]
    passages: Sequence[str]

    def of(self, pair: int, feature: str) -> str:
        """Return the reason that a feature of a pair is."""
        if feature == "not_added":
            return "the claim has a negation, the passage has none there"
        if feature == "not_dropped":
            return "the passage has a negation there, the claim has none"
        if feature == "replaced":
            return "a sentence of the passage has other words in the place of some of the claim's"
        rows = self.matching.rows
        own = np.arange(rows.offsets[pair], rows.offsets[pair + 1])
        if feature == "name_absent":
            return Message("name not matching: {names}", self._names(pair, own[self._lacking[own] > 0]))
        return self._differs(pair, own[self._absent[own]])

    @cached_property
    def _absent(self) -> BoolArray:
        return absent(self.matching)

    @cached_property
    def _lacking(self) -> FloatArray:
        return lacking(self.matching)

    def _names(self, pair: int, rows: IntArray) -> str:
        """Return the names that rows make: neighbours are one; of Thai with the new characters around them."""
        units, mine = self.matching.rows.index.units, self.matching.rows
        new = np.flatnonzero((self.matching.best == 0) & (mine.pair == pair) & (mine.kind == Kind.GRAM))
        covered = new[np.isin(new - 1, new, invert=True)]
        names: list[str] = []
        end = 0
        for row in rows.tolist():
            start, stop = int(units.start[mine.unit[row]]), int(units.end[mine.unit[row]])
            if stop - start == _OF_THAI and mine.kind[row] == Kind.GRAM:
                first = int(covered[np.searchsorted(covered, row, side="right") - 1])
                start = int(units.end[mine.unit[first - 1]]) if first > mine.offsets[pair] else start
            if names and start - end <= 1:
                start = end - len(names.pop())
            end = stop
            names.append(self.claims[pair][start:end])
        return _enumerated(list(dict.fromkeys(names)))

    def _differs(self, pair: int, own: IntArray) -> str:
        """Return which of these values the passage has not, and what it has where the first of them would stand."""
        rivals = [self._rival(pair, row) for row in own.tolist()]
        for row, rival in zip(own.tolist(), rivals, strict=True):
            if rival is not None:
                shown = self._text(self.passages[pair], rival)
                return Message("the passage has {rival} where the claim has {claimed}", shown, self._claimed(pair, row))
        return Message("not in the passage: {names}", self._listed(pair, own))

    def _rival(self, pair: int, row: int) -> int | None:
        """Return the value of the passage that the words around a value of the claim stand nearest to; None: none.

        It is of the same kind, or both may be hours, and agrees with nothing in the claim.
        """
        matching, rows = self.matching, self.matching.rows
        index, unit = rows.index, rows.unit[row]
        there = np.arange(*index.units.offsets[rows.passage[row] : rows.passage[row] + 2])
        alike = (index.group[there] == index.group[unit]) | index.hours[there] & index.hours[unit]
        here = slice(rows.offsets[pair], rows.offsets[pair + 1])
        agreeing = matching.valued.values[matching.valued.offsets[here.start] : matching.valued.offsets[here.stop]]
        rivals = np.setdiff1d(there[alike], agreeing)
        if not len(rivals):
            return None
        around = np.arange(here.start, here.stop)
        pull = rows.weight[around] * near(_AROUND, np.abs(rows.position[around] - rows.position[row]))
        of_rivals = np.repeat(index.units.position[rivals].astype(np.int64), len(around))
        value = matching.places.highest(np.tile(around, len(rivals)), of_rivals, _AROUND)
        return int(rivals[(value.reshape(len(rivals), -1) * pull).sum(axis=1).argmax()])

    def _listed(self, pair: int, rows: IntArray) -> str:
        return _enumerated(list(dict.fromkeys(self._claimed(pair, row) for row in rows.tolist())))

    def _claimed(self, pair: int, row: int) -> str:
        return self._text(self.claims[pair], int(self.matching.rows.unit[row]))

    def _text(self, text: str, unit: int) -> str:
        units = self.matching.rows.index.units
        return text[units.start[unit] : units.end[unit]].strip()


def _enumerated(texts: Sequence[str]) -> str:
    return ", ".join(texts[:_MOST_NAMED]) + (" …" if len(texts) > _MOST_NAMED else "")
