"""``--per-sample FILE``: one row per sample, with score and status of each metric."""

from __future__ import annotations

import json
from math import isnan
from typing import TYPE_CHECKING

from ragauge.cli.output import check_new_file
from ragauge.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from ragauge.result import Result

_SUFFIXES = (".jsonl", ".csv", ".parquet")


def check_writable(path: Path, *, force: bool) -> None:
    """Raise UsageError where ``path`` exists already, its folder does not, or we do not write its kind of file."""
    if path.suffix not in _SUFFIXES:
        message = f"--per-sample writes {', '.join(_SUFFIXES)}; got {str(path)!r}"
        raise UsageError(message)
    check_new_file(path, force=force, option="--per-sample")


def write_per_sample(result: Result, path: Path) -> None:
    """Write id, scores and statuses to ``path``, by its suffix; beside it first, then renamed."""
    beside = path.with_name(f".{path.name}.part")
    table = _table(result)
    try:
        _write(table, beside, path.suffix)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _write(table: pa.Table, path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
    elif suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(table, path)
    else:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())


def _table(result: Result) -> pa.Table:
    import pyarrow as pa

    columns = {"id": pa.chunked_array(list(result.ids), pa.string())}
    for name in result.metrics:
        scores = [None if isnan(score) else score for score in result.scores(name).tolist()]
        columns[result.title(name)] = pa.array(scores, pa.float64())
        columns[f"{name}|status"] = pa.array(result.statuses(name).tolist(), pa.string())
    return pa.table(columns)
