"""What scores rest on: the segments that metrics compared, in memory or in a saved run."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows of ``metric``, ``id``, ``what``, ``text``, ``best``, ``similarity`` and ``supported``.

    ``source`` is a table, or the Parquet file of a saved run, of which no more is read than is needed.
    """

    source: pa.Table | Path

    @property
    def metrics(self) -> list[str]:
        """The metrics that have evidence."""
        import pyarrow.parquet as pq

        path = self.source
        table = pq.read_table(path, columns=["metric"]) if isinstance(path, Path) else path
        names: list[str] = table["metric"].unique().to_pylist()
        return names

    def of(self, ids: pa.Array) -> pa.Table:
        """Return the rows of the samples ``ids``; none of a sample whose scores rest on nothing."""
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        wanted = pc.field("id").isin(ids)
        if isinstance(self.source, Path):
            return pq.read_table(self.source, filters=wanted)
        return self.source.filter(wanted)

    def write(self, path: Path) -> None:
        """Write all rows to a Parquet file."""
        import pyarrow.parquet as pq

        if isinstance(self.source, Path):
            shutil.copyfile(self.source, path)
        else:
            pq.write_table(self.source, path, compression="zstd")
