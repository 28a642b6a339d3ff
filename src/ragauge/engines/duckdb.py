"""Metrics as a function of DuckDB: ``SELECT ragauge_score('rouge-l', answer, reference) FROM answers``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ragauge.engines.column_scores import scores_by_spec
from ragauge.errors import MissingExtraError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def register(connection: DuckDBPyConnection, name: str = "ragauge_score") -> DuckDBPyConnection:
    """Add a function of a metric's spec and the columns that it reads, in the order of `ragauge metrics NAME`.

    Args:
        connection: a connection of DuckDB; the function lasts as long as it.
        name: what the function is called.

    Returns:
        The connection.

    Raises:
        MissingExtraError: duckdb is not installed.

    The answer, or what was retrieved, comes first. Scores are those of each sample in `ragauge.evaluate`, to the last
    bit, and null where a sample is undefined, missing or failed, or a field is null. Rows may name different metrics.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError.of("a function of DuckDB", "duckdb", "duckdb") from None

    def score(spec: pa.ChunkedArray, *columns: pa.ChunkedArray) -> pa.Array:
        return scores_by_spec(spec, columns)

    # By its name: which module has duckdb's own constant depends on the version.
    kind: Any = "arrow"
    connection.create_function(name, score, None, duckdb.type("DOUBLE"), type=kind)
    return connection
