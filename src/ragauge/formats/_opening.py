"""Bytes of a file or of standard input, decompressed."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from ragauge.errors import DataError, did_you_mean

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_COMPRESSED = {".gz": _GZIP, ".zst": _ZSTD, ".zstd": _ZSTD}
_BUFFER = 1 << 20


@dataclass(slots=True)
class Opened:
    """A stream of decompressed bytes.

    ``name``: what messages call it.
    ``suffix``: of the name without that of the compression, in lower case.
    ``head``: the first bytes, which ``stream`` still gives.
    ``seekable``: whether ``stream`` can be read in any order.
    """

    name: str
    suffix: str
    head: bytes
    stream: BinaryIO
    seekable: bool = False


@contextmanager
def opened(path: str) -> Iterator[Opened]:
    """Open ``path`` (``-`` is standard input) and decompress it.

    What goes wrong while the stream is read is reported as a DataError too.

    Raises:
        DataError: there is no such file, it is a folder or empty, or it is not what its name says.
    """
    name = "<stdin>" if path == "-" else path
    with _file(path) as raw, _reported(name):
        yield _decompressed(name, Path("" if path == "-" else path), raw)


@contextmanager
def _file(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading; standard input is left open."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 (only what fails while opening is to be caught)
    except OSError as error:
        raise DataError(_no_file(Path(path), error)) from None
    with stream:
        yield stream


def _no_file(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        near = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        return f"{path}: there is no such file{did_you_mean(path.name, near, otherwise='')}"
    if isinstance(error, IsADirectoryError) or path.is_dir():
        return f"{path}: is a folder; name the file in it. {_folder_advice(path)}"
    return f"{path}: cannot be read: {error.strerror or error}"


def _folder_advice(path: Path) -> str:
    if (path / "qrels").is_dir():
        return f"A BEIR data set is read by its judgements: --qrels {path / 'qrels' / 'test.tsv'} --run RUN"
    return "Data of many files can be concatenated (cat *.jsonl), or read with DuckDB and passed on"


@contextmanager
def _reported(name: str) -> Iterator[None]:
    """Turn what decompression and Arrow raise into DataError."""
    try:
        yield
    except EOFError:
        raise DataError(
            f"{name}: the compressed file ends too early; it was cut short, copy or make it again"
        ) from None
    except (gzip.BadGzipFile, zlib.error, OSError, pa.ArrowInvalid) as error:
        if "Truncated compressed stream" in str(error):
            raise DataError(
                f"{name}: the compressed file ends too early; it was cut short, copy or make it again"
            ) from None
        raise DataError(f"{name}: cannot be read: {error}; it is damaged, or is not what its name says") from None


def _decompressed(name: str, path: Path, raw: BinaryIO) -> Opened:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = _COMPRESSED.get(suffixes[-1]) if suffixes else None
    if packed:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    seekable = name != "<stdin>"
    head = raw.read(4)
    if packed and not head.startswith(packed):
        raise DataError(_not_packed(name, head, path.suffix))
    if seekable:
        raw.seek(0)
    stream = raw if seekable else ahead(head, raw)
    if head.startswith((_GZIP, _ZSTD)):
        stream, seekable = _unpacked(stream, head), False
    first = stream.read(_BUFFER)
    if not first.strip():
        raise DataError(f"{name}: is empty; give at least one row")
    if first.startswith(_UTF16):
        raise DataError(
            f"{name}: is UTF-16 text, as in Excel's Unicode Text; save it as UTF-8 (in Excel: CSV UTF-8), or: "
            f"iconv -f UTF-16 -t UTF-8 {name} > new.csv"
        )
    if seekable:
        stream.seek(0)
    else:
        stream = ahead(first, stream)
    return Opened(name, suffix, first, stream, seekable)


def _not_packed(name: str, head: bytes, suffix: str) -> str:
    if not head:
        return f"{name}: is empty; give at least one row"
    kind = "gzip" if suffix.lower() == ".gz" else "Zstandard"
    return (
        f"{name}: the name ends in {suffix}, but the content is not {kind}; compress it, or rename it without {suffix}"
    )


def _unpacked(stream: BinaryIO, head: bytes) -> BinaryIO:
    if head.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    return cast(BinaryIO, io.BufferedReader(pa.CompressedInputStream(stream, "zstd"), _BUFFER))


def ahead(head: bytes, stream: BinaryIO) -> BinaryIO:
    """Return a stream of ``head`` and then what is left of ``stream``.

    >>> ahead(b"a", io.BytesIO(b"b")).read()
    b'ab'
    """
    return cast(BinaryIO, io.BufferedReader(_Ahead(head, stream), _BUFFER))


class _Ahead(io.RawIOBase):
    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = memoryview(head)
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        size = len(buffer)
        taken = self._head[:size] or self._stream.read(size)
        self._head = self._head[size:]
        buffer[: len(taken)] = taken
        return len(taken)
