"""The retrieved documents of each query beside its judgements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ragauge.errors import DataError
from ragauge.rankings._exact import places_of
from ragauge.rankings._match import match

if TYPE_CHECKING:
    import pyarrow as pa

    from ragauge.ragged import BoolArray, FloatArray, IntArray
    from ragauge.rankings._judgements import Judgements
    from ragauge.rankings._lists import Lists


class Repeat(NamedTuple):
    """A document that was retrieved more than once for one query, at these flat indices, rising."""

    row: int
    document: str
    places: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """``found``: (m,) the flat index of the retrieved document that is each judged one, or -1.

    Where ``repeats`` is not empty, ``found`` has one of the places of a repeated document.
    """

    found: IntArray
    repeats: list[Repeat]

    @classmethod
    def of(cls, documents: Lists, judgements: Judgements) -> Join:
        """Match documents by hash, confirm each match, and settle what is in doubt exactly."""
        judged = judgements.documents
        matches = match(documents, judgements.hashes)
        rows = np.union1d(matches.suspects, judged.rows_of(_wrong(matches.found, documents, judged)))
        join = cls(matches.found, [])
        for row in rows.tolist():
            join._settle(row, documents, judged)
        return join

    def refuse_repeats(self, ids: pa.Array) -> None:
        """Raise DataError, with all of them, if a document was retrieved twice for one query."""
        problems = [
            f"query {ids[repeat.row].as_py()!r}: document {repeat.document!r} is retrieved {len(repeat.places)} times"
            for repeat in self.repeats
        ]
        if problems:
            advice = "Remove the repeats, or choose duplicates=first to count only the best ranked of each."
            raise DataError.of("retrieved", problems, advice=advice)

    def best_only(self, scores: FloatArray) -> BoolArray:
        """Return which documents to keep so that of each repeated one the best ranked stays: (n,) bool."""
        kept = np.ones(len(scores), dtype=np.bool_)
        for repeat in self.repeats:
            kept[repeat.places] = False
            kept[repeat.places[int(scores[repeat.places].argmax())]] = True
        return kept

    def _settle(self, row: int, documents: Lists, judged: Lists) -> None:
        start, first, last = (int(documents.offsets[row]), *map(int, judged.offsets[row : row + 2]))
        places = places_of(documents[row])
        self.found[first:last] = [places[document][0] + start if document in places else -1 for document in judged[row]]
        for document, again in places.items():
            if len(again) > 1:
                self.repeats.append(Repeat(row, document, [place + start for place in again]))


def _wrong(found: IntArray, documents: Lists, judged: Lists) -> IntArray:
    """Return the flat indices of judged documents whose match has the same hash but is another, or elsewhere."""
    import pyarrow.compute as pc

    hits = np.flatnonzero(found >= 0)
    left, right = documents.values.take(found[hits]), judged.values.take(hits)
    if left.type != right.type:
        left, right = left.cast("large_string"), right.cast("large_string")
    other: BoolArray = pc.not_equal(left, right).to_numpy(zero_copy_only=False)
    wrong: IntArray = hits[other | (documents.rows_of(found[hits]) != judged.rows_of(hits))]
    return wrong
