"""Rows that were read: in memory while they are few, else in temporary files mapped into memory; then as batches."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow, whole
from ragauge.core.batch import Batch
from ragauge.core.hashing import HashArray, hash_rows
from ragauge.core.ragged import IntArray
from ragauge.core.sample import SCHEMA
from ragauge.errors import DataError, reason_of
from ragauge.formats.convert import as_json, is_text, nulls_for_empty, storable
from ragauge.formats.source import TEXT

SPOOL_ABOVE = 32 << 20
"""Bytes of Arrow data that stay in memory; more goes to a temporary file."""
_SEGMENT = 8 << 20
"""Bytes of Arrow data that are written to the file, and mapped into memory, at a time."""
_HASHED = 1 << 13
"""Rows hashed at a time; fewer than a spooled table holds, so that temporaries stay small."""


class Spool:
    """Batches in the order in which they were added.

    The temporary file has no name where the system allows that, and is gone when nothing refers to it, however the
    process ends. It lies where ``tempfile.gettempdir()`` says (the environment variable TMPDIR). Where no folder can
    hold temporary files, all rows stay in memory.
    """

    def __init__(self, spool_above: float = SPOOL_ABOVE) -> None:
        self._spool_above = self._most = spool_above
        self._bytes = 0
        self._in_memory: list[pa.RecordBatch] = []
        self._segments: list[Segment] = []
        self._file: SegmentFile | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Keep ``batch``; DataError where a temporary file cannot be written."""
        self._bytes += batch.nbytes
        self._in_memory.append(batch)
        if self._bytes > self._most:
            self._to_disk()

    def _to_disk(self) -> None:
        import tempfile

        try:
            folder = tempfile.gettempdir()
        except FileNotFoundError:
            self._most = inf
            return
        try:
            self._file = self._file or SegmentFile()
            self._segments += [self._file.written(table) for table in _by_schema(self._in_memory, _SEGMENT)]
        except OSError as error:
            what = f"the data take more than the {self._spool_above / 2**20:.0f} MiB that are kept in memory"
            raise no_room(what, folder, error) from error
        self._in_memory, self._bytes = [], 0
        self._most = min(self._most, _SEGMENT)

    def adopt(self, segment: Segment) -> None:
        """Keep the rows of a file that another process wrote, after those that are here."""
        if self._in_memory:
            self._to_disk()
        self._segments.append(segment)

    def tables(self) -> Sequence[pa.Table]:
        """Return the batches as tables of one schema each; nothing can be added after this."""
        in_memory = _by_schema(self._in_memory)
        return Tables([*self._segments, *in_memory]) if self._segments else in_memory


def no_room(what: str, folder: str, error: OSError) -> DataError:
    """Return the error of what the temporary ``folder`` cannot hold; ``what``: why it should, as a clause."""
    why = reason_of(error)
    return DataError(
        "RG-DATA-052 {what}, and {folder} cannot hold them: {why}; set TMPDIR to a folder with more room",
        what,
        folder,
        why,
    )


def _by_schema(batches: Sequence[pa.RecordBatch], size: float = inf) -> list[pa.Table]:
    """Return ``batches`` that follow each other and have one schema as one table of about ``size`` bytes at most."""
    tables: list[list[pa.RecordBatch]] = []
    left = size
    for batch in batches:
        left -= batch.nbytes
        if not tables or left < 0 or tables[-1][0].schema != batch.schema:
            tables.append([])
            left = size - batch.nbytes
        tables[-1].append(batch)
    return [pa.Table.from_batches(some) for some in tables]


class Tables(Sequence[pa.Table]):
    """Tables in memory, and others in a file, each mapped into memory only as long as somebody holds it.

    So going through them takes the memory of few of those in the file. Pickles and copies hold all rows.
    """

    def __init__(self, tables: Sequence[pa.Table | Segment]) -> None:
        self._tables = tables

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Tables(self._tables[place])
        table = self._tables[place]
        return table.mapped() if isinstance(table, Segment) else table

    def __reduce__(self) -> tuple[type[Tables], tuple[list[pa.Table]]]:
        return Tables, (list(self),)


class SegmentFile:
    """A file of tables, open as long as a segment of it is wanted: a temporary one, or that at ``path``."""

    def __init__(self, path: Path | None = None) -> None:
        from tempfile import TemporaryFile

        self.file: IO[bytes] = TemporaryFile(prefix="ragauge-") if path is None else path.open("a+b")  # noqa: SIM115 (lives as long as its segments)

    def __del__(self) -> None:
        # There is none where it could not be made.
        with suppress(AttributeError, OSError):
            self.file.close()

    def written(self, table: pa.Table) -> Segment:
        """Write ``table`` at the end, where a map may begin."""
        end = self.file.seek(0, os.SEEK_END)
        start = -(-end // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
        self.file.write(bytes(start - end))
        with pa.ipc.new_stream(self.file, table.schema) as writer:
            writer.write_table(table)
        self.file.flush()
        return Segment(self, start, self.file.tell() - start)


class Segment(NamedTuple):
    """A table in a file: ``size`` bytes from ``start``."""

    file: SegmentFile
    start: int
    size: int

    def mapped(self) -> pa.Table:
        """Return the table; its memory is given back when nothing refers to the table or a part of it."""
        content = mmap.mmap(self.file.file.fileno(), self.size, access=mmap.ACCESS_READ, offset=self.start)
        return pa.ipc.open_stream(pa.BufferReader(pa.py_buffer(content))).read_all()


class Batches:
    """The rows of a data set as batches; each call iterates from the first.

    ``columns``: the names of the columns of every batch.
    ``has_own_ids``: whether the ids are those of the rows, and not made from their content.
    """

    def __init__(self, tables: Sequence[pa.Table], types: Mapping[str, pa.DataType], batch_size: int) -> None:
        """Take rows as they were spooled: a table may lack some of the columns ``types``, or have narrower types."""
        self._tables = tables
        self._types = types = _fitting(tables, types)
        self._batch_size = batch_size
        self.has_own_ids = "id" in types
        self.columns = tuple(types) if self.has_own_ids else ("id", *types)
        if not self.has_own_ids:
            # The order of the columns does not matter, and a null is an absent column, which costs nothing here.
            unordered = [name for name, kind in SCHEMA.items() if kind == "judgements"]
            parts = [
                hash_rows({name: whole(part[name]) for name in part.column_names}, part.num_rows, unordered=unordered)
                for part in self._hashed_parts()
            ]
            self._hashes = np.concatenate(parts)
            self._repeats = occurrences(self._hashes)

    def __call__(self) -> Iterator[Batch]:
        """Iterate over the batches."""
        first = 0
        for part in self._parts():
            end = first + part.num_rows
            if not self.has_own_ids:
                ids = made_ids(self._hashes[first:end], self._repeats[first:end])
                part = part.add_column(0, "id", ids)  # noqa: PLW2901
            yield Batch(part)
            first = end

    def _parts(self) -> Iterator[pa.Table]:
        """Yield ``batch_size`` rows at a time, whichever tables they lie in."""
        parts: list[pa.Table] = []
        wanted = self._batch_size
        for table in self._tables:
            first = 0
            while first < table.num_rows:
                part = table.slice(first, wanted)
                parts.append(conformed(part, self._types))
                first, wanted = first + part.num_rows, wanted - part.num_rows
                if not wanted:
                    yield pa.concat_tables(parts)
                    parts, wanted = [], self._batch_size
        if parts:
            yield pa.concat_tables(parts)

    def _hashed_parts(self) -> Iterator[pa.Table]:
        for table in self._tables:
            types = {name: kind for name, kind in self._types.items() if name in table.schema.names} or self._types
            for first in range(0, table.num_rows, _HASHED):
                yield conformed(table.slice(first, _HASHED), types)


def occurrences(hashes: HashArray) -> IntArray:
    """Return for each hash the number of equal ones before it, (n,).

    >>> occurrences(np.array([5, 7, 5, 5], dtype=np.uint64))
    array([0, 0, 1, 2])
    """
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(hashes)])
    counts = np.empty(len(hashes), dtype=np.int64)
    counts[order] = np.arange(len(hashes)) - np.repeat(starts, np.diff(np.append(starts, len(hashes))))
    return counts


def made_ids(hashes: HashArray, repeats: IntArray) -> pa.Array:
    """Return ids of 16 hexadecimal digits, with ``-2`` after those of the second row of the same content.

    >>> made_ids(np.array([255, 255], dtype=np.uint64), np.array([0, 1])).to_pylist()
    ['00000000000000ff', '00000000000000ff-2']
    """
    digits = hashes.astype(">u8").tobytes().hex()
    offsets = np.arange(0, len(digits) + 1, 16, dtype=np.int32)
    ids = pa.StringArray.from_buffers(len(hashes), pa.py_buffer(offsets), pa.py_buffer(digits.encode()))
    if not repeats.any():
        return ids
    repeated = zip(ids.to_pylist(), repeats.tolist(), strict=True)
    return to_arrow([f"{one}-{count + 1}" if count else one for one, count in repeated])


def wider(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    """Return the type that holds the values of both types; string if no other does.

    >>> wider(pa.int64(), pa.float64()), wider(pa.int64(), pa.string()), wider(pa.null(), pa.bool_())
    (DataType(double), DataType(string), DataType(bool))
    """
    try:
        both = [pa.schema([("values", kind)]) for kind in (left, right)]
        kind = pa.unify_schemas(both, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return TEXT
    return kind if storable(kind) else TEXT


def cast(array: pa.Array | pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """Return ``array`` as a type that is `wider` than its own, or that `narrowest` returned for its texts."""
    if array.type == kind:
        return array
    if pa.types.is_null(array.type) or pa.types.is_null(kind):
        return pa.nulls(len(array), kind)
    if is_text(array.type) and kind != TEXT:
        return nulls_for_empty(array).cast(kind)
    if kind != TEXT:
        return array.cast(kind)
    return as_json(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)


def _fitting(tables: Sequence[pa.Table], types: Mapping[str, pa.DataType]) -> dict[str, pa.DataType]:
    """Return ``types``, with string where a column has integers beyond 2^53 in one table and floats in another.

    Also where objects within have no key in any row, because Parquet has no column for them.
    """
    fitting = {name: TEXT if "struct<>" in str(kind) else kind for name, kind in types.items()}
    # Each table is read once, because it may have to be mapped for that.
    for table in tables:
        for place, field in enumerate(table.schema):
            kind = types.get(field.name)
            if kind is not None and field.type != kind and fitting[field.name] == kind:
                try:
                    cast(table.column(place), kind)
                except pa.ArrowInvalid:
                    fitting[field.name] = TEXT
    return fitting


def conformed(table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    """Return a table with the columns ``types`` and no others; one that it lacks is null."""
    there, columns = set(table.schema.names), []
    nulls: dict[pa.DataType, pa.Array] = {}
    for name, kind in types.items():
        if name not in there and kind not in nulls:
            # Thousands of absent columns of one type share their nulls.
            nulls[kind] = pa.nulls(table.num_rows, kind)
        columns.append(cast(table.column(name), kind) if name in there else nulls[kind])
    return pa.Table.from_arrays(columns, names=list(types))
