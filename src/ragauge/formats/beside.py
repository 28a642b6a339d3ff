"""Further columns of queries, put beside their rankings by id."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats.words import counted

# What the run and its judgements say themselves.
_OF_THE_RUN = frozenset({"id", "retrieved", "retrieved_scores", "relevance", "in_run"})


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
