"""The folder layout of BEIR: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import pyarrow as pa

from ragauge.errors import DataError
from ragauge.formats.read import read

_QUERIES = ("queries.jsonl", "queries.jsonl.gz", "queries.jsonl.zst")


def folder_of(qrels: str | PathLike[str]) -> Path | None:
    """Return the BEIR folder that a file of judgements stands in, if it does.

    >>> folder_of("qrels.txt") is None
    True
    """
    path = Path(qrels)
    folder = path.parent.parent
    return folder if path.parent.name == "qrels" and _queries(folder) else None


def _queries(folder: Path) -> Path | None:
    return next((folder / name for name in _QUERIES if (folder / name).is_file()), None)


def read_queries(folder: str | PathLike[str]) -> pa.Table:
    """Read the queries of a BEIR folder.

    Returns:
        Columns ``id`` and ``question``, string.

    Raises:
        DataError: there is no ``queries.jsonl``, or rows of it are wrong.
    """
    path = _queries(Path(folder))
    if path is None:
        raise DataError(f"{folder}: has no queries.jsonl, so it is no BEIR data set")
    data = read(path, mapping={"id": "_id", "question": "text"})
    return pa.concat_tables(batch.table().select(["id", "question"]) for batch in data.batches())
