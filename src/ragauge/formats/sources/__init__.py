"""Exports of frameworks: one file for each of them, and which export rows are of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ragauge.formats.sources import (
    haystack,
    inspect_ai,
    labelling,
    langchain,
    langfuse,
    llama_index,
    mlflow,
    nested,
    promptfoo,
    spans,
)
from ragauge.formats.sources.export import Export

# A row that fits several is of the first.
_FILES = (spans, mlflow, langchain, llama_index, langfuse, promptfoo, inspect_ai, haystack, labelling, nested)
_EXPORTS: Sequence[Export] = [export for file in _FILES for export in file.EXPORTS]
_FIRST = frozenset(marks[0] for export in _EXPORTS for marks in export.marks)


def export_of(keys: Collection[str]) -> Export | None:
    """Return the export whose rows have these keys, or are this row; None for rows of samples, and for all others.

    >>> export_of({"resourceSpans"}).name, export_of({"question", "answer", "context"})
    ('OpenTelemetry spans', None)
    """
    names = frozenset(keys)
    marked = () if names.isdisjoint(_FIRST) else (one for one in _EXPORTS if any(map(names.issuperset, one.marks)))
    found = next(iter(marked), None)
    if found is not None or not isinstance(keys, Mapping):
        return found
    return next((one for one in _EXPORTS if one.fits is not None and one.fits(keys)), None)
