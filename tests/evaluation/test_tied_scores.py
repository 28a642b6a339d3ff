"""A note where documents of equal score tie, and another order of them could change scores."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core import native
from ragauge.evaluation.tied_scores import notes_on_ties
from ragauge.formats import read, read_retrieval
from tests.repeats import others_long

Scores = dict[str, dict[str, float]]


def _notes(result: Any) -> list[str]:
    return [note for note in result.data.notes if "equal score" in note]


def test_queries_whose_ties_touch_a_relevant_document_are_counted(tmp_path: Path) -> None:
    run = {
        "free": {"a": 0.9, "b": 0.5},
        "tied": {"a": 0.5, "b": 0.5},
        "alike": {"a": 0.5, "b": 0.5},
        "below": {"a": 0.9, "b": 0.2, "c": 0.2},
    }
    qrels = {"free": {"a": 1}, "tied": {"a": 1}, "alike": {"a": 1, "b": 1}, "below": {"a": 1}}
    lines = [f"{query} Q0 {name} 1 {score} r\n" for query, found in run.items() for name, score in found.items()]
    (tmp_path / "a.run").write_text("".join(lines))
    for given in (run, str(tmp_path / "a.run")):
        [note] = _notes(ragauge.evaluate(run=given, qrels=qrels, metrics=["mrr"], resamples=0))
        assert note == (
            "in 1 of 4 queries looked at, documents of equal score could as well be in another order, which could "
            "change mrr: of equal ones the greater id is first, as in trec_eval; ties=mean takes the mean over all "
            "orders"
        )
    rows = [
        {"id": query, "retrieved": list(found), "retrieved_scores": list(found.values()), "relevance": qrels[query]}
        for query, found in run.items()
    ]
    [note] = _notes(ragauge.evaluate(rows, ["mrr"], resamples=0))
    assert note.startswith("in 1 of 4 queries looked at")


def test_each_way_to_order_ties_is_named_and_the_mean_needs_no_note() -> None:
    data: dict[str, Any] = {"run": {"q": {"a": 0.5, "b": 0.5}}, "qrels": {"q": {"a": 1}}, "resamples": 0}
    notes = _notes(ragauge.evaluate(metrics=["mrr:ties=docid-asc", "map", "recall", "hit-rate@2"], **data))
    assert [note.partition("change ")[2].partition("; ")[0] for note in notes] == [
        "mrr:ties=docid-asc: of equal ones the lesser id is first",
        "map: of equal ones the greater id is first, as in trec_eval",
    ]
    assert not _notes(ragauge.evaluate(metrics=["mrr:ties=mean", "recall"], **data))
    [note] = _notes(
        ragauge.evaluate(metrics=["mrr:ties=input", "ndcg@10", "map", "rbp", "precision@1", "err"], **data)
    )[1:]
    assert "change ndcg@10, map, rbp, precision@1, ...:" in note


def test_without_scores_or_ids_there_are_no_ties() -> None:
    assert not _notes(ragauge.evaluate([{"retrieved": ["a", "b"], "relevance": {"a": 1}}], ["mrr"], resamples=0))
    rows = [{"contexts": ["a", "b"], "reference_contexts": ["a"]}]
    assert not _notes(ragauge.evaluate(rows, ["mrr"], resamples=0))
    assert not notes_on_ties(read(rows), {})


def test_what_scoring_refuses_is_named_there() -> None:
    rows = [{"retrieved": ["a", "a"], "retrieved_scores": [0.5, 0.5], "relevance": {"a": 1}}]
    with pytest.raises(ragauge.errors.DataError, match="is retrieved 2 times"):
        ragauge.evaluate(rows, ["mrr"])


METRICS = [
    "precision@2:unjudged=drop",
    "ndcg@3:unjudged=drop",
    "mrr",
    "map",
    "ndcg@3",
    "ndcg@10:gain=exp",
    "precision@2",
    "recall@3",
    "f1@2",
    "r-precision",
    "rbp",
    "dcg@2",
    "cg@2",
]


def _orders(found: dict[str, float]) -> list[dict[str, float]]:
    """Return the ranking in each order of its equal scores, with scores that fall."""
    groups = [
        [name for name, score in found.items() if score == one] for one in sorted(set(found.values()), reverse=True)
    ]
    each = product(*[list(permutations(group)) for group in groups])
    return [
        {name: float(len(found) - place) for place, name in enumerate([name for group in order for name in group])}
        for order in each
    ]


@pytest.mark.parametrize("level", others_long([2, 1]))
@pytest.mark.costly
def test_a_query_is_noted_just_where_some_order_has_another_score(level: int) -> None:
    random = np.random.default_rng(5)
    names = list("abcdef")
    run: Scores = {}
    qrels: Scores = {}
    for query in map(str, range(40)):
        run[query] = {name: float(random.integers(4)) for name in names[: int(random.integers(1, 6))]}
        qrels[query] = {name: int(random.integers(-1, 4)) for name in names if random.random() < 0.5} or {"a": 1}
    for name in METRICS:
        spec = (
            name
            if level == 1 or name.partition("@")[0] in ("dcg", "cg", "ndcg")
            else f"{name}{',' if ':' in name else ':'}level={level}"
        )
        metric: Any = ragauge.parse(spec)
        [batch] = read_retrieval(run, qrels).batches()
        said = set(metric.unsettled(batch).tolist())
        changing = set()
        for place, query in enumerate(qrels):
            orders = {f"{query} {number}": one for number, one in enumerate(_orders(run[query]))}
            scores = ragauge.evaluate(
                run=orders, qrels=dict.fromkeys(orders, qrels[query]), metrics=[spec], resamples=0
            )
            if len(set(np.round(scores.scores(scores.table[0].metric), 12).tolist())) > 1:
                changing.add(place)
        assert said >= changing, spec
        # Of several documents in a group the cutoff may take any, and with the same value.
        assert len(said - changing) <= 2, (spec, said - changing)


def test_ties_of_documents_with_subtopics_are_noted(tmp_path: Path) -> None:
    """ndeval has the lesser id first: of two tied documents the one that covers the subtopic, with a score of 1."""
    (tmp_path / "t.qrels").write_text("q1 1 a 1\nq1 2 a 1\nq1 1 b 0\n")
    (tmp_path / "t.run").write_text("q1 Q0 a 1 5 r\nq1 Q0 z 2 5 r\n")
    files: dict[str, Any] = {"run": str(tmp_path / "t.run"), "qrels": str(tmp_path / "t.qrels"), "resamples": 0}
    names = ["alpha-ndcg@1", "err-ia@5", "st-recall@1"]
    [note] = _notes(ragauge.evaluate(metrics=[*names, "st-recall@5"], **files))
    assert note == (
        "in 1 of 1 query looked at, documents of equal score could as well be in another order, which could change "
        "alpha-ndcg@1, err-ia@5, st-recall@1: of equal ones the greater id is first, as in trec_eval; ties=docid-asc "
        "is the order of ndeval, ties=input the order given"
    )
    as_ndeval = ragauge.evaluate(metrics=[f"{name}:ties=docid-asc" for name in names], **files)
    assert [score.value for score in as_ndeval.table] == [1.0, pytest.approx(0.7262, abs=1e-4), 1.0]


SUBTOPIC_METRICS = ["alpha-ndcg@2", "alpha-ndcg@10", "err-ia@2", "err-ia", "st-recall@2", "st-recall"]


@pytest.mark.parametrize("unjudged", ["keep", "drop"])
@pytest.mark.costly
def test_a_query_with_subtopics_is_noted_where_some_order_has_another_score(unjudged: str) -> None:
    random = np.random.default_rng(8)
    names = list("abcdef")
    rows: list[dict[str, Any]] = []
    for query in range(30):
        found = {name: float(random.integers(3)) for name in names[: int(random.integers(1, 6))]}
        topics = [[name for name in names if random.random() < 0.3] for _ in range(int(random.integers(1, 4)))]
        rows.append({"id": str(query), "found": found, "subtopics": [*topics, ["a"]]})

    def ranked(of: dict[str, float], row: dict[str, Any], name: str) -> dict[str, Any]:
        rest = {"retrieved": list(of), "retrieved_scores": list(of.values()), "subtopics": row["subtopics"]}
        return {"id": name, **rest}

    for spec in (f"{name}:unjudged={unjudged}" for name in SUBTOPIC_METRICS):
        metric: Any = ragauge.parse(spec)
        [batch] = read([ranked(row["found"], row, row["id"]) for row in rows]).batches()
        said, changing = set(metric.unsettled(batch).tolist()), set()
        for place, row in enumerate(rows):
            orders = [ranked(one, row, str(number)) for number, one in enumerate(_orders(row["found"]))]
            scores = ragauge.evaluate(orders, [spec], resamples=0)
            if len(set(np.round(scores.scores(scores.table[0].metric), 12).tolist())) > 1:
                changing.add(place)
        assert said >= changing, spec
        # Two that cover different subtopics may be worth the same.
        assert len(said) <= 3 * len(changing), (spec, said, changing)


def test_files_dicts_and_the_plain_way_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    run = {str(q): {f"d{n}": float(random.integers(5)) for n in range(9)} for q in range(50)}
    qrels = {query: {f"d{n}": int(random.integers(3)) for n in range(0, 9, 2)} for query in run}
    metric: Any = ragauge.parse("map")
    [dicts] = read_retrieval(run, qrels).batches()
    rows = [{"qid": query, "docno": name, "score": score} for query, one in run.items() for name, score in one.items()]
    [table] = read_retrieval(rows, qrels).batches()
    found = metric.unsettled(dicts).tolist()
    assert found
    assert metric.unsettled(table).tolist() == found
    monkeypatch.setattr(native, "dict_ranks", lambda *_: None)
    [plain] = read_retrieval(run, qrels).batches()
    assert metric.unsettled(plain).tolist() == found
