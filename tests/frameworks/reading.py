"""What was read from an object of a framework, or from its export: the parts of the one sample in it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from ragauge.core.batch import concatenated
from ragauge.formats import read

QUESTION, ANSWER, GOLD = "谁种茶？", "林婉种茶。", "林婉"
FIRST, SECOND = "林婉在云南种茶。", "Tea grows in Yunnan."
TEXTS = [FIRST, SECOND]
READ = {"question": QUESTION, "answer": ANSWER, "contexts": TEXTS}


def rows(source: Any, **options: Any) -> list[dict[str, Any]]:
    """Return all rows without absent values and without ids that were made of their content."""
    data = read(source, **options)
    table = concatenated(data.batches()).table()
    return [{name: one for name, one in row.items() if one is not None and name != "id"} for row in table.to_pylist()]


def parts(source: Any, **options: Any) -> dict[str, Any]:
    """Return question, answer, references, contexts, ids and grades of the only row."""
    [row] = rows(source, **options)
    names = ("question", "answer", "references", "contexts", "reference_contexts", "retrieved", "retrieved_scores")
    return {name: row[name] for name in (*names, "relevance", "failure") if name in row}


def samples(file: Any, rows: list[Any], notes: list[str] | None = None) -> list[dict[str, Any]]:
    """Return the samples that the first export of a file of `ragauge.formats.sources` finds in rows."""
    return list(file.EXPORTS[0].samples(rows, [] if notes is None else notes))


def framework(module: str, package: str) -> Any:
    """Import a framework's module, or skip the test where its package is not installed."""
    try:
        return import_module(module)
    except ImportError:
        pytest.skip(f"pip install {package}, as the environment 'frameworks' does", allow_module_level=True)
