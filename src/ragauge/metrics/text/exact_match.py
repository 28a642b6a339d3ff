"""``exact-match``: whether an answer is a reference, but for case, punctuation and articles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.protocol import Average, Direction, Needs, Stage
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.text._answers import Deleted, Evened
from ragauge.metrics.text._references import at, best
from ragauge.tokenizers.forms import Case

_SQUAD: Mapping[str, str] = MappingProxyType(
    {"case": "lower", "punctuation": "ascii", "articles": "true", "nfkc": "false"}
)


@register("exact-match", compat={"squad": _SQUAD})
@dataclass(frozen=True, kw_only=True)
class ExactMatch:
    """Whether the answer equals one of the references, after both were evened out.

    Formula:
        1 if evened(answer) = evened(reference) for one reference, else 0

    Case, punctuation, the English articles a, an, the, and the amount of white space do not count.

    Unit and range: 0 or 1. An empty answer equals a reference of which nothing is left, and no other. Identical text
    scores 1.
    References of one word each are alternatives here: one given as the list of its words by mistake is not noticed.

    ``undefined``: the sample has no reference.

    Args:
        case: ``fold``, ``lower`` or ``keep``.
        punctuation: which marks are deleted: all of ``unicode``, those of ``ascii``, or ``none``.
        articles: delete a, an, the.
        nfkc: take full-width and other compatibility forms for the plain ones.
        average: ``samples``, or ``pooled``, which is the same here.

    Not for: answers in whole sentences: 'in Paris' is not 'Paris'. It is meant for names, numbers and choices
    (``token-f1`` gives part of the score).

    Source: Rajpurkar et al. 2016, "SQuAD: 100,000+ questions for machine comprehension of text"; ``compat=squad``
    equals its evaluate-v1.1.py. In Chinese this is the rule of CMRC 2018: characters but punctuation must agree.
    Deviations of the defaults: all of Unicode's punctuation is deleted, not only ASCII's, case is folded (``ß`` is
    ``ss``), and compatibility forms are taken for plain ones.

    >>> import pyarrow as pa
    >>> metric = ExactMatch()
    >>> batch = Batch(pa.table({"answer": ["The Eiffel Tower."], "references": [["Tour Eiffel", "Eiffel tower"]]}))
    >>> metric.score(metric.measure(batch))
    array([1.])
    """

    case: Case = "fold"
    punctuation: Deleted = "unicode"
    articles: bool = True
    nfkc: bool = True
    average: Average = "samples"

    needs: ClassVar[Needs] = (("answer", "references"),)
    stage: ClassVar[Stage] = "generation"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    def measure(self, batch: Batch) -> Rows:
        """Count an answer that equals a reference."""
        import pyarrow.compute as pc

        evened = Evened(case=self.case, punctuation=self.punctuation, articles=self.articles, nfkc=self.nfkc)
        owner, n = batch.owners("references"), len(batch)
        answers = evened.column(batch, "answer").take(to_arrow(owner))
        equal = to_numpy(pc.equal(answers, evened.column(batch, "references"))).astype(np.int64)
        match = at(equal, best(equal.astype(np.float64), owner, n))
        undefined = np.bincount(owner, minlength=n) == 0
        return Rows.of({"match": match, "count": np.ones(n, dtype=np.int64)}, status=undefined)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the share of answers that equal a reference."""
        return ratio(totals["match"], totals["count"])
