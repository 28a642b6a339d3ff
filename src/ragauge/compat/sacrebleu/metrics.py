"""``BLEU`` and ``CHRF`` with the arguments and methods of sacrebleu 2.6.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isnan
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np

from ragauge.compat.sacrebleu._few_texts import bleu_of_few, chrf_of_few
from ragauge.compat.sacrebleu.base import (
    BLEUScore,
    CHRFScore,
    SacrebleuMetric,
    SacrebleuScore,
    SacrebleuSignature,
    Streams,
)
from ragauge.core.registry import make_ingredient
from ragauge.core.statistics import Rows, Statistics
from ragauge.errors import UnknownNameError
from ragauge.metrics.text.bleu import Bleu
from ragauge.metrics.text.chrf import Chrf

__all__ = ["BLEU", "CHRF", "BLEUScore", "CHRFScore"]

_OURS: Mapping[str, str] = MappingProxyType(
    {
        "none": "whitespace", "zh": "sacrebleu-zh", "13a": "13a", "intl": "intl", "char": "char", "ja-mecab": "ja",
        "ko-mecab": "ko",
    }
)  # fmt: skip
_OF_LANGUAGE: Mapping[str, str] = MappingProxyType({"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"})
# Programs use few settings; to build and check a metric takes as long as to score one answer.
_MOST_KEPT = 64


class BLEU(SacrebleuMetric):
    """BLEU of 0 to 100: `Bleu` under ``compat=sacrebleu``, times 100.

    Args:
        lowercase: change texts to lower case first.
        force: without effect; in sacrebleu it silences a warning.
        tokenize: ``13a``, ``intl``, ``zh``, ``char``, ``none``, ``ja-mecab`` or ``ko-mecab``; None: that of
            ``trg_lang``, else ``13a``.
        smooth_method: ``exp``, ``floor``, ``add-k`` or ``none``.
        smooth_value: of ``floor`` (.1) and ``add-k`` (1).
        max_ngram_order: the longest n-gram.
        effective_order: leave out orders for which the answer is too short; for single answers.
        trg_lang: the language of the answers.
        references: lists of references, for `corpus_score`.

    Raises:
        UnknownNameError: no such tokenizer.
        AssertionError: no such smoothing method, as in sacrebleu.

    >>> bleu = BLEU()
    >>> bleu.corpus_score(["the cat is on the mat"], [["there is a cat on the mat"]])
    BLEU = 29.06 83.3/40.0/25.0/16.7 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)
    >>> bleu.get_signature().format().partition("|version")[0]
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
    """

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    TOKENIZERS: ClassVar = _OURS.keys()
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
    ) -> None:
        self.force, self.trg_lang = force, trg_lang
        self.smooth_method, self.smooth_value = smooth_method, smooth_value
        self.max_ngram_order, self.effective_order = max_ngram_order, effective_order
        self.tokenizer_signature = tokenize or _OF_LANGUAGE.get(trg_lang, self.TOKENIZER_DEFAULT)
        self._metric = _bleu(
            self.tokenizer_signature, smooth_method, smooth_value, max_ngram_order, bool(effective_order)
        )
        super().__init__(references, lowercase=lowercase)

    @property
    def metric(self) -> Bleu:
        """BLEU of ragauge."""
        return self._metric

    @staticmethod
    def compute_bleu(
        correct: Sequence[float],
        total: Sequence[float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = 4,
    ) -> BLEUScore:
        """Return the score of counts: n-grams of each order that matched, and all; the lists stay as they are.

        >>> BLEU.compute_bleu([9, 7, 5, 3], [10, 8, 6, 4], 11, 11).score
        83.759...
        """
        metric = _bleu("none", smooth_method, smooth_value, max_ngram_order, bool(effective_order))
        orders = range(1, max_ngram_order + 1)
        counts = {f"match{n}": correct[n - 1] for n in orders} | {f"total{n}": total[n - 1] for n in orders}
        lengths = {"hypothesis_length": sys_len, "reference_length": ref_len}
        return _bleu_score(
            metric, {name: np.asarray(value, dtype=np.float64) for name, value in (counts | lengths).items()}
        )

    def get_signature(self) -> SacrebleuSignature:
        """Return how the last score was computed; ValueError before the first."""
        value = self.SMOOTH_DEFAULTS[self.smooth_method] if self.smooth_value is None else self.smooth_value
        smooth = self.smooth_method
        if self.SMOOTH_DEFAULTS[smooth] is not None:
            smooth += f"[{value:.2f}]"
        effective = "yes" if self.effective_order else "no"
        return self._signature(eff=effective, tok=self.tokenizer_signature, smooth=smooth)

    def _of_few(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> BLEUScore | None:
        found = bleu_of_few(self._metric, hypotheses, references)
        if found is None:
            return None
        score, match, total, precisions, penalty, length, other = found
        held = any(match)
        shown = [100 * precision if held and not isnan(precision) else 0.0 for precision in precisions]
        return BLEUScore(100 * score, match, total, shown, penalty, length, other)

    def _score(self, rows: Rows) -> BLEUScore:
        return _bleu_score(self._metric, _summed(rows))


@lru_cache(_MOST_KEPT)
def _bleu(tokenize: str, smooth: str, value: float | None, order: int, effective: bool) -> Bleu:
    if tokenize not in _OURS:
        raise UnknownNameError.of("tokenizer of BLEU", tokenize, _OURS)
    if smooth not in BLEU.SMOOTH_DEFAULTS:
        raise AssertionError(f"smooth_method must be {' or '.join(BLEU.SMOOTH_DEFAULTS)}; got {smooth!r}")
    options: dict[str, Any] = {"smooth": smooth, "smooth_value": value, "order": order, "effective": effective}
    tokenizer = make_ingredient("tokenizer", _OURS[tokenize])
    return Bleu(tokenizer=tokenizer, case="keep", nfkc=False, references_are_words=True, **options)


def _bleu_score(metric: Bleu, counts: Statistics) -> BLEUScore:
    score, parts = metric.score_and_parts(counts)
    orders = range(1, metric.order + 1)
    # Without a match sacrebleu smoothes nothing.
    matched = any(counts[f"match{n}"] > 0 for n in orders)
    return BLEUScore(
        100 * float(score),
        [_number(counts[f"match{n}"]) for n in orders],
        [_number(counts[f"total{n}"]) for n in orders],
        [100 * float(parts[f"precision{n}"]) if matched else 0.0 for n in orders],
        float(parts["brevity_penalty"]),
        int(counts["hypothesis_length"]),
        int(counts["reference_length"]),
    )


def _number(value: Any) -> float:
    whole = int(value)
    return whole if whole == value else float(value)


def _summed(rows: Rows) -> dict[str, Any]:
    """Return the sums of the counts, which are whole, so that each order of adding gives the same."""
    return dict(zip(rows.names, rows.values.sum(axis=0), strict=True))


class CHRF(SacrebleuMetric):
    """ChrF of 0 to 100: `Chrf` under ``compat=sacrebleu``, times 100.

    Args:
        char_order: the longest character n-gram.
        word_order: the longest word n-gram; 2 for chrF++.
        beta: weighs recall.
        lowercase: change texts to lower case first.
        whitespace: count white space as a character.
        eps_smoothing: as chrF++.py and nltk.
        references: lists of references, for `corpus_score`.

    >>> CHRF().sentence_score("猫坐在垫子上", ["一只猫在垫子上"])
    chrF2 = 32.22
    """

    CHAR_ORDER: ClassVar[Literal[6]] = 6
    WORD_ORDER: ClassVar[Literal[0]] = 0
    BETA: ClassVar[Literal[2]] = 2

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        self.char_order, self.word_order, self.beta = char_order, word_order, beta
        self.whitespace, self.eps_smoothing = whitespace, eps_smoothing
        self._metric = _chrf(char_order, word_order, beta, bool(whitespace), bool(eps_smoothing))
        super().__init__(references, lowercase=lowercase)

    @property
    def metric(self) -> Chrf:
        """ChrF of ragauge."""
        return self._metric

    def get_signature(self) -> SacrebleuSignature:
        """Return how the last score was computed; ValueError before the first."""
        space = "yes" if self.whitespace else "no"
        effective = "no" if self.eps_smoothing else "yes"
        return self._signature(eff=effective, nc=self.char_order, nw=self.word_order, space=space)

    def _of_few(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> CHRFScore | None:
        score = chrf_of_few(self._metric, hypotheses, references)
        return None if score is None else CHRFScore(100 * score, self.char_order, self.word_order, self.beta)

    def _score(self, rows: Rows) -> SacrebleuScore:
        score = 100 * float(self._metric.score(_summed(rows)))
        return CHRFScore(score, self.char_order, self.word_order, self.beta)


@lru_cache(_MOST_KEPT)
def _chrf(char_order: int, word_order: int, beta: float, whitespace: bool, epsilon: bool) -> Chrf:
    options: dict[str, Any] = {"char_order": char_order, "word_order": word_order, "beta": beta}
    return Chrf(whitespace=whitespace, epsilon=epsilon, nfkc=False, references_are_words=True, **options)
