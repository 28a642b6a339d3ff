"""RAG metrics that a person can check by hand, in English and Chinese."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ragauge

TEA_EN: dict[str, Any] = {
    "question": "Who opened the tea house?",
    "answer": "Lin Wan opened the tea house in 1990. It serves jasmine tea. The roof is red.",
    "contexts": [
        "The tea house was opened in 1990 by Lin Wan. It lies by the river.",
        "Bicycles can be rented at the station.",
        "The tea house serves jasmine tea and rice cakes.",
    ],
    "references": ["Lin Wan opened the tea house in 1990. She studied law in Lisbon."],
}
TEA_ZH: dict[str, Any] = {
    "question": "谁开了这家茶馆？",
    "answer": "林婉在1990年开了这家茶馆。茶馆供应茉莉花茶。屋顶是红色的。",
    "contexts": [
        "1990年林婉在河边开了这家茶馆。茶馆旁边有一座桥。",
        "车站可以租自行车。",
        "茶馆供应茉莉花茶和米糕。",
    ],
    "references": ["1990年林婉开了这家茶馆。她曾在里斯本学习法律。"],
}


def value(metric: str, sample: dict[str, Any]) -> float:
    return ragauge.evaluate([sample], metric, resamples=0).table[0].value


@pytest.mark.parametrize("sample", [TEA_EN, TEA_ZH], ids=["en", "zh"])
class TestOneSample:
    """Two of three sentences of the answer are in the passages; one of two of the reference; passages 1 and 3 serve."""

    def test_groundedness(self, sample: dict[str, Any]) -> None:
        assert value("groundedness:soft=false", sample) == 2 / 3

    def test_context_precision(self, sample: dict[str, Any]) -> None:
        """The reference is in the first passage only."""
        assert value("context-precision", sample) == 1.0
        assert value("context-precision:compat=ragas", sample) == 1 / (1 + 1e-10)
        assert value("context-precision", {**sample, "contexts": sample["contexts"][::-1]}) == 1 / 3

    def test_context_utilization(self, sample: dict[str, Any]) -> None:
        """The answer draws on the first and the third: (1/1 + 2/3) / 2."""
        assert value("context-utilization", sample) == pytest.approx((1 + 2 / 3) / 2)
        assert value("context-utilization@2", sample) == 1.0

    def test_context_recall(self, sample: dict[str, Any]) -> None:
        assert value("context-recall:soft=false", sample) == 1 / 2

    def test_context_relevancy(self, sample: dict[str, Any]) -> None:
        """Of four sentences those that name the tea house: two in English, where one says "it", three in Chinese."""
        assert value("context-relevancy:relevance=none", sample) == (2 if sample is TEA_EN else 3) / 4
        assert value("context-relevancy:to=answer", sample) == 2 / 4

    def test_answer_correctness(self, sample: dict[str, Any]) -> None:
        """One of three sentences is in the reference, one of two of its own is in the answer: F = 2/5."""
        spec = "answer-correctness:short=0,soft=false"
        metric = ragauge.evaluate([sample], spec, resamples=0).table[0]
        assert (metric.parts["precision"], metric.parts["recall"]) == pytest.approx((1 / 3, 1 / 2))
        assert metric.parts["f"] == pytest.approx(2 / 5)
        similarity = value("semantic-similarity", sample)
        assert metric.parts["similarity"] == similarity
        assert metric.value == pytest.approx(0.75 * 2 / 5 + 0.25 * similarity)

    def test_empty_cases(self, sample: dict[str, Any]) -> None:
        for metric in (
            "groundedness",
            "context-precision",
            "context-recall",
            "context-relevancy",
            "context-utilization",
        ):
            assert value(metric, {**sample, "contexts": []}) == 0.0
        for metric in ("answer-correctness", "semantic-similarity", "answer-relevancy", "context-utilization"):
            assert value(metric, {**sample, "answer": ""}) == 0.0
        for metric in ("answer-correctness", "semantic-similarity", "context-precision", "context-recall"):
            assert math.isnan(value(metric, {**sample, "references": []}))
        assert math.isnan(value("groundedness", {**sample, "answer": ""}))
