"""Logs of inspect_ai: an archive with a file for each sample."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa

from ragauge.errors import DataError
from ragauge.formats.opening import LONGEST, Opened
from ragauge.formats.source import Chunk
from ragauge.formats.tables import from_rows, in_any_order

_ZSTD = 93
"""The method of compression that Python reads from version 3.14 on, and Arrow before."""
_HEADER = struct.Struct("<26xHH")
"""The end of an entry's header: the lengths of its name and of its other fields, which stand before the content."""


def chunks(file: Opened) -> Iterator[Chunk]:
    """Read the samples of a log, one at a time; DataError where it is not such an archive, or is damaged."""
    yield from from_rows(_samples(file))


def _samples(file: Opened) -> Iterator[Any]:
    with in_any_order(file) as whole:
        try:
            with zipfile.ZipFile(whole) as archive:
                names = [one for one in archive.infolist() if one.filename.startswith("samples/")]
                for entry in names:
                    yield json.loads(_content(archive, entry, whole))
        except Exception as error:  # noqa: BLE001 - zipfile and the methods of compression raise a dozen kinds
            raise DataError(
                "RG-DATA-012 {name}: cannot be read as a log of inspect_ai: {reason}; copy it again", file.name, error
            ) from None


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, whole: IO[bytes]) -> bytes:
    if entry.file_size > LONGEST:
        raise ValueError(f"{entry.filename} is longer than {LONGEST >> 20} MiB")
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    whole.seek(entry.header_offset)
    name, more = _HEADER.unpack(whole.read(_HEADER.size))
    whole.seek(entry.header_offset + _HEADER.size + name + more)
    packed = pa.BufferReader(whole.read(entry.compress_size))
    content: bytes = pa.CompressedInputStream(packed, "zstd").read(entry.file_size)
    return content
