"""Samples whose letters a tokenizer deletes, so that they score 0 whatever they say."""

from __future__ import annotations

from collections.abc import Mapping

from ragauge.batch import Batch, Dataset
from ragauge.protocol import Metric

_ASCII_ONLY = "rouge-score"


def said_of_lost_letters(metrics: Mapping[str, Metric], data: Dataset) -> list[str]:
    """Warn of answers in which the tokenizer ``rouge-score`` finds letters but no token."""
    blind = [name for name, metric in metrics.items() if _tokenizer(metric) == _ASCII_ONLY]
    if not blind or "answer" not in data.columns:
        return []
    lost = sum(map(_lost, data.batches()))
    if not lost:
        return []
    said = (
        f"{', '.join(blind)}: the tokenizer rouge-score deletes every letter that is not ASCII: {lost} of {data.rows} "
        "answers have letters but no token, and score 0; leave it out, unless you repeat numbers of rouge-score"
    )
    return [said]


def _tokenizer(metric: Metric) -> str:
    return str(getattr(metric, "tokenizer", "")).partition("[")[0]


def _lost(batch: Batch) -> int:
    """Count the answers that have letters, but no ASCII letter or digit."""
    import pyarrow.compute as pc

    answers = batch.column("answer")
    letters = pc.match_substring_regex(answers, r"\pL")
    tokens = pc.match_substring_regex(answers, "[0-9A-Za-z]")
    return int(pc.sum(pc.and_not(letters, tokens)).as_py() or 0)
