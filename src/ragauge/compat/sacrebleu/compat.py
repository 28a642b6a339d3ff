"""sacrebleu's functions: BLEU and chrF of a corpus and of one answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragauge.compat.sacrebleu.base import Streams
from ragauge.compat.sacrebleu.metrics import BLEU, CHRF


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Streams,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> Any:
    """Return BLEU of a corpus, a `BLEUScore` of 0 to 100; arguments and errors as of `BLEU`.

    >>> corpus_bleu(["a b c d"], [["a b c d"]]).score
    100.0
    """
    metric = BLEU(lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(hypotheses: Sequence[str], references: Streams, smooth_value: float | None = 0.1) -> Any:
    """Return BLEU of texts that are tokenised already, with smoothing ``floor`` and effective order.

    >>> round(raw_corpus_bleu(["this is a fest"], [["this is a test"]], 0.01).score, 4)
    22.3607
    """
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, force=True, tokenize="none", use_effective_order=True
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> Any:
    """Return BLEU of one answer, a `BLEUScore` of 0 to 100; arguments and errors as of `BLEU`.

    >>> sentence_bleu("the cat sat", ["the cat sat"]).score
    100.0
    """
    metric = BLEU(lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Sequence[str],
    references: Streams,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> Any:
    """Return chrF of a corpus, a `CHRFScore` of 0 to 100; arguments as of `CHRF`.

    >>> corpus_chrf(["a b c"], [["abc"]]).score
    100.0
    """
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> Any:
    """Return chrF of one answer, a `CHRFScore` of 0 to 100; arguments as of `CHRF`.

    >>> round(sentence_chrf("猫坐在垫子上", ["一只猫在垫子上"]).score, 2)
    32.22
    """
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.sentence_score(hypothesis, references)
