"""Equal to ranx 0.3.21 on runs without ties, where the definitions agree.

They do not agree on bpref where fewer documents are judged not relevant than relevant, on rbp with grades above 1,
and on negative grades. Without NUMBA_DISABLE_JIT=1, ranx compiles for about a minute.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.metrics.retrieval.rankings import Scores, by_ids, scores

pytestmark = pytest.mark.filterwarnings("ignore")
ranx = pytest.importorskip("ranx")

MEASURES = {
    "hit_rate@5": "hit-rate@5",
    "precision@5": "precision@5",
    "recall@5": "recall@5",
    "f1@5": "f1@5",
    "r-precision": "r-precision",
    "mrr": "mrr",
    "mrr@3": "mrr@3",
    "map": "map",
    "map@5": "map@5",
    "dcg@5": "dcg@5",
    "ndcg": "ndcg",
    "ndcg@5": "ndcg@5",
    "dcg_burges@5": "dcg@5:gain=exp",
    "ndcg_burges@5": "ndcg@5:gain=exp",
}
LEVEL_2 = {"precision@5-l2": "precision@5:level=2", "mrr-l2": "mrr:level=2", "map-l2": "map:level=2"}


def untied(seed: int, grades: list[int]) -> tuple[Scores, Scores]:
    random = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(40)]
    run, qrels = {}, {}
    for query in range(20):
        retrieved = random.permutation(documents)[: random.integers(1, 30)].tolist()
        judged = random.permutation(documents)[: random.integers(2, 30)].tolist()
        run[f"q{query:02}"] = dict(
            zip(retrieved, random.permutation(len(retrieved)).astype(float).tolist(), strict=True)
        )
        qrels[f"q{query:02}"] = dict(zip(judged, random.choice(grades, size=len(judged)).tolist(), strict=True))
        qrels[f"q{query:02}"][judged[0]] = max(grades)
    return run, qrels


def compare(measures: dict[str, str], run: Scores, qrels: Scores) -> None:
    given = ranx.Run(dict(run)), ranx.Qrels(dict(qrels))
    found = ranx.evaluate(given[1], given[0], list(measures), return_mean=False)
    batch = by_ids(run, qrels)
    for theirs, ours in measures.items():
        np.testing.assert_allclose(scores(ours, batch), found[theirs], atol=1e-12, err_msg=theirs)


@pytest.mark.parametrize("seed", range(5))
def test_graded(seed: int) -> None:
    compare(MEASURES | LEVEL_2, *untied(seed, [0, 0, 1, 2, 3]))


@pytest.mark.parametrize("seed", range(5))
def test_rbp_of_binary_judgements(seed: int) -> None:
    compare({"rbp.80": "rbp", "rbp.95": "rbp:p=.95"}, *untied(seed, [0, 0, 1]))
