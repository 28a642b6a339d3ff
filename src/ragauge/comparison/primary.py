"""Which metrics carry the verdict of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragauge.core.messages import Spelled
from ragauge.core.protocol import Metric
from ragauge.core.spec import parse_spec
from ragauge.errors import UnknownNameError, UsageError
from ragauge.metrics.column import Column
from ragauge.results.result import Result

MOST_PRIMARY = 5
_PRICES = ("time", "tokens", "cost")
_ORDER = (
    ("retrieval", ("recall", "hit-rate", "ndcg", "mrr", "map", "context-recall", "context-precision")),
    ("generation", ("judged-faithfulness", "groundedness")),
    ("generation", ("judged-answer-correctness", "answer-correctness", "rouge-l", "chrf", "token-f1", "bleu")),
)
"""For each question that a verdict answers, the stage of its metrics, and those that answer it, the best first: was
what is needed found; does the answer say what the passages say; does it say what the references say."""


def primary_metrics(
    result: Result, names: Iterable[str], wanted: Sequence[str | Metric | type[Metric]] = ()
) -> tuple[str, ...]:
    """Return which of ``names``, metrics of ``result``, carry a verdict: at most `MOST_PRIMARY`, in that order.

    They are those that a user ``wanted``. Else they are one of retrieval, one of grounding and one of the answer's
    content, each the first that is there of a fixed list; where a stage has none of its list, its first metric; and
    columns such as latency and cost, in their order. The choice does not look at scores, so it costs no level.

    Raises:
        UsageError: too many are wanted, or one is not among ``names``.

    >>> import ragauge
    >>> rows = [{"retrieved": ["a"], "relevance": {"a": 1}, "answer": "9 a.m.", "references": ["9 a.m."], "latency": 1}]
    >>> result = ragauge.evaluate(rows, ["mrr", "ndcg@10", "bleu", "chrf", "column:name=latency"], resamples=0)
    >>> primary_metrics(result, result.metrics)
    ('ndcg@10', 'chrf', 'column:name=latency')
    """
    names = list(names)
    if wanted:
        return _named(result, names, wanted)
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


def price_metrics(result: Result) -> frozenset[str]:
    """Return the metrics of ``result`` that are a price of answers: columns of time, tokens or cost.

    >>> import ragauge
    >>> rows = [{"answer": "9 a.m.", "references": ["9 a.m."], "latency": 1, "rating": 5}]
    >>> result = ragauge.evaluate(rows, ["bleu", "column:name=latency", "column:name=rating"], resamples=0)
    >>> price_metrics(result)
    frozenset({'column:name=latency'})
    """
    columns = ((name, metric) for name, metric in result.metrics.items() if isinstance(metric, Column))
    return frozenset(name for name, column in columns if column.measured in _PRICES)


def deciding_metric(result: Result, names: Sequence[str]) -> str | None:
    """Return which of ``names``, metrics of ``result``, tells best whether an answer is right; None of no names.

    It is one of what the references say, else of what the passages say, else another one of answers, else of retrieval.

    >>> import ragauge
    >>> rows = [{"retrieved": ["a"], "relevance": {"a": 1}, "answer": "9 a.m.", "references": ["9 a.m."]}]
    >>> result = ragauge.evaluate(rows, ["mrr", "chrf", "token-f1"], resamples=0)
    >>> deciding_metric(result, list(result.metrics)), deciding_metric(result, ["mrr"]), deciding_metric(result, [])
    ('chrf', 'mrr', None)
    """
    of_answers = [name for name in names if result[name].stage == "generation"]
    order = [one for _, best in reversed(_ORDER) for one in best]
    ranks = {name: place for place, name in enumerate(order)}
    known = {name: parse_spec(str(result.metrics[name])).name for name in names}
    return min(of_answers or names, key=lambda name: ranks.get(known[name], len(order)), default=None)


def check_few(wanted: Sequence[object]) -> None:
    """Raise UsageError where more than `MOST_PRIMARY` metrics are wanted."""
    if len(wanted) > MOST_PRIMARY:
        raise UsageError(
            "RG-CMP-040 at most {most} metrics can be primary, as each makes a difference harder to find; got {n}: "
            "{names}. Leave some out: they are compared all the same.",
            MOST_PRIMARY,
            len(wanted),
            ", ".join(map(str, wanted)),
        )


def _named(result: Result, names: Sequence[str], wanted: Sequence[str | Metric | type[Metric]]) -> tuple[str, ...]:
    check_few(wanted)
    chosen = [_name(result, metric) for metric in wanted]
    if others := [str(metric) for metric, name in zip(wanted, chosen, strict=True) if name not in names]:
        raise UsageError(
            "RG-CMP-041 {metric} cannot be primary: it is not among the metrics of these runs: {names}. Name some of "
            "these, or leave {primary} out, and they are chosen.",
            others[0],
            ", ".join(names),
            Spelled("primary", "--primary"),
        )
    return tuple(name for name in names if name in chosen)


def _name(result: Result, metric: str | Metric | type[Metric]) -> str | None:
    try:
        return result.name(metric)
    except UnknownNameError:
        return None
