"""Support by features: what a claim and a passage have in common, and the numbers, negations and names that differ.

The degree of a claim and a sentence of a passage is

    match  = intercept + a1 recall + a2 near, bent above 4 logits
    against = sqrt(near) * min(1, 10 / words) * sum of b_i feature_i + b_r replaced
    degree = max(sigmoid(match - against) / that of a copy, recall / 2)

or recall / 2 alone where no sentence of the passage reaches a recall of .15, unless the claim has at most 32
characters and near is .5 or more. Where nothing tells that the texts are in a language that is read, see `_languages`,
it is recall * (1 - scale / 2 * value_absent): scale is all by which b_i feature_i is multiplied above, and values are
those of `_values`. ``recall`` is the n-gram recall of `ngram_recall`, and the share of
the claim's characters that are values which the passage writes otherwise, as 8849 and 8,849; all other features are
of the claim and the whole passage that holds the sentence. ``features.toml`` names them and holds their coefficients,
which were fitted on development data only. It is a small, monotone model: what no word, number, name or negation
shows, it cannot see.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ragauge import languages
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.grounding.support._absent import name_absent
from ragauge.grounding.support._features import matched, negations, retold, value_absent
from ragauge.grounding.support._matching import Matching, match, sizes
from ragauge.grounding.support._reading import Reader
from ragauge.grounding.support._replaced import LEAST_NEAR, replaced
from ragauge.grounding.support._values import SOURCE, absent_values
from ragauge.grounding.support.pairs import ClaimPairs, blocks

# Passages that a claim is read beside: those of the highest n-gram recall. More would take quadratic time.
_MOST_PASSAGES = 32
# Passages with less than this share of the recall that the claim has with its best one are not read either: .5 leaves a
# third of the pairs of retrieved passages, and groundedness takes 1.3 to 1.6 times as long as with n-gram recall alone.
_SHARE_OF_BEST = 0.5
# Characters of a claim that is read beside any passage, as 8849 and ٨٨٤٩ share no letters; and the match that it needs.
_SHORT, _TOLD = 32, 0.5
# The n-gram recall of a sentence from which on it may be the claim but for a word.
_REPEATS = 0.5
_RETOLD = 1.0
"""What values written otherwise than in the passage add to the recall, times their share of the claim."""
_REPEATED, _MARKS = 3, " .,;:!?。、，！？।؟"
_UNREAD_ABSENT = 0.5
"""Of the recall that a value takes at most which a passage has not, in a language of which only values are read."""
SHARE_OF_RECALL = 0.5
"""Of the recall that a degree has at least, whatever speaks against it."""
# Numbers that a unit of a claim takes while its features are computed, where it stands in a passage dozens of times.
_PER_UNIT = 128
# Below this match, in logits, nothing is sought that speaks against it: the degree is low as it is.
_LEAST_MATCH = -2.0
UNREAD = -50.0
"""The match in logits of a pair that is not read: the degree is half of the n-gram recall."""
POWER = 4
"""The power of a degree that is about the share of claims of that degree that people found supported.

Chosen on half of the samples of ragtruth, SummEdits, WiCE and the probes, and tried on the others, so that .5 tells
supported claims from others: `python benchmarks/ablation.py calibration`.
"""
AGAINST = ("value_absent", "name_absent", "not_added", "not_dropped", "replaced")
"""The features that speak against support, in the order of columns."""


@dataclass(frozen=True)
class FeatureModel:
    """The coefficients of support by features, and the digest of all that they rest on."""

    match: Mapping[str, float]
    against: Mapping[str, float]
    top: float
    slope: float
    least_recall: float
    signature: str

    def bent(self, logits: FloatArray) -> FloatArray:
        """Return the match, with a slope that falls from 1 to ``slope`` at ``top``."""
        return np.asarray(logits - (1 - self.slope) * np.logaddexp(0.0, logits - self.top), dtype=np.float64)

    def logits(self, near: FloatArray) -> FloatArray:
        """Return the match of k pairs in logits, without what recall adds, (k,)."""
        return np.asarray(self.match["intercept"] + self.match["near"] * near)

    def speaks_against(self, columns: FloatArray) -> FloatArray:
        """Return what is taken off the match, in logits, (k,); ``columns`` (k, 4 or 5) are the first of `AGAINST`."""
        total = np.zeros(len(columns))
        for name, column in zip(AGAINST, columns.T, strict=False):
            total += self.against[name] * column
        return total

    def degrees(self, logits: FloatArray, against: FloatArray, recall: FloatArray, share: FloatArray) -> FloatArray:
        """Return degrees of support, 0 to 1; 1 of a copy, and never below ``share`` of ``recall``."""
        copied = self.bent(np.array([self.match["intercept"] + self.match["recall"] + self.match["near"]]))
        total = self.bent(logits + self.match["recall"] * recall) + against
        probability = (1 + np.exp(-copied)) / (1 + np.exp(-total))
        # Rounded, because exp differs in the last bit between machines.
        return np.asarray(np.round(np.maximum(probability, share * recall), 12))


def share_supported(degrees: FloatArray) -> FloatArray:
    """Return about which share of claims of such degrees people found supported, (k,).

    >>> share_supported(np.array([0.0, 0.5, 0.85, 1.0]))
    array([0.        , 0.0625    , 0.52200625, 1.        ])
    """
    # Rounded, because powers differ in the last bit between machines.
    return np.asarray(np.round(degrees**POWER, 12))


@cache
def model() -> FeatureModel:
    """Return the model that comes with the package.

    >>> model().match["recall"] > 0 > model().against["not_added"]
    True
    """
    content = Path(__file__).with_name("features.toml").read_bytes()
    table: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
    words = languages.content("lexicon.toml") + languages.content("others.toml")
    digests = f"coefficients={sha256(content).hexdigest()[:8]},lexicon={sha256(words).hexdigest()[:8]},values={SOURCE}"
    signature = f"features[{digests},revision={table['revision']}]"
    plain = {name: float(table[name]) for name in ("top", "slope", "least_recall")}
    return FeatureModel(table["match"], table["against"], **plain, signature=signature)


def columns_of(matching: Matching, near: FloatArray | float = 1.0) -> FloatArray:
    """Return the features that speak against support of k pairs, (k, 4), in the order of `AGAINST` but for the last.

    ``near`` (k,): a negation that only the passage has weighs by it: beside a claim that hardly matches it is of
    something else.
    """
    added, dropped = negations(matching)
    return np.column_stack([value_absent(matching), name_absent(matching), added, dropped * near])


@dataclass(frozen=True, eq=False)
class SupportByFeatures:
    """Turns n-gram recalls of claims and segments into degrees of support.

    Args:
        reader: of a batch; it reads what it has not read yet.
        claims: (c,) str, the distinct claims.
        passages: (m,) str, the texts that segments are parts of.
        source: (e,) rising within a sample: the passage of each segment.
        segments: (e,) str, the segments.
        pairs: of claims and segments.
        granted: n lists of texts that count as part of every passage of a sample; None: there are none.
    """

    reader: Reader
    claims: Any
    passages: Any
    source: IntArray
    segments: Any
    pairs: ClaimPairs
    granted: Ragged | None = None

    def of(self, first: int, last: int, recall: FloatArray) -> FloatArray:
        """Return the degrees of the pairs of the claims from ``first`` to before ``last``, whose recalls are given."""
        fitted = model()
        claim, segment = self.pairs.part(first, last)
        passage = self.source[segment]
        begins = np.flatnonzero(np.append(True, (np.diff(claim) != 0) | (np.diff(passage) != 0)))[: len(claim)]
        if not len(begins):
            return np.zeros(len(recall))
        highest = np.maximum.reduceat(recall, begins)
        likely = np.where(self._short[claim[begins]], np.maximum(highest, fitted.least_recall), highest)
        read = best_of_each(claim[begins], likely, fitted.least_recall)
        found = np.tile([[UNREAD], [0.0], [0.0], [SHARE_OF_RECALL]], len(begins))
        lengths = np.diff(np.append(begins, len(claim)))
        best = np.flatnonzero(recall == np.repeat(highest, lengths))
        best = segment[best[np.searchsorted(best, begins)]]
        found[:, read] = self._computed(claim[begins][read], best[read], highest[read])
        logits, against, restated, share = np.repeat(found, lengths, axis=1)
        degrees = fitted.degrees(logits, against, np.minimum(recall + restated, 1.0), share)
        return np.where(self._repeats[claim], 0.0, degrees)

    @cached_property
    def _short(self) -> BoolArray:
        """A mask of the claims that are read whatever letters they share, (c,)."""
        return np.fromiter((len(claim) <= _SHORT for claim in self.claims), bool, len(self.claims))

    @cached_property
    def _repeats(self) -> BoolArray:
        """A mask of the claims that are one word, again and again: they say nothing, (c,)."""
        return np.fromiter(map(_is_one_word, self.claims), bool, len(self.claims))

    def unread(self, claims: IntArray, segments: IntArray) -> BoolArray:
        """Return a mask of the pairs of claims and segments whose degree is the n-gram recall alone, (k,)."""
        return ~self.reader.reads(*self._numbers(claims, self.source[segments]))

    def _computed(self, claims: IntArray, segments: IntArray, highest: FloatArray) -> FloatArray:
        """Return four numbers of each pair of a claim and a passage, (4, k); ``segments``: the best of each passage.

        These are match and what speaks against it, in logits; what values written otherwise add to the recall; and
        the share of the recall that the degree has at least.
        """
        passages = self.source[segments]
        one, other = self._numbers(claims, passages)
        read = np.flatnonzero(self.reader.reads(one, other))
        found = np.tile([[UNREAD], [0.0], [0.0], [1.0]], len(claims))
        found[3] -= _UNREAD_ABSENT * self._values_absent(claims, passages, one, other)
        found[3, read] = SHARE_OF_RECALL
        granted = self._granted(claims[read])
        found[:3, read] = self._by_features(one[read], other[read], granted, highest[read], segments[read])
        return found

    def _values_absent(self, claims: IntArray, passages: IntArray, one: IntArray, other: IntArray) -> FloatArray:
        """Return how much counts that values of claims are absent where no other words are read, 0 to 1, (k,)."""
        scale, unread = np.zeros(len(claims)), np.flatnonzero(~self.reader.reads(one, other))
        if not len(unread):
            return scale
        samples = self._samples(claims[unread]).tolist()
        granted = None if self.granted is None else [self.granted[sample].tolist() for sample in samples]
        found = absent_values(self.claims[claims[unread]].tolist(), self.passages[passages[unread]].tolist(), granted)
        # Facts of one claim may be of several passages.
        everywhere = np.ones(int(claims.max()) + 1, dtype=bool)
        np.logical_and.at(everywhere, claims[unread], np.fromiter(map(bool, found), bool, len(found)))
        some = unread[everywhere[claims[unread]]]
        scale[some] = matched(match(self.reader.index, one[some], other[some])).scale
        return scale

    def _by_features(
        self, one: IntArray, other: IntArray, granted: Ragged | None, highest: FloatArray, segments: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        fitted = model()
        near, restated, columns = self.found(one, other, granted, highest, segments)
        # A short claim that shares no letters is only restated by its values: most of it has to be there.
        reads = (highest >= fitted.least_recall) | (near >= _TOLD)
        return np.where(reads, fitted.logits(near), UNREAD), fitted.speaks_against(columns), restated

    def found(
        self, one: IntArray, other: IntArray, granted: Ragged | None, highest: FloatArray, segments: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return near and what values written otherwise add to the recall, (k,), and the columns of `AGAINST`, (k, 5).

        Nothing is sought that speaks against a pair whose degree is low as it is.
        """
        fitted, index = model(), self.reader.index
        near, restated = np.zeros(len(one)), np.zeros(len(one))
        columns = np.zeros((len(one), len(AGAINST)))
        for first, last in blocks(sizes(index, one) * _PER_UNIT):
            known = None if granted is None else granted.between(first, last)
            matching = match(index, one[first:last], other[first:last], known)
            fits = matched(matching)
            near[first:last] = fits.near
            restated[first:last] = np.minimum(_RETOLD * retold(matching), 1 - highest[first:last])
            reached = fitted.bent(fitted.logits(fits.near) + fitted.match["recall"] * (highest + restated)[first:last])
            some = np.flatnonzero((reached > _LEAST_MATCH) & (fits.scale > 0))
            if len(some):
                found = columns_of(matching.take(some), fits.near[some]) * fits.scale[some, None]
                columns[first + some, :-1] = found
                alike = first + some[(fits.near[some] >= LEAST_NEAR) & (highest[first + some] >= _REPEATS)]
                columns[alike, -1] = self._replaced(one[alike], other[alike], segments[alike])
        return near, restated, columns

    def _replaced(self, one: IntArray, other: IntArray, segments: IntArray) -> FloatArray:
        """Return how far the ``segments`` of passages repeat claims but for words of their own, (k,)."""
        own = self.segments[segments].tolist()
        passages = self.passages[self.source[segments]].tolist()
        begin = np.array([text.find(part) for text, part in zip(passages, own, strict=True)], dtype=np.int64)
        length = np.array(list(map(len, own)), dtype=np.int64)
        return replaced(self.reader.index.units, (one, other), (begin, begin + length))

    def _numbers(self, claims: IntArray, passages: IntArray) -> tuple[IntArray, IntArray]:
        """Return the numbers of texts that pairs of claims and passages have with the reader, (k,) each."""
        own, claim = np.unique(claims, return_inverse=True)
        shown, passage = np.unique(passages, return_inverse=True)
        texts = [*self.claims[own].tolist(), *self.passages[shown].tolist()]
        numbers = self.reader.texts(texts)
        other = numbers[len(own) :][passage]
        return self.reader.beside(numbers[: len(own)][claim], other), other

    def _samples(self, claims: IntArray) -> IntArray:
        return np.searchsorted(self.pairs.claims, claims, side="right") - 1

    def _granted(self, claims: IntArray) -> Ragged | None:
        """Return the numbers of the granted texts of each claim's sample, as k lists."""
        if self.granted is None:
            return None
        own = self.granted.take(self._samples(claims))
        return Ragged(self.reader.texts(own.values.tolist()), own.offsets)


def _is_one_word(claim: str) -> bool:
    """Return whether a claim is one word three times or more, or one character four times or more.

    >>> [_is_one_word(text) for text in ("bridge Bridge bridge.", "桥桥桥桥", "a bridge", "1111", "")]
    [True, True, False, False, False]
    """
    words = claim.casefold().split()
    if len(words) < _REPEATED:
        letters = claim.strip(_MARKS)
        return len(letters) > _REPEATED and letters.isalpha() and len(set(letters)) == 1
    return len({word.strip(_MARKS) for word in words}) == 1


def best_of_each(claims: IntArray, values: FloatArray, least: float) -> IntArray:
    """Return the places of those of each claim that reach ``least``, at most 32, rising; ``claims`` (k,) rise.

    >>> best_of_each(np.array([0, 0, 1]), np.array([0.1, 0.5, 0.3]), 0.2)
    array([1, 2])
    """
    best = np.zeros(int(claims.max(initial=-1)) + 1)
    np.maximum.at(best, claims, values)
    some = np.flatnonzero(values >= np.maximum(least, _SHARE_OF_BEST * best[claims]))
    order = some[np.lexsort((some, -values[some], claims[some]))]
    own = claims[order]
    rank = np.arange(len(order)) - np.searchsorted(own, own)
    return np.sort(order[rank < _MOST_PASSAGES])
