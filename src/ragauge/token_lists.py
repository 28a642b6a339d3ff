"""Texts that come as lists of tokens, for ``tokenizer=none``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.batch import Batch, Dataset
from ragauge.errors import DataError, UsageError
from ragauge.protocol import Metric

if TYPE_CHECKING:
    import pyarrow as pa

# Under these names the reader takes the columns as they are, instead of asking for text.
ASIDE = {"answer": "answer (tokens)", "references": "references (tokens)"}


def take_tokens(metrics: Iterable[Metric]) -> bool:
    """Say whether ``metrics`` read lists of tokens in place of texts.

    Raises:
        UsageError: some do, and others read texts.
    """
    cutting = {str(metric): str(getattr(metric, "tokenizer", "")) for metric in metrics if _reads_texts(metric)}
    others = [name for name, tokenizer in cutting.items() if tokenizer != "none"]
    if others and len(others) < len(cutting):
        message = f"tokenizer=none reads lists of tokens, and {', '.join(others)} reads texts; score them in two runs"
        raise UsageError(message)
    return bool(cutting) and not others


def aside(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """Return ``mapping`` with answer and references put aside."""
    given = dict(mapping or {})
    moved = {name: given.pop(known, known) for known, name in ASIDE.items()}
    return {**given, **moved}


def put_back(data: Dataset) -> Dataset:
    """Return ``data`` with answer and references under their own names, each reference a list of tokens.

    Raises:
        DataError: they are no lists of tokens.
    """
    names = {name: known for known, name in ASIDE.items()}

    def batches() -> Iterator[Batch]:
        for batch in data.batches():
            table = batch.table().rename_columns([names.get(name, name) for name in batch.names])
            yield Batch(_checked(table, data.source))

    columns = tuple(names.get(name, name) for name in data.columns)
    mapping = {known: given for known, given in data.mapping.items() if known not in names}
    return replace(data, columns=columns, mapping=mapping, batches=batches)


def rows_of_tokens(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one sample, whose answer is a list of tokens, or of columns of samples.

    >>> rows_of_tokens({"answer": ["a", "b"], "references": [["a", "b"]]})
    [{'answer': ['a', 'b'], 'references': [['a', 'b']]}]
    """
    answer = columns.get("answer")
    if not isinstance(answer, list | tuple) or not any(isinstance(item, list | tuple) for item in answer):
        return [dict(columns)]
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {length}" for name, length in lengths.items())
        message = f"columns have different lengths: {said}; every column needs one entry per sample"
        raise UsageError(message)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _reads_texts(metric: Metric) -> bool:
    return any(name in ASIDE for names in metric.needs for name in names)


def _checked(table: pa.Table, source: str) -> pa.Table:
    import pyarrow as pa

    tokens, several = pa.list_(pa.string()), pa.list_(pa.list_(pa.string()))
    for name, kind in (("answer", tokens), ("references", several)):
        if name not in table.column_names:
            continue
        column = table.column(name).combine_chunks()
        if name == "references" and pa.types.is_list(column.type) and pa.types.is_string(column.type.value_type):
            column = _one_each(column)
        try:
            made = column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            shown = "a list of tokens" if name == "answer" else "a list of references, each a list of tokens"
            problem = f"{name} must be {shown} for tokenizer=none; got {column.type}"
            raise DataError.of(source, [problem]) from None
        table = table.set_column(table.column_names.index(name), name, made)
    return table


def _one_each(column: pa.Array) -> pa.Array:
    """Take one list of tokens for one reference."""
    import pyarrow as pa

    return pa.ListArray.from_arrays(np.arange(len(column) + 1, dtype=np.int32), column)
