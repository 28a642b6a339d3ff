"""The joint between readers and conversion: chunks of rows as columns, with the places of the rows in the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import pyarrow as pa

from ragauge.core.messages import Message

TEXT = pa.string()
TEXTS = pa.list_(TEXT)
NUMBERS = pa.list_(pa.float64())
JUDGEMENT = pa.struct([("id", TEXT), ("grade", pa.float64())])
JUDGEMENTS = pa.list_(JUDGEMENT)
UNFIT = (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError, ValueError, RecursionError)
"""What pyarrow raises for values that do not have the type."""

Values: TypeAlias = "Sequence[Any] | pa.Array"
"""The fields of one column: Python values, or an Arrow array."""
MOST_COLUMNS = 4096
"""Columns of a source: more than any vector has numbers, and so few that null in each row of a batch fits in memory."""
MOST_ABSENT = 1 << 22
"""Fields that the rows of a source may lack, beside 16 for each that is there. Each takes memory."""
_AS_OBJECT = Message("put keys that differ from row to row into one column, as an object")
TOO_MANY_COLUMNS = Message(
    "RG-DATA-113 brings the number of columns above {most:,}, which is the limit; {advice}", MOST_COLUMNS, _AS_OBJECT
)
TOO_MANY_ABSENT = Message(
    "RG-DATA-114 makes the rows lack more fields than allowed ({most:,}, and 16 for each field that is there); "
    "{advice}",
    MOST_ABSENT,
    _AS_OBJECT,
)


class Problem(NamedTuple):
    """A problem with one row, and its place: a line or row number from 1; 0 for the source as a whole."""

    place: int
    what: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows, under the column names of the source.

    ``places``: the line or row number of each row.
    ``problems``: rows that could not be read at all and are not among the columns.
    ``absent``: fields that the rows lack, less 16 for each that is there.
    ``origins``: known column -> where in a framework's export it comes from.
    ``notes``: on the source.
    ``inferred``: how columns were made of others, and the number of fields.
    """

    columns: Mapping[str, Values]
    places: Sequence[int]
    problems: Sequence[Problem] = ()
    absent: int = 0
    origins: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    inferred: Mapping[Any, int] = field(default_factory=dict)

    def head(self, rows: int) -> Chunk:
        """Return the first ``rows`` rows, and the problems before the next row."""
        if rows >= len(self.places):
            return self
        end = self.places[rows]
        columns = {name: values[:rows] for name, values in self.columns.items()}
        problems = [one for one in self.problems if one.place < end]
        return replace(self, columns=columns, places=self.places[:rows], problems=problems, absent=0)


@dataclass(frozen=True, slots=True)
class Source:
    """An opened source.

    ``unit``: what the places of its chunks count.
    ``written``: fields are texts as in CSV files, where a list is written as JSON.
    ``resident``: the chunks stay in memory, so that copying them to disk would save nothing.
    ``lines``: the path of a file of JSON Lines, whose blocks can be read apart.
    ``frame``: code with which pandas reads it, where that needs options.
    """

    name: str
    chunks: Iterator[Chunk]
    unit: Literal["line", "row"] = "row"
    written: bool = False
    resident: bool = False
    lines: str | None = None
    frame: str = ""


def of_rows(rows: Sequence[Mapping[str, Any]], places: Sequence[int], problems: Sequence[Problem] = ()) -> Chunk:
    """Return rows as columns; a key that a row lacks is null. Too many keys or nulls are a problem.

    >>> of_rows([{"a": 1}, {"b": 2}], range(1, 3)).columns
    {'a': [1, None], 'b': [None, 2]}
    """
    if rows and len(rows[0]) <= MOST_COLUMNS and len(set(map(tuple, rows))) == 1:
        fields = zip(*[row.values() for row in rows], strict=True)
        columns = {name: list(column) for name, column in zip(rows[0], fields, strict=True)}
        return Chunk(columns, places, problems, -16 * len(rows) * len(columns))
    names: dict[str, Any] = {}
    present = absent = 0
    for count, (place, row) in enumerate(zip(places, rows, strict=True), 1):
        names.update(row)
        present += len(row)
        if len(names) > MOST_COLUMNS:
            return Chunk({}, (), [*problems, Problem(place, TOO_MANY_COLUMNS)])
        absent = count * len(names) - (1 + 16) * present
        if absent > MOST_ABSENT:
            return Chunk({}, (), [*problems, Problem(place, TOO_MANY_ABSENT)])
    return Chunk({name: [row.get(name) for row in rows] for name in names}, places, problems, absent)
