"""One sample, whole columns, or lists of tokens: the shapes of input that are not files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.batch import Batch, Dataset
from ragauge.core.messages import Message
from ragauge.core.sample import SCHEMA, Kind
from ragauge.errors import ColumnError, DataError, UsageError

_LEVELS: Mapping[str, int] = {
    **dict.fromkeys(("citations", "earlier_contexts", "nuggets", "reference_spans", "retrieved_spans"), 1),
    **dict.fromkeys(("generated_questions", "noncommittal", "questions"), 1),
    **dict.fromkeys(("expected_tools", "reference_tool_calls", "tool_calls", "tools_called"), 1),
    "subtopics": 2,
}
"""Column that some metrics read -> the levels of lists that one sample has there."""
# Under these names the reader keeps the columns as they are, because it converts only the columns that it knows.
ASIDE = {"answer": "answer (tokens)", "references": "references (tokens)"}


def rows_of(columns: Mapping[str, object]) -> list[dict[str, Any]]:
    """Return keyword arguments as rows: one dict for one sample, or one dict per entry of the columns.

    >>> rows_of({"answer": "yes", "references": ["yes", "yeah"]})
    [{'answer': 'yes', 'references': ['yes', 'yeah']}]
    >>> len(rows_of({"answer": ["yes", "no"], "references": ["yes", "no"]}))
    2
    """
    if not columns:
        raise ColumnError(
            "RG-EVAL-006 there is nothing to score: give columns, as in score('bleu', answer=..., references=...)"
        )
    columns = {name: _plain(value) for name, value in columns.items()}
    plural = {name: is_column(value, SCHEMA.get(name), _LEVELS.get(name, 0)) for name, value in columns.items()}
    if not any(one is True for one in plural.values()):
        return [dict(columns)]
    single = [name for name, one in plural.items() if one is False]
    if single:
        many = next(name for name, one in plural.items() if one is True)
        raise UsageError(
            "RG-EVAL-007 {many} holds one entry per sample, but {single} holds one sample; give all as lists "
            "of samples",
            many,
            ", ".join(single),
        )
    return _transposed(columns)


def _plain(value: Any) -> Any:
    """Return an array of NumPy, pandas, Polars or Arrow as a list, any other value as it is."""
    listed = next((getattr(value, name) for name in ("tolist", "to_pylist", "to_list") if hasattr(value, name)), None)
    return listed() if listed is not None else value


def is_column(value: Any, kind: Kind | None, levels: int = 0) -> bool | None:
    """Return True if ``value`` holds one entry per sample, False if it is of one sample, None if it could be either.

    ``levels``: of lists that one sample has, in a column without a kind.

    >>> is_column(["a", "b"], "text"), is_column(["a", "b"], "texts"), is_column([["a"], ["b"]], "texts")
    (True, None, True)
    >>> is_column([{"text": "a"}], None), is_column(["a"], None, 1), is_column([["a"]], None, 1)
    (None, None, True)
    """
    if not isinstance(value, list | tuple):
        return False
    if kind == "judgements":
        first = next(iter(value), None)
        return set(first) != {"id", "grade"} if isinstance(first, Mapping) else isinstance(first, list | tuple)
    if kind is None and value and all(isinstance(item, Mapping) for item in value):
        # The nuggets of one sample, or an object per sample.
        return None
    if kind in ("text", None):
        return True if _levels(value) > levels else None
    nested = [item for item in value if item is not None and not isinstance(item, str)]
    if kind == "numbers":
        return any(isinstance(item, list | tuple) for item in nested)
    return True if nested else None


def _levels(value: Any) -> int:
    """Return how many levels of lists there are, also in JSON."""
    if isinstance(value, list | tuple):
        return 1 + max(map(_levels, value), default=0)
    return int(isinstance(value, str) and value.lstrip().startswith("["))


def _transposed(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row per entry of the columns; UsageError where they differ in length."""
    lengths = {name: len(value) for name, value in columns.items()}
    if len(set(lengths.values())) == 1:
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    answers, references = columns.get("answer"), columns.get("references")
    if (
        answers
        and references
        and all(isinstance(item, list | tuple) and len(item) == len(answers) for item in references)
    ):
        raise UsageError(
            "RG-EVAL-008 references are transposed: {n} lists of {answers}; give one list per answer, as in "
            "references=[[first, second], ...] with {answers} lists",
            len(references),
            len(answers),
        )
    each = ", ".join(f"{name} {length}" for name, length in lengths.items())
    raise UsageError(
        "RG-EVAL-005 columns have different lengths: {each}; every column needs one entry per sample", each
    )


def aside(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """Return ``mapping``, column -> name in the data, with answer and references under the names of `ASIDE`."""
    rest = dict(mapping or {})
    moved = {name: rest.pop(known, known) for known, name in ASIDE.items()}
    return {**rest, **moved}


def put_back(data: Dataset) -> Dataset:
    """Return ``data`` with answer, a list of tokens, and references, lists of such lists, under their own names."""
    names = {name: known for known, name in ASIDE.items()}

    def batches() -> Iterator[Batch]:
        for batch in data.batches():
            table = batch.table().rename_columns([names.get(name, name) for name in batch.names])
            yield Batch(_checked(table, data.source))

    columns = tuple(names.get(name, name) for name in data.columns)
    mapping = {known: name for known, name in data.mapping.items() if known not in names}
    return replace(data, columns=columns, mapping=mapping, batches=batches)


def rows_of_tokens(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return keyword arguments as rows: one dict for one sample, whose answer is a list of tokens, or one per sample.

    >>> rows_of_tokens({"answer": ["a", "b"], "references": [["a", "b"]]})
    [{'answer': ['a', 'b'], 'references': [['a', 'b']]}]
    """
    answer = columns.get("answer")
    if not isinstance(answer, list | tuple) or not any(isinstance(item, list | tuple) for item in answer):
        return [dict(columns)]
    return _transposed(columns)


def _checked(table: pa.Table, source: str) -> pa.Table:
    tokens, several = pa.list_(pa.string()), pa.list_(pa.list_(pa.string()))
    for name, kind in (("answer", tokens), ("references", several)):
        if name not in table.column_names:
            continue
        column = table.column(name).combine_chunks()
        if name == "references" and pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
            # Lists of tokens become lists of one reference each.
            column = pa.ListArray.from_arrays(np.arange(len(column) + 1, dtype=np.int32), column)
        try:
            lists = column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            shown = "a list of tokens" if name == "answer" else "a list of references, each a list of tokens"
            template = "RG-EVAL-024 {name} must be {allowed} for tokenizer=none; got {kind}"
            raise DataError.of(source, [Message(template, name, Message(shown), column.type)]) from None
        table = table.set_column(table.column_names.index(name), name, lists)
    return table
