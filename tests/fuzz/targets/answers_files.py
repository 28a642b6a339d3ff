"""Files of answers that a run resumes from: the whole file, damaged or made of lines with hostile values.

The run ends in a result, or in an error that names the file; and the same run again asks nothing but what failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

import ragauge
from tests.fuzz.making import NAMES, NUMBERS, TEXTS, VALUES, as_json, damaged, file

_QUESTIONS = [{"id": f"q{number}", "question": f"question {number}", "references": ["good"]} for number in range(3)]
_HEAD: dict[str, Any] = {"answers_of": "system", "format": 1, "ragauge": "0", "questions": 3}
_LINE: dict[str, Any] = {
    "id": "q0", "question": "question 0", "output": {"answer": "good", "contexts": ["a"]}, "failure": "why",
    "latency": 0.5, "attempts": 1, "renamed": {"answer": "reply"},
}  # fmt: skip


def _changed(whole: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw ``whole`` without some of its fields, and with others of hostile values."""
    lost = st.lists(st.sampled_from(["output", "failure", "latency", "renamed", "question"]), max_size=2)
    values = st.one_of(VALUES, NUMBERS, TEXTS, st.dictionaries(st.one_of(st.sampled_from(NAMES), TEXTS), VALUES))
    changes = st.dictionaries(st.sampled_from([*whole, "x"]), values, max_size=2)
    return st.builds(
        lambda lost, more: {name: one for name, one in whole.items() if name not in lost} | more, lost, changes
    )


_IDS = st.sampled_from([{}, {"id": "q1", "question": "question 1"}])
_LINES = st.lists(st.builds(lambda line, own: line | own, _changed(_LINE), _IDS), max_size=3)
_FILES = st.builds(
    lambda head, lines: b"\n".join(map(as_json, [head, *lines])) + b"\n",
    st.one_of(st.just(_HEAD), _changed(_HEAD)),
    _LINES,
)
STRATEGY = st.one_of(_FILES, damaged(_FILES))


def _system(asked: list[str]) -> Callable[[str], str]:
    def system(question: str) -> str:
        asked.append(question)
        return "good"

    system.__module__, system.__qualname__ = "", "system"
    return system


def target(data: bytes) -> None:
    """Resume, and again: all that was asked is kept by then."""
    path, asked = file("resumed.jsonl", data), list[str]()
    how: dict[str, Any] = {"system": _system(asked), "answers": path, "resume": True, "resamples": 0, "evidence": True}
    try:
        ragauge.evaluate(_QUESTIONS, "token-f1", **how)
    except ragauge.RagaugeError as error:
        assert "resumed.jsonl" in str(error)  # noqa: PT017 - it need not be raised
        return
    asked.clear()
    ragauge.evaluate(_QUESTIONS, "token-f1", **how)
    assert asked == []
