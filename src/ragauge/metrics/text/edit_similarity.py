"""``edit-similarity``: the share of characters that need no change."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow, to_numpy
from ragauge.core.batch import Batch
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics
from ragauge.metrics.text._answers import Deleted, Normalised, Whitespace
from ragauge.metrics.text._references import ReferenceMetric, too_long, without_long
from ragauge.tokenizers.forms import Case


@register("edit-similarity", compat={"ragas": {"case": "keep", "nfkc": "false", "whitespace": "keep"}})
@dataclass(frozen=True, kw_only=True)
class EditSimilarity(ReferenceMetric):
    """Edit similarity: 1 minus the Levenshtein distance of answer and reference over the length of the longer.

    Formula:
        1 - distance(answer, reference) / max(length of answer, length of reference)

    The distance is Levenshtein's: the fewest characters to insert, delete or replace, each at a cost of 1, after both
    texts were normalised (case, and the amount of white space).

    Unit and range: a share of characters, 0 to 1. Identical text scores 1, two empty texts too; an empty answer
    against any other scores 0. Of several references the one of highest similarity counts, the first among equals.
    References of one word each are alternatives here: one given as the list of its words by mistake is not noticed.

    ``undefined``: the sample has no reference. ``failed``: the texts are too long to compare, about 370,000 characters
    each or the same product of lengths.

    Args:
        punctuation: which marks are deleted: all of ``unicode``, those of ``ascii``, or ``none``.
        articles: delete the English words a, an, the.
        whitespace: ``single`` makes one space of each run of white space, and none of those at both ends; ``keep``
            compares each character of it.
        average: ``samples``, or ``pooled`` for the distances of all samples over the lengths of all.

    Not for: answers that say the same in another order, or in other words. Unrelated sentences of one alphabet
    share letters by chance: .24 in English, .28 in Arabic, .09 in Chinese.

    Source: Levenshtein 1966, "Binary codes capable of correcting deletions, insertions, and reversals"; the values are
    those of ``rapidfuzz.distance.Levenshtein.normalized_similarity`` 3.14 on the normalised texts. ``compat=ragas``
    takes the texts as they are, and equals ``NonLLMStringSimilarity`` of ragas 0.4.3.

    >>> import pyarrow as pa
    >>> metric = EditSimilarity()
    >>> batch = Batch(pa.table({"answer": ["Sitting"], "references": [["kitten"]]}))
    >>> metric.score(metric.measure(batch)).round(4)
    array([0.5714])
    """

    case: Case = "fold"
    punctuation: Deleted = "none"
    articles: bool = False
    nfkc: bool = True
    # Added later: its default is not in the signature, so that saved runs keep theirs.
    whitespace: Whitespace = field(default="single", metadata={"later": True})
    average: Average = "samples"

    def measure(self, batch: Batch) -> Rows:
        """Return the distance to the nearest reference, and what it is divided by."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        normalised = Normalised(self.case, self.punctuation, self.articles, self.nfkc, self.whitespace)
        owner = batch.owners("references")
        sides = normalised.column(batch, "answer"), normalised.column(batch, "references")
        answers, references = (to_numpy(pc.utf8_length(side)).astype(np.int64) for side in sides)
        answers = answers[owner]
        long = too_long(answers, references, owner)
        # The references of a sample share its answer, which may be long.
        hypotheses = sides[0].to_pylist()
        texts = pc.if_else(to_arrow(long), scalar("", sides[1].type), sides[1]).to_pylist()
        compared = ["" if skipped else hypotheses[row] for row, skipped in zip(owner.tolist(), long, strict=True)]
        distance = cpdist(compared, texts, scorer=Levenshtein.distance, dtype=np.int64)
        counts = {"distance": distance, "length": self.divisor(answers, references)}
        return without_long(self.best_rows(counts, owner, len(batch)), long, owner)

    def divisor(self, answers: IntArray, references: IntArray) -> IntArray:
        """Return the length of the longer text, (m,), of the lengths of m answers and references."""
        return np.maximum(answers, references)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the similarity."""
        return 1 - totals["distance"] / np.maximum(totals["length"], 1)
