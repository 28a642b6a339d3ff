"""inspect_ai: frames of ``samples_df``, whose messages are written as one text, each behind its role."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.fields import is_missing
from ragauge.formats.sources.inspect_ai import CONTEXTS
from ragauge.formats.sources.payloads import documents_of, unwritten

ORIGINS: Mapping[str, str] = {
    "question": "input",
    "answer": "output, or the last message of the assistant",
    "references": "target",
    "contexts": "metadata",
}
_MESSAGE = re.compile(r"(?:^|\n\n\n)(system|user|assistant|tool):\n")
_KEPT = ("eval_id", "epoch", "total_tokens", "total_time", "working_time", "model")
_NO_ANSWERS = (
    "the frame has no answers: make it with samples_df(logs, columns=SampleSummary + SampleMessages), or read the log"
)
_JOINED = "several targets of a sample are joined by commas in such a frame, and were read as one; the log has each"


def samples(rows: Iterable[Mapping[str, Any]], notes: list[str]) -> Iterator[dict[str, Any]]:
    r"""Yield each sample of each evaluation; a further epoch, or evaluation, stands behind the id.

    >>> row = {"id": "a", "eval_id": "e", "sample_id": "s", "input": "user:\nWho?\n", "target": "Anna"}
    >>> next(samples([row | {"messages": "user:\nWho?\n\n\nassistant:\nAnna.\n"}], []))
    {'eval_id': 'e', 'id': 'a', 'question': 'Who?', 'references': 'Anna', 'answer': 'Anna.'}
    """
    first, has_answers, has_joined = "", False, False
    for row in rows:
        present = {name: value for name, value in row.items() if not is_missing(value) and value != ""}
        first = first or str(present.get("eval_id"))
        has_answers |= "output" in present or "messages" in present
        has_joined |= "," in str(present.get("target", ""))
        yield _sample(present, first)
    notes += [] if has_answers else [_NO_ANSWERS]
    notes += [_JOINED] if has_joined else []


def _sample(row: Mapping[str, Any], first: str) -> dict[str, Any]:
    epoch, evaluation = row.get("epoch") or 1, str(row.get("eval_id"))
    parts = [str(row.get("id")), *([str(epoch)] if epoch != 1 else []), *([evaluation] if evaluation != first else [])]
    metadata = {name.removeprefix("metadata_"): value for name, value in row.items() if name.startswith("metadata_")}
    held = next((unwritten(metadata.pop(name)) for name in CONTEXTS if name in metadata), None)
    contexts = documents_of([held] if isinstance(held, str) else held)
    scores = {name.removeprefix("score_"): value for name, value in row.items() if name.startswith("score_")}
    sample = {name: row[name] for name in _KEPT if name in row} | metadata | scores
    sample |= {"id": "-".join(parts), "question": _message(row.get("input"), "user"), "references": row.get("target")}
    if "error" in row:
        sample["failure"] = row["error"]
    elif "output" in row or "messages" in row:
        sample["answer"] = row["output"] if "output" in row else _message(row["messages"], "assistant")
    return sample if contexts is None else {**sample, "contexts": contexts}


def _message(written: Any, role: str) -> str | None:
    """Return the last message of a role; a text without roles as it is; None where there is no such message."""
    if not isinstance(written, str):
        return None
    _, *rest = _MESSAGE.split(written)
    if not rest:
        return written
    texts = [text for one, text in zip(rest[::2], rest[1::2], strict=True) if one == role]
    return texts[-1].strip() if texts else None
