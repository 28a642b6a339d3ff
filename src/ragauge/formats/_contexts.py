"""Cells of `contexts`: passages as texts, or as objects with an id and a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from ragauge.formats import _cells
from ragauge.formats._arrow_columns import NUMBERS, TEXTS, fast_lists
from ragauge.formats._chunk import Problem, Values
from ragauge.formats._words import kind_of

# What RAGChecker, TruLens, LangChain, LlamaIndex, Haystack, mlflow and deepeval call the parts of a passage.
_TEXT = ("text", "content", "page_content", "context", "passage", "chunk")
_ID = ("id", "doc_id", "document_id", "docid", "node_id", "id_", "chunk_id", "doc_uri")
_SCORE = ("score",)


class Passages(NamedTuple):
    """Passages by column: their texts, and their ids and scores where all of a row have them."""

    texts: pa.Array
    ids: pa.Array | None
    scores: pa.Array | None
    problems: list[Problem]


class _Passage(NamedTuple):
    text: str
    id: str | None
    score: float | None


def passages(values: Values, column: str) -> Passages:
    """Make columns of passages.

    A cell is a list of texts, of objects with a text, or of such lists (one per step), which are joined in order.
    """
    array = fast_lists(values, TEXTS)
    if array is not None:
        return Passages(array, None, None, [])
    found, problems = _cells.each(values, column, _passages)
    texts = pa.array([None if row is None else [one.text for one in row] for row in found], TEXTS)
    ids = [_all([one.id for one in row or ()]) for row in found]
    scores = [_all([one.score for one in row or ()]) for row in found]
    return Passages(texts, _column(ids, TEXTS), _column(scores, NUMBERS), problems)


def _all(parts: Sequence[Any]) -> Sequence[Any] | None:
    return parts if parts and None not in parts else None


def _column(lists: Sequence[Any], kind: pa.DataType) -> pa.Array | None:
    return pa.array(lists, kind) if any(one is not None for one in lists) else None


def _passages(value: object) -> list[_Passage]:
    if isinstance(value, str):
        raise _cells.BadCellError(
            "must be a list of passages; got one text: write [text], with one item for each passage, or say what "
            "stands between them: --split contexts=SEPARATOR"
        )
    nested = _cells.listed(value, "passages", _passage)
    return [passage for step in nested for passage in step]


def _passage(value: object) -> list[_Passage]:
    if isinstance(value, str | bytes):
        return [_Passage(_cells.text(value), None, None)]
    if _cells.is_list(value):
        return _passages(value)
    if isinstance(value, Mapping):
        return [_from_object(value)]
    raise _cells.BadCellError(f"must be a text or an object with a text; got {kind_of(value)}")


def _from_object(value: Mapping[str, Any]) -> _Passage:
    node = value.get("node")
    parts = {**value, **node} if isinstance(node, Mapping) else value
    text = _first(parts, _TEXT)
    if text is None:
        raise _cells.BadCellError(
            f"has no text: its keys are {', '.join(map(str, value))}; use one of {', '.join(_TEXT)}"
        )
    name, score = _first(parts, _ID), _first(parts, _SCORE)
    return _Passage(
        _cells.text(text),
        None if name is None else _cells.identifier(name),
        None if score is None else _cells.number(score),
    )


def _first(parts: Mapping[str, Any], names: Sequence[str]) -> Any:
    for name in names:
        value = parts.get(name)
        if value is not None:
            return value
    return None
