"""One sample or whole columns? And the mistakes that are made with either."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragauge.errors import ColumnError, UsageError
from ragauge.sample import SCHEMA, Kind


def rows_of(columns: Mapping[str, object]) -> list[dict[str, Any]]:
    """Turn keyword arguments into rows: one row of one sample, or one row per entry of the columns.

    Raises:
        UsageError: columns of different lengths, samples mixed with columns, or references transposed.

    >>> rows_of({"answer": "yes", "references": ["yes", "yeah"]})
    [{'answer': 'yes', 'references': ['yes', 'yeah']}]
    >>> len(rows_of({"answer": ["yes", "no"], "references": ["yes", "no"]}))
    2
    """
    if not columns:
        message = "there is nothing to score: give columns, as in score('bleu', answer=..., references=...)"
        raise ColumnError(message)
    columns = {name: _plain(value) for name, value in columns.items()}
    plural = {name: is_column(value, SCHEMA.get(name)) for name, value in columns.items()}
    if not any(found is True for found in plural.values()):
        return [dict(columns)]
    single = [name for name, found in plural.items() if found is False]
    if single:
        many = next(name for name, found in plural.items() if found is True)
        message = (
            f"{many} holds one entry per sample, but {', '.join(single)} holds one sample; give all as lists of samples"
        )
        raise UsageError(message)
    _check_lengths(columns)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(value: Any) -> Any:
    """Return arrays of NumPy, pandas, Polars and Arrow as lists."""
    listed = next((getattr(value, name) for name in ("tolist", "to_pylist", "to_list") if hasattr(value, name)), None)
    return listed() if listed is not None else value


def is_column(value: Any, kind: Kind | None) -> bool | None:
    """Say whether ``value`` holds one entry per sample; None where it could be either.

    >>> is_column(["a", "b"], "text"), is_column(["a", "b"], "texts"), is_column([["a"], ["b"]], "texts")
    (True, None, True)
    """
    if kind == "judgements":
        return _judgement_column(value)
    if not isinstance(value, list | tuple):
        return False
    if kind in ("text", None):
        return True
    nested = [item for item in value if item is not None and not isinstance(item, str)]
    if kind == "numbers":
        return any(isinstance(item, list | tuple) for item in nested)
    return True if nested else None


def _judgement_column(value: Any) -> bool:
    if not isinstance(value, list | tuple) or not value:
        return False
    first = value[0]
    if isinstance(first, Mapping):
        return set(first) != {"id", "grade"}
    return isinstance(first, list | tuple)


def _check_lengths(columns: Mapping[str, Any]) -> None:
    lengths = {name: len(value) for name, value in columns.items()}
    if len(set(lengths.values())) == 1:
        return
    answers, references = columns.get("answer"), columns.get("references")
    if (
        answers
        and references
        and all(isinstance(item, list | tuple) and len(item) == len(answers) for item in references)
    ):
        message = (
            f"references are transposed: {len(references)} lists of {len(answers)}; give one list per answer, "
            f"as in references=[[first, second], ...] with {len(answers)} lists"
        )
        raise UsageError(message)
    said = ", ".join(f"{name} {length}" for name, length in lengths.items())
    message = f"columns have different lengths: {said}; every column needs one entry per sample"
    raise UsageError(message)
