"""``bleu``: clipped n-gram precision with a brevity penalty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.messages import Message
from ragauge.core.options import Order, Range, check
from ragauge.core.protocol import Average
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.core.text_batch import lowered
from ragauge.metrics.text._ngrams import clipped_matches, ngram_totals
from ragauge.metrics.text._references import (
    ComparedReferences,
    ReferenceMetric,
    compared_by_sample,
    reject_word_lists,
    starts_of,
)
from ragauge.metrics.text._smoothing import (
    DIVIDES_BY_VALUE,
    EXTRA_ORDER,
    NEEDS_EXTRA,
    SENTENCES_ONLY,
    VALUES,
    NgramCounts,
    Smooth,
    smoothed,
)
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms

_AS_WRITTEN = {"case": "keep", "nfkc": "false", "effective": "false"}


@register(
    "bleu",
    compat={
        "sacrebleu": {**_AS_WRITTEN, "tokenizer": "13a", "smooth": "exp"},
        "nltk": {**_AS_WRITTEN, "tokenizer": "whitespace", "smooth": "method0", "clamp_totals": "true"},
    },
)
@dataclass(frozen=True, kw_only=True)
class Bleu(ReferenceMetric):
    """BLEU: the geometric mean of clipped n-gram precisions, times a penalty for answers shorter than a reference.

    Formula:
        BLEU = BP * exp(sum over n = 1..order of w_n ln p_n)
        p_n  = n-grams of the answer that a reference has, clipped / n-grams of the answer
        BP   = 1 if h >= r, else exp(1 - r / h); h, r = lengths of answer and reference

    Unit and range: a share of n-grams, 0 to 1. nltk's method5 and method7 exceed 1.

    An n-gram counts as often as in the reference that has the most of it. An empty answer, and one that
    shares no word with a reference, scores 0; so does a text against an empty reference. Identical text scores 1.

    Pooled by default: the counts of all samples are summed, then scored. ``undefined``: the sample has no reference.

    Args:
        tokenizer: splits the texts; punctuation marks are tokens.
        order: the longest n-gram.
        weights: of the orders, ``.5/.5/0/0``; equal if not given; orders beyond the last one given weigh 0.
        smooth: the precision of an order without a match: ``exp`` halves it from order to order, ``floor`` sets the
            count to ``smooth_value``, ``add-k`` adds it to all orders but the first, ``none``; ``method0`` to
            ``method7`` are nltk's. method5 to method7 need ``average=samples``.
        smooth_value: .1 for floor and method1, 1 for add-k, nltk's k = 5 for method4 and method7, its alpha = 5 for
            method6.
        effective: leave out orders for which the answer is too short, so that a short text can score 1.
        clamp_totals: count one n-gram of each order in an answer too short for any, as nltk does.
        reference_length: that of the ``closest`` length, the shorter of two, or of the ``shortest`` reference.
        average: ``pooled``, or ``samples`` for the mean of sentence scores.

    Raises:
        OptionError: options that do not go together.
        DataError: references that look like the words of one text.

    Not for: one short answer at a time: a single missing 4-gram decides, and smoothing more than the text
    (``chrf``, ``token-f1``). It sees wording, not truth: 'is' and 'is not' differ by one word. Numbers of another
    tokenizer are another metric.

    Source: Papineni, Roukos, Ward and Zhu 2002, "BLEU: a method for automatic evaluation of machine translation".
    ``compat=sacrebleu`` gives the score of sacrebleu 2.6.0 divided by 100, ``compat=nltk`` that of nltk 3.10.4.
    As in sacrebleu, ``case=lower`` changes the text before it is tokenised; ``fold`` changes the tokens. Deviations:
    method6 without a matching trigram scores 0, where nltk raises AssertionError. Pooled method5 to method7 are
    refused, because in nltk they depend on which sentence is last.

    >>> import pyarrow as pa
    >>> data = pa.table({"answer": ["the cat is on the mat"], "references": [["there is a cat on the mat"]]})
    >>> metric = Bleu(order=2)
    >>> metric.score(metric.measure(Batch(data)).totals()).round(4)
    np.float64(0.4887)
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    order: Order = 4
    weights: tuple[Annotated[float, Range(0, 1000)], ...] | None = None
    smooth: Smooth = "exp"
    smooth_value: Annotated[float, Range(0, 1000)] | None = None
    effective: bool = True
    clamp_totals: bool = False
    reference_length: Literal["closest", "shortest"] = "closest"
    case: Case = "keep"
    nfkc: bool = True
    references_are_words: bool = False
    average: Average = "pooled"

    def __post_init__(self) -> None:
        # Only the first order has a precision in every text that has tokens, so under `effective` it must weigh.
        weighs = self.weights is None or any(self.weights[: 1 if self.effective else None])
        fit = self.weights is None or len(self.weights) <= self.order
        which = Message("the first" if self.effective else "one")
        allowed = Message("at most {n} numbers, {which} above 0 (or set order)", self.order, which)
        check(self, "weights", allowed, holds=fit and weighs)
        check(self, "order", "3 or more under smooth=method6", holds=self.smooth != "method6" or self.order >= 3)
        divides = self.smooth in DIVIDES_BY_VALUE
        check(
            self,
            "smooth_value",
            Message("above 0 under smooth={smooth}", self.smooth),
            holds=not divides or self.smooth_value != 0,
        )
        pooled = "samples under nltk's method5 to method7, which when pooled depend on which sentence comes last"
        check(self, "average", pooled, holds=self.smooth not in SENTENCES_ONLY or self.average == "samples")

    @property
    def revision(self) -> int:  # type: ignore[override]  # numbers of other options have not changed
        """2 with ``case=lower``, which in revision 1 changed the tokens; 1 otherwise."""
        return 2 if self.case == "lower" else 1

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]  # some smoothing exceeds 1
        """0 to 1; under method5 and method7 up to what identical text scores there."""
        if self.smooth not in NEEDS_EXTRA:
            return (0.0, 1.0)
        highest = 1 + 1 / 3.0 ** np.arange(1, self.order + 1)
        return (0.0, float(np.prod(highest**self._weights)))

    @property
    def smoothing_value(self) -> float:
        """``smooth_value``, or what ``smooth`` takes without it."""
        return VALUES.get(self.smooth, 0.0) if self.smooth_value is None else self.smooth_value

    def measure(self, batch: Batch) -> Rows:
        """Return matches and n-grams of each order, and the lengths."""
        if not self.references_are_words:
            reject_word_lists(batch)
        if self.case == "lower":
            batch = lowered(batch)
        forms = Forms(case=self.case, punctuation="keep", nfkc=self.nfkc)
        texts = compared_by_sample(batch, self.tokenizer, forms)
        key = ("matches", batch.key_of(self.tokenizer), forms, self._counted)
        match = batch.derived(
            key, lambda: clipped_matches(texts.hypotheses, texts.references, texts.owner, self._counted)
        )
        lengths = texts.hypotheses.lengths
        total = np.maximum(ngram_totals(lengths, self._counted), int(self.clamp_totals))
        columns = {
            **{f"match{n}": match[:, n - 1] for n in range(1, self._counted + 1)},
            **{f"total{n}": total[:, n - 1] for n in range(1, self._counted + 1)},
            "hypothesis_length": lengths,
            "reference_length": _reference_lengths(texts, closest=self.reference_length == "closest"),
        }
        return Rows.of(columns, status=np.where(texts.undefined, Status.UNDEFINED, Status.OK))

    def score(self, totals: Statistics) -> FloatArray:
        """Return BLEU."""
        return self._of(totals, self._precisions(totals), _brevity_penalty(totals))

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return the smoothed precisions, the brevity penalty and the lengths."""
        return self._parts(totals, self._precisions(totals), _brevity_penalty(totals))

    def score_and_parts(self, totals: Statistics) -> tuple[FloatArray, Mapping[str, FloatArray]]:
        """Return `score` and `parts`, in less time than one after the other takes."""
        precisions, penalty = self._precisions(totals), _brevity_penalty(totals)
        return self._of(totals, precisions, penalty), self._parts(totals, precisions, penalty)

    def _of(self, totals: Statistics, precisions: FloatArray, penalty: FloatArray) -> FloatArray:
        score = penalty * np.exp(self._logs(precisions).sum(axis=-1))
        return np.where(totals["match1"] > 0, score, 0.0)

    def _parts(self, totals: Statistics, precisions: FloatArray, penalty: FloatArray) -> Mapping[str, FloatArray]:
        precisions = np.where(np.isnan(precisions), 0.0, precisions)
        return {
            **{f"precision{n}": precisions[..., n - 1] for n in range(1, self.order + 1)},
            "brevity_penalty": penalty,
            "hypothesis_length": totals["hypothesis_length"],
            "reference_length": totals["reference_length"],
        }

    @property
    def _counted(self) -> int:
        """The longest n-gram that is counted."""
        return max(self.order, EXTRA_ORDER) if self.smooth in NEEDS_EXTRA else self.order

    @property
    def _weights(self) -> FloatArray:
        if self.weights is None:
            return np.full(self.order, 1 / self.order)
        return np.pad(np.array(self.weights, dtype=np.float64), (0, self.order - len(self.weights)))

    def _precisions(self, totals: Statistics) -> FloatArray:
        orders = range(1, self.order + 1)
        needs_extra = self.smooth in NEEDS_EXTRA
        counts = NgramCounts(
            match=np.stack([totals[f"match{n}"] for n in orders], axis=-1),
            total=np.stack([totals[f"total{n}"] for n in orders], axis=-1),
            length=np.asarray(totals["hypothesis_length"]),
            extra=ratio(totals[f"match{EXTRA_ORDER}"], totals[f"total{EXTRA_ORDER}"]) if needs_extra else np.zeros(()),
        )
        return smoothed(self.smooth, counts, self.smoothing_value)

    def _logs(self, precisions: FloatArray) -> FloatArray:
        """Return weighted logarithms; an order without a precision is left out if ``effective``, else it is 0."""
        weights = self._weights
        defined = ~np.isnan(precisions)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.where(defined, precisions, 0.0))
            if self.effective:
                left = np.where(defined, weights, 0.0)
                weights = left * (weights.sum() / left.sum(axis=-1, keepdims=True))
            return np.where(weights > 0, weights * logs, 0.0)


def _brevity_penalty(totals: Statistics) -> FloatArray:
    short = totals["hypothesis_length"] < totals["reference_length"]
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(short, np.exp(1 - ratio(totals["reference_length"], totals["hypothesis_length"])), 1.0)


def _reference_lengths(texts: ComparedReferences, *, closest: bool) -> IntArray:
    """Return the length of the closest reference, the shorter of two; or of the shortest reference."""
    lengths = texts.references.lengths
    out = np.zeros(len(texts.hypotheses), dtype=np.int64)
    starts = starts_of(texts.owner)
    if len(starts):
        distance = np.abs(lengths - texts.hypotheses.lengths[texts.owner]) if closest else np.zeros_like(lengths)
        nearest = np.minimum.reduceat((distance << 32) | lengths, starts)
        out[texts.owner[starts]] = nearest & 0xFFFFFFFF
    return out
