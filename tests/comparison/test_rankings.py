"""Rankings of two runs beside each other, and the orders in which metrics put several runs."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge
from ragauge.results.result import Result

QUESTIONS = [{"id": f"q{i}", "relevance": {"a": 1, "b": 2}} for i in range(6)]


def run(*ranked: list[str], metrics: str | list[str] = "mrr", **columns: Any) -> Result:
    rows = [
        question | {"retrieved": names} | {name: values[place] for name, values in columns.items()}
        for place, (question, names) in enumerate(zip(QUESTIONS, ranked, strict=False))
    ]
    return ragauge.evaluate(rows, metrics, resamples=0)


def test_means_over_questions() -> None:
    one = run(["a", "b", "c"], ["a", "b", "c"], [])
    other = run(["a", "c", "b"], ["a", "b", "c"], [])
    comparison = ragauge.compare(one, other)
    [alike] = comparison.rankings()
    assert alike.rbo == pytest.approx((0.955 + 1) / 2)
    assert alike.rbo_seen == pytest.approx((0.226 + 0.271) / 2)
    assert (alike.overlap, alike.questions, alike.ordered) == (1, 2, 2)
    assert alike.tau == pytest.approx((1 / 3 + 1) / 2)
    said = "Rankings of candidate beside the base: RBO 0.978, overlap@10 1.000, Kendall's tau 0.667 (2 questions)"
    assert said in " ".join(str(comparison).split())
    assert comparison.to_dict()["rankings"][0]["overlap"] == 1


def test_scores_decide_and_ties_are_those_of_the_metric() -> None:
    names = ["a", "b", "c"]
    by_scores = run(names, retrieved_scores=[[1, 3, 2]])
    [alike] = ragauge.compare(run(["b", "c", "a"]), by_scores).rankings()
    assert alike.rbo == pytest.approx(1)
    assert alike.tau == 1
    for metric, order in (("mrr", ["c", "b", "a"]), ("mrr:ties=docid-asc", names), ("mrr:ties=input", names)):
        tied = run(names, retrieved_scores=[[1, 1, 1]], metrics=metric)
        [alike] = ragauge.compare(run(order, metrics=metric), tied).rankings()
        assert alike.tau == 1, metric


def test_a_document_that_comes_twice_counts_where_it_is_best() -> None:
    twice = run(["a", "b", "a", "c"], metrics="mrr:duplicates=first")
    [alike] = ragauge.compare(run(["a", "b", "c"], metrics="mrr:duplicates=first"), twice).rankings()
    assert alike.rbo == pytest.approx(1)
    assert alike.tau == 1


def test_nothing_is_said_without_two_rankings() -> None:
    rows = [{"id": f"q{i}", "answer": "tea", "references": ["tea"]} for i in range(3)]
    plain = ragauge.evaluate(rows, "token-f1", resamples=0)
    ranked = ragauge.evaluate([row | {"retrieved": ["a"]} for row in rows], "token-f1", resamples=0)
    empty = ragauge.evaluate([row | {"retrieved": []} for row in rows], "token-f1", resamples=0)
    for one, other in ((plain, ranked), (ranked, plain), (empty, empty)):
        comparison = ragauge.compare(one, other)
        assert comparison.rankings() == []
        assert "rankings" not in comparison.to_dict()
        assert "RBO" not in str(comparison)
    assert ragauge.compare(ranked, ranked).rankings()[0].rbo == pytest.approx(1)


def test_the_order_of_runs_by_two_metrics() -> None:
    metrics = ["mrr", "recall@1", "column:name=cost,direction=lower"]
    ranked = (["x", "a"], ["a", "x"], ["x", "y"])
    runs = [run(names, metrics=metrics, cost=[cost]) for names, cost in zip(ranked, (2.0, 1.0, 3.0), strict=True)]
    comparison = ragauge.compare(*runs, primary=["mrr", "column:name=cost,direction=lower"])
    orders = {tuple(one["metrics"]): one["tau"] for one in comparison.to_dict()["orders"]}
    assert orders[("mrr", "column:name=cost,direction=lower")] == pytest.approx(1)
    assert orders[("mrr", "recall@1")] == pytest.approx(2 / 6**0.5)  # tau-b: of recall two runs are tied
    assert "All primary metrics put the 3 runs in the same order" in str(comparison)
    said = " ".join(str(ragauge.compare(*runs, primary=["mrr", "recall@1"])).split())
    assert "Order of the 3 runs by two metrics, Kendall's tau: mrr / recall@1 0.816" in said
    assert "orders" not in ragauge.compare(*runs[:2]).to_dict()
