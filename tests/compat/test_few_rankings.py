"""A few rankings are scored without arrays: the same bits as with them, and as pytrec_eval's."""

from __future__ import annotations

import random
from typing import Any

import pytest

from ragauge.compat import _few_rankings
from ragauge.compat.pytrec_eval import RelevanceEvaluator

pytest.importorskip("ragauge_native", reason="ragauge was installed without a compiler of C++20")

MEASURES = {
    "map", "map_cut", "ndcg", "ndcg_cut", "recip_rank", "recall", "P", "success", "set_P", "set_recall",
}  # fmt: skip


def drawn(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """Return a run with ties and documents that nobody judged, and judgements of documents that were not retrieved."""
    draw = random.Random(seed)  # noqa: S311 - the data of a test
    run, qrels = {}, {}
    for query in ("q1", "q2", "क", "七")[: draw.choice([1, 1, 2, 4])]:
        names = [f"d{place}" for place in range(draw.choice([1, 3, 12, 40]))]
        some = draw.sample(names, draw.randint(0, len(names)))
        run[query] = {name: draw.choice([draw.random(), float(draw.randint(0, 2))]) for name in some}
        judged = draw.sample([*names, "文", "é"], draw.randint(1, min(8, len(names))))
        qrels[query] = {name: draw.randint(-1, 3) for name in judged}
    return run, qrels


def without_few(evaluator: RelevanceEvaluator, run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(_few_rankings, "MOST", 0)
    found = evaluator.evaluate(run)
    monkeypatch.undo()
    return found


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(24))
def test_few_are_as_many(seed: int, level: int, judged_only: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    run, qrels = drawn(seed)
    evaluator = RelevanceEvaluator(qrels, MEASURES, level, judged_only)
    found = evaluator.evaluate(run)
    assert repr(found) == repr(without_few(evaluator, run, monkeypatch))


@pytest.mark.parametrize("seed", range(20))
def test_few_are_as_pytrec_eval(seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels = drawn(seed)
    # Where no grade is 0 or more, it takes seconds.
    qrels = {query: judged for query, judged in qrels.items() if max(judged.values()) >= 0}
    expected = pytrec_eval.RelevanceEvaluator(qrels, MEASURES - {"set_P", "set_recall"}).evaluate(run)
    assert RelevanceEvaluator(qrels, MEASURES - {"set_P", "set_recall"}).evaluate(run) == expected


def test_few_need_no_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RelevanceEvaluator, "_of_many", None)
    assert RelevanceEvaluator({"q": {"a": 1}}, {"map"}).evaluate({"q": {"a": 1.0}}) == {"q": {"map": 1.0}}


@pytest.mark.parametrize(("run", "qrels"), [({"q": {"a": "1"}}, {"q": {"a": 1}}), ({"q": {1: 0.5}}, {"q": {"a": 1}})])
def test_other_types_are_refused_as_among_many(run: Any, qrels: Any) -> None:
    with pytest.raises(TypeError, match=r"is not a number|must be a string"):
        RelevanceEvaluator(qrels, {"map"}).evaluate(run)


def test_ids_of_queries_that_are_no_texts_are_refused() -> None:
    with pytest.raises(TypeError, match="query id must be a string"):
        RelevanceEvaluator({7: {"a": 1}}, {"map"}).evaluate({7: {"a": 1.0}})  # type: ignore[dict-item]
