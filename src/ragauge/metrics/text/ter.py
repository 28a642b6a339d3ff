"""``ter``: the words to change or to shift, of those of the reference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ragauge.core import native
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.protocol import Average, Direction
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, Status
from ragauge.core.text_batch import lowered
from ragauge.metrics.text._lcs import strings
from ragauge.metrics.text._references import (
    ComparedReferences,
    ReferenceMetric,
    compared_by_sample,
    reject_word_lists,
    starts_of,
    too_long,
    without_long,
)
from ragauge.metrics.text._shifts import MOST_SHIFTS, shift_edits
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms


@register("ter", compat={"sacrebleu": {"tokenizer": "tercom", "case": "lower", "nfkc": "false"}})
@dataclass(frozen=True, kw_only=True)
class Ter(ReferenceMetric):
    """Translation edit rate: the fewest words to insert, delete, replace or shift as a block, over the reference's.

    Formula:
        TER = (S + D + I + shifts) / N; N = words of the reference, their mean where there are several

    A block of up to ten words that is moved as a whole is one edit. Shifts are found greedily: always the one after
    which the fewest other edits are left.

    Unit and range: edits for each word of the reference, 0 to infinity; lower is better. Identical text scores 0, an
    empty answer 1, an answer much longer than its reference more than 1. An answer against an empty reference scores 1.

    Pooled by default: the edits of all samples over the words of all references. Of several references the one of
    fewest edits counts, over their mean length. ``undefined``: the sample has no reference. ``failed``: the texts are
    too long to compare, about 12,000 words each or the same product of lengths.

    Args:
        tokenizer: splits the texts into words; in scripts without spaces ``auto`` takes characters, and ``zh``, ``ja``
            and ``th`` words.
        average: ``pooled``, or ``samples`` for the mean of the samples' rates.

    Raises:
        DataError: references that look like the words of one text.

    Not for: answers that say the same in other words. Numbers of another tokenizer are another metric.

    Source: Snover, Dorr, Schwartz, Micciulla and Makhoul 2006, "A study of translation edit rate with targeted human
    annotation". ``compat=sacrebleu`` gives the score of sacrebleu 2.6.0 divided by 100; its options are those of the
    tokenizer (``tercom[normalized=true,asian=true]``), and ``case=keep``. Deviation: sacrebleu normalises a reference
    twice and an answer once, so that ``..5`` does not equal itself there.

    >>> import pyarrow as pa
    >>> batch = Batch(pa.table({"answer": ["on the mat the cat sat"], "references": [["the cat sat on the mat"]]}))
    >>> Ter().score(Ter().measure(batch).totals()).round(4)
    np.float64(0.1667)
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    case: Case = "fold"
    punctuation: Literal["drop", "keep"] = "keep"
    nfkc: bool = True
    references_are_words: bool = False
    average: Average = "pooled"

    direction: ClassVar[Direction] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def measure(self, batch: Batch) -> Rows:
        """Return the edits against the nearest reference, and the mean length of the references."""
        if not self.references_are_words:
            reject_word_lists(batch)
        if self.case == "lower":
            batch = lowered(batch)
        forms = Forms(case=self.case, punctuation=self.punctuation, nfkc=self.nfkc)
        texts = compared_by_sample(batch, self.tokenizer, forms)
        pairs, owner, n = texts.pairs, batch.owners("references"), len(batch)
        lengths = pairs.references.lengths
        long = texts.long | too_long(pairs.hypotheses.lengths * MOST_SHIFTS, lengths, owner)
        starts = starts_of(owner)
        edits, length = np.zeros(n, dtype=np.int64), np.zeros(n)
        if len(starts):
            edits[owner[starts]] = np.minimum.reduceat(_edits(pairs, ~long), starts)
            several = np.diff(starts, append=len(owner))
            length[owner[starts]] = np.add.reduceat(lengths, starts) / several
        status = np.where(texts.undefined, Status.UNDEFINED, Status.OK)
        return without_long(Rows.of({"edits": edits, "length": length}, status=status), long, owner)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the rate."""
        edits, length = totals["edits"], totals["length"]
        return np.where(length > 0, edits / np.where(length > 0, length, 1.0), np.minimum(edits, 1.0))


def _edits(pairs: ComparedReferences, compared: np.ndarray) -> IntArray:
    found = np.zeros(len(pairs.references), dtype=np.int64)
    places = np.flatnonzero(compared)
    answers, references = (texts.take(places) for texts in (pairs.hypotheses, pairs.references))
    counted = native.of_pairs("edits", answers, references)
    if counted is None:
        runs = strings(answers, references)
        counted = np.array(
            [shift_edits(*pair) for *_, left, right in runs for pair in zip(left, right, strict=True)], np.int64
        )
    found[places] = counted
    return found
