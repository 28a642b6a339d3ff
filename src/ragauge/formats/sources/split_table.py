"""Tables that are written as names of columns and rows of values, as MLflow's log_table and pandas' split do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ORIGINS: Mapping[str, str] = {}


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:  # noqa: ARG001 - one form
    """Yield the rows of each table.

    >>> next(samples([{"columns": ["inputs", "outputs"], "data": [["Who?", "Anna."]]}], []))
    {'inputs': 'Who?', 'outputs': 'Anna.'}
    """
    for table in rows:
        for row in table["data"]:
            yield dict(zip(table["columns"], row, strict=True))
