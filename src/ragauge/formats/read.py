"""Read samples from anything: all rows are checked before the first is scored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ragauge.batch import Dataset
from ragauge.errors import OptionError
from ragauge.formats.chunk import Source
from ragauge.formats.objects import opened_object
from ragauge.formats.paths import opened_path
from ragauge.formats.reading import Reading
from ragauge.formats.store import SPOOL_ABOVE, Store

NO_MAPPING: Mapping[str, str] = MappingProxyType({})


def read(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    limit: int | None = None,
    batch_size: int = 8192,
    spool_above: int = SPOOL_ABOVE,
) -> Dataset:
    """Read samples and check every row of them.

    Args:
        source: a path to JSON Lines, JSON (a list of rows, an object of columns, RAGChecker's results, mlflow's rows),
            CSV, TSV, Parquet or Arrow, each also compressed (``.gz``, ``.zst``); ``-`` for JSON from standard input;
            a list of dicts or of `Sample`; a dict of columns; one row; or a table of pandas, Polars, DuckDB, pyarrow,
            datasets.
        mapping: column -> its name in the source, for names that are not known or are ambiguous. A dotted name
            (``inputs.question``) points into an object.
        limit: read so many rows at most.
        batch_size: rows per batch at most.
        spool_above: bytes in memory, above which rows are kept in a temporary file.

    Raises:
        DataError: rows are wrong; every one of them is named, with its line.
        ColumnError: it cannot be told which column is which.
        OptionError: ``limit`` or ``batch_size`` is less than 1.

    Known columns have the types of the data contract, whatever the source; all others are kept. Rows without an id
    get one made from their content, the same in any order of the rows.

    >>> data = read([{"user_input": "Who?", "response": "Anna."}])
    >>> data.rows, data.columns, dict(data.mapping)
    (1, ('id', 'question', 'answer'), {'question': 'user_input', 'answer': 'response'})
    """
    _check_count("limit", 1 if limit is None else limit)
    _check_count("batch_size", batch_size)
    with _opened(source) as opened, Store(math.inf if opened.resident else spool_above) as store:
        reading = Reading(opened, mapping or NO_MAPPING, store)
        reading.take_all(limit)
        return reading.dataset(batch_size)


def _check_count(option: str, number: int) -> None:
    if number < 1:
        raise OptionError.value("read", option, "a whole number from 1 on", number)


@contextmanager
def _opened(source: Any) -> Iterator[Source]:
    if isinstance(source, str | PathLike):
        with opened_path(str(source) if source == "-" else str(Path(source))) as opened:
            yield opened
    else:
        yield opened_object(source)
