"""Which metrics carry the verdict of a comparison."""

from __future__ import annotations

from collections.abc import Iterable

from ragauge.core.spec import parse_spec
from ragauge.metrics.column import Column
from ragauge.results.result import Result

MOST_PRIMARY = 5
_ORDER = (
    ("retrieval", ("recall", "hit-rate", "ndcg", "mrr", "map", "context-recall", "context-precision")),
    ("generation", ("judged-faithfulness", "groundedness")),
    ("generation", ("judged-answer-correctness", "answer-correctness", "rouge-l", "chrf", "token-f1", "bleu")),
)
"""For each question that a verdict answers, the stage of its metrics, and those that answer it, the best first: was
what is needed found; does the answer say what the passages say; does it say what the references say."""


def primary_metrics(result: Result, names: Iterable[str]) -> tuple[str, ...]:
    """Return which of ``names``, metrics of ``result``, carry a verdict: at most `MOST_PRIMARY`, in that order.

    They are one of retrieval, one of grounding and one of the answer's content, each the first that is there of a fixed
    list; where a stage has none of its list, its first metric; and columns such as latency and cost, in their order.
    The choice does not look at scores, so it costs no level.

    >>> import ragauge
    >>> rows = [{"retrieved": ["a"], "relevance": {"a": 1}, "answer": "9 a.m.", "references": ["9 a.m."], "latency": 1}]
    >>> result = ragauge.evaluate(rows, ["mrr", "ndcg@10", "bleu", "chrf", "column:name=latency"], resamples=0)
    >>> primary_metrics(result, result.metrics)
    ('ndcg@10', 'chrf', 'column:name=latency')
    """
    names = list(names)
    known = {name: parse_spec(str(result.metrics[name])).name for name in names}
    chosen: list[str] = []
    for _, best in _ORDER:
        chosen += [name for one in best for name in names if known[name] == one][:1]
    for stage in dict.fromkeys(stage for stage, _ in _ORDER):
        of_stage = [name for name in names if result[name].stage == stage]
        if of_stage and not set(of_stage) & set(chosen):
            chosen.append(of_stage[0])
    chosen += [name for name in names if isinstance(result.metrics[name], Column)]
    return tuple(name for name in names if name in (chosen or names)[:MOST_PRIMARY])
