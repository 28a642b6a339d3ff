"""Precision, recall and F of counts, with one reference or several: what the ROUGE metrics and token F1 share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.options import Beta, check
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.text._references import ReferenceMetric, at, best, first, mean, reject_word_lists
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Forms, Stemmer, versions_of

References: TypeAlias = Literal["max", "mean", "first"]


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """How much each of m references shares with its hypothesis, and how much each side holds; all (m,)."""

    match: IntArray
    hypothesis: IntArray
    reference: IntArray
    owner: IntArray
    """The sample of each, ascending."""


def f_measure(precision: FloatArray, recall: FloatArray, beta: float) -> FloatArray:
    """Return (1 + beta^2) P R / (beta^2 P + R), 0 where both are 0. Shapes: any, equal.

    >>> f_measure(np.array([0.5]), np.array([1.0]), 1.0).round(4)
    array([0.6667])
    """
    below = beta**2 * precision + recall
    above = (1 + beta**2) * precision * recall
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), 0.0)


def from_totals(totals: Statistics) -> tuple[FloatArray, FloatArray]:
    """Return precision and recall of summed counts, 0 where there is nothing to divide by."""
    match = totals["match"]
    return match / np.maximum(totals["hypothesis"], 1), match / np.maximum(totals["reference"], 1)


def rows_of(overlap: Overlap, n: int, references: References, beta: float) -> Rows:
    """Return the statistics of n samples: counts of one reference, or means over all of them.

    A sample without references is undefined.
    """
    undefined = np.bincount(overlap.owner, minlength=n) == 0
    precision = overlap.match / np.maximum(overlap.hypothesis, 1)
    recall = overlap.match / np.maximum(overlap.reference, 1)
    f = f_measure(precision, recall, beta)
    if references == "mean":
        values = {"f": f, "precision": precision, "recall": recall}
        means = {name: mean(value, overlap.owner, n) for name, value in values.items()}
        return Rows.of({**means, "count": np.ones(n, dtype=np.int64)}, status=undefined)
    chosen = best(f, overlap.owner, n) if references == "max" else first(overlap.owner, n)
    names = ("match", "hypothesis", "reference")
    return Rows.of({name: at(getattr(overlap, name), chosen) for name in names}, status=undefined)


COMPAT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"rouge-score": {"tokenizer": "rouge-score", "case": "keep", "nfkc": "false", "punctuation": "keep"}}
)


@dataclass(frozen=True, kw_only=True)
class Rouge(ReferenceMetric):
    """Base of the ROUGE metrics, which differ in what they count as overlap.

    Args:
        stemmer: ``none``, ``porter`` (English, as rouge-score) or ``snowball-<language>``.
        beta: weighs recall; above 1 in favour of recall.
        references: with several, the one of highest F (``max``, the first among equals), the ``mean`` over them, or
            the ``first``.
        average: ``samples``, or ``pooled`` for the F of summed counts (not with ``references=mean``).

    Raises:
        OptionError: options that do not go together.
        DataError: references that look like one text cut into words.
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    case: Literal["fold", "lower", "keep"] = "fold"
    punctuation: Literal["drop", "keep"] = "drop"
    nfkc: bool = True
    stemmer: Stemmer = "none"
    beta: Beta = 1.0
    references: References = "max"
    references_are_words: bool = False
    average: Average = "samples"

    def __post_init__(self) -> None:
        holds = self.references != "mean" or self.average == "samples"
        check(self, "average", "samples under references=mean, which has no counts", holds=holds)

    @property
    def forms(self) -> Forms:
        """The forms under which tokens are compared."""
        return Forms(case=self.case, punctuation=self.punctuation, stemmer=self.stemmer, nfkc=self.nfkc)

    @property
    def versions(self) -> Mapping[str, str]:
        """The library that stems."""
        return versions_of(self.stemmer)

    @abstractmethod
    def overlap(self, batch: Batch) -> Overlap:
        """Count what each answer shares with each of its references."""

    def measure(self, batch: Batch) -> Rows:
        """Return the counts of the reference chosen, or the means over references."""
        if not self.references_are_words:
            reject_word_lists(batch)
        return rows_of(self.overlap(batch), len(batch), self.references, self.beta)

    def score(self, totals: Statistics) -> FloatArray:
        """Return F."""
        if self.references == "mean":
            return totals["f"] / np.maximum(totals["count"], 1)
        return f_measure(*from_totals(totals), self.beta)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision and recall."""
        if self.references == "mean":
            return {name: totals[name] / np.maximum(totals["count"], 1) for name in ("precision", "recall")}
        precision, recall = from_totals(totals)
        return {"precision": precision, "recall": recall}
