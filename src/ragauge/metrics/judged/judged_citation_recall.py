"""``judged-citation-recall`` and its kin: whether what a sentence cites supports it, as a judge says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.protocol import Needs, Stage, columns_read, evidence
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, ratio
from ragauge.grounding.cited import UNCITED, CitedSentences, cited_in
from ragauge.grounding.notes import FROM_ZERO, meanings
from ragauge.judges.calibration import HALF
from ragauge.metrics._sample_mean import rows_of, sums
from ragauge.metrics.judged._claims import NOT_SUPPORTED, ClaimMetric, Claims, Supported, passages_of


@register(
    "judged-citation-recall",
    variants={"judged-citation-precision": {"mode": "precision"}, "judged-citation-f1": {"mode": "f1"}},
    meanings={
        "judged-citation-precision": "Citation precision by a judge: the share of the answer's citations that point "
        "at a passage which supports their sentence.",
        "judged-citation-f1": "Citation F1 by a judge: the harmonic mean of citation recall and citation precision "
        "of each answer.",
    },
)
@dataclass(frozen=True, kw_only=True)
class JudgedCitationRecall(ClaimMetric):
    """Citations by a judge: the share of the answer's sentences that a passage which they cite supports.

    Formula:
        recall    = sentences of which the judge names a cited passage / sentences of the answer
        precision = citations of a passage that the judge names for their sentence / citations
        f1        = 2 * recall * precision / (recall + precision), of each answer

    Markers, and the sentences that are left out, are as in ``citation-recall``. The judge sees the sentences without
    their markers, and all passages: one question a sample, which the three names share.

    Unit and range: a share of sentences or of citations, 0 to 1. An answer without citations scores 0. A decision model
    gives probabilities: a sentence counts that of its best cited passage.

    ``undefined``: the answer is empty or claims nothing. ``failed``: the judge gave no answer of the right form.

    Args:
        mode: ``recall``, ``precision``, or ``f1`` of both.

    >>> import ragauge
    >>> reply = '{"claims": [{"claim": 1, "passages": [2]}, {"claim": 2, "passages": [1]}]}'
    >>> metric = JudgedCitationRecall(judge=ragauge.judges.FunctionJudge(lambda messages: reply, "example"))
    >>> contexts = ["It opened in 1990.", "Lin Wan founded it."]
    >>> ragauge.score(metric, answer="Lin Wan founded it [2]. It opened in 1990 [2].", contexts=contexts)
    0.5

    Not for: telling whether an answer is right: a wrong passage cited faithfully scores 1
    (``judged-answer-correctness``).

    Source: citation recall and precision of Gao, Yen, Yu and Chen 2023, "Enabling large language models to generate
    text with citations" (ALCE). Deviations: a judge names the passages from which a sentence follows, several where it
    takes several, instead of an entailment model for each set of them; so a sentence that takes two passages and cites
    one of them counts.
    """

    mode: Literal["recall", "precision", "f1"] = "recall"
    claims: Literal["sentences"] = field(default="sentences", init=False, repr=False, metadata={"option": False})

    stage: ClassVar[Stage] = "generation"
    revision: ClassVar[int] = 9
    needs: ClassVar[Needs] = (("answer", "contexts", "retrieved"), ("answer", "contexts"))
    bounds_undefined: ClassVar[bool] = True

    def measured(self, batch: Batch) -> Rows:
        """Return the share of supported sentences, of right citations, or the mean of both."""
        found, support, degrees = self._judged(batch)
        counted, owners = found.counted, found.sentences.rows
        best = np.zeros(len(counted))
        np.maximum.at(best, found.sentence, degrees)
        recall, precision = (
            _mean(values, rows, len(batch))
            for values, rows in (
                (best[counted], owners[counted]),
                (degrees[counted[found.sentence]], owners[found.sentence][counted[found.sentence]]),
            )
        )
        both = np.where(recall + precision > 0, ratio(2 * recall * precision, recall + precision), 0.0)
        value = {"recall": recall, "precision": precision, "f1": both}[self.mode]
        undefined = sums(counted, found.sentences.offsets) == 0
        undefined[list(support.reasons)] = False
        return rows_of(value, undefined, support.reasons, {FROM_ZERO: found.from_zero})

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes that may accompany a score, with their meanings."""
        return {**super().notes, **meanings(FROM_ZERO)}

    def explained(self, batch: Batch) -> pa.Table:
        """Return one row per sentence, and one per citation with its passage; none of a sample that failed."""
        found, support, degrees = self._judged(batch)
        texts, owners = found.sentences.windows(1).values, found.sentences.rows
        kept = found.counted & ~np.isin(owners, list(support.reasons))
        held, cites = np.zeros(len(kept), dtype=bool), np.zeros(len(kept), dtype=bool)
        cites[found.sentence], held[found.sentence[degrees >= HALF]] = True, True
        passages = [text for several in support.passages for text in several]
        own = np.flatnonzero(kept)
        first = evidence(
            batch, owners[own], what="answer sentence", texts=texts[own].tolist(), supported=held[own].tolist(),
            why=[None if held[one] else NOT_SUPPORTED if cites[one] else UNCITED for one in own],
        )  # fmt: skip
        places = np.flatnonzero(kept[found.sentence])
        of_sentence, passage, right = found.sentence[places], found.passage[places].tolist(), degrees[places] >= HALF
        second = evidence(
            batch, owners[of_sentence], what="citation", texts=texts[of_sentence].tolist(), supported=right.tolist(),
            best=[passages[one] if one >= 0 else None for one in passage],
            why=[None if good else NOT_SUPPORTED for good in right],
        )  # fmt: skip
        order = np.argsort(np.concatenate([own, of_sentence]), kind="stable")
        return pa.concat_tables([first, second]).take(to_arrow(order)).combine_chunks()

    def _judged(self, batch: Batch) -> tuple[CitedSentences, Supported, FloatArray]:
        """Return the citations, which passages support which sentences, and the degree of each citation, (c,)."""
        found = cited_in(batch, by_ids="retrieved" in columns_read(self, batch.names))
        own = found.sentences.strings.where(found.counted)
        support = self.supported(batch, Claims(own, np.arange(len(batch) + 1), {}), passages_of(batch))
        return found, support, _degrees(found, support)


def _degrees(found: CitedSentences, support: Supported) -> FloatArray:
    """Return how far the passage of each citation supports its sentence, (c,); 0 of one of no passage."""
    matrix = support.matrix
    claim = np.cumsum(found.counted) - 1
    starts = np.cumsum(matrix.widths) - matrix.widths
    degrees = np.zeros(len(found.sentence))
    kept = found.counted[found.sentence] & (found.passage >= 0)
    sentence = found.sentence[kept]
    first: IntArray = matrix.passages[found.sentences.rows[sentence]]
    degrees[kept] = np.asarray(matrix.supports, dtype=np.float64)[starts[claim[sentence]] + found.passage[kept] - first]
    return degrees


def _mean(values: FloatArray, rows: IntArray, n: int) -> FloatArray:
    """Return the mean of the values of each of n samples, 0 where it has none."""
    return np.asarray(np.bincount(rows, values, n) / np.maximum(np.bincount(rows, minlength=n), 1))
