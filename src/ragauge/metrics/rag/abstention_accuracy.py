"""``abstention-accuracy``: whether the answers decline where they should, and only there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.rag._abstaining import Abstaining, answerable, counts_of_notes, declined


@register("abstention-accuracy")
@dataclass(frozen=True, kw_only=True)
class AbstentionAccuracy(Abstaining):
    """Abstention accuracy: the share of the questions that are answered if they can be, and declined if not.

    Formula:
        score = mean over samples of: d if the question cannot be answered, else 1 - d
        d = 1 if the whole answer declines, 1/2 if some of its sentences do, else 0

    Which questions can be answered is said by the column ``answerable`` or ``is_answerable``, by its opposite
    ``is_impossible`` (SQuAD 2) or ``unanswerable``, or else by the references: one that is not empty and does not
    itself decline. What declines is said at ``abstention``.

    Unit and range: a share, 0 to 1. Parts ``over-refusal``: how far questions that can be answered are declined;
    ``missed-refusal``: how far others are answered. Whether an answer is right is not looked at.

    ``undefined``: never.

    Raises:
        DataError: a mark says neither yes nor no.

    >>> import pyarrow as pa
    >>> answers = ["At nine.", "I don't know.", "I don't know.", "In 1990."]
    >>> batch = Batch(pa.table({"answer": answers, "answerable": [True, True, False, False]}))
    >>> metric = AbstentionAccuracy()
    >>> totals = metric.measure(batch).totals()
    >>> metric.score(totals), metric.parts(totals)
    (array(0.5), {'over-refusal': array(0.5), 'missed-refusal': array(0.5)})

    Not for: data in which few questions cannot be answered: never declining scores high there (``abstention-f1``).

    Source: Rajpurkar, Jia and Liang 2018, "Know what you don't know: unanswerable questions for SQuAD": the share of
    questions for which "no answer" is predicted rightly.
    """

    average: Literal["samples"] = "samples"

    def measure(self, batch: Batch) -> Rows:
        """Return whether each question is answered or declined as it should be, and what goes into the two rates."""
        declines, can = declined(batch), answerable(self, batch)
        value = np.where(can == 1.0, 1.0 - declines, declines)
        columns = {"answerable": can, "over": declines * can, "missed": (1.0 - declines) * (1.0 - can)}
        return rows_of(value, np.zeros(len(batch), dtype=bool), {}, counts_of_notes(self, batch), **columns)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return how far questions are declined that can be answered, and answered that cannot."""
        can = totals["answerable"]
        return {
            "over-refusal": ratio(totals["over"], can),
            "missed-refusal": ratio(totals["missed"], totals["count"] - can),
        }
