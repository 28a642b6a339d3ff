"""Exports of frameworks: one file for each of them, and which export rows are of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragauge.formats.sources.export import Export


@cache
def _exports() -> Sequence[Export]:
    """Import the files of all exports: rows of a CSV file are of none of them."""
    from ragauge.formats.sources import (
        haystack,
        inspect_ai,
        labelling,
        langchain,
        langfuse,
        llama_index,
        mlflow,
        nested,
        openai_evals,
        promptfoo,
        spans,
        trec_rag,
    )

    # A row that fits several is of the first.
    known = (spans, mlflow, langchain, llama_index, langfuse, promptfoo, inspect_ai, haystack, labelling, nested)
    files = (*known, trec_rag, openai_evals)
    return [export for file in files for export in file.EXPORTS]


@cache
def _first_marks() -> frozenset[str]:
    return frozenset(marks[0] for export in _exports() for marks in export.marks)


def export_of(keys: Collection[str]) -> Export | None:
    """Return the export whose rows have these keys, or are this row; None for rows of samples, and for all others.

    >>> export_of({"resourceSpans"}).name, export_of({"question", "answer", "context"})
    ('OpenTelemetry spans', None)
    """
    names = frozenset(keys)
    marked = (
        () if names.isdisjoint(_first_marks()) else (one for one in _exports() if any(map(names.issuperset, one.marks)))
    )
    found = next(iter(marked), None)
    if found is not None or not isinstance(keys, Mapping):
        return found
    return next((one for one in _exports() if one.fits is not None and one.fits(keys)), None)
