"""From the columns of a source to the columns that ragauge knows, and their types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.sample import SCHEMA, Kind
from ragauge.formats import columns, fields
from ragauge.formats.column_names import RELEVANT_IDS, Fields, folded
from ragauge.formats.columns import NUMBERS, TEXT, TEXTS, unwritten
from ragauge.formats.fields import label, split_cells
from ragauge.formats.source import Chunk, Problem, Values
from ragauge.formats.structured_fields import JUDGEMENTS, judgements, passages, rankings, score_problems
from ragauge.formats.tables import inferred

_TYPES: Mapping[Kind, pa.DataType] = {"text": TEXT, "texts": TEXTS, "numbers": NUMBERS, "judgements": JUDGEMENTS}
TYPES: Mapping[str, pa.DataType] = {name: _TYPES[kind] for name, kind in SCHEMA.items()}
"""The Arrow type of each known column."""

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Canonical:
    """The columns of one chunk, as they are converted, and the problems met on the way (by index of row)."""

    def __init__(self, chunk: Chunk, fields: Fields, *, written: bool, split: Mapping[str, str]) -> None:
        self._chunk = chunk
        self._fields = fields
        self._written = written
        self._split = split
        self.columns: dict[str, pa.Array] = {}
        self.problems: list[Problem] = []

    def add_known(self) -> None:
        """Convert the known columns; those that other columns can fill come after these."""
        makers: Mapping[str, Callable[[Values, str], pa.Array]] = {
            "id": partial(self._texts, fields.identifier),
            "question": partial(self._texts, fields.question),
            "answer": partial(self._texts, fields.text),
            "language": partial(self._texts, fields.text),
            "references": self._references,
            "retrieved": self._retrieved,
            "retrieved_scores": self._scores,
            "contexts": self._contexts,
            "reference_contexts": self._reference_contexts,
            "relevance": self._relevance,
        }
        for name, make in makers.items():
            values = self._values(name)
            if values is not None:
                self._put(name, make(values, self._label(name)))
        self.problems += score_problems(self.columns)

    def add_others(self) -> None:
        """Take every other column with the type that its values have."""
        for name in self._fields.sources:
            values = None if name in SCHEMA else self._values(name)
            if values is not None:
                self.columns[name] = inferred(values)

    def _values(self, name: str) -> Values | None:
        values = self._chunk.columns.get(self._fields.sources.get(name, ""))
        if values is not None and name in self._split:
            return split_cells(values, self._split[name])
        if values is None or not self._written or name not in SCHEMA:
            return values
        values, problems = unwritten(values, name, self._label(name))
        self.problems += problems
        return values

    def _label(self, name: str) -> str:
        return label(name, self._fields.sources[name])

    def _put(self, name: str, array: pa.Array | None) -> None:
        """Set column ``name``; what the row itself says of it wins over what another column implies."""
        if array is not None:
            given = self.columns.get(name)
            self.columns[name] = array if given is None else pc.coalesce(given, array)

    def _kept(self, converted: tuple[pa.Array, list[Problem]]) -> pa.Array:
        self.problems += converted[1]
        return converted[0]

    def _texts(self, convert: Callable[[Any], str], values: Values, column: str) -> pa.Array:
        return self._kept(columns.texts(values, column, convert))

    def _references(self, values: Values, column: str) -> pa.Array:
        return self._kept(columns.lists(values, column, _references, one=True))

    def _retrieved(self, values: Values, column: str) -> pa.Array:
        ids, scores, problems = rankings(values, column)
        self.problems += problems
        self._put("retrieved_scores", scores)
        return ids

    def _scores(self, values: Values, column: str) -> pa.Array:
        # Put before what `retrieved` implies of the scores, for what is given wins.
        implied = self.columns.pop("retrieved_scores", None)
        array = self._kept(columns.lists(values, column, _numbers, kind=NUMBERS))
        return array if implied is None else pc.coalesce(array, implied)

    def _contexts(self, values: Values, column: str) -> pa.Array:
        texts, ids, scores, problems = passages(values, column)
        self.problems += problems
        if "retrieved" not in self.columns:
            self._put("retrieved_scores", scores)
        self._put("retrieved", ids)
        return texts

    def _reference_contexts(self, values: Values, column: str) -> pa.Array:
        found = passages(values, column)
        self.problems += found.problems
        return found.texts

    def _relevance(self, values: Values, column: str) -> pa.Array:
        ids_only = folded(self._fields.sources["relevance"].rpartition(".")[2]) in RELEVANT_IDS
        relevance, retrieved, problems = judgements(values, column, self.columns.get("retrieved"), ids_only=ids_only)
        self.problems += problems
        if retrieved is not None:
            self.columns["retrieved"] = retrieved
        return relevance

    def table(self) -> pa.RecordBatch:
        """Return the columns, the known ones first."""
        ordered = [*(name for name in SCHEMA if name in self.columns), *self.columns]
        names = list(dict.fromkeys(ordered))
        return pa.RecordBatch.from_arrays([self.columns[name] for name in names], names=names)


def canonical(
    chunk: Chunk, fields: Fields, *, written: bool = False, split: Mapping[str, str] = _NOTHING
) -> tuple[pa.RecordBatch, list[Problem]]:
    """Convert one chunk.

    Args:
        chunk: columns under the names of the source.
        fields: which of them are known.
        written: cells are text as CSV has it.
        split: column of texts -> what stands between the texts of a cell.

    Returns:
        All rows, with null for a cell that is wrong; and the problems, with the places of their rows.
    """
    making = Canonical(chunk, fields, written=written, split=split)
    making.add_known()
    making.add_others()
    placed = [Problem(chunk.places[row], what) for row, what in making.problems]
    return making.table(), placed


def _references(value: object) -> list[str]:
    if isinstance(value, str | bytes):
        return [fields.text(value)]
    return fields.listed(value, "texts", fields.text)


def _numbers(value: object) -> list[float]:
    return fields.listed(value, "numbers", fields.number)
