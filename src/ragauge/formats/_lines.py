"""Lines of text from bytes, a block at a time, with their numbers."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ragauge.formats._chunk import Problem
from ragauge.formats._encodings import readings

BLOCK = 1 << 22
"""Bytes per block: the work per block is nothing, and Python's collector has few live objects to go through."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines without their ends, the number of the first, and the lines that are not UTF-8."""

    first: int
    lines: list[str]
    problems: list[Problem]


def blocks(stream: BinaryIO, size: int = BLOCK) -> Iterator[Lines]:
    r"""Cut ``stream`` into blocks of whole lines; a byte order mark is dropped, a line may be of any length.

    Only ``\n`` ends a line (a ``\r`` before it is kept): texts may hold the other line ends of Unicode.

    >>> import io
    >>> [(block.first, block.lines) for block in blocks(io.BytesIO(b"a\nb\nc"), size=4)]
    [(1, ['a', 'b']), (3, ['c'])]
    """
    first, rest = 1, b""
    while data := stream.read(size):
        if first == 1 and not rest:
            data = data.removeprefix(codecs.BOM_UTF8)
        head, end, tail = data.rpartition(b"\n")
        if end:
            block = _decoded(rest + head, first)
            yield block
            first, rest = first + len(block.lines), tail
        else:
            rest += tail
    if rest:
        yield _decoded(rest, first)


def _decoded(data: bytes, first: int) -> Lines:
    try:
        return Lines(first, data.decode().split("\n"), [])
    except UnicodeDecodeError:
        return _decoded_one_by_one(data.split(b"\n"), first)


def _decoded_one_by_one(raw: list[bytes], first: int) -> Lines:
    """Decode each line; one that is not UTF-8 becomes empty and a problem."""
    lines: list[str] = []
    problems: list[Problem] = []
    for number, line in enumerate(raw, first):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError as error:
            lines.append("")
            said = "" if problems else readings(line)
            problems.append(Problem(number, _not_utf8(line, error) + (f" ({said})" if said else "")))
    return Lines(first, lines, problems)


def _not_utf8(line: bytes, error: UnicodeDecodeError) -> str:
    return f"not UTF-8: byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line; save the file as UTF-8"
