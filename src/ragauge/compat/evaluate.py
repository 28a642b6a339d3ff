"""Metrics with the one method of Hugging Face's ``evaluate``: ``load("rouge").compute(predictions=, references=)``.

Nothing is downloaded. Names, arguments and keys are those of the metrics ``sacrebleu``, ``chrf``, ``bleu`` and
``rouge`` of evaluate 0.4, as read in their source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from types import MappingProxyType, SimpleNamespace
from typing import Any, Protocol, TypeAlias

from ragauge.compat.rouge_score.rouge_scorer import OwnTokenizer, RougeScorer, TokenizesText
from ragauge.compat.sacrebleu.metrics import BLEU, CHRF
from ragauge.core.registry import make_ingredient
from ragauge.core.text_batch import batch_of_texts
from ragauge.errors import DataError, UnknownNameError
from ragauge.metrics.text.bleu import Bleu

References: TypeAlias = Sequence[str] | Sequence[Sequence[str]]


class Computes(Protocol):
    """What `load` returns."""

    @property
    def compute(self) -> Callable[..., dict[str, Any]]:
        """The function that takes ``predictions=``, ``references=`` and the metric's own arguments."""


def load(path: str) -> Computes:
    """Return the metric ``bleu``, ``sacrebleu``, ``chrf`` or ``rouge``; UnknownNameError for another.

    >>> load("rouge").compute(predictions=["a b"], references=["a b c"])["rouge1"]
    0.8
    """
    if path not in _METRICS:
        raise UnknownNameError.of("metric of ragauge.compat.evaluate", path, _METRICS)
    return _METRICS[path]


class BleuModule:
    """BLEU of 0 to 1 with the length of the shortest reference: that of tensorflow's nmt, which evaluate copied."""

    def compute(
        self,
        *,
        predictions: Sequence[str],
        references: References,
        tokenizer: Callable[[str], list[str]] | None = None,
        max_order: int = 4,
        smooth: bool = False,
    ) -> dict[str, Any]:
        """Return ``bleu``, ``precisions``, ``brevity_penalty``, ``length_ratio`` and the lengths.

        Args:
            predictions: the answers.
            references: the reference of each answer, or a list of them.
            tokenizer: a function that returns the tokens of a text; None: ``13a``.
            max_order: the longest n-gram.
            smooth: add 1 to the counts of each order, also of the first.

        Where one side has no token, the score, the penalty and the ratio are 0.

        >>> BleuModule().compute(predictions=["a b c d x"], references=[["a b c d"]])["bleu"]
        0.668...
        """
        own = None if tokenizer is None else OwnTokenizer(SimpleNamespace(tokenize=tokenizer))
        metric = Bleu(
            tokenizer=own or make_ingredient("tokenizer", "13a"), order=max_order, smooth="none", effective=False,
            reference_length="shortest", nfkc=False, references_are_words=True,
        )  # fmt: skip
        rows = metric.measure(batch_of_texts(predictions, _by_prediction(predictions, references)))
        counts = {name: int(total) for name, total in zip(rows.names, rows.values.sum(axis=0).tolist(), strict=True)}
        found = [(counts[f"match{n}"], counts[f"total{n}"]) for n in range(1, max_order + 1)]
        precisions = [(match + smooth) / (total + smooth) if total + smooth else 0.0 for match, total in found]
        lengths = counts["hypothesis_length"], counts["reference_length"]
        ratio = lengths[0] / lengths[1] if all(lengths) else 0.0
        penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio) if ratio else 0.0
        mean = math.exp(sum(1 / max_order * math.log(one) for one in precisions)) if min(precisions) > 0 else 0.0
        return {
            "bleu": mean * penalty, "precisions": precisions, "brevity_penalty": penalty, "length_ratio": ratio,
            "translation_length": lengths[0], "reference_length": lengths[1],
        }  # fmt: skip


class SacrebleuModule:
    """BLEU of 0 to 100 as of sacrebleu."""

    def compute(
        self,
        *,
        predictions: Sequence[str],
        references: References,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        force: bool = False,
        lowercase: bool = False,
        tokenize: str | None = None,
        use_effective_order: bool = False,
    ) -> dict[str, Any]:
        """Return ``score``, ``counts``, ``totals``, ``precisions``, ``bp``, ``sys_len`` and ``ref_len``.

        >>> SacrebleuModule().compute(predictions=["a b c d"], references=[["a b c d"]])["score"]
        100.0
        """
        metric = BLEU(lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
        score = metric.corpus_score(predictions, _streams(predictions, references))
        return {name: getattr(score, name) for name in ("score", *_PARTS_OF_BLEU)}


_PARTS_OF_BLEU = ("counts", "totals", "precisions", "bp", "sys_len", "ref_len")


class ChrfModule:
    """ChrF of 0 to 100 as of sacrebleu."""

    def compute(
        self,
        *,
        predictions: Sequence[str],
        references: References,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> dict[str, Any]:
        """Return ``score``, ``char_order``, ``word_order`` and ``beta``.

        >>> ChrfModule().compute(predictions=["a b c"], references=[["abc"]])["score"]
        100.0
        """
        metric = CHRF(char_order, word_order, beta, lowercase, whitespace, eps_smoothing)
        score = metric.corpus_score(predictions, _streams(predictions, references))
        return {"score": score.score, "char_order": char_order, "word_order": word_order, "beta": beta}


class RougeModule:
    """ROUGE as of rouge-score."""

    def compute(
        self,
        *,
        predictions: Sequence[str],
        references: References,
        rouge_types: Sequence[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
        use_aggregator: bool = True,
        use_stemmer: bool = False,
        tokenizer: TokenizesText | None = None,
    ) -> dict[str, Any]:
        """Return F of each type: its mean, or with ``use_aggregator=False`` the list of all.

        evaluate returns the middle of bootstrap replicates, which are drawn anew in each call; the mean is what they
        scatter around.

        >>> RougeModule().compute(predictions=["a b"], references=[["a b", "c"]], use_aggregator=False)["rouge1"]
        [1.0]
        """
        targets = _by_prediction(predictions, references)
        scores = RougeScorer(rouge_types, use_stemmer, tokenizer=tokenizer).score_all(targets, predictions)
        by_type = {name: [score.fmeasure for score in each] for name, each in scores.items()}
        return {name: fmean(each) for name, each in by_type.items()} if use_aggregator else dict(by_type)


_METRICS: Mapping[str, Computes] = MappingProxyType(
    {"bleu": BleuModule(), "chrf": ChrfModule(), "rouge": RougeModule(), "sacrebleu": SacrebleuModule()}
)


def _by_prediction(predictions: Sequence[str], references: References) -> list[list[str]]:
    """Return the references of each prediction; DataError where there are none, or another number."""
    if not predictions or len(predictions) != len(references):
        raise DataError(
            "RG-COMPAT-001 predictions and references must be lists of one length, 1 or more; got {n} and {n2}. "
            "Give one reference, or one list of references, for each prediction.",
            len(predictions),
            len(references),
        )
    return [[each] if isinstance(each, str) else list(each) for each in references]


def _streams(predictions: Sequence[str], references: References) -> list[list[str | None]]:
    """Return one list for each place of a reference, padded with None."""
    by_prediction = _by_prediction(predictions, references)
    most = max(map(len, by_prediction))
    return [[texts[place] if place < len(texts) else None for texts in by_prediction] for place in range(most)]
