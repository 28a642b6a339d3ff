"""``contains-answer``: whether the answer contains a reference, word for word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.text._contained import Contained, Marks, Unspaced, stand_in
from ragauge.metrics.text._references import ReferenceMetric
from ragauge.tokenizers.forms import Case

_DPR = {
    "case": "lower",
    "punctuation": "keep",
    "articles": "false",
    "nfkc": "false",
    "numbers": "false",
    "unspaced": "words",
}


@register("contains-answer", compat={"dpr": _DPR})
@dataclass(frozen=True, kw_only=True)
class ContainsAnswer(ReferenceMetric):
    """Answer containment: whether the answer contains one of the references, as whole tokens in a row.

    Formula:
        1 if the tokens of one reference are a run of the answer's tokens, else 0

    References are alternatives, such as the aliases of a name. Case, punctuation, the English articles a, an, the, and
    the form of numbers do not count: 8,849 is 8849, in the digits of any script, and 八千 is 8000. Number words above
    one in Arabic, English, French, German, Hindi, Korean, Russian, Spanish and Thai are digits where a sample has
    digits too: "twelve" is 12. In Chinese, Japanese, Thai and other scripts without spaces each character is a token.
    In Korean each syllable is one, and a run begins where a word does, so that a particle may follow.

    Unit and range: 0 or 1. Identical text scores 1, however long the answer is beside it. A reference of which nothing
    is left is in an empty answer only. References of one word each are alternatives here: one given as the list of
    its words by mistake is not noticed.

    ``undefined``: the sample has no reference. ``failed``: too many references beside so long an answer.

    Args:
        punctuation: ``drop``: marks only part tokens, and U.S. is US; ``keep``: each mark is a token.
        articles: leave out a, an, the.
        numbers: compare numbers by value, whatever their digits and the marks between thousands: 8.849 is 8849 too.
        unspaced: in scripts without spaces, and in Korean, compare ``characters``, or ``words`` between spaces.
        average: ``samples``, or ``pooled``, which is the same here.

    Not for: answers that list many candidates, or deny the right one: 'not Paris' contains 'Paris'; nor for references
    of a sentence, which no answer repeats word for word (``answer-correctness``). Inflected words must be among the
    references: 'Москве' does not contain 'Москва'.

    Source: Karpukhin et al. 2020, "Dense passage retrieval for open-domain question answering", section 5, after Chen
    et al. 2017; ``compat=dpr`` equals ``has_answer`` of its ``qa_validation.py``, but for references without any token,
    which that finds everywhere.

    >>> import pyarrow as pa
    >>> metric = ContainsAnswer()
    >>> answers, references = ["It is 8,849 metres high.", "In Parish."], [["8849", "8848"], ["Paris"]]
    >>> metric.measure(Batch(pa.table({"answer": answers, "references": references})))["match"]
    array([1., 0.])
    """

    case: Case = "fold"
    punctuation: Marks = "drop"
    articles: bool = True
    nfkc: bool = True
    numbers: bool = True
    unspaced: Unspaced = "characters"
    average: Average = "samples"

    def measure(self, batch: Batch) -> Rows:
        """Return whether each answer contains a reference."""
        contained = Contained(self.case, self.punctuation, self.articles, self.nfkc, self.numbers, self.unspaced)
        texts = contained.compared(batch)
        pairs = texts.pairs
        match = stand_in(pairs.hypotheses, pairs.references).astype(np.int64)
        return self.best_rows({"match": match, "count": np.ones_like(match)}, texts.owner, len(batch), texts.long)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the share of answers that contain a reference."""
        return ratio(totals["match"], totals["count"])
