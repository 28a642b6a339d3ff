"""The base of metrics that ask a judge for a whole number on a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Reply
from ragauge.core.messages import Message
from ragauge.core.protocol import evidence
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.statistics import Rows
from ragauge.judges.question import ReplyForm
from ragauge.metrics._sample_mean import rows_of
from ragauge.metrics.judged._base import JudgedMetric, one_text, reasons_of, with_question
from ragauge.metrics.judged._claims import passages_of

PLAIN = "without probabilities"


@dataclass(frozen=True, kw_only=True)
class RatingMetric(JudgedMetric):
    """A judged metric whose score comes from ratings.

    Args:
        weighted: where the server gives the probabilities of the labels, count the mean of the labels weighted by them,
            else the label that the judge wrote; a note counts the ratings without probabilities. They are known only
            where a rating is one token of the model: on a scale up to 10 or 100 many models write several.
    """

    weighted: bool = True

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        return {PLAIN: "ratings that count as the judge wrote them, because their probabilities are not known"}

    def ratings(self, replied: Sequence[Reply], key: str) -> FloatArray:
        """Return the rating of each reply, (q,), NaN where there is none; ``key`` holds it."""
        return np.array([rating_of(reply, key, weighted=self.weighted) for reply in replied], dtype=np.float64)

    def noted(self, n: int, rows: Sequence[int], replied: Sequence[Reply]) -> dict[str, IntArray]:
        """Return the count of ratings without probabilities of each sample, (n,)."""
        counts = np.zeros(n, dtype=np.int64)
        if self.weighted:
            lacking = [
                row for row, reply in zip(rows, replied, strict=True) if reply.ok and not reply.label_probabilities
            ]
            np.add.at(counts, np.array(lacking, dtype=np.int64), 1)
        return {PLAIN: counts}


class PassagesRating(RatingMetric):
    """A rating of one text of each sample beside its passages, from 0 to 2; passages that are blank, or none, score 0.

    ``column``: holds the text; where it is empty, the score is undefined. ``form``: the question.
    """

    column: ClassVar[str]
    form: ClassVar[ReplyForm]

    def measured(self, batch: Batch) -> Rows:
        """Return the rating of each sample, as a share of 2."""
        rows, replied = self._replies(batch)
        value = np.zeros(len(batch))
        value[rows] = np.nan_to_num(self.ratings(replied, "rating")) / 2
        undefined = batch.segments(self.column).not_blank.lengths == 0
        return rows_of(value, undefined, reasons_of(rows, replied), self.noted(len(batch), rows, replied))

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per sample with its rating."""
        rows, replied = self._replies(batch)
        texts = one_text(batch, self.column)
        return rated(batch, rows, self.column, [texts[row] for row in rows], self.ratings(replied, "rating"))

    def _replies(self, batch: Batch) -> tuple[list[int], Sequence[Reply]]:
        """Return the samples that were asked about, and the replies."""
        passages, texts = passages_of(batch), one_text(batch, self.column)
        there = [bool(text.strip()) and any(map(str.strip, some)) for text, some in zip(texts, passages, strict=True)]
        rows = self.askable(batch, there)
        data = [
            {**question, "passages": passages[row], self.column: texts[row]}
            for question, row in zip(with_question(batch, rows), rows, strict=True)
        ]
        return rows, self.replies(batch, self.form, rows, data)


def rating_of(reply: Reply, key: str, *, weighted: bool) -> float:
    """Return the rating in a reply: the mean of the labels weighted by their probabilities, where these are known.

    >>> reply = Reply(status="ok", value={"rating": 2}, label_probabilities={"0": 0.0, "1": 0.25, "2": 0.75})
    >>> rating_of(reply, "rating", weighted=True), rating_of(reply, "rating", weighted=False)
    (1.75, 2.0)
    """
    if not reply.ok:
        return float("nan")
    if weighted and reply.label_probabilities:
        return sum(float(label) * share for label, share in reply.label_probabilities.items())
    return float(reply.value[key])


def rated(batch: Batch, rows: Sequence[int], what: str, texts: Sequence[str], ratings: FloatArray) -> pa.Table:
    """Return one row of evidence per rating: the text that was rated, and the rating in words."""
    there = np.flatnonzero(~np.isnan(ratings)).tolist()
    return evidence(
        batch,
        [rows[place] for place in there],
        what=what,
        texts=[texts[place] for place in there],
        why=[Message("rating {ratings:g}", ratings[place]) for place in there],
    )
