"""Answers beside their references: their tokens, and which of several references counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Tokenizer
from ragauge.core.protocol import Direction, Needs, Stage
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.tokenizers.forms import Forms


class ReferenceMetric:
    """Base of the metrics that compare an answer with its references, from 0 to 1.

    Args:
        tokenizer: cuts the texts into tokens.
        case: ``keep`` compares case, ``lower`` and ``fold`` do not; ``fold`` also makes ``ss`` of ``ß``.
        punctuation: ``drop`` takes out tokens that are punctuation only, ``keep`` compares them.
        nfkc: take full-width and other compatibility forms for the plain ones.
        references_are_words: accept lists of one-word references, which are an error otherwise.
    """

    needs: ClassVar[Needs] = (("answer", "references"),)
    stage: ClassVar[Stage] = "generation"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1


SURFACE = Forms(case="keep", punctuation="keep", stemmer="none", nfkc=False)
"""Tokens as they stand in the text."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The tokens of n answers and of their m references, numbered alike.

    Shapes: ``hypotheses`` (n) and ``references`` (m) lists of codes; ``owner`` (m,) the sample of each reference,
    ascending.
    """

    hypotheses: Ragged
    references: Ragged
    owner: IntArray

    @property
    def undefined(self) -> BoolArray:
        """A mask of the samples without a reference, (n,)."""
        return np.asarray(np.bincount(self.owner, minlength=len(self.hypotheses)) == 0)

    @property
    def pairs(self) -> Compared:
        """Return the same with one hypothesis per reference: m of each."""
        if len(self.owner) == len(self.hypotheses) and (self.owner == np.arange(len(self.owner))).all():
            return self
        return Compared(self.hypotheses.take(self.owner), self.references, np.arange(len(self.owner)))


def compared(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> Compared:
    """Return the tokens of answers and references under ``forms``."""
    forms_or_none = None if forms == SURFACE else forms
    answers = batch.tokens("answer", tokenizer, forms_or_none)
    references = batch.tokens("references", tokenizer, forms_or_none)
    return Compared(answers, references, batch.owners("references"))


def best(scores: FloatArray, owner: IntArray, n: int) -> IntArray:
    """Return the place of the highest score of each sample, of the first one among equals.

    Args:
        scores: (m,)
        owner: (m,) the sample of each score, ascending.
        n: how many samples there are.

    Returns:
        (n,); a sample without scores gets 0.

    >>> best(np.array([0.2, 0.9, 0.9]), np.array([0, 0, 0]), 2)
    array([1, 0])
    """
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    places = np.zeros(n, dtype=np.int64)
    if len(starts):
        highest = np.repeat(np.maximum.reduceat(scores, starts), np.diff(starts, append=len(owner)))
        winners = np.flatnonzero(scores == highest)[::-1]
        places[owner[winners]] = winners
    return places


def first(owner: IntArray, n: int) -> IntArray:
    """Return the place of the first reference of each of ``n`` samples; 0 where there is none."""
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    places = np.zeros(n, dtype=np.int64)
    places[owner[starts]] = starts
    return places


def mean(values: FloatArray, owner: IntArray, n: int) -> FloatArray:
    """Return the mean of each sample's values; 0 where there are none."""
    return np.bincount(owner, weights=values, minlength=n) / np.maximum(np.bincount(owner, minlength=n), 1)


def at(values: IntArray, places: IntArray) -> IntArray:
    """Return ``values`` at ``places``, along the first axis, and zeros if there are no values at all."""
    return values[places] if len(values) else np.zeros((len(places), *values.shape[1:]), dtype=values.dtype)
