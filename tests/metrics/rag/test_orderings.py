"""What is right beats what is not, in five languages, with the default embedder and its shipped thresholds."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.repeats import others_long

from .given import batch_of

LANGUAGES = ("en", "zh", "ja", "ko", "ru")
TOPICS: dict[str, list[dict[str, str]]] = tomllib.loads((Path(__file__).parent / "topics.toml").read_text("utf-8"))


def scores(metric: str, rows: list[dict[str, Any]]) -> list[float]:
    made = ragauge.parse(metric)
    return [float(score) for score in made.score(made.measure(batch_of(*rows)))]


def row(own: dict[str, str], other: dict[str, str]) -> dict[str, Any]:
    """An answer and a question with another's passage."""
    texts = [other["passage"]]
    return {"question": own["question"], "answer": own["answer"], "references": [own["answer"]], "contexts": texts}


@pytest.mark.parametrize("language", others_long(LANGUAGES, 2))
@pytest.mark.parametrize("metric", ["groundedness", "context-relevancy", "context-recall", "context-precision"])
def test_its_own_passage_beats_any_other(language: str, metric: str) -> None:
    """Degrees, 0 or 1 a sentence, and soft ones: 20 questions, 380 wrong passages."""
    topics = TOPICS[language]
    assert len(topics) == 20
    pairs = [(one, other) for one in range(20) for other in range(20)]
    rows = [row(topics[one], topics[other]) for one, other in pairs]
    for spec in (metric, f"{metric}:soft=true") if metric != "context-precision" else (metric,):
        found = dict(zip(pairs, scores(spec, rows), strict=True))
        lost = [pair for pair in pairs if pair[0] != pair[1] and found[pair] >= found[pair[0], pair[0]]]
        assert lost == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_right_passage_stands_first(language: str) -> None:
    """Behind a random passage it scores half, before it all."""
    topics = TOPICS[language]
    for metric, column in (("context-precision", "references"), ("context-utilization", "answer")):
        rows = []
        for place, topic in enumerate(topics):
            passages = [topic["passage"], topics[(place + 7) % 20]["passage"]]
            truth: Any = [topic["answer"]] if column == "references" else topic["answer"]
            rows += [{column: truth, "contexts": passages}, {column: truth, "contexts": passages[::-1]}]
        expected = [1.0, 0.5] * 20
        assert scores(metric, rows) == expected


@pytest.mark.parametrize("language", others_long(LANGUAGES, 2))
@pytest.mark.parametrize("metric", ["answer-correctness", "semantic-similarity", "answer-relevancy"])
def test_its_own_answer_beats_any_other(language: str, metric: str) -> None:
    topics = TOPICS[language]
    pairs = [(one, other) for one in range(20) for other in range(20)]
    rows = [
        {
            "question": topics[one]["question"],
            "references": [topics[one]["answer"]],
            "answer": topics[other]["answer"],
        }
        for one, other in pairs
    ]
    found = dict(zip(pairs, scores(metric, rows), strict=True))
    lost = [pair for pair in pairs if pair[0] != pair[1] and found[pair] >= found[pair[0], pair[0]]]
    assert lost == []
