"""One answer with its references, scored without making a data set of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan

from ragauge.core.protocol import Metric
from ragauge.core.statistics import Totals
from ragauge.core.text_batch import TextBatch
from ragauge.errors import RagaugeError


def score_of_texts(metric: Metric, columns: Mapping[str, object]) -> float | None:
    """Return the score of one answer; NaN where it is undefined, None where the columns must be read as data are.

    The number is that of `evaluate`, to the last bit.

    >>> from ragauge.metrics.parse import parse
    >>> score_of_texts(parse("rouge-1"), {"answer": "a b", "references": ["a b c", "d"]})
    0.8
    >>> score_of_texts(parse("rouge-1"), {"answer": ["a b"], "references": ["a b c"]}) is None
    True
    """
    answer, references = columns.get("answer"), columns.get("references")
    texts = [references] if isinstance(references, str) else references
    if len(columns) != 2 or not isinstance(answer, str) or not isinstance(texts, list) or not texts:
        return None
    from ragauge.metrics.text import ReferenceMetric

    if not isinstance(metric, ReferenceMetric) or not all(
        isinstance(text, str) and _is_valid(text) for text in (answer, *texts)
    ):
        return None
    try:
        rows = metric.measure(TextBatch([answer], [texts]))
    except RagaugeError:
        # `evaluate` raises it again, in the words for data.
        return None
    if not rows.ok.all():
        return nan
    if metric.average == "pooled":
        return float(metric.score(rows.totals()))
    score = float(metric.score(rows)[0])
    return score if isnan(score) else float(Totals.of(value=score)["value"])


def _is_valid(text: str) -> bool:
    """Return whether ``text`` has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
