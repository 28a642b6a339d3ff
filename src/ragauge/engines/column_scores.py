"""The score of each row of some columns: what Polars and DuckDB call for a batch of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import concatenated
from ragauge.core.protocol import Metric
from ragauge.core.ragged import FloatArray
from ragauge.errors import UsageError
from ragauge.evaluation.partial import measure_cells
from ragauge.formats import read
from ragauge.metrics.parse import parse

_FIRST = ("answer", "retrieved", "contexts")
"""Columns that are scored; the others of a metric are what they are held against."""
_IDS = ("retrieved", "relevance")


@lru_cache(maxsize=64)
def metric_of(spec: str) -> Metric:
    """Return the metric of a spec, made once."""
    return parse(spec)


def names_of(metric: Metric, others: int) -> tuple[str, ...]:
    """Return the columns of a metric in the order in which they are given: what is scored, then ``others`` more.

    Raises:
        UsageError: the metric reads no such number of columns.

    >>> names_of(metric_of("answer-relevancy"), 1), names_of(metric_of("ndcg"), 1)
    (('answer', 'question'), ('retrieved', 'relevance'))
    """
    ordered = [sorted(needed, key=lambda one: _FIRST.index(one) if one in _FIRST else 3) for needed in metric.needs]
    for names in ordered:
        if len(names) == others + 1:
            return tuple(names)
    ways = ", or ".join([", ".join(names) for names in ordered])
    raise UsageError("RG-ENG-047 {metric} takes the columns {ways}, in this order; got {n}", metric, ways, others + 1)


def scores_of(metric: Metric, columns: Mapping[str, pa.Array | pa.ChunkedArray]) -> pa.Array:
    """Return the score of each row as `ragauge.evaluate` gives it; null where it is undefined, missing or failed.

    Raises:
        UsageError: ids are in one text a row, which a batch of rows does not tell how to cut.
        DataError: fields are not what the columns hold.
        ColumnError: a column that the metric needs is not there.
    """
    for name in _IDS:
        if name in columns and _is_text(columns[name].type):
            template = "RG-ENG-048 {name} must be lists of ids; got texts. Cut them first, as by string_split(ids, ',')"
            raise UsageError(template, name)
    table = pa.table(dict(columns))
    if not len(table):
        return pa.nulls(0, pa.float64())
    scores = measure_cells(metric, concatenated(read(table).batches())).scores
    return _with_nulls(np.ascontiguousarray(scores, np.float64))


def scores_by_spec(specs: pa.ChunkedArray, columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """Return the score of each row by the metric that the row names; ``columns`` in the order of `names_of`."""
    named = specs.to_pylist()
    scores = np.full(len(named), np.nan)
    for spec in dict.fromkeys(named):
        if spec is None:
            continue
        metric = metric_of(spec)
        rows = np.flatnonzero(np.array([one == spec for one in named]))
        names = names_of(metric, len(columns) - 1)
        some = {name: column.take(to_arrow(rows)) for name, column in zip(names, columns, strict=True)}
        scores[rows] = scores_of(metric, some).to_numpy(zero_copy_only=False)
    return _with_nulls(scores)


def _with_nulls(scores: FloatArray) -> pa.Array:
    """Return the numbers as an Arrow array, null for NaN."""
    valid = pa.py_buffer(np.packbits(~np.isnan(scores), bitorder="little"))
    return pa.Array.from_buffers(pa.float64(), len(scores), [valid, pa.py_buffer(scores)])


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
