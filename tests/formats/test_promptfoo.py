"""Results of promptfoo, in the forms of its versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragauge.formats.sources import (
    promptfoo,
)
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, parts, rows, samples

PROMPTFOO = {
    "testIdx": 0,
    "promptIdx": 1,
    "provider": {"id": "openai:a", "label": "model a"},
    "vars": {"query": QUESTION, "context": FIRST, "topic": "tea"},
    "response": {"output": ANSWER, "tokenUsage": {"total": 9}},
    "testCase": {"assert": [{"type": "equals", "value": GOLD}, {"type": "latency", "threshold": 5}]},
    "success": True,
}


def test_promptfoo(tmp_path: Path) -> None:
    expected = {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST], "references": [GOLD]}
    for form in ({"evalId": "e", "results": {"version": 3, "results": [PROMPTFOO]}, "config": {}},
                 {"results": {"version": 2, "results": [PROMPTFOO], "stats": {}}}, [PROMPTFOO]):  # fmt: skip
        path = tmp_path / "results.json"
        path.write_text(json.dumps(form), encoding="utf-8")
        assert parts(path) == expected
    [row] = rows(path)
    assert row["provider"] == "model a"
    assert row["topic"] == "tea"
    failed = {**PROMPTFOO, "response": None, "error": "timeout"}
    assert parts([failed]) == {**{name: expected[name] for name in expected if name != "answer"}, "failure": "timeout"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {"id": "0-0-m", "question": "Who?"}),
        ({"provider": {"id": "i"}, "testIdx": 3, "promptIdx": 2}, {"id": "3-2-i", "provider": "i"}),
        ({"vars": {"own": "Who?"}}, {"question": "Who?", "own": "Who?"}),
        ({"vars": {"own": "Who?", "other": 1}}, {"question": None, "other": 1}),
        ({"vars": {"question": "Who?", "expected": "Anna"}}, {"references": "Anna", "expected": None}),
        ({"vars": {"question": "Who?", "docs": ["茶", "水"]}}, {"contexts": ["茶", "水"], "docs": None}),
        ({"response": "Anna."}, {"answer": "Anna."}),
        ({"error": "late"}, {"answer": "Anna.", "failure": None}),
        ({"testCase": {"assert": [{"type": "similar", "value": 3}]}}, {"references": None}),
        ({"testCase": {"assert": [{"type": "similar", "value": "安娜"}, {"type": "contains", "value": "x"}, 3]}},
         {"references": ["安娜"]}),
    ],
)  # fmt: skip
def test_results_of_promptfoo(changed: dict[str, Any], expected: dict[str, Any]) -> None:
    row = {"provider": "m", "vars": {"question": "Who?"}, "response": {"output": "Anna."}, **changed}
    [sample] = samples(promptfoo, [row])
    assert {name: sample.get(name) for name in expected} == expected


def test_results_of_promptfoo_are_numbered_where_they_have_no_number() -> None:
    rows = [{"results": {"results": [{"provider": "m"}, 3, {"provider": "m"}]}}]
    assert [one["id"] for one in samples(promptfoo, rows)] == ["0-0-m", "2-0-m"]
