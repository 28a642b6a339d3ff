"""Lines of runs and judgements as arrays, and the fast way from the bytes of a file to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core import native
from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.ragged import FloatArray, IntArray, listed

BLOCK = 1 << 20
"""Bytes of a file that are cut at a time, so that their arrays stay in a cache; with the kernel half is slower."""
_BLANK, _LINE_END, _COMMENT = b" \n#"
_LINE_ENDS = re.compile(rb"[ \r]*\n[ \r\n]*")
_BLANKS = re.compile(rb"  +")
# Of each two bits the upper one is set.
_EVERY_SECOND = 0xAA


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
    string. ``numbers``: (m,) the score or grade.
    """

    queries: pa.Array
    lengths: IntArray
    documents: pa.Array
    numbers: FloatArray

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
        """Return the columns of `ragauge.formats.trec.read_run`."""
        retrieved, scores = (listed(one, self.lengths) for one in (self.documents, to_arrow(self.numbers)))
        return pa.table({"id": self.queries, "retrieved": retrieved, "retrieved_scores": scores})

    def as_qrels(self) -> pa.Table:
        """Return the columns of `ragauge.formats.trec.read_qrels`."""
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
    ``#``, and where a byte is not UTF-8 or a control character.
    """
    queries, lengths, documents, numbers = [], [], [], []
    for block in _blocks(stream, header=layout.header):
        forms = iter(()) if block is None else block.forms(delimiter)
        parts = next((parts for form in forms if (parts := form.parts(layout, delimiter)) is not None), None)
        if parts is None:
            return None
        for part in parts:
            queries.append(part.queries)
            lengths.append(part.lengths)
            documents.append(part.documents)
            numbers.append(part.numbers)
    if not numbers:
        return None
    every_number = np.concatenate(numbers)
    # The parts are released before those of the documents are made one, which lowers the peak.
    numbers.clear()
    if not np.isfinite(every_number).all():
        return None
    every_query = _one_array(queries)
    return TrecLines.of(every_query, _one_array(documents), every_number, np.concatenate(lengths))


def _one_array(parts: Sequence[pa.Array]) -> pa.Array:
    """Return one array; of a type with wide offsets if there is too much text for the narrow one."""
    column = pa.chunked_array(parts)
    wide = column.nbytes >= np.iinfo(np.int32).max
    return (column.cast(pa.large_string()) if wide else column).combine_chunks()


@dataclass(frozen=True, slots=True, eq=False)
class WholeLines:
    """Whole lines of a file, in a buffer that the next block overwrites: ``data``, (b,), is the begin of ``buffer``.

    ``room``: memory to cut them in, for all blocks the same.
    """

    buffer: pa.Buffer
    data: npt.NDArray[np.uint8]
    room: npt.NDArray[np.uint64]

    def parts(self, layout: LineLayout, delimiter: bytes) -> list[TrecLines] | None:
        """Return copies of the fields that are read, some lines a part; None where lines are not plain."""
        if not len(self.data):
            return []
        places = layout.document, layout.number
        parts = native.plain_lines(self.data, len(layout.fields), places, delimiter[0], self.room)
        if parts is not None:
            return [_part(*buffers) for buffers in parts]
        lines = self.lines(layout, delimiter[0])
        return None if lines is None else [lines]

    def forms(self, delimiter: bytes) -> Iterator[WholeLines]:
        """Yield the lines as they are, then with ends as on Unix, then without empty lines and blanks too many.

        Each form takes longer to make than the one before.
        """
        yield self
        content = self.data.tobytes().replace(b"\r\n", b"\n")
        if len(content) < len(self.data):
            yield self._with(content)
        # To look for these first is ten times as fast as the expressions.
        if any(pair in content for pair in (b" \n", b"\n ", b"\n\n", b"\r")) or content.startswith((b" ", b"\n")):
            content = _LINE_ENDS.sub(b"\n", content).lstrip(b" \r\n")
        if delimiter == b" " and b"  " in content:
            content = _BLANKS.sub(b" ", content)
        yield self._with(content)

    def _with(self, content: bytes) -> WholeLines:
        return WholeLines(pa.py_buffer(content), np.frombuffer(content, dtype=np.uint8), self.room)

    def lines(self, layout: LineLayout, delimiter: int) -> TrecLines | None:
        """Return copies of the fields that are read; None where lines are not plain."""
        ends = self._ends(len(layout.fields), delimiter)
        if ends is None:
            return None
        begins = np.concatenate([[0], ends[:-1, -1] + 1])
        first = np.flatnonzero(self._changes(begins, ends[:, 0]))
        if (self.data[begins[first]] == _COMMENT).any():
            return None
        try:
            numbers = self._texts(ends[:, layout.number - 1] + 1, ends[:, layout.number]).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        return TrecLines(
            self._texts(begins[first], ends[first, 0]).drop_null(),
            np.diff(first, append=len(ends)),
            self._texts(ends[:, layout.document - 1] + 1, ends[:, layout.document]).drop_null(),
            np.frombuffer(numbers.buffers()[1])[1::2].copy(),
        )

    def _ends(self, width: int, delimiter: int) -> IntArray | None:
        """Return where each field ends, (lines, ``width``); None where the lines are not plain."""
        data = self.data
        gaps = data <= _BLANK
        flat = np.flatnonzero(gaps)
        # Each field has a letter, and its end is a delimiter or, where it is the last one, that of the line.
        if len(flat) % width or gaps[0] or (gaps[1:] & gaps[:-1]).any():
            return None
        ends: IntArray = flat.reshape(-1, width)
        if (data[ends[:, -1]] != _LINE_END).any() or np.count_nonzero(data == delimiter) != ends[:, 1:].size:
            return None
        return ends if data.max() < 0x80 or _is_utf8(data) else None

    def _changes(self, begins: IntArray, ends: IntArray) -> npt.NDArray[np.bool_]:
        """Return a mask of the lines, (n,), whose query is not that of the line before; the first is one."""
        lengths = ends - begins
        changes = np.ones(len(lengths), dtype=np.bool_)
        np.not_equal(lengths[1:], lengths[:-1], out=changes[1:])
        shortest = int(lengths.min())
        for place in range(int(lengths.max())):
            letters = self.data.take(begins + place, mode="clip")
            other = letters[1:] != letters[:-1]
            changes[1:] |= other if place < shortest else other & (lengths[1:] > place)
        return changes

    def _texts(self, begins: IntArray, ends: IntArray) -> pa.Array:
        """Return the n texts between ``begins`` and ``ends``, each after a null: the letters before it."""
        offsets = np.zeros(2 * len(ends) + 1, dtype=np.int32)
        offsets[1::2], offsets[2::2] = begins, ends
        present = np.full(len(ends) // 4 + 1, _EVERY_SECOND, dtype=np.uint8)
        buffers = [pa.py_buffer(present), pa.py_buffer(offsets), self.buffer]
        return pa.Array.from_buffers(pa.string(), 2 * len(ends), buffers, null_count=len(ends))


def _part(*buffers: bytes) -> TrecLines:
    """Return the part of `ragauge.core.native.plain_lines` that has these ``buffers``."""
    queries, query_offsets, lengths, documents, document_offsets, numbers = buffers
    count = np.frombuffer(lengths, np.int64)
    return TrecLines(
        _strings(queries, query_offsets), count, _strings(documents, document_offsets), np.frombuffer(numbers)
    )


def _strings(letters: bytes, offsets: bytes) -> pa.Array:
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    return pa.Array.from_buffers(pa.string(), len(offsets) // 4 - 1, buffers, null_count=0)


def _blocks(stream: BinaryIO, *, header: bool) -> Iterator[WholeLines | None]:
    """Yield whole lines, without the first under ``header``; None in place of a line that is longer than a block."""
    stream.seek(0)
    room = bytearray(BLOCK + 1)
    buffer, bytes_of_room = pa.py_buffer(room), np.frombuffer(room, dtype=np.uint8)
    # Pages of it that nothing is written to take no memory.
    work = np.empty(BLOCK, dtype=np.uint64)
    kept = 0
    while size := kept + len(data := stream.read(BLOCK - kept)):
        room[kept:size] = data
        if size == kept:
            room[size] = _LINE_END
            size += 1
        end = room.rfind(b"\n", 0, size) + 1
        first = room.find(b"\n", 0, end) + 1 if header else 0
        header = False
        if first < end:
            yield WholeLines(buffer.slice(first), bytes_of_room[first:end], work)
        elif size == BLOCK and not end:
            yield None
        kept = size - end
        room[:kept] = room[end:size]


def _is_utf8(data: npt.NDArray[np.uint8]) -> bool:
    try:
        str(data.data, "utf-8")
    except UnicodeDecodeError:
        return False
    return True
