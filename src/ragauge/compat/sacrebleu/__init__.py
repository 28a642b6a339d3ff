"""The calls of sacrebleu 2.6.0 for BLEU and chrF: ``from ragauge.compat import sacrebleu``."""

from typing import NoReturn

from ragauge.compat.sacrebleu import compat, metrics
from ragauge.compat.sacrebleu.compat import corpus_bleu, corpus_chrf, raw_corpus_bleu, sentence_bleu, sentence_chrf
from ragauge.compat.sacrebleu.metrics import BLEU, CHRF

__all__ = [
    "BLEU",
    "CHRF",
    "compat",
    "corpus_bleu",
    "corpus_chrf",
    "metrics",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
]


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"ragauge.compat.sacrebleu has {', '.join(__all__)}; got {name!r}. Take anything else from sacrebleu itself."
    )
