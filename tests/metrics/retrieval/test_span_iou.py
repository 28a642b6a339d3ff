"""Spans of chunks and references: counted as sets of characters, and as chunking_evaluation counts them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from ragauge import evaluate, score
from ragauge.errors import DataError
from tests import fresh

NAMES = ("span-recall", "span-precision", "span-iou")


def span(start: int, end: int, document: str | None = "d") -> dict[str, Any]:
    return {"document": document, "start": start, "end": end}


def by_characters(retrieved: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> tuple[float, float, float]:
    """The formulas with a set of characters for each side; retrieved ones count as often as they come."""

    def characters(spans: list[dict[str, Any]]) -> set[tuple[Any, int]]:
        return {(one["document"], place) for one in spans for place in range(one["start"], one["end"])}

    shared, reference = len(characters(retrieved) & characters(wanted)), len(characters(wanted))
    length = sum(one["end"] - one["start"] for one in retrieved)
    return shared / reference, shared / length if length else 0.0, shared / (length + reference - shared)


def test_the_example_of_chunking_evaluation() -> None:
    """Two references of 10 characters; chunks of 8, of which two overlap."""
    retrieved, wanted = [span(0, 8), span(6, 14), span(100, 108)], [span(0, 10), span(103, 113)]
    found = [score(name, retrieved_spans=retrieved, reference_spans=wanted) for name in NAMES]
    assert found == pytest.approx([15 / 20, 15 / 24, 15 / (24 + 20 - 15)])
    # Precision omega: all chunks that touch a reference.
    every = [span(0, 8), span(6, 14), span(100, 108), span(106, 114)]
    assert score("span-precision", retrieved_spans=every, reference_spans=wanted) == 20 / 32


@pytest.mark.parametrize("seed", [1, fresh.seed()], ids=["known", "fresh"])
def test_sets_of_characters(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - no secret is drawn

    def spans(most: int) -> list[dict[str, Any]]:
        starts = [random.randrange(60) for _ in range(random.randrange(most))]
        return [span(start, start + random.randrange(1, 30), random.choice(["a", "b", "茶"])) for start in starts]

    rows = [{"retrieved_spans": spans(6), "reference_spans": [*spans(4), span(3, 5)]} for _ in range(200)]
    expected = [by_characters(row["retrieved_spans"], row["reference_spans"]) for row in rows]
    result = evaluate(rows, [*NAMES, "span-recall@2", "span-recall:average=pooled"], resamples=0)
    for name, values in zip(NAMES, zip(*expected, strict=True), strict=True):
        assert result.scores(name) == pytest.approx(values)
    cut = [by_characters(row["retrieved_spans"][:2], row["reference_spans"])[0] for row in rows]
    assert result.scores("span-recall@2") == pytest.approx(cut)
    assert 0 < result["span-recall:average=pooled"].value < 1


def test_what_is_not_there() -> None:
    rows: list[dict[str, Any]] = [
        {"retrieved_spans": [], "reference_spans": [span(0, 5)]},
        {"retrieved_spans": [span(0, 5, "other")], "reference_spans": [span(0, 5)]},
        {"retrieved_spans": [span(0, 5)], "reference_spans": []},
        {"retrieved_spans": [span(0, 5)], "reference_spans": [span(5, 5)]},
        {"retrieved_spans": [span(0, 5)], "reference_spans": None},
    ]
    for name in NAMES:
        result = evaluate(rows, name, resamples=0)
        assert [str(one) for one in result.statuses(name)] == ["ok", "ok", "undefined", "undefined", "missing"]
        assert result.scores(name)[:2].tolist() == [0, 0]


@pytest.mark.parametrize(
    "written",
    [
        [span(0, 10)],
        [span(0, 10, None)],
        [[0, 10]],
        [0, 10],
        json.dumps([[0, 10]]),
        json.dumps(span(0, 10)),
        [{"start_index": 0, "end_index": 10}],
        [{"doc_id": 7, "start": 0.0, "end": 10.0}],
    ],
)
def test_forms_of_a_span(written: Any) -> None:
    rows = [{"retrieved_spans": written, "reference_spans": written}]
    assert evaluate(rows, "span-iou", resamples=0)["span-iou"].value == 1.0


@pytest.mark.parametrize(
    "wrong", ["0-10", [[5, 3]], [[-1, 3]], [[0.5, 3]], [{"start": 1}], [["a", "b"]], [[0, 1 << 50]], [None], 3]
)
def test_another_form_is_refused(wrong: Any) -> None:
    with pytest.raises(DataError, match=r"column retrieved_spans must list spans in each row, as .* not "):
        evaluate([{"retrieved_spans": wrong, "reference_spans": [[0, 5]]}], "span-iou", resamples=0)


@pytest.mark.parametrize(
    "document", ["tea", "茶", "お茶", "차", "شاي", "चाय", "чай", "ชา", "thé", "chá", "Tee", "τσάι", "ჩაი", "շայ"]
)
def test_documents_in_any_script(document: str) -> None:
    assert score("span-recall", retrieved_spans=[span(0, 4, document)], reference_spans=[span(2, 6, document)]) == 0.5
