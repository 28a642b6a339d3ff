"""Runs and judgements as JSON: an object query -> object document -> number."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ragauge.errors import DataError
from ragauge.formats._trec_columns import Columns

if TYPE_CHECKING:
    from ragauge.formats._trec_columns import Layout


def from_json(content: bytes, layout: Layout, name: str) -> Columns:
    """Read ``{"query": {"document": number}}``; a query may have no document.

    Raises:
        DataError: it is not JSON, not of that form, or a name is given twice; all bad entries are listed.
    """
    queries = _parsed(content, name)
    problems = [] if isinstance(queries, dict) else ["is not an object query -> object document -> number"]
    for query, documents in queries.items() if isinstance(queries, dict) else ():
        problems.extend(_problems(query, documents, layout.fields[layout.number]))
    if problems:
        raise DataError.of(name, problems, advice=f'Write {{"query": {{"document": {layout.fields[layout.number]}}}}}')
    flat = [(document, number) for documents in queries.values() for document, number in documents.items()]
    return Columns(
        queries=pa.array(list(queries), pa.string()),
        lengths=np.array([len(documents) for documents in queries.values()], dtype=np.int64),
        documents=pa.array([document for document, _ in flat], pa.string()),
        numbers=np.array([number for _, number in flat], dtype=np.float64),
    )


def _parsed(content: bytes, name: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_each_once)
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from None
    except ValueError as error:
        raise DataError(f"{name}: is not valid JSON: {error}") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{again!r} is given twice in one object; keep one")
    return found


def _problems(query: str, documents: object, kind: str) -> list[str]:
    if not isinstance(documents, dict):
        return [f"query {query!r}: {documents!r} is not an object document -> {kind}"]
    return [
        f"query {query!r}, document {document!r}: {kind} {number!r} is not a finite number"
        for document, number in documents.items()
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number)
    ]
