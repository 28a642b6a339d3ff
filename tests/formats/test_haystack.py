"""Reports, pipelines and answers of Haystack."""

from __future__ import annotations

from ragauge.formats import read
from ragauge.formats.sources import (
    haystack,
)
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, READ, SECOND, TEXTS, parts, samples


def test_the_report_of_haystack_as_columns() -> None:
    report = {"question": [QUESTION], "contexts": [TEXTS], "answer": [GOLD], "predicted_answer": [ANSWER], "sas": [0.5]}
    assert parts(report) == {**READ, "references": [GOLD]}


def test_pipelines_of_haystack() -> None:
    notes: list[str] = []
    answer = {"query": "Who?", "data": "Anna.", "documents": []}
    built = {"builder": {"answers": [answer, {**answer, "data": "other"}]}, "r": {"documents": ["茶"]}, "n": 3}
    assert samples(haystack, [built], notes) == [{"question": "Who?", "answer": "Anna.", "contexts": ["茶"]}]
    own = {"builder": {"answers": [{**answer, "documents": ["水"]}]}, "r": {"documents": ["茶"]}}
    assert samples(haystack, [own], notes)[0]["contexts"] == ["水"]
    assert samples(haystack, [{"builder": {"answers": [answer]}}], notes)[0]["contexts"] is None
    assert samples(haystack, [answer], notes) == [{"question": "Who?", "answer": "Anna.", "contexts": []}]
    assert notes == []
    two = {"a": {"replies": ["draft"]}, "b": {"replies": ["Anna.", "second"]}, "c": {"replies": []}}
    assert samples(haystack, [two, two], notes) == [{"answer": "Anna."}] * 2
    assert notes == ["2 components of the pipeline returned replies; those of the last were read"]


def test_pipelines_and_responses() -> None:
    outputs = {
        "retriever": {"documents": [{"content": text, "id": text[:2]} for text in TEXTS]},
        "llm": {"replies": [ANSWER]},
    }
    assert parts(outputs) == {"answer": ANSWER, "contexts": TEXTS, "retrieved": ["林婉", "Te"]}
    two = {**outputs, "joiner": {"documents": [{"content": SECOND}]}}
    assert parts(two)["contexts"] == [SECOND]
    assert "2 components of the pipeline returned documents; those of the last were read" in read(two).notes
    nodes = [{"node": {"id_": "n1", "text": FIRST}, "score": 0.5}]
    response = {"query": QUESTION, "response": ANSWER, "source_nodes": nodes}
    assert parts(response) == {"question": QUESTION, "answer": ANSWER, "contexts": [FIRST], "retrieved": ["n1"],
                               "retrieved_scores": [0.5]}  # fmt: skip
