"""Numbers out of nested dicts, with every wrong one reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import TypeAlias

import numpy as np

from ragauge.errors import DataError
from ragauge.ragged import Ragged

Scored: TypeAlias = Mapping[str, float]


def numbers(name: str, kind: str, queries: Iterable[str], rows: Sequence[Scored]) -> Ragged:
    """Return the values of each dict as a list of float64.

    Args:
        name: what messages call the dicts.
        kind: what messages call a value.
        queries: the key of each of ``rows``.
        rows: the dicts.

    Raises:
        DataError: some value is not a number; the message lists them all.
    """
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    try:
        flat = chain.from_iterable(row.values() for row in rows)
        values = np.fromiter(flat, dtype=np.float64, count=int(lengths.sum()))
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if np.isnan(values).any():
        problems = [
            f"query {query!r}, document {document!r}: {kind} {value!r} is not a number"
            for query, row in zip(queries, rows, strict=True)
            for document, value in row.items()
            if not isinstance(value, Real) or np.isnan(value)
        ]
        raise DataError.of(name, problems, advice=f"Give each document a number as its {kind}.")
    return Ragged.from_lengths(values, lengths)


def refuse_other_ids(name: str, rows: Mapping[str, Scored]) -> None:
    """Raise DataError if an id is not a string: 7 never equals "7". Of the documents, the first are looked at."""
    documents = [(query, next(iter(row))) for query, row in rows.items() if row]
    problems = [f"query {query!r}: a query id must be a string" for query in rows if not isinstance(query, str)]
    problems += [
        f"query {query!r}: document {document!r}: a document id must be a string"
        for query, document in documents
        if not isinstance(document, str)
    ]
    if problems:
        raise DataError.of(name, problems, advice="Turn ids into strings: {str(query): ...}.")
