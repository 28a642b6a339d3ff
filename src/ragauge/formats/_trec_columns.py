"""Runs and judgements: what stands in a line, and lines as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.ragged import Ragged

if TYPE_CHECKING:
    from ragauge.ragged import FloatArray, IntArray


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
        return cls(runs.values, np.diff(runs.run_ends.to_numpy(), prepend=0), documents, numbers)

    def together(self) -> Columns:
        """Bring the lines of each query together: queries in order of first line, lines in the order given."""
        codes = self.queries.dictionary_encode()
        if len(codes.dictionary) == len(self.queries):
            return self
        indices = codes.indices.to_numpy()
        order = np.argsort(np.repeat(indices, self.lengths), kind="stable")
        lengths = np.bincount(indices, weights=self.lengths).astype(np.int64)
        return Columns(codes.dictionary, lengths, self.documents.take(order), self.numbers[order])

    def lists(self, values: pa.Array) -> pa.Array:
        """Make one list a query of the values of all lines."""
        offsets = Ragged.from_lengths(np.empty(0), self.lengths).offsets
        if pa.types.is_large_string(values.type):
            return pa.LargeListArray.from_arrays(offsets, values)
        return pa.ListArray.from_arrays(offsets.astype(np.int32), values)
