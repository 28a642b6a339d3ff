"""Judges for tests: one whose replies follow from the question alone, one that replies what a test wrote; samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pyarrow as pa

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Check, Question, Reply
from ragauge.core.registry import lookup
from ragauge.evaluation.partial import Cells, measure_cells

NEEDED: Mapping[str, Any] = {"judged-rubric": {"criteria": "politeness"}}
"""What a judged metric needs beside a judge."""


def options_of(name: str, judge: str = "chat[url=http://localhost:1,model=m]") -> str:
    """Return the spec of a judged metric with all that it needs; of any other its name."""
    if not name.startswith("judged-"):
        return name
    more = "".join(f",{key}={value}" for key, value in NEEDED.get(name, {}).items())
    return f"{name}:judge={judge}{more}"


@dataclass(frozen=True)
class ToyJudge:
    """A judge whose replies have the right form, and follow from the messages of the question alone."""

    signature: str = "toy"

    def ask(self, questions: Sequence[Question], check: Check, session: Any = None) -> list[Reply]:  # noqa: ARG002 - the protocol has it
        return [self._reply(question, check) for question in questions]

    def _reply(self, question: Question, check: Check) -> Reply:
        bits = int.from_bytes(sha256(repr((question.messages, question.repeat)).encode()).digest())
        if bits % 3 == 0 and "Ünïcode" in question.messages[-1][1]:
            return Reply(status="failed", reason="refused: no")
        value = _varied(question, bits)
        complaint = check(question, value)
        assert complaint is None, complaint
        return Reply(status="ok", value=value)


def _varied(question: Question, bits: int) -> Any:
    """Return the expected reply with each mark, number and citation drawn from ``bits``."""
    if question.label:
        return {question.label: int(question.labels[bits % len(question.labels)])}
    (key, entries), *rest = question.expected.items()
    if rest:
        return {key: entries, "evasive": bits % 5 == 0}
    if key in ("claims", "passages", "sentences", "nuggets") and entries and isinstance(entries[0], dict):
        return {key: [_drawn(entry, bits >> number) for number, entry in enumerate(entries)]}
    return {key: entries}


def _drawn(entry: dict[str, Any], bits: int) -> dict[str, Any]:
    (item, number), (name, value) = entry.items()
    if item == "text":
        return entry
    drawn = value[: bits % 2] if isinstance(value, list) else bits % 3 if name == "rating" else bool(bits % 2)
    return {item: number, name: drawn}


@dataclass(frozen=True)
class ScriptedJudge:
    """A judge that replies what ``script`` makes of the prompt's name and its user message, and notes what it is asked.

    A reply that is a text is the reason of a failure; a reply that the check refuses fails with the complaint.
    """

    script: Callable[[str, str], Any]
    asked_for: list[Question] = field(default_factory=list, compare=False)
    signature: str = "scripted"
    probabilities: Mapping[str, float] | None = None

    def ask(self, questions: Sequence[Question], check: Check, session: Any = None) -> list[Reply]:  # noqa: ARG002 - the protocol has it
        return [self._reply(question, check) for question in questions]

    def _reply(self, question: Question, check: Check) -> Reply:
        self.asked_for.append(question)
        value = self.script(question.prompt, question.messages[-1][1])
        if isinstance(value, str):
            return Reply(status="failed", reason=value)
        complaint = check(question, value)
        if complaint:
            return Reply(status="failed", reason=f"wrong: {complaint}")
        return Reply(status="ok", value=value, label_probabilities=self.probabilities if question.label else None)


def data_in(message: str) -> list[str]:
    """Return the texts of data in a message, in order."""
    return [text for _, text in re.findall(r"<([0-9a-f]{8})>(.*?)</\1>", message, flags=re.DOTALL)]


def support(*cited: Sequence[int]) -> dict[str, Any]:
    """Return the reply that claim 1 is supported by the passages ``cited[0]``, claim 2 by ``cited[1]`` ..."""
    return {"claims": [{"claim": number, "passages": list(one)} for number, one in enumerate(cited, 1)]}


def useful(*marks: bool) -> dict[str, Any]:
    return {"passages": [{"passage": number, "useful": mark} for number, mark in enumerate(marks, 1)]}


def relevant(*marks: bool) -> dict[str, Any]:
    return {"sentences": [{"sentence": number, "relevant": mark} for number, mark in enumerate(marks, 1)]}


def nuggets(*marks: int) -> dict[str, Any]:
    return {"nuggets": [{"nugget": number, "rating": int(mark)} for number, mark in enumerate(marks, 1)]}


EVERY = [
    "judged-answer-correctness", "judged-answer-rating", "judged-answer-relevancy", "judged-citation-recall",
    "judged-context-entity-recall",
    "judged-context-precision", "judged-context-rating", "judged-context-recall", "judged-context-relevancy",
    "judged-context-utilization", "judged-factual-correctness", "judged-faithfulness", "judged-groundedness-rating",
    "judged-noise-sensitivity", "judged-nugget-all", "judged-passage-relevance", "judged-preference", "judged-rubric",
]  # fmt: skip
FULL: Mapping[str, Any] = {
    "question": "Who opened it?",
    "answer": "Lin Wan opened it. It has a garden.",
    "contexts": ["Lin Wan opened it.", "It rained."],
    "references": ["Lin Wan opened it."],
    "other_answer": "Nobody.",
    "nuggets": [{"text": "Lin Wan opened it.", "importance": "vital"}],
}


def batch_of(*rows: Mapping[str, Any]) -> Batch:
    full = [{"id": f"s{place}", **FULL, "failure": None, **row} for place, row in enumerate(rows)]
    return Batch(pa.Table.from_pylist(full))


def cells_of(name: str, script: Callable[[str, str], Any], *rows: Mapping[str, Any], **options: Any) -> Cells:
    return measure_cells(made(name, ScriptedJudge(script), **options), batch_of(*rows))


def made(name: str, judge: Any, **options: Any) -> Any:
    return lookup("metric", name).cls(judge=judge, **{**NEEDED.get(name, {}), **options})


def always(value: Any) -> Callable[[str, str], Any]:
    return lambda _prompt, _message: value


def any_reply(prompt: str, message: str) -> Any:
    """Reply in the right form, whatever is asked, with the first claim, passage or sentence marked."""
    listed = {"support": "Claims:", "useful": "Passages:", "relevant": "Sentences:", "nuggets": "Facts:"}
    if prompt in listed:
        block = message.partition(listed[prompt])[2].partition("\n\n")[0]
        marks = [number == 0 for number in range(block.count("\n["))]
        form = {"support": lambda *marks: support(*[[1] if mark else [] for mark in marks])}
        return {"useful": useful, "relevant": relevant, "nuggets": nuggets, **form}[prompt](*marks)
    replies = {
        "claims": {"claims": ["Lin Wan opened it.", "It has a garden."]},
        "entities": {"entities": ["Lin Wan"]},
        "questions": {"questions": ["Who opened it?"] * 3, "evasive": False},
        "preference": {"better": 1},
    }
    return replies.get(prompt, {"rating": 1})


def of_two(answer: Any, reference: Any, word: str = "garden") -> Callable[[str, str], Any]:
    """Reply ``answer`` where the claims are those of the answer, which alone have ``word``; else ``reference``."""
    return lambda _prompt, message: answer if word in message.partition("Claims:")[2] else reference
