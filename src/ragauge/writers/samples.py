"""The samples of a run for targets: as a table, and as one cell for each metric of a sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.results.result import Result


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
    """Yield the values of each row of ``table``, in the order of its columns; ``rows`` are in memory at a time."""
    for first in range(0, len(table), rows):
        yield from map(list, zip(*[column.to_pylist() for column in table.slice(first, rows).columns], strict=True))
