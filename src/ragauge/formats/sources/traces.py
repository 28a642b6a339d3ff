"""Steps of an application, joined into one sample a trace; in little memory, however many there are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import IO, Any

from ragauge.core.hashing import hash_strings
from ragauge.formats.fields import counted
from ragauge.formats.sources.export import SamplesOf
from ragauge.formats.sources.payloads import answer_of, documents_of, question_of

_HELD = 1 << 26
"""Characters of steps that stay in memory; above it they go to temporary files."""
_PARTS = 64
"""Temporary files, each with the steps of some of the traces: one of them is read at a time."""
_RETRIEVES = "retriever"
_RERANKS = "reranker"
_ANSWERS = "llm"
_IGNORED = "evaluator"


@dataclass(frozen=True, slots=True)
class Step:
    """A span, run or observation.

    ``kind``: ``retriever``, ``reranker``, ``llm``, ``evaluator`` or anything else. ``start`` and ``end``: in seconds.
    ``question``, ``answer``, ``documents``: its inputs and outputs. ``failure``: why it failed.
    """

    trace: str
    id: str
    parent: str | None
    kind: str
    start: float
    end: float
    question: str | None = None
    answer: str | None = None
    documents: Sequence[Any] | None = None
    references: Sequence[str] | None = None
    failure: str | None = None

    @classmethod
    def of(cls, kind: str, inputs: Any, outputs: Any, **others: Any) -> Step:
        """Return a step of ``kind`` with the question among its inputs, and the documents or answer in its outputs."""
        retrieves = kind in (_RETRIEVES, _RERANKS)
        documents, answer = (documents_of(outputs), None) if retrieves else (None, answer_of(outputs))
        return cls(kind=kind, question=question_of(inputs), answer=answer, documents=documents, **others)

    def size(self) -> int:
        """Return about how many characters it holds."""
        texts = sum([len(text) for text in (self.question, self.answer) if text])
        return 256 + texts + sum([len(str(one)) for one in self.documents or ()])


def traced(steps: Callable[[Mapping[str, Any]], Iterable[Step]], root: str = "") -> SamplesOf:
    """Return a reader of rows that hold ``steps``: it yields a sample for each trace, as `samples_of` does."""
    return lambda rows, notes: samples_of((step for row in rows for step in steps(row)), notes, root)


def samples_of(steps: Iterable[Step], notes: list[str], root: str = "") -> Iterator[dict[str, Any]]:
    """Yield a sample for each trace, in the order in which they begin in the source; that of files where they are many.

    The question and the answer are those of the trace's root, else of its first retriever and its last language model.
    The contexts are the documents of the last reranker, else of all retrievers that no other retriever called, each
    once.
    A trace that has neither a question, nor an answer, nor documents is left out and counted in a note. ``root``: the
    column that gets the id of the step which the sample is of, if any.
    """
    silent = 0
    for trace in _by_trace(steps):
        sample = _sample(trace, root)
        if sample is None:
            silent += 1
        else:
            yield sample
    if silent:
        what = counted(silent, "trace was left out: it has", "traces were left out: they have")
        notes.append(f"{what} neither a question nor an answer nor documents")


def seconds(moment: Any) -> float:
    """Return a time in seconds: of nanoseconds since 1970, of a date and time, or of its text; 0 for none.

    >>> seconds("1970-01-01T00:00:02Z"), seconds("3000000000"), seconds(None)
    (2.0, 3.0, 0.0)
    """
    if isinstance(moment, datetime):
        return moment.timestamp()
    if isinstance(moment, str) and not moment.isdigit():
        try:
            return datetime.fromisoformat(moment).timestamp()
        except ValueError:
            return 0.0
    return int(moment) / 1e9 if isinstance(moment, int | float | str) and moment else 0.0


def _by_trace(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """Yield the steps of each trace; what is more than `_HELD` is grouped by way of temporary files."""
    held: dict[str, list[Step]] = {}
    size, remaining = 0, iter(steps)
    for step in remaining:
        held.setdefault(step.trace, []).append(step)
        size += step.size()
        if size > _HELD:
            break
    else:
        yield from held.values()
        return
    from tempfile import TemporaryFile

    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile("w+", encoding="utf-8")) for _ in range(_PARTS)]
        for steps_of_one in held.values():
            _write(files, steps_of_one)
        held.clear()
        for step in remaining:
            _write(files, [step])
        for file in files:
            yield from _read(file)


def _write(files: Sequence[IO[str]], steps: Sequence[Step]) -> None:
    file = files[int(hash_strings([steps[0].trace])[0]) % len(files)]
    file.writelines([json.dumps(asdict(step), default=str) + "\n" for step in steps])


def _read(file: IO[str]) -> Iterator[list[Step]]:
    file.seek(0)
    grouped: dict[str, list[Step]] = {}
    for line in file:
        step = Step(**json.loads(line))
        grouped.setdefault(step.trace, []).append(step)
    yield from grouped.values()


def _sample(steps: Sequence[Step], column: str) -> dict[str, Any] | None:
    """Return the sample of one trace, whose steps may come in any order, and twice; None where it has no texts."""
    by_id = {step.id: step for step in steps if step.kind != _IGNORED}
    ordered = sorted(by_id.values(), key=lambda step: (step.start, step.id))
    roots = [step for step in ordered if step.parent not in by_id]
    root = next((step for step in roots if step.question is not None or step.answer is not None), None)
    retrievers = [step for step in ordered if step.kind == _RETRIEVES]
    models = [step for step in ordered if step.kind == _ANSWERS]
    asked_by = [*([root] if root else []), *retrievers, *models, *ordered]
    answered_by = [*([root] if root else []), *reversed(models)]
    documents = _documents(ordered, retrievers, by_id)
    question = next((step.question for step in asked_by if step.question), None)
    answer = next((step.answer for step in answered_by if step.answer is not None), None)
    if question is None and answer is None and documents is None:
        return None
    first = root or ordered[0]
    failure = None if answer else first.failure
    sample = {
        "id": first.trace,
        "question": question,
        "answer": answer,
        "references": next((step.references for step in ordered if step.references is not None), None),
        "contexts": documents,
        "failure": failure,
        **({column: first.id} if column else {}),
        "latency": round(first.end - first.start, 6) if first.end and first.start else None,
    }
    return {name: value for name, value in sample.items() if value is not None}


def _documents(ordered: Sequence[Step], retrievers: Sequence[Step], by_id: Mapping[str, Step]) -> list[Any] | None:
    rerankers = [step for step in ordered if step.kind == _RERANKS and step.documents is not None]
    outermost = [step for step in retrievers if not _is_within(step, _RETRIEVES, by_id) and step.documents is not None]
    chosen = rerankers[-1:] or outermost
    if not chosen:
        return None
    every = [one for step in chosen for one in step.documents or ()]
    distinct = {json.dumps(one, sort_keys=True, default=str): one for one in every}
    return list(distinct.values())


def _is_within(step: Step, kind: str, by_id: Mapping[str, Step]) -> bool:
    """Return whether a step of ``kind`` called this one, directly or not."""
    passed = {step.id}
    parent = by_id.get(step.parent or "")
    while parent is not None and parent.id not in passed:
        if parent.kind == kind:
            return True
        passed.add(parent.id)
        parent = by_id.get(parent.parent or "")
    return False
