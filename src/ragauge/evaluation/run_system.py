"""Asking a RAG system each question, and recording what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from time import perf_counter
from typing import Any, TypeAlias

from ragauge.core.protocol import FAILURE
from ragauge.core.sample import Sample
from ragauge.errors import DataError

System: TypeAlias = Callable[[str], Any]
"""Takes a question; returns the answer, or a mapping or `Sample` with answer, contexts, retrieved and more."""

_OUTPUTS = ("answer", "contexts", "retrieved")

# A system cannot set these: it would choose what it is scored by.
_ITS_TASK = ("id", "question", "references", "reference_contexts", "relevance", "language")


def recorded(rows: Iterable[Mapping[str, Any]], system: System) -> list[dict[str, Any]]:
    """Ask ``system`` the question of each row, and return the rows with its answers.

    What the row says of the task (question, references, judgements) stays. Latency is recorded in seconds. An exception
    becomes the row's ``failure``, and so does what was not asked because of an interrupt: what was answered until then
    is kept.

    >>> [row] = recorded([{"question": "1+1?"}], lambda question: {"answer": "2", "contexts": ["1+1=2"]})
    >>> row["answer"], row["contexts"], row["failure"]
    ('2', ['1+1=2'], None)
    """
    samples = [dict(row) for row in rows]
    silent = [f"sample {place + 1}: no question" for place, row in enumerate(samples) if not row.get("question")]
    if silent:
        raise DataError.of("questions", silent, advice="every sample needs a question to ask the system")
    interrupted = False
    recorded_rows = []
    for row in samples:
        if not interrupted:
            output, interrupted = _ask(system, row["question"])
        else:
            output = {FAILURE: "not asked: interrupted"}
        task = {name: row[name] for name in _ITS_TASK if name in row}
        recorded_rows.append({**row, FAILURE: None, **output, **task})
    return _filled(recorded_rows)


def _ask(system: System, question: str) -> tuple[dict[str, Any], bool]:
    start = perf_counter()
    try:
        output = _fields(system(question))
    except KeyboardInterrupt:
        return {FAILURE: "interrupted"}, True
    except Exception as error:  # noqa: BLE001 - whatever the system raises is its failure on this question
        return {FAILURE: f"{type(error).__name__}: {error}", "latency": perf_counter() - start}, False
    return {"latency": perf_counter() - start, **output}, False


def _fields(output: Any) -> dict[str, Any]:
    if isinstance(output, str):
        return {"answer": output}
    if isinstance(output, Sample):
        fields = asdict(output)
        return {**fields.pop("tags"), **{name: value for name, value in fields.items() if value is not None}}
    if isinstance(output, Mapping):
        return dict(output)
    raise TypeError(f"the system returned {type(output).__name__}; it must return text, a mapping or a Sample")


def _filled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give every row the columns that any has; where all failed, those that a system can give."""
    names = dict.fromkeys(name for row in rows for name in row)
    if rows and all(row[FAILURE] is not None for row in rows):
        names |= dict.fromkeys(_OUTPUTS)
    return [{name: row.get(name) for name in names} for row in rows]
