"""The folder layout of BEIR: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import pyarrow as pa

from ragauge.formats.reading import read

_QUERIES = ("queries.jsonl", "queries.jsonl.gz", "queries.jsonl.zst")


def queries_beside(qrels: str | PathLike[str]) -> pa.Table | None:
    """Read the queries of the BEIR folder that a file of judgements stands in; None if it stands in none.

    Returns:
        Columns ``id`` and ``question``, string.

    Raises:
        DataError: rows of ``queries.jsonl`` are wrong.

    >>> queries_beside("qrels.txt") is None
    True
    """
    folder = Path(qrels).parent
    paths = (folder.parent / name for name in _QUERIES)
    path = next((path for path in paths if path.is_file()), None) if folder.name == "qrels" else None
    if path is None:
        return None
    data = read(path, mapping={"id": "_id", "question": "text"})
    return pa.concat_tables(batch.table().select(["id", "question"]) for batch in data.batches())
