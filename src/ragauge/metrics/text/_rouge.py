"""The base of the ROUGE metrics: precision, recall and F of counts, with one reference or several."""

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
from ragauge.core.statistics import Rows, Statistics, Status, f_measure
from ragauge.metrics.text._references import ReferenceMetric, best, reject_word_lists, rows_of, without_long
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Forms, Stemmer, versions_of

References: TypeAlias = Literal["max", "mean", "first"]

COMPAT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"rouge-score": {"tokenizer": "rouge-score", "case": "keep", "nfkc": "false", "punctuation": "keep"}}
)


def precision_recall(totals: Statistics) -> tuple[FloatArray, FloatArray]:
    """Return precision and recall of summed counts, 0 where there is nothing to divide by."""
    match = totals["match"]
    return match / np.maximum(totals["hypothesis"], 1), match / np.maximum(totals["reference"], 1)


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
        DataError: references that look like the words of one text.
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
        """The version of the library that stems."""
        return versions_of(self.stemmer)

    @abstractmethod
    def counts(self, batch: Batch) -> dict[str, IntArray]:
        """Return what m references share with their answer (``match``), and what both sides hold: (m,) each.

        ``too_long`` masks the references that were not compared; without it all were.
        """

    def measure(self, batch: Batch) -> Rows:
        """Return the counts of the reference chosen, or the means over references."""
        if not self.references_are_words:
            reject_word_lists(batch)
        counts, owner = self.counts(batch), batch.owners("references")
        long = counts.pop("too_long", np.zeros(len(owner), dtype=np.int64))
        return without_long(self._chosen(counts, owner, len(batch)), long > 0, owner)

    def _chosen(self, counts: dict[str, IntArray], owner: IntArray, n: int) -> Rows:
        if self.references == "max":
            return self.best_rows(counts, owner, n)
        if self.references == "first":
            return rows_of(counts, best(np.zeros(len(owner)), owner, n), owner, n)
        precision, recall = precision_recall({name: count.astype(np.float64) for name, count in counts.items()})
        values = {"f": f_measure(precision, recall, self.beta), "precision": precision, "recall": recall}
        times = np.bincount(owner, minlength=n)
        sums = {name: np.bincount(owner, weights=value, minlength=n) for name, value in values.items()}
        means = {name: total / np.maximum(times, 1) for name, total in sums.items()}
        return Rows.of(
            {**means, "count": np.ones(n, dtype=np.int64)}, status=np.where(times == 0, Status.UNDEFINED, Status.OK)
        )

    def score(self, totals: Statistics) -> FloatArray:
        """Return F."""
        if self.references == "mean":
            return totals["f"] / np.maximum(totals["count"], 1)
        return f_measure(*precision_recall(totals), self.beta)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision and recall."""
        if self.references == "mean":
            return {name: totals[name] / np.maximum(totals["count"], 1) for name in ("precision", "recall")}
        precision, recall = precision_recall(totals)
        return {"precision": precision, "recall": recall}
