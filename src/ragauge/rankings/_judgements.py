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
from ragauge.rankings._match import Hashed, hashed, suspects

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """``documents``: (n) lists of string, each document once. ``grades``, ``hashes``: beside its values."""

    documents: Lists
    grades: FloatArray
    hashes: Hashed

    @classmethod
    def of(cls, relevance: pa.Array | pa.ChunkedArray, ids: pa.Array) -> Judgements:
        """Read a column of list<struct<id, grade>>; a judgement that is given again counts once.

        Raises:
            DataError: a document is judged twice in one query with different grades.
        """
        lists = Lists.of(relevance, "relevance", ids)
        documents = Lists(lists.field("id", "relevance", ids).strings(), lists.offsets)
        grades = lists.field("grade", "relevance", ids).numbers("relevance", ids)
        judgements = cls(documents, grades, hashed(documents))
        rows = suspects(judgements.hashes)
        return judgements._once(rows, ids) if len(rows) else judgements

    @property
    def highest_first(self) -> Ragged:
        """The grades of each query from high to low."""
        return highest_first(Ragged(self.grades, self.documents.offsets))

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
        documents = self.documents.where(kept)
        return Judgements(documents, self.grades[kept], hashed(documents))
