"""What all retrieval metrics share: their options, and which queries count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ragauge.ingredients import Matcher
from ragauge.matchers.contains import Contains
from ragauge.metrics.retrieval._options import check_options
from ragauge.metrics.retrieval._views import Views, views_of
from ragauge.protocol import Average, Direction, Needs, Stage
from ragauge.statistics import Rows, Statistics, Status, ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragauge.batch import Batch
    from ragauge.metrics.retrieval._view import Column
    from ragauge.ragged import BoolArray, FloatArray


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A metric of a ranking against judged documents, or against reference passages.

    The judgements are document ids with grades (``retrieved`` and ``relevance``). Where the data have only texts
    (``contexts`` and ``reference_contexts``), ``matcher`` says which retrieved passage stands for which reference
    passage. Ids win when both exist.

    Args:
        level: the grade from which a document counts as relevant, above 0; gains of nDCG, DCG and ERR do not depend
            on it. A matched passage has grade 1, any other 0.
        ties: the order of equally scored documents: ``docid-desc`` (as trec_eval: the greater id, by its UTF-8 bytes,
            comes first), ``docid-asc``, ``input``, or ``mean`` (the expected score over all their orders). Documents
            without scores, and passages, stand in the order that they are given in, whatever ``ties`` is.
        score_dtype: ``float64``; or ``float32``, to which trec_eval 9 and pytrec_eval round scores.
        missing_queries: a judged query that the run lacks scores ``zero``, or is ``missing`` (``skip``).
        duplicates: a document retrieved twice for a query is an ``error``, or counts the ``first`` time only; without
            effect on passages.
        undefined: a query with nothing relevant to find scores ``zero``, or is ``undefined`` (``skip``).
        matcher: decides which passages match; without effect on ids.
        average: ``samples``: the mean of the queries' scores; ``pooled``: the score of the summed counts.
    """

    level: float = 1
    ties: Literal["docid-desc", "docid-asc", "input", "mean"] = "docid-desc"
    score_dtype: Literal["float64", "float32"] = "float64"
    missing_queries: Literal["zero", "skip"] = "zero"
    duplicates: Literal["error", "first"] = "error"
    undefined: Literal["zero", "skip"] = "zero"
    matcher: Matcher = field(default_factory=Contains)
    average: Average = "samples"

    stage: ClassVar[Stage] = "retrieval"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1
    needs: ClassVar[Needs] = (("retrieved", "relevance"), ("contexts", "reference_contexts"))

    def __post_init__(self) -> None:
        check_options(self)

    def views(self, batch: Batch) -> Views:
        """Return what is relevant in each ranking of ``batch``, and where."""
        return views_of(batch, self)

    def rows(self, batch: Batch, defined: BoolArray, columns: Mapping[str, Column]) -> Rows:
        """Return ``columns`` and a ``count`` of 1 a query, with the status of each.

        Args:
            batch: n queries.
            defined: (n,) whether there is anything to find.
            columns: name -> (n,), zero where a query is not defined.
        """
        status = np.zeros(len(batch), dtype=np.uint8)
        if self.undefined == "skip":
            status[~defined] = Status.UNDEFINED
        if self.missing_queries == "skip" and "in_run" in batch.names:
            status[~batch.column("in_run").to_numpy(zero_copy_only=False).astype(bool)] = Status.MISSING
        count = np.ones(len(batch), dtype=np.int64)
        return Rows.of({**columns, "count": count}, status=status, defaulted=~defined)


@dataclass(frozen=True, kw_only=True)
class Averaged(Ranked):
    """A metric of each ranking that has no pooled form: corpus scores are means over the queries."""

    average: Literal["samples"] = "samples"

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean of the queries' values."""
        return ratio(totals["value"], totals["count"])


def share(numerator: FloatArray, denominator: FloatArray, count: FloatArray) -> FloatArray:
    """Divide; 0/0 is 0, the worst value, where a query was counted, and NaN where none was.

    >>> share(np.array([1.0, 0.0, 0.0]), np.array([2.0, 0.0, 0.0]), np.array([1.0, 1.0, 0.0]))
    array([0.5, 0. , nan])
    """
    quotient = np.where(np.asarray(denominator) == 0, 0.0, ratio(numerator, denominator))
    return np.asarray(np.where(np.asarray(count) == 0, np.nan, quotient))
