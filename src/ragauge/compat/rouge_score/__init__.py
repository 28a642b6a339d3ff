"""The calls of rouge-score 0.1.2: ``from ragauge.compat.rouge_score import rouge_scorer``."""

from ragauge.compat.rouge_score import rouge_scorer, scoring, tokenizers
from ragauge.compat.rouge_score.rouge_scorer import RougeScorer

__all__ = ["RougeScorer", "rouge_scorer", "scoring", "tokenizers"]
