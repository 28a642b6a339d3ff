"""The evidence of a run: in memory, or in the file of a saved run, of which no more is read than is needed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow
from ragauge.errors import DataError
from ragauge.results.notes import restored
from ragauge.results.schema import readable, write_tables


@dataclass(frozen=True, eq=False)
class StoredEvidence:
    """Rows of ``metric``, ``id``, ``what``, ``text``, ``best``, ``similarity`` and ``supported``.

    ``source`` is tables, or the Parquet file of a saved run, of which no more is read than is needed.
    """

    source: Sequence[pa.Table] | Path
    version: tuple[int, ...] | None = None  # of `version_of`, when it was loaded
    left_out: tuple[str, ...] = ()  # ids of samples whose rows are passed over

    @property
    def metrics(self) -> list[str]:
        """The metrics that have evidence."""
        names = [table["metric"].unique().to_pylist() for table in self._read(["metric"])]
        return list(dict.fromkeys(chain.from_iterable(names)))

    def of(self, ids: pa.Array, metrics: Sequence[str] | None = None, coded: Sequence[str] = ()) -> pa.Table:
        """Return the rows of the samples ``ids`` under ``metrics``, by default all; some samples have none.

        The columns of ``coded`` are read from a file as places in what differs, as they are stored.
        """
        if self.left_out:
            ids = ids.filter(pc.invert(pc.is_in(ids, value_set=to_arrow(list(self.left_out), ids.type))))
        wanted = {"id": ids} | ({} if metrics is None else {"metric": to_arrow(list(metrics), pa.string())})
        return pa.concat_tables(self._read(wanted=wanted, coded=coded))

    def rows(self, ids: pa.Array) -> list[dict[str, Any]]:
        """Return the rows of the samples ``ids`` as dicts; ``why`` is a message where it was one."""
        reason = cache(restored)
        return [row | {"why": reason(row.get("why"), row.pop("message", None))} for row in self.of(ids).to_pylist()]

    def write(self, path: Path) -> None:
        """Write all rows to a Parquet file."""
        without = to_arrow(list(self.left_out), pa.string())
        tables = self._read() if not isinstance(self.source, Path) else iter([pa.concat_tables(self._read())])
        if self.left_out:
            tables = (table.filter(pc.invert(pc.is_in(table["id"], value_set=without))) for table in tables)
        write_tables(tables, path)

    def _read(
        self,
        columns: Sequence[str] | None = None,
        wanted: Mapping[str, pa.Array] | None = None,
        coded: Sequence[str] = (),
    ) -> Iterator[pa.Table]:
        """Yield tables of one schema, of a file one for each of its groups of rows.

        ``columns``: by default all; ``wanted``: column -> its values in the rows that are kept; ``coded``: as of `of`.

        Raises:
            DataError: another file has taken the place of the one that was loaded.
        """
        import pyarrow.parquet as pq

        if not isinstance(self.source, Path):
            schema = pa.unify_schemas([table.schema for table in self.source], promote_options="permissive")
            empty = pa.Table.from_batches([], schema)
            for table in self.source:
                yield _with(pa.concat_tables([empty, table], promote_options="permissive"), wanted or {})
            return
        with readable(self.source), ExitStack() as files:
            # A file of Arrow's own: a thread that lets go of one of Python's while Python ends aborts the process.
            file = files.enter_context(pa.OSFile(str(self.source))) if self.source.exists() else None
            if file is None or not self.source.exists() or version_of(self.source.stat()) != self.version:
                raise DataError(
                    "RG-RUN-016 {parent} was replaced since it was loaded; load it again", self.source.parent
                )
            # Not by pyarrow's data sets, which import pandas where it is installed.
            metadata = pq.read_metadata(file)
            names = metadata.schema.to_arrow_schema().names
            # Runs of older versions lack some columns.
            dictionaries = [name for name in coded if name in names]
            groups = pq.ParquetFile(file, metadata=metadata, read_dictionary=dictionaries)
            tables = [pa.Table.from_batches([], groups.schema_arrow).select(columns or names)]
            for group in range(groups.num_row_groups):
                tables.append(_with(groups.read_row_group(group, columns), wanted or {}))
                tables[-1].validate(full=True)
        yield from tables


def _with(table: pa.Table, wanted: Mapping[str, pa.Array]) -> pa.Table:
    """Return the rows of a table whose values are among the ``wanted`` ones of each of some columns."""
    if not wanted:
        return table
    kept = [pc.is_in(table[name], value_set=pc.cast(own, table[name].type)) for name, own in wanted.items()]
    mask = reduce(pc.and_, kept)
    return table if pc.all(mask).as_py() else table.filter(mask)


def version_of(status: os.stat_result) -> tuple[int, ...]:
    """Return numbers that another file does not have."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
