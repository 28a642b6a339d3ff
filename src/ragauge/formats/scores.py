"""Whether scores fit the documents that they are of."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.formats.chunk import Problem
from ragauge.formats.words import counted


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
