"""Reading texts in other encodings than UTF-8: lines, and streams piece by piece."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from ragauge.core.messages import Argument, Message
from ragauge.errors import DataError, excerpt
from ragauge.formats.encodings import READ_AS, clear_encoding, encoding_advice, likely_encoding, readings

_BUFFER = 1 << 20


def lines_of(file: Path, encoding: str | None) -> tuple[list[str], list[str]]:
    """Return the lines of a text file without empty ones, and a note if it is not UTF-8.

    DataError where several encodings fit, with how its first line reads in each.
    """
    content = file.read_bytes()
    lines = content.splitlines()
    own = encoding or likely_encoding(content) or clear_encoding(lines)
    try:
        text = content.decode(own or "utf-8-sig")
    except UnicodeDecodeError:
        shown = readings(lines[0], lines)
        raise DataError("RG-SYSTEM-058 {file}: {shown}\n{advice}", file, shown, encoding_advice([shown])) from None
    notes: list[str] = [Message(READ_AS, own)] if own else []
    return [line.strip() for line in text.splitlines() if line.strip()], notes


def transcoded(stream: BinaryIO, encoding: str, name: str) -> BinaryIO:
    """Return a stream of texts in ``encoding`` as UTF-8; reading raises DataError where they are not in it.

    >>> transcoded(io.BytesIO("Zoë".encode("cp1252")), "cp1252", "names.csv").read().decode()
    'Zoë'
    """
    return stream_of(_transcoded(stream, encoding, name))


def _transcoded(stream: BinaryIO, encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    data = b" "
    while data:
        data = stream.read(_BUFFER)
        try:
            yield decoder.decode(data, final=not data).encode()
        except UnicodeError as error:
            template = "RG-DATA-011 {name}: is not text in {encoding}: {reason}; name another with {encoding2}"
            raise DataError(template, name, encoding, excerpt(str(error)), Argument("encoding", "NAME")) from None


def stream_of(pieces: Iterable[bytes]) -> BinaryIO:
    """Return a stream of bytes that come in pieces, some of which may be empty.

    >>> stream_of([b"tea", b"", b" and jam"]).read()
    b'tea and jam'
    """
    return cast(BinaryIO, io.BufferedReader(_Pieces(pieces), _BUFFER))


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = filter(None, pieces)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        self._rest = self._rest or memoryview(next(self._pieces, b""))
        taken = self._rest[: len(buffer)]
        self._rest = self._rest[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)
