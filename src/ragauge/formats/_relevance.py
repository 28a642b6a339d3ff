"""Cells of `relevance`: which documents are relevant to a question, and how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats import _cells
from ragauge.formats._arrow_columns import TEXTS
from ragauge.formats._chunk import Problem, Values
from ragauge.formats._words import counted, kind_of

JUDGEMENT = pa.struct([("id", pa.string()), ("grade", pa.float64())])
JUDGEMENTS = pa.list_(JUDGEMENT)

_ID = ("id", "doc_id", "document_id", "docid", "corpus-id")
_GRADE = ("grade", "relevance", "score", "rel")


class Judged(NamedTuple):
    """The two columns that judgements can fill: grades in rank order name documents by their rank."""

    relevance: pa.Array
    retrieved: pa.Array | None
    problems: list[Problem]


class _ByRank(list[float]):
    """Grades of the retrieved documents, in rank order."""


def judgements(values: Values, column: str, retrieved: pa.Array | None, *, ids_only: bool = False) -> Judged:
    """Make the column of judgements.

    A cell is an object id -> grade; a list of objects with id and grade; a list of ids, each of grade 1; or a list
    of grades, one for each retrieved document in rank order, whose ids are then ``"1"``, ``"2"`` ... if the row has
    no ``retrieved``.

    Args:
        values: n _cells.
        column: its name in messages.
        retrieved: n lists of ids, or None.
        ids_only: the source's column lists ids of relevant documents, so a number is an id and not a grade.
    """
    array = None if ids_only else _fast(values)
    if array is not None:
        return Judged(array, retrieved, [])
    found, problems = _cells.each(values, column, _ids if ids_only else _judgements)
    named, retrieved = _named_by_rank(found, retrieved, column, problems)
    return Judged(_from_objects(named), retrieved, problems)


def _fast(values: Values) -> pa.Array | None:
    """Take what is already of the right type; unfinished grades are left to the slow way, which says where."""
    try:
        array = _unchecked(values)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError, TypeError, ValueError):
        return None
    if array is None:
        return None
    ids, grades = array.flatten().flatten()
    finite = pc.all(pc.is_finite(grades)).as_py() is not False
    return array if ids.null_count == 0 and grades.null_count == 0 and finite else None


def _unchecked(values: Values) -> pa.Array | None:
    if isinstance(values, pa.Array):
        return _cast(values)
    if set(map(type, values)) <= {dict, type(None)}:
        return _from_objects(values)
    return None


def _cast(values: pa.Array) -> pa.Array | None:
    if values.null_count == len(values):
        return pa.nulls(len(values), JUDGEMENTS)
    if values.type == JUDGEMENTS:
        return values
    is_list = pa.types.is_list(values.type) or pa.types.is_large_list(values.type)
    if is_list and pa.types.is_struct(values.type.value_type):
        named = {field.name for field in values.type.value_type}
        return values.cast(JUDGEMENTS) if named == {"id", "grade"} else None
    return None


def _from_objects(objects: Sequence[Mapping[str, float] | None]) -> pa.Array:
    """Lay out objects id -> grade as one Arrow array, without a step per judgement."""
    present = [one for one in objects if one is not None]
    ids = pa.array(list(chain.from_iterable(present)), pa.string())
    grades = pa.array(list(chain.from_iterable(one.values() for one in present)), pa.float64())
    flat = pa.StructArray.from_arrays([ids, grades], fields=list(JUDGEMENT))
    offsets, end = [0], 0
    for one in objects:
        end += len(one) if one is not None else 0
        offsets.append(end)
    absent = pa.array([one is None for one in objects], pa.bool_())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), flat, mask=absent)


def _ids(value: object) -> dict[str, float]:
    one = [value] if isinstance(value, str | int) else value
    return dict.fromkeys(_cells.listed(one, "ids", _cells.identifier), 1.0)


def _judgements(value: object) -> Mapping[str, float]:
    if isinstance(value, Mapping):
        return {_cells.identifier(name): _grade(grade) for name, grade in value.items()}
    if not _cells.is_list(value):
        raise _cells.BadCellError(
            f"must be an object id -> grade, a list of ids, or a list of grades; got {kind_of(value)}"
        )
    listed = _cells.items(value)
    if listed and all(isinstance(one, int | float) for one in listed):
        return _ByRank(_cells.listed(listed, "grades", _grade))  # type: ignore[return-value]
    return _distinct(_cells.listed(listed, "judgements", _judgement))


def _grade(value: object) -> float:
    try:
        return _cells.number(value)
    except _cells.BadCellError:
        raise _cells.BadCellError(f"has a grade that is no finite number: {kind_of(value)}") from None


def _judgement(value: object) -> tuple[str, float]:
    if not isinstance(value, Mapping):
        return _cells.identifier(value), 1.0
    name = next((value[key] for key in _ID if key in value), None)
    grade = next((value[key] for key in _GRADE if key in value), None)
    if name is None or grade is None:
        raise _cells.BadCellError(f"must be an object with id and grade; its keys are {', '.join(map(str, value))}")
    return _cells.identifier(name), _grade(grade)


def _distinct(pairs: Sequence[tuple[str, float]]) -> dict[str, float]:
    grades: dict[str, float] = {}
    for name, grade in pairs:
        if grades.setdefault(name, grade) != grade:
            raise _cells.BadCellError(f"judges {name!r} twice, as {grades[name]:g} and as {grade:g}")
    return grades


def _named_by_rank(
    found: Sequence[Any], retrieved: pa.Array | None, column: str, problems: list[Problem]
) -> tuple[list[Any], pa.Array | None]:
    """Name the documents that grades in rank order are about; return judgements and `retrieved`."""
    if not any(isinstance(cell, _ByRank) for cell in found):
        return list(found), retrieved
    ids: list[Any] = [None] * len(found) if retrieved is None else retrieved.to_pylist()
    named: list[Any] = []
    for row, cell in enumerate(found):
        if isinstance(cell, _ByRank):
            if ids[row] is None:
                ids[row] = [str(rank) for rank in range(1, len(cell) + 1)]
            if len(ids[row]) != len(cell):
                problems.append(Problem(row, f"{column} {_unpaired(cell, ids[row])}"))
        named.append(dict(zip(ids[row], cell, strict=False)) if isinstance(cell, _ByRank) else cell)
    return named, pa.array(ids, TEXTS)


def _unpaired(grades: Sequence[float], ids: Sequence[str]) -> str:
    given = counted(len(ids), "id", "ids")
    return f"has {counted(len(grades), 'grade', 'grades')}, but retrieved has {given}; give one grade for each"
