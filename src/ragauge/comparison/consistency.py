"""How alike the answers to each question are, by any metric that compares an answer with references."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from ragauge.core.ragged import FloatArray, IntArray
from ragauge.engines.evaluate import evaluate
from ragauge.errors import UsageError
from ragauge.inference.intervals import Interval
from ragauge.results.result import Result

Others: TypeAlias = Literal["each", "together"]


def consistency(result: Result, question: IntArray, metric: Any, others: Others) -> tuple[str, FloatArray, Interval]:
    """Return the name of a metric, its mean among the answers to each question, (q,), and its range.

    Args:
        result: a run with a column ``answer``; samples without an answer are left out.
        question: (n,) the number of the question of each sample.
        metric: what compares an answer with ``references``; they are the other answers to the question.
        others: ``each`` of them is the one reference, and the mean is that over all pairs; or all ``together`` are the
            references of an answer, as in self-BLEU.

    NaN of a question with fewer than two answers.
    """
    if "answer" not in result.data.columns:
        raise UsageError("RG-CMP-110 consistency needs the answers, and the run has no column {column}", "answer")
    texts = result.column("answer").to_pylist()
    by_question: dict[int, list[str]] = {}
    for number, text in zip(question.tolist(), texts, strict=True):
        by_question.setdefault(number, []).extend([] if text is None else [text])
    rows, owners = [], []
    for number, own in by_question.items():
        for place, text in enumerate(own):
            rest = own[:place] + own[place + 1 :]
            lists = [[one] for one in rest] if others == "each" else [rest][: len(rest)]
            rows += [{"answer": text, "references": references} for references in lists]
            owners += [number] * len(lists)
    if not rows:
        raise UsageError("RG-CMP-111 no question has two answers to compare")
    found = evaluate(rows, metric, resamples=0)
    [name] = found.metrics
    scores = found.scores(name)
    kept, places = ~np.isnan(scores), np.array(owners)
    n = int(question.max()) + 1
    sums, counts = np.bincount(places[kept], scores[kept], n), np.bincount(places[kept], minlength=n)
    values = np.full(n, np.nan)
    np.divide(sums, counts, out=values, where=counts > 0)
    return name, values, found.range(name)
