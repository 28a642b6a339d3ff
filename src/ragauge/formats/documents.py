"""Columns about documents: `relevance`, `retrieved` and `contexts`, in the forms in which tools write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.formats import fields
from ragauge.formats.arrow_types import JUDGEMENT, JUDGEMENTS, NUMBERS, TEXTS, UNFIT, fast_lists
from ragauge.formats.fields import counted, kind_of
from ragauge.formats.source import Problem, Values

_ID = ("id", "doc_id", "document_id", "docid", "corpus-id")
_GRADE = ("grade", "relevance", "score", "rel")


class JudgementColumns(NamedTuple):
    """The columns that judgements fill; ``retrieved`` because grades in rank order name documents by their rank."""

    relevance: pa.Array
    retrieved: pa.Array | None
    problems: list[Problem]


class _GradesByRank(list[float]):
    """Grades of the retrieved documents, in rank order."""


def judgements(values: Values, column: str, retrieved: pa.Array | None, *, ids_only: bool = False) -> JudgementColumns:
    """Convert a column of judgements.

    A field is an object id -> grade; a list of objects with id and grade; a list of ids, each of grade 1; or a list
    of grades, one for each retrieved document in rank order, whose ids are then ``"1"``, ``"2"`` ... if the row has
    no ``retrieved``.

    Args:
        values: n fields.
        column: its name in messages.
        retrieved: n lists of ids, or None.
        ids_only: the column lists ids of relevant documents, so that a number is an id and no grade.
    """
    array = None if ids_only else _fast(values)
    if array is not None:
        return JudgementColumns(array, retrieved, [])
    judged, problems = fields.each(values, column, _ids if ids_only else _judgements)
    named, retrieved = _named_by_rank(judged, retrieved, column, problems)
    return JudgementColumns(_from_objects(named), retrieved, problems)


def _fast(values: Values) -> pa.Array | None:
    """Return values of the right type without a step per field; None where the slow way has to name the bad ones."""
    try:
        array = _unchecked(values)
    except UNFIT:
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
    """Return objects id -> grade as one Arrow array, without a step per judgement."""
    present = [one for one in objects if one is not None]
    ids = to_arrow(list(chain.from_iterable(present)), pa.string())
    grades = to_arrow(list(chain.from_iterable(one.values() for one in present)), pa.float64())
    flat = pa.StructArray.from_arrays([ids, grades], fields=list(JUDGEMENT))
    offsets, end = [0], 0
    for one in objects:
        end += len(one) if one is not None else 0
        offsets.append(end)
    absent = to_arrow([one is None for one in objects], pa.bool_())
    return pa.ListArray.from_arrays(to_arrow(offsets, pa.int32()), flat, mask=absent)


def _ids(value: object) -> dict[str, float]:
    one = [value] if isinstance(value, str | int) else value
    return dict.fromkeys(fields.listed(one, "ids", fields.identifier), 1.0)


def _judgements(value: object) -> Mapping[str, float]:
    if isinstance(value, Mapping):
        return {fields.identifier(name): _grade(grade) for name, grade in value.items()}
    if not fields.is_list(value):
        raise fields.BadFieldError(
            f"must be an object id -> grade, a list of ids, or a list of grades; got {kind_of(value)}"
        )
    listed = fields.items(value)
    if listed and all(isinstance(one, int | float) for one in listed):
        return _GradesByRank(fields.listed(listed, "grades", _grade))  # type: ignore[return-value]
    return _distinct(fields.listed(listed, "judgements", _judgement))


def _grade(value: object) -> float:
    try:
        return fields.number(value)
    except fields.BadFieldError:
        raise fields.BadFieldError(f"has a grade that is no finite number: {kind_of(value)}") from None


def _judgement(value: object) -> tuple[str, float]:
    if not isinstance(value, Mapping):
        return fields.identifier(value), 1.0
    name = next((value[key] for key in _ID if key in value), None)
    grade = next((value[key] for key in _GRADE if key in value), None)
    if name is None or grade is None:
        raise fields.BadFieldError(f"must be an object with id and grade; its keys are {', '.join(map(str, value))}")
    return fields.identifier(name), _grade(grade)


def _distinct(pairs: Sequence[tuple[str, float]]) -> dict[str, float]:
    grades: dict[str, float] = {}
    for name, grade in pairs:
        if grades.setdefault(name, grade) != grade:
            raise fields.BadFieldError(f"judges {name!r} twice, as {grades[name]:g} and as {grade:g}")
    return grades


def _named_by_rank(
    judged: Sequence[Any], retrieved: pa.Array | None, column: str, problems: list[Problem]
) -> tuple[list[Any], pa.Array | None]:
    """Return judgements and `retrieved`, with ids for the documents that grades in rank order are about."""
    if not any(isinstance(one, _GradesByRank) for one in judged):
        return list(judged), retrieved
    ids: list[Any] = [None] * len(judged) if retrieved is None else retrieved.to_pylist()
    named: list[Any] = []
    for row, one in enumerate(judged):
        if isinstance(one, _GradesByRank):
            if ids[row] is None:
                ids[row] = [str(rank) for rank in range(1, len(one) + 1)]
            if len(ids[row]) != len(one):
                problems.append(Problem(row, f"{column} {_unpaired(one, ids[row])}"))
        named.append(dict(zip(ids[row], one, strict=False)) if isinstance(one, _GradesByRank) else one)
    return named, to_arrow(ids, TEXTS)


def _unpaired(grades: Sequence[float], ids: Sequence[str]) -> str:
    retrieved = counted(len(ids), "id", "ids")
    return f"has {counted(len(grades), 'grade', 'grades')}, but retrieved has {retrieved}; give one grade for each"


_RETRIEVED_ID = ("id", "doc_id", "document_id", "docid", "node_id")


class RankingColumns(NamedTuple):
    """The columns that rankings fill: ids in rank order, and the scores of rows that have them beside the ids."""

    ids: pa.Array
    scores: pa.Array | None
    problems: list[Problem]


def rankings(values: Values, column: str) -> RankingColumns:
    """Convert a column of rankings.

    A field is a list of ids in rank order, an object id -> score, or a list of objects with id and score.
    """
    array = fast_lists(values, TEXTS)
    if array is not None:
        return RankingColumns(array, None, [])
    ranked, problems = fields.each(values, column, _ranking)
    ids = to_arrow([None if row is None else row[0] for row in ranked], TEXTS)
    scores = [None if row is None else row[1] for row in ranked]
    has_scores = any(one is not None for one in scores)
    return RankingColumns(ids, to_arrow(scores, NUMBERS) if has_scores else None, problems)


def _ranking(value: object) -> tuple[list[str], list[float] | None]:
    if isinstance(value, Mapping):
        scored = [(fields.identifier(name), fields.number(score)) for name, score in value.items()]
        return _unzipped(sorted(scored, key=lambda pair: -pair[1]))
    if fields.is_list(value) and any(isinstance(one, Mapping) for one in fields.items(value)):
        return _unzipped(fields.listed(value, "ids", _document))
    return fields.listed(value, "ids", fields.identifier), None


def _unzipped(scored: list[tuple[str, float | None]] | list[tuple[str, float]]) -> tuple[list[str], Any]:
    scores = [score for _, score in scored]
    return [name for name, _ in scored], None if None in scores else scores


def _document(value: object) -> tuple[str, float | None]:
    if not isinstance(value, Mapping):
        return fields.identifier(value), None
    name = next((value[key] for key in _RETRIEVED_ID if value.get(key) is not None), None)
    score = value.get("score")
    return fields.identifier(name), None if score is None else fields.number(score)


def score_problems(columns: Mapping[str, pa.Array]) -> list[Problem]:
    """Return problems of `retrieved_scores` by row index: NaN, or another length than `retrieved`."""
    scores, ids = columns.get("retrieved_scores"), columns.get("retrieved")
    if scores is None:
        return []
    problems = [Problem(row, "retrieved_scores must be finite numbers; got NaN") for row in _with_nan(scores)]
    return problems if ids is None else problems + _unequal(ids, scores)


def _with_nan(lists: pa.Array) -> list[int]:
    bad = pc.is_nan(lists.flatten())
    rows = pc.list_parent_indices(lists).filter(bad)
    return [int(row) for row in np.unique(to_numpy(rows))]


def _unequal(ids: pa.Array, scores: pa.Array) -> list[Problem]:
    left, right = pc.list_value_length(ids), pc.list_value_length(scores)
    rows = pc.indices_nonzero(filled(pc.not_equal(left, right), False))  # noqa: FBT003
    return [Problem(row, _lengths(left[row].as_py(), right[row].as_py())) for row in rows.to_pylist()]


def _lengths(ids: int, scores: int) -> str:
    has = counted(scores, "score", "scores")
    return f"retrieved has {counted(ids, 'id', 'ids')}, but retrieved_scores has {has}; give one for each"


# Keys for the parts of a passage in RAGChecker, TruLens, LangChain, LlamaIndex, Haystack, mlflow and deepeval.
_TEXT = ("text", "content", "page_content", "context", "passage", "chunk")
_CONTEXT_ID = ("id", "doc_id", "document_id", "docid", "node_id", "id_", "chunk_id", "doc_uri")
_SCORE = ("score",)


class PassageColumns(NamedTuple):
    """The columns that passages fill: texts, and ids and scores where all passages of a row have them."""

    texts: pa.Array
    ids: pa.Array | None
    scores: pa.Array | None
    problems: list[Problem]


class _Passage(NamedTuple):
    text: str
    id: str | None
    score: float | None


def passages(values: Values, column: str) -> PassageColumns:
    """Convert a column of passages.

    A field is a list of texts, of objects with a text, or of such lists (one per step), which are joined in order.
    """
    array = fast_lists(values, TEXTS)
    if array is not None:
        return PassageColumns(array, None, None, [])
    converted, problems = fields.each(values, column, _passages)
    texts = to_arrow([None if row is None else [one.text for one in row] for row in converted], TEXTS)
    ids = [_all([one.id for one in row or ()]) for row in converted]
    scores = [_all([one.score for one in row or ()]) for row in converted]
    return PassageColumns(texts, _column(ids, TEXTS), _column(scores, NUMBERS), problems)


def _all(parts: Sequence[Any]) -> Sequence[Any] | None:
    return parts if parts and None not in parts else None


def _column(lists: Sequence[Any], kind: pa.DataType) -> pa.Array | None:
    return to_arrow(lists, kind) if any(one is not None for one in lists) else None


def _passages(value: object) -> list[_Passage]:
    if isinstance(value, str):
        raise fields.BadFieldError(
            "must be a list of passages; got one text: write [text], with one item for each passage, or pass their "
            "separator: split={'contexts': 'SEPARATOR'}"
        )
    nested = fields.listed(value, "passages", _passage)
    return [passage for step in nested for passage in step]


def _passage(value: object) -> list[_Passage]:
    if isinstance(value, str | bytes):
        return [_Passage(fields.text(value), None, None)]
    if fields.is_list(value):
        return _passages(value)
    if isinstance(value, Mapping):
        return [_from_object(value)]
    raise fields.BadFieldError(f"must be a text or an object with a text; got {kind_of(value)}")


def _from_object(value: Mapping[str, Any]) -> _Passage:
    node = value.get("node")
    parts = {**value, **node} if isinstance(node, Mapping) else value
    text = _first(parts, _TEXT)
    if text is None:
        raise fields.BadFieldError(
            f"has no text: its keys are {', '.join(map(str, value))}; use one of {', '.join(_TEXT)}"
        )
    name, score = _first(parts, _CONTEXT_ID), _first(parts, _SCORE)
    return _Passage(
        fields.text(text),
        None if name is None else fields.identifier(name),
        None if score is None else fields.number(score),
    )


def _first(parts: Mapping[str, Any], names: Sequence[str]) -> Any:
    for name in names:
        value = parts.get(name)
        if value is not None:
            return value
    return None
