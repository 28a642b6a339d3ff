"""Runs and judgements: what stands in a line, and lines as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ragauge.core.arrow import to_numpy
from ragauge.core.ragged import Ragged

if TYPE_CHECKING:
    from ragauge.core.ragged import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of a line, by name; ``query``, ``document`` and one of ``score`` and ``grade`` are read.

    ``more``: whether words may follow the last field. ``header``: whether the first line names the fields.
    """

    name: str
    fields: tuple[str, ...]
    more: bool = False
    header: bool = False

    @property
    def document(self) -> int:
        """The index of the field with the document's id."""
        return self.fields.index("document")

    @property
    def number(self) -> int:
        """The index of the field with the score or the grade."""
        return self.fields.index("score" if "score" in self.fields else "grade")

    @property
    def form(self) -> str:
        """A line as it should be."""
        return " ".join(self.fields)


RUN = Layout("a TREC run", ("query", "Q0", "document", "rank", "score", "tag"), more=True)
QRELS = Layout("TREC judgements", ("query", "0", "document", "grade"))
BEIR_QRELS = Layout("BEIR judgements", ("query", "document", "grade"), header=True)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """``m`` lines, cut where the query changes into ``k`` runs of lines.

    ``queries``: (k,) string, the query of each run of lines. ``lengths``: (k,) the lines of each. ``documents``:
    (m,) string. ``numbers``: (m,) the score or grade.
    """

    queries: pa.Array
    lengths: IntArray
    documents: pa.Array
    numbers: FloatArray

    @classmethod
    def of(cls, queries: pa.Array, documents: pa.Array, numbers: FloatArray) -> Columns:
        """Cut lines where the query changes."""
        runs = pc.run_end_encode(queries, run_end_type=pa.int64())
        return cls(runs.values, np.diff(to_numpy(runs.run_ends), prepend=0), documents, numbers)

    def together(self) -> Columns:
        """Bring the lines of each query together: queries in order of first line, lines in the order given."""
        codes = self.queries.dictionary_encode()
        if len(codes.dictionary) == len(self.queries):
            return self
        indices = to_numpy(codes.indices)
        order = np.argsort(np.repeat(indices, self.lengths), kind="stable")
        lengths = np.bincount(indices, weights=self.lengths).astype(np.int64)
        return Columns(codes.dictionary, lengths, self.documents.take(order), self.numbers[order])

    def lists(self, values: pa.Array) -> pa.Array:
        """Make one list a query of the values of all lines."""
        offsets = Ragged.from_lengths(np.empty(0), self.lengths).offsets
        if pa.types.is_large_string(values.type):
            return pa.LargeListArray.from_arrays(offsets, values)
        return pa.ListArray.from_arrays(offsets.astype(np.int32), values)


# Large enough that a block's fixed costs vanish, small enough to stay in cache; 1 to 8 MB measure alike.
_BLOCK = 1 << 22
_SCAN = 1 << 17
_TWO_BLANKS = np.uint16(0x2020)


def single_spaced(stream: pa.NativeFile, layout: Layout) -> Columns | None:
    """Read lines whose fields are parted by one blank each, or one tab each; None if some line is not so.

    This is the fast way, and sure: it gives nothing rather than something wrong. For what it does not take, see
    `ragauge.formats.trec`.
    """
    delimiter = "\t" if b"\t" in first_line(stream) else " "
    if delimiter == " " and _has_two_blanks(stream):
        return None
    try:
        parts = _csv(stream, layout, delimiter).columns
    except pa.ArrowInvalid:
        return None
    # Each column's parts are let go of before the next one is made whole: it halves the peak.
    queries, documents, numbers = (_one_array(parts.pop(0)) for _ in range(3))
    columns = Columns.of(queries, documents, to_numpy(numbers))
    return columns if _is_sound(columns, " " if delimiter == "\t" else "\t") else None


def first_line(stream: pa.NativeFile) -> bytes:
    """Return the first line that is not empty, without its end."""
    stream.seek(0)
    head: bytes = stream.read(_SCAN)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").partition(b"\n")[0].removesuffix(b"\r")


def _csv(stream: pa.NativeFile, layout: Layout, delimiter: str) -> pa.Table:
    stream.seek(0)
    names = [layout.fields[0], layout.fields[layout.document], layout.fields[layout.number]]
    return pyarrow.csv.read_csv(
        stream,
        read_options=pyarrow.csv.ReadOptions(
            column_names=list(layout.fields), block_size=_BLOCK, skip_rows=int(layout.header)
        ),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict(zip(names, (pa.string(), pa.string(), pa.float64()), strict=True)),
            include_columns=names,
            null_values=[],
        ),
    )


def _has_two_blanks(stream: pa.NativeFile) -> bool:
    """Say whether a blank follows a blank: an empty field, which shifts the fields after it by one."""
    stream.seek(0)
    last = b""
    while fresh := stream.read(_SCAN):
        window = last + fresh
        for shift in (0, 1):
            pairs = np.frombuffer(window, dtype=np.uint16, offset=shift, count=(len(window) - shift) // 2)
            if (pairs == _TWO_BLANKS).any():
                return True
        last = window[-1:]
    return False


def _is_sound(columns: Columns, other_blank: str) -> bool:
    """Say whether every line is data, with ids that no other way of cutting the line would change."""
    if not len(columns.documents) or not np.isfinite(columns.numbers).all():
        return False
    if pc.any(pc.starts_with(columns.queries, "#")).as_py():
        return False
    return all(_is_plain(ids, other_blank) for ids in (columns.queries, columns.documents))


def _is_plain(ids: pa.Array, other_blank: str) -> bool:
    letters = ids.buffers()[2]
    if letters is None or pc.min(pc.binary_length(ids)).as_py() == 0:
        return False
    return not (np.frombuffer(letters, dtype=np.uint8) == ord(other_blank)).any()


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    """Return one array; of a type with wide offsets if there is too much text for the narrow one."""
    if pa.types.is_string(column.type) and column.nbytes >= np.iinfo(np.int32).max:
        column = column.cast(pa.large_string())
    return column.combine_chunks()
