"""What the ROUGE metrics share: overlap counts of each answer and reference, made precision, recall and F."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from ragauge.batch import Batch
from ragauge.errors import OptionError
from ragauge.ingredients import Tokenizer
from ragauge.metrics.overlap._f_measure import Overlap, f_measure, from_totals, rows_of
from ragauge.metrics.overlap._references import References
from ragauge.metrics.overlap._shapes import reject_word_lists
from ragauge.protocol import Average, Direction, Needs, Stage
from ragauge.ragged import FloatArray
from ragauge.statistics import Rows, Statistics
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Forms
from ragauge.tokenizers.stemming import versions_of

COMPAT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"rouge-score": {"tokenizer": "rouge-score", "case": "keep", "nfkc": "false", "punctuation": "keep"}}
)


@dataclass(frozen=True, kw_only=True)
class Rouge:
    """Base of the ROUGE metrics: what overlaps is left to them."""

    tokenizer: Tokenizer = field(default_factory=Auto)
    case: Literal["fold", "lower", "keep"] = "fold"
    punctuation: Literal["drop", "keep"] = "drop"
    nfkc: bool = True
    stemmer: str = "none"
    beta: float = 1.0
    references: References = "max"
    references_are_words: bool = False
    average: Average = "samples"

    needs: ClassVar[Needs] = (("answer", "references"),)
    stage: ClassVar[Stage] = "generation"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not self.beta > 0:
            raise OptionError.value("rouge", "beta", "above 0", self.beta)
        if self.references == "mean" and self.average == "pooled":
            raise OptionError.value("rouge", "average", "samples under references=mean, which has no counts", "pooled")

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
