"""The ranks of judged documents: all that a retrieval metric sees of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragauge.errors import OptionError

if TYPE_CHECKING:
    from ragauge.ragged import FloatArray, IntArray, Ragged


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRanks:
    """Where the judged documents of ``n`` queries stand in their rankings, ``m`` of them retrieved in all.

    Unjudged documents only move others down, so ranks and judgements are enough for every metric.

    ``ranks``: (n) lists of int64, 1-based, ascending: the ranks of the documents that are both retrieved and
    judged.
    ``grades``: (m,) the grade of each, beside ``ranks.values``.
    ``tie_first``: (m,) the first rank of the group of equally scored documents that holds it.
    ``tie_size``: (m,) the size of that group. Groups are given only for ``ties="mean"``, where ranks are
    those of input order; any other policy has broken the ties, and each document is a group of its own.
    ``retrieved``: (n,) how many documents were retrieved.
    ``judged``: (n) lists of float64, highest first: the grades of all judgements, retrieved or not.
    """

    ranks: Ragged
    grades: FloatArray
    tie_first: IntArray
    tie_size: IntArray
    retrieved: IntArray
    judged: Ragged

    def __len__(self) -> int:
        return len(self.ranks)


class Rankings(Protocol):
    """Rankings of documents for queries, with judgements; in whatever form they came."""

    def judged(self, *, ties: str, score_dtype: str, duplicates: str) -> JudgedRanks:
        """Rank the judged documents.

        Args:
            ties: how documents of equal score are ordered: ``docid-desc`` (as trec_eval: the greater id, by
                its UTF-8 bytes, comes first), ``docid-asc``, ``input`` (as given), or ``mean`` (as given, and
                the groups are kept, for metrics that average over all orders).
            score_dtype: ``float64``, or ``float32`` to round scores before they are compared, as trec_eval 9
                and pytrec_eval do.
            duplicates: a document retrieved twice for a query is an ``error``, or only the ``first`` (the
                best ranked) counts and the ranks below it close up.

        Raises:
            OptionError: an option has another value.
            DataError: a document was retrieved twice for one query, under ``duplicates="error"``.
        """
        ...


TIES = ("docid-desc", "docid-asc", "input", "mean")
SCORE_DTYPES = ("float64", "float32")
DUPLICATES = ("error", "first")


def check_options(*, ties: str, score_dtype: str, duplicates: str) -> None:
    """Raise OptionError unless each option of `Rankings.judged` has one of its values."""
    allowed = {"ties": TIES, "score_dtype": SCORE_DTYPES, "duplicates": DUPLICATES}
    given = {"ties": ties, "score_dtype": score_dtype, "duplicates": duplicates}
    for option, values in allowed.items():
        if given[option] not in values:
            raise OptionError.value("retrieval", option, f"one of {', '.join(values)}", given[option])
