"""Cells of `retrieved`: a ranking as ids, or as ids with scores; and whether scores fit the ids beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats import _cells
from ragauge.formats._arrow_columns import NUMBERS, TEXTS, fast_lists
from ragauge.formats._chunk import Problem, Values
from ragauge.formats._words import counted

_ID = ("id", "doc_id", "document_id", "docid", "node_id")


class Ranking(NamedTuple):
    """Rankings by column: ids in rank order, and the scores of rows that gave them with the ids."""

    ids: pa.Array
    scores: pa.Array | None
    problems: list[Problem]


def rankings(values: Values, column: str) -> Ranking:
    """Make columns of rankings.

    A cell is a list of ids in rank order, an object id -> score, or a list of objects with id and score.
    """
    array = fast_lists(values, TEXTS)
    if array is not None:
        return Ranking(array, None, [])
    found, problems = _cells.each(values, column, _ranking)
    ids = pa.array([None if row is None else row[0] for row in found], TEXTS)
    scores = [None if row is None else row[1] for row in found]
    has_scores = any(one is not None for one in scores)
    return Ranking(ids, pa.array(scores, NUMBERS) if has_scores else None, problems)


def _ranking(value: object) -> tuple[list[str], list[float] | None]:
    if isinstance(value, Mapping):
        scored = [(_cells.identifier(name), _cells.number(score)) for name, score in value.items()]
        return _unzipped(sorted(scored, key=lambda pair: -pair[1]))
    if _cells.is_list(value) and any(isinstance(one, Mapping) for one in _cells.items(value)):
        return _unzipped(_cells.listed(value, "ids", _document))
    return _cells.listed(value, "ids", _cells.identifier), None


def _unzipped(scored: list[tuple[str, float | None]] | list[tuple[str, float]]) -> tuple[list[str], Any]:
    scores = [score for _, score in scored]
    return [name for name, _ in scored], None if None in scores else scores


def _document(value: object) -> tuple[str, float | None]:
    if not isinstance(value, Mapping):
        return _cells.identifier(value), None
    name = next((value[key] for key in _ID if value.get(key) is not None), None)
    score = value.get("score")
    return _cells.identifier(name), None if score is None else _cells.number(score)


def score_problems(columns: Mapping[str, pa.Array]) -> list[Problem]:
    """Return what is wrong with `retrieved_scores`: NaN, or another length than `retrieved`; by index of row."""
    scores, ids = columns.get("retrieved_scores"), columns.get("retrieved")
    if scores is None:
        return []
    problems = [Problem(row, "retrieved_scores must be finite numbers; got NaN") for row in _with_nan(scores)]
    return problems if ids is None else problems + _unequal(ids, scores)


def _with_nan(lists: pa.Array) -> list[int]:
    bad = pc.is_nan(lists.flatten())
    rows = pc.list_parent_indices(lists).filter(bad)
    return [int(row) for row in np.unique(rows.to_numpy())]


def _unequal(ids: pa.Array, scores: pa.Array) -> list[Problem]:
    left, right = pc.list_value_length(ids), pc.list_value_length(scores)
    rows = pc.indices_nonzero(pc.fill_null(pc.not_equal(left, right), False))  # noqa: FBT003
    return [Problem(row, _lengths(left[row].as_py(), right[row].as_py())) for row in rows.to_pylist()]


def _lengths(ids: int, scores: int) -> str:
    given = counted(scores, "score", "scores")
    return f"retrieved has {counted(ids, 'id', 'ids')}, but retrieved_scores has {given}; give one for each"
