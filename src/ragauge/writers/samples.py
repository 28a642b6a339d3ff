"""The samples of a run for targets: as a table, and as one cell for each metric of a sample."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.results.result import Result

LONGEST = 4000
"""Characters of an explanation that are written."""
_WHY = {
    "missing": "a value that the metric needs is null",
    "undefined": "the metric has no value here, for a reason on the side of the reference",
}
_SUPPORTED = {True: "supported", False: "not supported", None: "compared"}


def sample_table(result: Result) -> pa.Table:
    """Return `Result.to_arrow`, and a column ``METRIC|reason`` of each metric under which samples failed.

    >>> import ragauge
    >>> rows = [{"id": "a", "answer": "x", "references": ["x"]}, {"id": "b", "failure": "超时", "references": ["x"]}]
    >>> sample_table(ragauge.evaluate(rows, "exact-match"))["exact-match|reason"].to_pylist()
    [None, '超时']
    """
    table = result.to_arrow()
    for name in result.metrics:
        reasons = result.reasons(name)
        title = f"{name}|reason"
        if reasons and title not in table.column_names:
            texts = [reasons.get(place) for place in range(len(table))]
            table = table.append_column(title, to_arrow(texts, pa.string()))
    return table


def sample_rows(table: pa.Table, rows: int = 1 << 12) -> Iterator[list[Any]]:
    """Yield the values of each row of ``table``, in the order of its columns; ``rows`` are in memory at a time.

    A number that is infinite or NaN is None: JSON has neither.
    """
    for first in range(0, len(table), rows):
        yield from map(list, zip(*map(_values, table.slice(first, rows).columns), strict=True))


def _values(column: pa.ChunkedArray) -> list[Any]:
    values: list[Any] = column.to_pylist()
    if not pa.types.is_floating(column.type):
        return values
    return [one if one is not None and isfinite(one) else None for one in values]


def plain_rows(table: pa.Table) -> Iterator[list[Any]]:
    """Yield the rows of ``table`` for targets without lists: what is no text, number or boolean is written as JSON.

    >>> import pyarrow as pa
    >>> list(plain_rows(pa.table({"a": ["林"], "b": [["x", "y"]], "c": [0.5]})))
    [['林', '["x", "y"]', 0.5]]
    """
    for row in sample_rows(table):
        yield [one if one is None or isinstance(one, str | int | float) else _as_json(one) for one in row]


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)


@dataclass(frozen=True, slots=True)
class MetricCell:
    """One sample under one metric, as a target gets it."""

    place: int
    metric: str
    status: str
    """``ok``, ``undefined``, ``missing`` or ``failed``."""
    score: float
    """NaN where the status is not ``ok``."""
    explanation: str
    """The evidence, or why there is no score; empty where nothing is known."""


def metric_cells(result: Result, ids: Sequence[str]) -> Iterator[MetricCell]:
    """Yield each sample under each metric, metric by metric; ``ids`` are those of the samples.

    >>> import ragauge
    >>> rows = [{"id": "a", "answer": "x", "references": ["x"]}, {"id": "b", "failure": "超时", "references": ["x"]}]
    >>> for cell in metric_cells(ragauge.evaluate(rows, "exact-match"), ["a", "b"]):
    ...     print(cell.place, cell.status, cell.score, repr(cell.explanation))
    0 ok 1.0 ''
    1 failed nan '超时'
    """
    explanations = _explanations(result)
    for name in result.metrics:
        reasons = result.reasons(name)
        for place, (status, score) in enumerate(zip(result.statuses(name).tolist(), result.scores(name), strict=True)):
            why = reasons.get(place) or _WHY.get(status) or explanations.get((name, ids[place]), "")
            yield MetricCell(place, name, status, float(score), why[:LONGEST])


def _explanations(result: Result) -> dict[tuple[str, str], str]:
    """Return what the scores rest on, by metric and id of the sample: a line for each segment."""
    if result.evidence is None:
        return {}
    lines: dict[tuple[str, str], list[str]] = {}
    for row in result.evidence.of(result.sample_ids()).to_pylist():
        lines.setdefault((row["metric"], row["id"]), []).append(_line(row))
    return {key: "\n".join(several) for key, several in lines.items()}


def _line(row: Mapping[str, Any]) -> str:
    similarity = "" if row["similarity"] is None else f" {row['similarity']:.2f}"
    best = "" if row["best"] is None else f" | {row['best']}"
    why = "" if row.get("why") is None else f" | {row['why']}"
    return f"{_SUPPORTED[row['supported']]}{similarity}: {row['text']}{best}{why}"
