"""A note where documents of equal score tie, and another order of them could change scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ragauge.core.batch import Batch, Dataset
from ragauge.core.messages import Counted, Message
from ragauge.core.protocol import Metric
from ragauge.core.ragged import IntArray
from ragauge.errors import RagaugeError

_LOOKED_AT = 1000
"""Samples, the first; of a run all queries, as their ranks are kept for the metrics."""
_NAMED = 4
"""Metrics that a note names."""
_TIED = (
    "RG-NOTE-253 in {n} of {total} looked at, documents of equal score could as well be in another order, which could "
    "change {metrics}: {order}; {otherwise}"
)
_MEAN = "ties=mean takes the mean over all orders"
_NO_MEAN = "ties=docid-asc is the order of ndeval, ties=input the order given"
_ORDERS = {
    "docid-desc": "of equal ones the greater id is first, as in trec_eval",
    "docid-asc": "of equal ones the lesser id is first",
    "input": "equal ones are in the order given",
}


def notes_on_ties(data: Dataset, metrics: Mapping[str, Metric]) -> list[Message]:
    """Return a note for each way in which ``metrics`` order documents of equal score, where that could change a score.

    >>> from ragauge.formats import read_retrieval
    >>> from ragauge.metrics import Mrr
    >>> [note] = notes_on_ties(read_retrieval({"q": {"a": 1, "b": 1}}, {"q": {"a": 1}}), {"mrr": Mrr()})
    >>> note.partition(", documents")[0]
    'in 1 of 1 query looked at'
    """
    ranked: dict[str, Any] = {
        name: one
        for name, one in metrics.items()
        if hasattr(one, "unsettled") and getattr(one, "ties", "mean") != "mean"
    }
    if not ranked or not {"retrieved", "retrieved_scores"} <= set(data.columns):
        return []
    batch = next(iter(data.batches()))
    if "in_run" not in batch.names:
        batch = Batch(batch.table().slice(0, _LOOKED_AT))
    found: dict[tuple[str, bool], dict[str, IntArray]] = {}
    for name, metric in ranked.items():
        if metric.needs[0][1] not in data.columns:
            continue
        try:
            queries = metric.unsettled(batch)
        except RagaugeError:
            # Scoring names it.
            return []
        if len(queries):
            found.setdefault((metric.ties, metric.has_mean), {})[name] = queries
    return [_note(by_metric, len(batch), *how) for how, by_metric in found.items()]


def _note(queries: Mapping[str, IntArray], total: int, order: str, has_mean: bool) -> Message:  # noqa: FBT001
    names = list(queries)
    shown = ", ".join([*names[:_NAMED], *(["..."] if len(names) > _NAMED else [])])
    concerned = np.unique(np.concatenate(list(queries.values())))
    said = Message(_ORDERS[order]), Message(_MEAN if has_mean else _NO_MEAN)
    return Message(_TIED, len(concerned), Counted(total, "query", "queries"), shown, *said)
