"""Lines of fields as arrays, where all of them are plain: those of TREC's and BEIR's runs and judgements."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core import native
from ragauge.core.arrow import to_arrow, to_numpy, whole
from ragauge.core.lazy import lazy_pattern
from ragauge.core.ragged import FloatArray, IntArray, listed

BLOCK = 1 << 20
"""Bytes of a file that are read at a time, so that their arrays stay in a cache; with the kernel half is slower."""
_LINE_ENDS = lazy_pattern(rb"[ \r]*\n[ \r\n]*")
_BLANKS_IN_BYTES = lazy_pattern(rb"  +")


@dataclass(frozen=True, slots=True)
class LineLayout:
    """The fields of a line by name; ``query``, ``document`` and ``score`` or ``grade`` are read.

    ``more``: whether words may follow the last field. ``header``: whether the first line names the fields.
    """

    name: str
    fields: tuple[str, ...]
    number: int
    more: bool = False
    header: bool = False

    @property
    def document(self) -> int:
        """The index of the field with the document's id."""
        return self.fields.index("document")


@dataclass(frozen=True, slots=True, eq=False)
class TrecLines:
    """``m`` lines, a document each, cut where the query changes into ``k`` stretches.

    ``queries``: (k,) string, the query of each stretch. ``lengths``: (k,) the lines of each. ``documents``: (m,)
    string. ``numbers``: (m,) the score or grade. ``subtopics``: (m,) string, of judgements by subtopic.
    """

    queries: pa.Array
    lengths: IntArray
    documents: pa.Array
    numbers: FloatArray
    subtopics: pa.Array | None = None

    @classmethod
    def of(
        cls, queries: pa.Array, documents: pa.Array, numbers: FloatArray, lengths: IntArray | None = None
    ) -> TrecLines:
        """Cut lines where the query changes; ``queries`` are of each line, or of ``lengths`` lines each."""
        stretches = pc.run_end_encode(queries, run_end_type=pa.int64())
        sizes = np.diff(to_numpy(stretches.run_ends), prepend=0)
        if lengths is not None:
            sizes = np.add.reduceat(lengths, np.cumsum(sizes) - sizes)
        return cls(stretches.values, sizes, documents, numbers)

    def as_run(self) -> pa.Table:
        """Return the columns of `ragauge.formats.runs.read_run`."""
        retrieved, scores = (listed(one, self.lengths) for one in (self.documents, to_arrow(self.numbers)))
        return pa.table({"id": self.queries, "retrieved": retrieved, "retrieved_scores": scores})

    def as_qrels(self) -> pa.Table:
        """Return the columns of `ragauge.formats.runs.read_qrels`."""
        judgements = pa.StructArray.from_arrays([self.documents, to_arrow(self.numbers)], ["id", "grade"])
        return pa.table({"id": self.queries, "relevance": listed(judgements, self.lengths)})

    def together(self) -> TrecLines:
        """Bring the lines of each query together: queries in order of first line, lines in the order of the file."""
        codes = self.queries.dictionary_encode()
        if len(codes.dictionary) == len(self.queries):
            return self
        indices = to_numpy(codes.indices)
        order = np.argsort(np.repeat(indices, self.lengths), kind="stable")
        lengths = np.bincount(indices, weights=self.lengths).astype(np.int64)
        return TrecLines(codes.dictionary, lengths, self.documents.take(to_arrow(order)), self.numbers[order])


def plain_lines(stream: BinaryIO, layout: LineLayout, delimiter: bytes) -> TrecLines | None:
    """Read lines of exactly the fields of ``layout``, with ``delimiter`` between them; None if any line differs.

    Several blanks, ends of lines as on Windows and empty lines are taken too. It returns None where a line starts with
    ``#``, where a byte is not UTF-8, and where a line is longer than a block.
    """
    parts: list[TrecLines] = []
    # Memory that the kernel works in: pages of it that nothing is written to take none.
    room = np.empty(2 * BLOCK + 1, dtype=np.uint64)
    for block in _blocks(stream, header=layout.header):
        more = None if block is None else _parts(block, layout, delimiter, room)
        if more is None:
            return None
        parts += more
    if not parts:
        return None
    numbers = np.concatenate([one.numbers for one in parts])
    if not np.isfinite(numbers).all():
        return None
    lengths = np.concatenate([one.lengths for one in parts])
    queries, documents = ([getattr(one, name) for one in parts] for name in ("queries", "documents"))
    # The parts are released before the texts are made one, which lowers the peak.
    parts.clear()
    return TrecLines.of(_one_array(queries), _one_array(documents), numbers, lengths)


def _one_array(parts: Sequence[pa.Array]) -> pa.Array:
    """Return one array; of a type with wide offsets if there is too much text for the narrow one."""
    column = pa.chunked_array(parts)
    wide = column.nbytes >= np.iinfo(np.int32).max
    return (column.cast(pa.large_string()) if wide else column).combine_chunks()


def _blocks(stream: BinaryIO, *, header: bool) -> Iterator[memoryview | None]:
    """Yield whole lines, without the first under ``header``; None in place of a line that is longer than a block.

    All are read into the same memory, so each is there until the next is asked for.
    """
    stream.seek(0)
    read = bytearray(2 * BLOCK + 1)
    memory, kept = memoryview(read), 0
    while count := stream.readinto(memory[kept : kept + BLOCK]):  # type: ignore[attr-defined]
        size = kept + count
        end = read.rfind(b"\n", kept, size) + 1
        if not end and kept > BLOCK:
            yield None
            return
        start = 0
        if end and header:
            start, header = read.find(b"\n") + 1, False
        if end > start:
            yield memory[start:end]
        kept = size - end
        memory[:kept] = memory[end:size]
    if kept and not header:
        read[kept] = ord("\n")
        yield memory[: kept + 1]


def _parts(
    lines: memoryview, layout: LineLayout, delimiter: bytes, room: npt.NDArray[np.uint64]
) -> list[TrecLines] | None:
    """Return the fields of lines that are read, some lines a part; None where lines are not plain."""
    parts = _by_kernel(lines, layout, delimiter, room)
    if parts is None:
        tidied = _tidied(bytes(lines), delimiter)
        parts = _by_kernel(tidied, layout, delimiter, room) if len(tidied) < len(lines) else None
        if parts is None:
            parts = _by_arrow(tidied, layout, delimiter)
    return parts


def _tidied(lines: bytes, delimiter: bytes) -> bytes:
    """Return lines with ends as on Unix, without empty lines, blanks around lines, and second blanks within."""
    is_blank = np.frombuffer(b"\n" + lines, dtype=np.uint8) <= ord(" ")
    # Where no two blanks meet, which is seen at once, there is nothing to look for.
    if not (is_blank[1:] & is_blank[:-1]).any():
        return lines
    lines = lines.replace(b"\r\n", b"\n")
    # To look for these first is ten times as fast as the expressions.
    if any(pair in lines for pair in (b" \n", b"\n ", b"\n\n", b"\r")) or lines.startswith((b" ", b"\n")):
        lines = _LINE_ENDS.sub(b"\n", lines).lstrip(b" \r\n")
    return _BLANKS_IN_BYTES.sub(b" ", lines) if delimiter == b" " and b"  " in lines else lines


def _by_kernel(
    lines: bytes | memoryview, layout: LineLayout, delimiter: bytes, room: npt.NDArray[np.uint64]
) -> list[TrecLines] | None:
    places = layout.document, layout.number
    data = np.frombuffer(lines, dtype=np.uint8)
    parts = native.plain_lines(data, len(layout.fields), places, delimiter[0], room)
    if parts is None:
        return None
    return [
        TrecLines(
            _strings(queries, query_offsets),
            np.frombuffer(lengths, np.int64),
            _strings(documents, document_offsets),
            np.frombuffer(numbers),
        )
        for queries, query_offsets, lengths, documents, document_offsets, numbers in parts
    ]


def _strings(letters: bytes, offsets: bytes) -> pa.Array:
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.string(), len(offsets) // 4 - 1, buffers, null_count=0)


def _by_arrow(lines: bytes, layout: LineLayout, delimiter: bytes) -> list[TrecLines] | None:
    """Return the fields that are read, without the kernel; None where lines are not plain."""
    from pyarrow import csv

    if not lines:
        return []
    # Arrow takes a carriage return for the end of a line, and a blank beside a tab for a part of a field.
    refused = (b"\r", b"\t") if delimiter == b" " else (b"\r", b" \t", b"\t ")
    is_commented = b"#" in lines and (lines.startswith(b"#") or b"\n#" in lines)
    if is_commented or any(one in lines for one in refused) or not _is_utf8(lines):
        return None
    names = list(map(str, range(len(layout.fields))))
    types = {"0": pa.string(), names[layout.document]: pa.string(), names[layout.number]: pa.float64()}
    try:
        table = csv.read_csv(
            pa.BufferReader(lines),
            csv.ReadOptions(use_threads=False, block_size=len(lines), column_names=names),
            csv.ParseOptions(delimiter=delimiter.decode(), quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(check_utf8=False, column_types=types, include_columns=list(types), null_values=[]),
        )
    except pa.ArrowInvalid:
        return None
    queries, documents, numbers = map(whole, table.columns)
    if delimiter == b"\t" and any(pc.min(pc.binary_length(ids)).as_py() == 0 for ids in (queries, documents)):
        return None
    return [TrecLines.of(queries, documents, to_numpy(numbers))]


def _is_utf8(lines: bytes) -> bool:
    """Return whether all bytes are text in UTF-8; not where they begin with a mark, which Arrow would leave out."""
    if lines.startswith(codecs.BOM_UTF8):
        return False
    try:
        return lines.isascii() or bool(lines.decode())
    except UnicodeDecodeError:
        return False
