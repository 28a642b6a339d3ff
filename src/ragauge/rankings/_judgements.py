"""The judgements of each query: each document once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.errors import DataError
from ragauge.ragged import Ragged
from ragauge.rankings._exact import places_of
from ragauge.rankings._hits import highest_first
from ragauge.rankings._lists import Lists
from ragauge.rankings._match import Side
from ragauge.rankings._strings import Strings

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """``documents``: (n) lists of string, each document once; ``grades``: (m,) beside its values."""

    documents: Lists
    grades: FloatArray

    @classmethod
    def of(cls, relevance: pa.Array | pa.ChunkedArray, ids: pa.Array) -> Judgements:
        """Read a column of list<struct<id, grade>>; a judgement that is given again counts once.

        Raises:
            DataError: a document is judged twice in one query with different grades.
        """
        lists = Lists.of(relevance, "relevance", ids)
        documents = Lists(lists.field("id", "relevance", ids).strings(), lists.offsets)
        grades = lists.field("grade", "relevance", ids).numbers("relevance", ids)
        judgements = cls(documents, grades)
        rows = judgements._suspects()
        return judgements._once(rows, ids) if len(rows) else judgements

    @property
    def highest_first(self) -> Ragged:
        """The grades of each query from high to low."""
        return highest_first(Ragged(self.grades, self.documents.offsets))

    def _suspects(self) -> IntArray:
        """Return the rows in which two documents have one hash."""
        offsets = self.documents.offsets
        hashes = Side(Strings.of(self.documents.values), offsets).hashes(0, len(offsets) - 1)
        order = np.argsort(hashes)
        same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
        return np.unique(self.documents.rows_of(order[same]))

    def _once(self, rows: IntArray, ids: pa.Array) -> Judgements:
        problems: list[str] = []
        again: list[int] = []
        for row in rows.tolist():
            start = int(self.documents.offsets[row])
            for document, places in places_of(self.documents[row]).items():
                grades = self.grades[[start + place for place in places]].tolist()
                if len(set(grades)) > 1:
                    given = " and ".join(f"{grade:g}" for grade in grades)
                    problems.append(f"query {ids[row].as_py()!r}: document {document!r} is judged {given}")
                again.extend(start + place for place in places[1:])
        if problems:
            raise DataError.of("relevance", problems, advice="Keep one judgement of each document.")
        return self._without(np.array(again, dtype=np.int64))

    def _without(self, dropped: IntArray) -> Judgements:
        kept = np.ones(len(self.grades), dtype=np.bool_)
        kept[dropped] = False
        return Judgements(self.documents.where(kept), self.grades[kept])
