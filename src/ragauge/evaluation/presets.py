"""Which metrics are computed when none is named."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_numpy
from ragauge.core.batch import Dataset
from ragauge.core.messages import Argument, Joined, Message
from ragauge.core.protocol import Metric, columns_lacked
from ragauge.core.registry import entries
from ragauge.core.sample import SCHEMA
from ragauge.display.numbers import printable
from ragauge.errors import ColumnError, UnknownNameError, UsageError, column_title
from ragauge.formats.column_names import RELEVANT, folded
from ragauge.formats.proposals import suggested
from ragauge.metrics.column import Column
from ragauge.metrics.parse import parse, parse_all

_AT_10 = ("hit-rate@10", "precision@10", "recall@10", "mrr@10", "map", "ndcg@10")
# A RAG system retrieves a handful of passages: precision@10 would punish it for passages that it never retrieved.
_WHOLE = ("hit-rate", "precision", "recall", "mrr", "map", "ndcg")
_RAG = (
    "context-precision", "context-recall", "context-relevancy", "context-utilization", "groundedness",
    "answer-correctness", "answer-relevancy", "semantic-similarity",
)  # fmt: skip
_GENERATION = ("bleu", "rouge-1", "rouge-2", "rouge-l", "chrf", "token-f1", "exact-match")

PRESETS: Mapping[str, tuple[str, ...]] = {
    "retrieval": _AT_10,
    "generation": _GENERATION,
    "rag": (*_WHOLE, *_RAG, *_GENERATION),
    # The source of a summary is its contexts.
    "summary": ("rouge-1", "rouge-2", "rouge-l", "rouge-lsum", "semantic-similarity", "groundedness"),
    "translation": ("bleu", "chrf", "chrf++", "ter", "gleu", "meteor"),
    # The default ones; a command prints them all where they are asked for.
    "all": (),
}

_MEANINGS: Mapping[str, str] = {
    "answer": "what the system answered",
    "references": "what it should have answered",
    "contexts": "the passages that it retrieved",
    "reference_contexts": "the passages that it should have retrieved",
    "retrieved": "the ids of the documents that it retrieved",
    "relevance": "the ids of the documents that it should have retrieved, or their grades",
}
_COLUMN = "COLUMN"
_WIDTH = 35
"""Of the longest line with that name."""
# Longer headers, and those that end like a sentence, are probably data.
_LONG = 40
_ENDS = ("?", "？", "。", "!", "！", "؟", ".")


def chosen(
    preset: str | None, columns: Iterable[str], shared: Mapping[str, Any] = MappingProxyType({})
) -> tuple[dict[str, Metric], dict[str, list[str]]]:
    """Return the metrics of ``preset`` whose columns are there, and the others by the columns that they lack.

    Without a preset, and with ``all``: all default metrics, with cutoffs where documents have ids; those of RAG where
    there are contexts.
    ``shared``: values of options for the metrics that have them.
    """
    names = tuple(columns)
    if preset is not None and preset not in PRESETS:
        raise UnknownNameError.of("preset", preset, PRESETS)
    wanted = PRESETS[preset or "all"] or _default(set(names))
    kept: dict[str, Metric] = {}
    left_out: dict[str, list[str]] = {}
    needed: dict[str, None] = {}
    for name, metric in ((name, metric) for text in wanted for name, metric in parse_all(text, shared).items()):
        if columns_lacked(metric, names):
            left_out.setdefault(_lacked(metric, names), []).append(name)
            needed[_alternatives(metric.needs)] = None
        else:
            kept[name] = metric
    if not kept:
        raise ColumnError(_nothing(preset, names, needed))
    return kept, left_out


def price_columns(data: Dataset) -> dict[str, Metric]:
    """Return what the rows say of the price of an answer: one column of time and one of cost, by their headers.

    They are ``latency`` and ``cost`` where there are such columns, else the first whose header names a unit of time
    (``latency_ms``, ``elapsed_s``) and the first of cost. They hold finite numbers.

    >>> from ragauge.core.batch import Batch
    >>> table = pa.table({"latency_ms": [250.0, 900.0], "total_cost": [0.02, None], "time": ["noon", "night"]})
    >>> list(price_columns(Dataset.of(Batch(table), "answers.csv")))
    ['latency_ms', 'total_cost']
    """
    wanted: dict[str, list[Column]] = {}
    for measured, usual in (("time", "latency"), ("cost", "cost")):
        columns = [one for name in data.columns if (one := Column(name=name)).measured == measured]
        some = [one for one in columns if (measured == "cost" or one.unit) and one.name not in entries("metric")]
        wanted[measured] = sorted(some, key=lambda one: one.name != usual)
    numbers = _finite_numbers(data, {one.name for some in wanted.values() for one in some})
    first = (next((one for one in some if one.name in numbers), None) for some in wanted.values())
    return {one.name: one for one in first if one is not None}


def _finite_numbers(data: Dataset, names: Collection[str]) -> set[str]:
    """Return which columns hold numbers, of which none is infinite, and not only null."""
    known: set[str] = set()
    left = set(names)
    for batch in data.batches() if left else ():
        for name in sorted(left):
            column = batch.column(name)
            if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
                left.remove(name)
                continue
            values = to_numpy(column.cast(pa.float64(), safe=False))
            if np.isfinite(values).any():
                known.add(name)
            if np.isinf(values).any():
                left.remove(name)
        if not left:
            break
    return known & left


def _alternatives(several: Iterable[Sequence[str]]) -> str:
    return Joined([Joined(some, " and ") for some in several], ", or ")


def _lacked(metric: Metric, names: Sequence[str]) -> str:
    """Return in words the columns that a metric lacks, by those of its alternatives that lack the fewest."""
    lacked = [tuple([one for one in some if one not in names]) for some in metric.needs]
    return _alternatives(dict.fromkeys([some for some in lacked if len(some) == min(map(len, lacked))]))


def _default(names: set[str]) -> tuple[str, ...]:
    retrieval = _AT_10 if {"retrieved", "relevance"} <= names else _WHOLE
    return (*retrieval, *(_RAG if "contexts" in names else ()), *_GENERATION)


def _nothing(preset: str | None, names: tuple[str, ...], needed: Iterable[str]) -> str:
    """Return a message: the absent columns, the metrics that need none of them, and how to name columns."""
    which = Message("preset {preset!r}", preset) if preset and PRESETS[preset] else Message("default metrics")
    own = [name for name in names if name != "id"]
    needs = Joined(
        [Joined([Joined(one.split(" and "), " and ") for one in way.split(", or ")], ", or ") for way in needed],
        "; or ",
    )
    lines = [Message("RG-EVAL-025 none of the {metrics} can be computed: they need {columns}", which, needs)]
    has = Joined([column_title(printable(name)) for name in own]) if own else Message("no columns")
    lines.append(Message("the data have: {columns}", has))
    if any(len(name) > _LONG or name.endswith(_ENDS) for name in own):
        lines.append(Message("the first row of the file was taken as the names of its columns; is it one?"))
    others = metrics_of(names)
    if others:
        lines.append(Message("metrics that can be computed: {metrics}", ", ".join(others)))
        lines += [
            Message("to score {column}, pass {metrics}", column, Argument("metrics", metric))
            for column, metric in _scored_by(names, others).items()
        ]
    lines.append(Message("if a column holds one of these, name it, or let ragauge init FILE propose it:"))
    free = [name for name in own if name not in SCHEMA]
    probable = {known: suggested(free, known) for known in _MEANINGS}
    probable["relevance"] = [name for name in names if folded(name) in RELEVANT] or probable["relevance"]
    absent = [
        (Argument("map", {known: name}), 2 * name.isidentifier(), what)
        for known, what in _MEANINGS.items()
        if known not in names
        for name in probable[known] or [_COLUMN]
    ]
    # A command line puts other names in quotes.
    widths = [len(one) - bare for one, bare, _ in absent]
    lines += [
        Message("  {map}{space} {what}", one, " " * (max(_WIDTH, *widths) - width), Message(what))
        for width, (one, _, what) in zip(widths, absent, strict=True)
    ]
    return Joined(lines, "\n")


def _scored_by(names: Sequence[str], metrics: Iterable[str]) -> dict[str, str]:
    """Return each column that only metrics outside the presets read -> the first of ``metrics`` that needs it."""
    needs = {one: set(chain.from_iterable(parse(one).needs)) for one in metrics}
    own = [name for name in names if name not in SCHEMA]
    return {name: one for name in own if (one := next((one for one in needs if name in needs[one]), None))}


def metrics_of(names: Collection[str]) -> list[str]:
    """Return the metrics outside the presets whose columns are there, those that need no model of the user's own."""
    others = []
    for name, entry in entries("metric").items():
        if entry.alias_of is None and entry.instance is None and not entry.at:
            try:
                metric = parse(name)
            except UsageError:
                continue
            if not columns_lacked(metric, names):
                others.append(name)
    return others
