"""Ids of samples: found to be unique, or made from the content."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats.inferred import as_json
from ragauge.hashing import HashArray, combine, hash_strings, splitmix64
from ragauge.ragged import IntArray


def content_hashes(table: pa.Table) -> HashArray:
    """Hash the content of each row, whatever the order of the columns; a null counts as an absent column.

    Returns:
        (n,) uint64.
    """
    total = np.zeros(table.num_rows, dtype=np.uint64)
    for name in table.column_names:
        column = _one(table.column(name))
        present = column.is_valid().to_numpy(zero_copy_only=False)
        total += np.where(present, combine(_repeated(name, len(total)), _hashes(column)), np.uint64(0))
    return splitmix64(total)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def _repeated(name: str, rows: int) -> HashArray:
    return np.repeat(hash_strings([name]), rows)


def _hashes(array: pa.Array) -> HashArray:
    """Hash each value; what a null hashes to says nothing."""
    kind = array.type
    if pa.types.is_string(kind):
        return hash_strings(array)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers = pc.fill_null(pc.cast(array, pa.float64(), safe=False), 0.0).to_numpy(zero_copy_only=False)
        # Adding zero turns -0.0 into 0.0, which equals it.
        return splitmix64((numbers + 0.0).view(np.uint64))
    if pa.types.is_list(kind):
        return _list_hashes(array)
    if pa.types.is_struct(kind) and kind.num_fields:
        return _struct_hashes(array)
    return hash_strings(as_json(array))


def _struct_hashes(array: pa.Array) -> HashArray:
    total = np.zeros(len(array), dtype=np.uint64)
    for field in array.type:
        column = pc.struct_field(array, field.name)
        present = column.is_valid().to_numpy(zero_copy_only=False)
        total += np.where(present, combine(_repeated(field.name, len(array)), _hashes(column)), np.uint64(0))
    return splitmix64(total)


def _list_hashes(array: pa.Array) -> HashArray:
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum(lengths)
    places = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    hashes = combine(_hashes(array.flatten()), splitmix64(places.astype(np.uint64)))
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(hashes, dtype=np.uint64)])
    return splitmix64((sums[ends] - sums[ends - lengths]) ^ splitmix64(lengths.astype(np.uint64)))


def occurrences(hashes: HashArray) -> IntArray:
    """Say for each hash how many equal ones come before it, (n,).

    >>> occurrences(np.array([5, 7, 5, 5], dtype=np.uint64))
    array([0, 0, 1, 2])
    """
    order, starts, sizes = _groups(hashes)
    counts = np.empty(len(hashes), dtype=np.int64)
    counts[order] = np.arange(len(hashes)) - np.repeat(starts, sizes)
    return counts


def made_ids(hashes: HashArray, repeats: IntArray) -> pa.Array:
    """Write ids: 16 hexadecimal digits, and ``-2`` for the second row of the same content.

    >>> made_ids(np.array([255, 255], dtype=np.uint64), np.array([0, 1])).to_pylist()
    ['00000000000000ff', '00000000000000ff-2']
    """
    digits = hashes.astype(">u8").tobytes().hex()
    offsets = np.arange(0, len(digits) + 1, 16, dtype=np.int32)
    ids = pa.StringArray.from_buffers(len(hashes), pa.py_buffer(offsets), pa.py_buffer(digits.encode()))
    if not repeats.any():
        return ids
    return pa.array(
        [f"{one}-{count + 1}" if count else one for one, count in zip(ids.to_pylist(), repeats.tolist(), strict=True)]
    )


def repeated(hashes: HashArray) -> list[tuple[int, int]]:
    """Return (first row, later row) for every row whose hash an earlier row has, by the later row.

    >>> repeated(np.array([5, 7, 5, 5], dtype=np.uint64))
    [(0, 2), (0, 3)]
    """
    order, starts, sizes = _groups(hashes)
    firsts = np.repeat(order[starts], sizes)
    later = order != firsts
    return sorted(zip(firsts[later].tolist(), order[later].tolist(), strict=True), key=lambda pair: pair[1])


def _groups(hashes: HashArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the order that brings equal hashes together, and the start and size of each group in it."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(hashes)])
    return order, starts, np.diff(np.append(starts, len(hashes)))
