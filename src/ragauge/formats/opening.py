"""Files and standard input as decompressed bytes, and as numbered lines of text."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from ragauge.core.messages import Argument, Message
from ragauge.core.temporary import temporary_folder
from ragauge.errors import DataError, alternatives, did_you_mean, excerpt, reason_of, worded
from ragauge.formats.encodings import likely_encoding, readings
from ragauge.formats.source import Problem
from ragauge.formats.transcoding import stream_of, transcoded

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_TEXT_SUFFIXES = frozenset({"", ".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson"})
"""Suffixes of files of texts: others begin with bytes of their own."""
_COMPRESSED = {".gz": _GZIP, ".zst": _ZSTD, ".zstd": _ZSTD}
_BUFFER = 1 << 20
_BINARY = (b"PAR1", b"ARROW1", b"PK\x03\x04", b"\xff\xff\xff\xff", b"SQLite", b"\xd0\xcf\x11\xe0")
"""First bytes of files whose format is decided later, whatever their names."""
_NO_TABLES = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF-": "a PDF document",
    b"SQLite format 3\0": "an SQLite database",
    b"\xd0\xcf\x11\xe0": "a document of an old Office",
    b"\x7fELF": "a program",
    b"MZ\x90\0": "a program",
    b"\xcf\xfa\xed\xfe": "a program",
    _GZIP: "a gzip archive within another",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!\x1a": "a RAR archive",
    b"BZh9": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
    b"\x93NUMPY": "an array of NumPy",
    b"\x80\x04\x95": "a pickle of Python",
}
"""First bytes of files that hold no table, which are looked at where a file does not begin with ASCII alone."""
_BOOKS = frozenset({".xlsx", ".xlsm"})
"""Suffixes of workbooks, under which other files are named too."""
_FORMATS = Message("give JSON Lines, JSON, CSV, TSV, Parquet, Arrow or Excel")
_LOOKED_AT = 1 << 12
_EMPTY = Message("is empty; give at least one row")
LONGEST = 1 << 26
"""Bytes of a line, a row of JSON or a field, 64 MiB: far above any text, and below what a small archive can expand to.

A longer one is a damaged file, a quote that is never closed, or a decompression bomb.
"""
_MOST_EXPANDED = 20
"""How many times its size a compressed file that is read whole may expand to: runs and judgements reach 3 to 10."""
TOO_LONG_A_ROW = Message(
    "RG-DATA-109 is longer than the {mib} MiB that a row may have; split it, or correct the file", LONGEST >> 20
)
BLOCK = 1 << 22
"""Bytes per block, 4 MiB: the work per block vanishes, and Python's collector has few live objects to visit."""


@dataclass(slots=True)
class Opened:
    """A stream of decompressed bytes, without byte order marks.

    ``name``: the name in messages.
    ``suffix``: the suffix of the name, in lower case, without that of the compression.
    ``head``: the first bytes; ``stream`` begins with them.
    ``path``: the path of a file that has the same bytes; None for any other, and for standard input.
    ``packed``: the size of a compressed file, 0 for a compressed pipe; None for one that is not compressed.
    ``encoding``: the encoding of its texts, which ``stream`` has as UTF-8; None where it is that.
    """

    name: str
    suffix: str
    head: bytes
    stream: BinaryIO
    path: str | None = None
    packed: int | None = None
    encoding: str | None = None

    def whole(self) -> pa.Buffer:
        """Return all bytes; DataError where a small compressed file holds gigabytes."""
        sink = pa.BufferOutputStream()
        while data := self.stream.read(BLOCK):
            sink.write(data)
            if self.packed is not None and sink.tell() > LONGEST + _MOST_EXPANDED * self.packed:
                template = (
                    "RG-DATA-041 {name}: expands to more than {longest} MiB and {most_expanded} times its size; expand "
                    "it first, or correct it"
                )
                raise DataError(template, self.name, LONGEST >> 20, _MOST_EXPANDED)
        return sink.getvalue()

    @contextmanager
    def in_any_order(self) -> Iterator[pa.NativeFile]:
        """Yield a file of Arrow's own, a temporary one if need be: some formats are read from their end."""
        if self.path is not None:
            with pa.OSFile(self.path) as whole:
                yield whole
            return
        import shutil

        with temporary_folder() as folder:
            copy = Path(folder, "copy")
            with copy.open("wb") as sink:
                shutil.copyfileobj(self.stream, sink)
            with pa.OSFile(str(copy)) as whole:
                yield whole


def file_state(source: object) -> tuple[int, int] | None:
    """Return the size of a file and the time when it was last written, in nanoseconds; None for any other source."""
    if isinstance(source, str | os.PathLike):
        with suppress(OSError, ValueError):
            status = Path(source).stat()
            return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None
    return None


def changed(name: str) -> DataError:
    """Return the error of a file that was written to while it was read."""
    return DataError(
        "RG-DATA-032 {name} changed while it was read; score it, or a copy, when nothing writes to it", name
    )


@contextmanager
def opened(path: str, encoding: str | None = None) -> Iterator[Opened]:
    """Open ``path`` (``-`` is standard input), decompressed; DataError also where damage shows while it is read.

    ``encoding``: of its texts; None: UTF-8, or UTF-16 or GB 18030 where the first bytes can be nothing else.
    """
    name = "<stdin>" if path == "-" else path
    if path == "-" and (sys.stdin is None or sys.stdin.closed):
        raise DataError("RG-DATA-033 <stdin>: standard input is closed; name a file, or pass the data through a pipe")
    try:
        raw = nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb")  # noqa: SIM115
    except OSError as error:
        raise DataError(_no_file(Path(path), error)) from None
    except ValueError as error:
        raise DataError(
            "RG-DATA-038 {path!r} is not the name of a file: {reason}; correct it", path, excerpt(str(error))
        ) from None
    try:
        with raw as stream:
            _being_read[name] = stream
            yield _decompressed(name, Path("" if path == "-" else path), stream, encoding)
    except (EOFError, zlib.error, OSError, pa.ArrowInvalid) as error:
        where = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
        if isinstance(error, EOFError) or "Truncated compressed stream" in str(error):
            why = Message("the compressed file ends too early{where}; it was cut short, copy or make it again", where)
        else:
            template = "cannot be read{where}: {what}; it is damaged, or is not of the format that its name says"
            why = Message(template, where, excerpt(str(error)).rstrip("."))
        raise DataError("RG-DATA-039 {name}: {why}", name, why) from None
    finally:
        _being_read.pop(name, None)


_being_read: dict[str, BinaryIO] = {}


def being_read() -> tuple[str, int, int] | None:
    """Return the name of the file that is read now, how many of its bytes were read, and all; None where none is.

    A pipe has no size, and is left out. Any thread may ask.
    """
    for name, stream in tuple(_being_read.items()):
        with suppress(OSError, ValueError):  # it may be closed meanwhile
            file = stream.fileno()
            status = os.fstat(file)
            if stat.S_ISREG(status.st_mode):
                return name, os.lseek(file, 0, os.SEEK_CUR), status.st_size
    return None


def _no_file(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        names = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, names, otherwise="")
        return Message("RG-DATA-065 {path}: file not found{hint}", path, hint)
    if not isinstance(error, IsADirectoryError) and not os.path.isdir(path):  # noqa: PTH112 - it may be too long a name
        return Message("RG-DATA-066 {path}: cannot be read: {why}", path, reason_of(error))
    if (path / "manifest.json").is_file():
        again = alternatives([f"ragauge report {path}", f"ragauge explain {path}"])
        template = (
            "RG-DATA-067 {path}: is a saved run, which is scored already; look at it with {again}, or name the data"
        )
        return Message(template, path, again)
    advice = Message("Data of many files can be concatenated (cat *.jsonl), or read with DuckDB and passed on")
    tables = [one for end in ("csv", "json") if (one := next(path.rglob(f"*.{end}*"), None)) is not None]
    if tables:
        ends = "".join(tables[0].suffixes[-2 if tables[0].suffix in _COMPRESSED else -1 :])
        pattern = path / ("" if tables[0].parent == path else "**") / f"*{ends}"
        advice = Message("To read all files in it as one, name them by a pattern: {pattern}", f"'{pattern}'")
    if (path / "qrels").is_dir():
        qrels = str(path / "qrels" / "test.tsv")
        given = Argument("qrels", qrels), Argument("run", "RUN")
        advice = Message("A BEIR data set is read by its judgements: pass {qrels} and {run}", *given)
    return Message("RG-DATA-068 {path}: is a folder; name the file in it. {advice}", path, advice)


def _decompressed(name: str, path: Path, raw: BinaryIO, encoding: str | None) -> Opened:
    magic = _COMPRESSED.get(path.suffix.lower())
    suffix = (path.with_suffix("") if magic else path).suffix.lower()
    # A named pipe cannot be read from the start again, and standard input may begin at any place of its file.
    seekable = name != "<stdin>" and raw.seekable()
    head = raw.read(4)
    if magic and not head:
        raise DataError("RG-DATA-034 {name}: {empty}", name, _EMPTY)
    if magic and not head.startswith(magic):
        kind = "gzip" if magic == _GZIP else "Zstandard"
        template = (
            "RG-DATA-035 {name}: the name ends in {suffix}, but the content is not {kind}; compress it, or "
            "rename it without {suffix}"
        )
        raise DataError(template, name, path.suffix, kind)
    if seekable:
        raw.seek(0)
    stream = raw if seekable else ahead(head, raw)
    packed = (os.fstat(raw.fileno()).st_size if seekable else 0) if head.startswith((_GZIP, _ZSTD)) else None
    if head.startswith(_GZIP):
        stream, seekable = cast(BinaryIO, gzip.GzipFile(fileobj=stream)), False
    elif head.startswith(_ZSTD):
        expanded = io.BufferedReader(pa.CompressedInputStream(stream, "zstd"), _BUFFER)
        stream, seekable = cast(BinaryIO, expanded), False
    first = _first_bytes(stream, name)
    if encoding is None and (not first.isascii() or b"\0" in first) and suffix in _TEXT_SUFFIXES | _BOOKS:
        encoding = _encoding_of(first, name)
    if encoding is not None:
        stream = transcoded(ahead(first, stream), encoding, name)
        first = _first_bytes(stream, name)
        return Opened(name, suffix, first, ahead(first, stream), None, packed, encoding)
    # Programs that add a byte order mark may find one there.
    marks = 0
    while first.startswith(codecs.BOM_UTF8, marks):
        marks += len(codecs.BOM_UTF8)
    if seekable:
        stream.seek(marks)
    else:
        stream = ahead(first[marks:], stream)
    return Opened(name, suffix, first[marks:], stream, name if seekable and not marks else None, packed)


def _encoding_of(first: bytes, name: str) -> str | None:
    """Return the likely encoding of a file that begins so, None for UTF-8; DataError for a program or an image."""
    kind = next((kind for magic, kind in _NO_TABLES.items() if first.startswith(magic)), None)
    if kind is not None:
        raise DataError("RG-DATA-036 {name}: is {kind}, no table; {formats}", name, worded(kind), _FORMATS)
    encoding = likely_encoding(first)
    # One byte in 32 is 0.
    if encoding is None and first[:_LOOKED_AT].count(0) > _LOOKED_AT >> 5 and not first.startswith(_BINARY):
        raise DataError("RG-DATA-037 {name}: is not a text file; {formats}", name, _FORMATS)
    return encoding


def _first_bytes(stream: BinaryIO, name: str) -> bytes:
    """Return the first bytes, up to some that are not blank, which show the format."""
    first = b""
    while not first.strip():
        more = stream.read(_BUFFER)
        first += more
        if not more:
            raise DataError("RG-DATA-034 {name}: {empty}", name, _EMPTY)
        if len(first) >= LONGEST and not first.strip():
            raise DataError("RG-DATA-040 {name}: begins with {longest} MiB of blanks; remove them", name, LONGEST >> 20)
    return first


def ahead(head: bytes, stream: BinaryIO) -> BinaryIO:
    """Return a stream of ``head`` followed by the rest of ``stream``.

    >>> ahead(b"a", io.BytesIO(b"b")).read()
    b'ab'
    """
    return stream_of(chain([head], iter(lambda: stream.read(_BUFFER), b"")))


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines without their ends, the number of the first, and the lines that are not UTF-8."""

    first: int
    lines: list[str]
    problems: list[Problem]


def blocks(stream: BinaryIO | pa.NativeFile, size: int = BLOCK) -> Iterator[Lines]:
    r"""Yield ``stream`` as blocks of whole lines; a line of more than `LONGEST` ends it.

    Only ``\n`` ends a line (a ``\r`` before it is kept): texts may hold the other line ends of Unicode.

    >>> import io
    >>> [(block.first, block.lines) for block in blocks(io.BytesIO(b"a\nb\nc"), size=4)]
    [(1, ['a', 'b']), (3, ['c'])]
    """
    first = 1
    rest: list[bytes] = []
    while True:
        data = stream.read(size)
        if not data and not any(rest):
            return
        head, end, tail = data.rpartition(b"\n")
        if data and not end:
            rest.append(data)
            if sum(map(len, rest)) > LONGEST:
                yield Lines(first, [""], [Problem(first, TOO_LONG_A_ROW)])
                return
            continue
        whole, rest = b"".join([*rest, head]), [tail]
        try:
            block = Lines(first, whole.decode().split("\n"), [])
        except UnicodeDecodeError:
            block = _decoded_one_by_one(whole.split(b"\n"), first)
        yield block
        first += len(block.lines)


def _decoded_one_by_one(raw: list[bytes], first: int) -> Lines:
    """Decode each line; one that is not UTF-8 becomes empty and a problem."""
    lines: list[str] = []
    problems: list[Problem] = []
    for number, line in enumerate(raw, first):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError as error:
            lines.append("")
            hint = "" if problems else readings(line, raw[number - first + 1 :])
            template = "RG-DATA-110 not UTF-8: byte 0x{byte:02x} at byte {place} of the line{readings}"
            shown = Message(" ({readings})", hint) if hint else ""
            problems.append(Problem(number, Message(template, line[error.start], error.start + 1, shown)))
    return Lines(first, lines, problems)
