"""Reading texts in other encodings as UTF-8, piece by piece."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from typing import BinaryIO, cast

from ragauge.core.messages import Argument
from ragauge.errors import DataError, excerpt

_BUFFER = 1 << 20


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
