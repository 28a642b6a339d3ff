"""Responses of LlamaIndex."""

from __future__ import annotations

from typing import Any

from ragauge.formats.sources import llama_index
from tests.frameworks.reading import samples


def test_responses_of_llama_index() -> None:
    notes: list[str] = []
    rows: list[dict[str, Any]] = [
        {"response": "Anna.", "source_nodes": []},
        {"query_str": "Who?", "response_txt": "Anna.", "run": 3},
    ]
    first, second = samples(llama_index, rows, notes)
    assert first == {"answer": "Anna.", "contexts": []}
    assert second == {"run": 3, "question": "Who?", "answer": "Anna.", "contexts": None}
    assert notes == []
    assert len(samples(llama_index, rows[:1], notes)) == 1
    assert notes == [
        "a LlamaIndex response does not hold its question; for metrics that need it give dicts with query too"
    ]
