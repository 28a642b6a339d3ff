"""Responses of LlamaIndex."""

from __future__ import annotations

from typing import Any

from ragauge.core.batch import concatenated
from ragauge.formats import read
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


class Own:
    """As a response of LlamaIndex, whose class may be any."""

    def __init__(self) -> None:
        self.response, self.source_nodes, self.metadata = "Anna.", [{"node": {"text": "Tea.", "id_": "n1"}}], None


def test_a_response_beside_its_question() -> None:
    for name in ("response", "answer", "output"):
        data = read([{"query": "Who?", name: Own(), "topic": "tea"}])
        [row] = concatenated(data.batches()).table().to_pylist()
        del row["id"]
        expected = {"question": "Who?", "answer": "Anna.", "contexts": ["Tea."], "retrieved": ["n1"], "topic": "tea"}
        assert row == expected
        assert data.notes[0] == "read as LlamaIndex responses"
