"""Cells of `retrieved`: a ranking as ids, or as ids with scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from ragauge.formats import cells
from ragauge.formats.chunk import Problem, Values
from ragauge.formats.text_columns import NUMBERS, TEXTS, fast_lists

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
    found, problems = cells.each(values, column, _ranking)
    ids = pa.array([None if row is None else row[0] for row in found], TEXTS)
    scores = [None if row is None else row[1] for row in found]
    has_scores = any(one is not None for one in scores)
    return Ranking(ids, pa.array(scores, NUMBERS) if has_scores else None, problems)


def _ranking(value: object) -> tuple[list[str], list[float] | None]:
    if isinstance(value, Mapping):
        scored = [(cells.identifier(name), cells.number(score)) for name, score in value.items()]
        return _unzipped(sorted(scored, key=lambda pair: -pair[1]))
    if cells.is_list(value) and any(isinstance(one, Mapping) for one in cells.items(value)):
        return _unzipped(cells.listed(value, "ids", _document))
    return cells.listed(value, "ids", cells.identifier), None


def _unzipped(scored: list[tuple[str, float | None]] | list[tuple[str, float]]) -> tuple[list[str], Any]:
    scores = [score for _, score in scored]
    return [name for name, _ in scored], None if None in scores else scores


def _document(value: object) -> tuple[str, float | None]:
    if not isinstance(value, Mapping):
        return cells.identifier(value), None
    name = next((value[key] for key in _ID if value.get(key) is not None), None)
    score = value.get("score")
    return cells.identifier(name), None if score is None else cells.number(score)
