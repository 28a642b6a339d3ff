"""Run, judgements and further columns, put beside each other by the query's id."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats._words import counted
from ragauge.ragged import BoolArray, IntArray, Ragged

# What the run and its judgements say themselves.
_OF_THE_RUN = frozenset({"id", "retrieved", "retrieved_scores", "relevance", "in_run"})


def join(run: pa.Table, qrels: pa.Table) -> tuple[pa.Table, dict[str, int]]:
    """Put what was retrieved for each judged query beside its judgements.

    Args:
        run: as `read_run` returns it.
        qrels: as `read_qrels` returns it.

    Returns:
        One row a judged query, in the order of ``qrels``: ``id``, ``retrieved``, ``retrieved_scores``,
        ``relevance``, and ``in_run``, false where the run lacks the query, which then retrieved nothing. And how
        many queries are missing from the run (``missing_queries``) or have no judgements
        (``unjudged_queries``) and are left out. Nothing is copied where both have the same order.
    """
    rows = pc.index_in(qrels["id"], value_set=run["id"])
    in_run = pc.is_valid(rows).combine_chunks()
    present = in_run.to_numpy(zero_copy_only=False)
    used = rows.drop_null().to_numpy().astype(np.int64)
    table = pa.table(
        {
            "id": qrels["id"],
            "retrieved": _spread(run["retrieved"], used, present),
            "retrieved_scores": _spread(run["retrieved_scores"], used, present),
            "relevance": qrels["relevance"],
            "in_run": in_run,
        }
    )
    return table, {"missing_queries": int((~present).sum()), "unjudged_queries": len(run) - len(used)}


def _spread(column: pa.ChunkedArray, used: IntArray, present: BoolArray) -> pa.Array:
    """Return the lists at ``used`` as the rows that are ``present``; the others are empty, and null stays null."""
    lists = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    start = int(used[0]) if len(used) else 0
    adjoining = np.array_equal(used, np.arange(start, start + len(used)))
    lists = lists.slice(start, len(used)) if adjoining else lists.take(pa.array(used))
    lengths = np.zeros(len(present), dtype=np.int64)
    lengths[present] = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    unscored = np.zeros(len(present), dtype=bool)
    unscored[present] = lists.is_null().to_numpy(zero_copy_only=False)
    offsets = Ragged.from_lengths(np.empty(0), lengths).offsets
    kind = pa.LargeListArray if pa.types.is_large_list(lists.type) else pa.ListArray
    width = np.int64 if pa.types.is_large_list(lists.type) else np.int32
    mask = pa.array(unscored) if lists.null_count else None
    return kind.from_arrays(offsets.astype(width), lists.flatten(), mask=mask)


class Beside(NamedTuple):
    """The table with its new columns, and what does not pair.

    ``lacking``: how many queries have no row. ``left``: how many rows have no query.
    """

    table: pa.Table
    lacking: int
    left: int

    def notes(self, name: str) -> tuple[str, ...]:
        """Say what does not pair with the rows, which are called ``name``."""
        lacking = f"{counted(self.lacking, 'judged query is', 'judged queries are')} not in {name}"
        left = f"left out {counted(self.left, 'row', 'rows')} of {name} whose id is no judged query's"
        return tuple(note for number, note in ((self.lacking, lacking), (self.left, left)) if number)


def beside(table: pa.Table, rows: pa.Table) -> Beside:
    """Add the columns of ``rows`` to ``table``, by id; null where a query has no row.

    Args:
        table: one row a judged query, with ``id``.
        rows: any columns, with ``id``, unique; a column that ``table`` has too takes its place.
    """
    places = pc.index_in(table["id"], value_set=rows["id"])
    for column in rows.column_names:
        if column not in _OF_THE_RUN:
            kept = table.drop_columns([column]) if column in table.column_names else table
            table = kept.append_column(column, rows[column].take(places))
    return Beside(table, places.null_count, len(rows) - pc.count_distinct(places, mode="only_valid").as_py())
