"""BLEU and chrF of few short texts: the kernel counts without arrays, which take longer than so few tokens.

The counts, quotients and logarithms are those of the metrics, so the scores are equal to the last bit. None: there is
no kernel, or it does not serve the metric or such texts.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from ragauge.core import native
from ragauge.metrics.text.bleu import Bleu
from ragauge.metrics.text.chrf import GAPS, Chrf

_MOST_CHARACTERS, _MOST_ANSWERS = 1 << 12, 16
_AS_WRITTEN = (*(b"",) * 5, False)
_NO_GAPS = bytes(1)


class BleuOfFew(NamedTuple):
    """BLEU, 0 to 1, and what it is made of; a precision is NaN where there is no n-gram."""

    score: float
    match: list[int]
    total: list[int]
    precisions: list[float]
    penalty: float
    hypothesis_length: int
    reference_length: int


def bleu_of_few(metric: Bleu, answers: Sequence[str], references: Sequence[Sequence[str]]) -> BleuOfFew | None:
    """Return BLEU of answers together, as the texts are written; each has a reference or more."""
    rules = vars(type(metric.tokenizer)).get("kernel_rules")
    if rules is None or (texts := _texts(answers, references)) is None:
        return None
    module, sides, first = texts
    cut, order = rules(metric.tokenizer), metric.order
    lengths, others, shared = _zeros(len(answers)), _zeros(first[-1]), _zeros(len(answers) * order)
    flags = cut.words, cut.padded, cut.decoded, cut.stripped
    left, right = module.tokens(*sides, first, cut.table, *flags, _AS_WRITTEN, 1, lengths, others)
    offsets = [array("q", [0, *accumulate(side)]) for side in (lengths, others)]
    module.shared(left, offsets[0], right, offsets[1], first, order, 1, shared)
    match = [sum(shared[n::order]) for n in range(order)]
    total = [sum([max(length - n, 0) for length in lengths]) for n in range(order)]
    closest = [
        min([(abs(other - length), other) for other in others[first[row] : first[row + 1]]])[1]
        for row, length in enumerate(lengths)
    ]
    precisions = _precisions(metric, match, total)
    penalty = _brevity_penalty(sum(lengths), sum(closest))
    score = penalty * _mean(metric, precisions) if match[0] else 0.0
    return BleuOfFew(score, match, total, precisions, penalty, sum(lengths), sum(closest))


def chrf_of_few(metric: Chrf, answers: Sequence[str], references: Sequence[Sequence[str]]) -> float | None:
    """Return chrF of answers together, 0 to 1, as the texts are written; without words, and of a reference each."""
    served = not metric.word_order and not metric.epsilon and all(len(texts) == 1 for texts in references)
    if not served or (texts := _texts(answers, references)) is None:
        return None
    module, sides, _ = texts
    order = metric.char_order
    lengths, others, shared = _zeros(len(answers)), _zeros(len(answers)), _zeros(len(answers) * order)
    gaps = _NO_GAPS if metric.whitespace else GAPS
    module.characters(*sides, gaps, b"", order, 1, lengths, others, shared)
    precision, recall, held = [0.0] * order, [0.0] * order, 0
    for n in range(order):
        # Of an answer beside a reference too short for an n-gram none counts.
        hypothesis = sum([max(one - n, 0) for one, other in zip(lengths, others, strict=True) if other > n])
        reference = sum([max(other - n, 0) for other in others])
        if hypothesis and reference:
            match = sum(shared[n::order])
            precision[n], recall[n], held = match / hypothesis, match / reference, held + 1
    p, r = (float(np.array(side).sum()) / max(held, 1) for side in (precision, recall))
    below = metric.beta**2 * p + r
    return (1 + metric.beta**2) * p * r / below if below > 0 else 0.0


def _texts(
    answers: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[Any, tuple[bytes | array[int], ...], array[int]] | None:
    """Return the kernel, letters and offsets of answers and references, and the first reference of each answer."""
    if len(answers) > _MOST_ANSWERS or (module := native.kernel()) is None:
        return None
    flat = [*chain.from_iterable(references)]
    if sum(map(len, answers)) + sum(map(len, flat)) > _MOST_CHARACTERS:
        return None
    try:
        left, right = ([text.encode() for text in side] for side in (answers, flat))
    except UnicodeEncodeError:
        return None
    sides = [(b"".join(side), array("q", [0, *accumulate(map(len, side))])) for side in (left, right)]
    return module, (*sides[0], *sides[1]), array("q", [0, *accumulate(map(len, references))])


def _zeros(size: int) -> array[int]:
    return array("q", bytes(8 * size))


def _precisions(metric: Bleu, match: list[int], total: list[int]) -> list[float]:
    """Return what `smoothed` returns for sacrebleu's methods."""
    value = metric.smoothing_value
    precisions, empty = [], 0
    for n, (above, below) in enumerate(zip(match, total, strict=True)):
        more = value if metric.smooth == "add-k" and n else 0.0
        numerator = above + more
        if above == 0 < below and metric.smooth in ("exp", "floor"):
            empty += 1
            numerator = 0.5**empty if metric.smooth == "exp" else value
        precisions.append(numerator / (below + more) if below + more else nan)
    return precisions


def _brevity_penalty(hypothesis: int, reference: int) -> float:
    if hypothesis >= reference:
        return 1.0
    return float(np.exp(1 - reference / hypothesis)) if hypothesis else 0.0


def _mean(metric: Bleu, precisions: list[float]) -> float:
    """Return the geometric mean of precisions, the first above 0, of those that are none left out if ``effective``."""
    defined = [precision for precision in precisions if not isnan(precision)]
    if min(defined) == 0 or (len(defined) < metric.order and not metric.effective):
        return 0.0
    weights = np.full(metric.order, 1 / metric.order)
    if metric.effective:
        left = weights.copy()
        left[len(defined) :] = 0.0  # an answer that has no n-gram has no longer one
        weights = left * (weights.sum() / left.sum())
    logs = np.zeros(metric.order)
    logs[: len(defined)] = np.log(np.array(defined))
    return float(np.exp((weights * logs).sum()))
