"""Equal to pytrec_eval-terrier 0.5.11 (trec_eval 9) to the last bit, for each query."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.metrics.parse import parse
from tests.metrics.retrieval.rankings import Scores, by_ids
from tests.repeats import others_long

pytrec_eval = pytest.importorskip("pytrec_eval")

CUTOFFS = (1, 3, 5, 10, 20)
LEVELS = ("0.00", "0.10", "0.25", "0.50", "0.70", "0.90", "1.00")

# Measure of pytrec_eval -> ours.
MEASURES = {
    "map": "map",
    "ndcg": "ndcg",
    "recip_rank": "mrr",
    "Rprec": "r-precision",
    "bpref": "bpref",
    "infAP": "infap",
    "set_P": "precision",
    "set_recall": "recall",
    "set_F": "f1",
    "11pt_avg": "iprec:rounding=up",
    **{f"map_cut_{k}": f"map@{k}" for k in CUTOFFS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in CUTOFFS},
    **{f"P_{k}": f"precision@{k}" for k in CUTOFFS},
    **{f"recall_{k}": f"recall@{k}" for k in CUTOFFS},
    **{f"success_{k}": f"hit-rate@{k}" for k in CUTOFFS},
    **{f"iprec_at_recall_{level}": f"iprec@{level}:rounding=up" for level in LEVELS},
}
ASKED = {
    "map", "ndcg", "recip_rank", "Rprec", "bpref", "infAP", "set_P", "set_recall", "set_F", "11pt_avg",
    *(f"{name}.{','.join(map(str, CUTOFFS))}" for name in ("map_cut", "ndcg_cut", "P", "recall", "success")),
    f"iprec_at_recall.{','.join(LEVELS)}",
}  # fmt: skip

# Measures of pytrec_eval that have no counterpart here.
ABSENT = {
    "G", "Rndcg", "Rprec_mult", "binG", "gm_bpref", "gm_map", "ndcg_rel", "num_nonrel_judged_ret", "num_q",
    "num_rel", "num_rel_ret", "num_ret", "relative_P", "relstring", "runid", "set_map", "set_relative_P", "utility",
}  # fmt: skip


def random_run(seed: int) -> tuple[Scores, Scores]:
    """A run with ties, also such as only float32 has, missing and extra queries, and unjudged and negative grades."""
    random = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(60)] + ["é1", "文2", "Ω3"]
    run, qrels = {}, {}
    for query in range(random.integers(2, 12)):
        retrieved = random.permutation(documents)[: random.integers(1, 50)].tolist()
        scores = np.round(random.normal(size=len(retrieved)), int(random.integers(0, 4)))
        scores += random.choice([0.0, 1e-9], size=len(retrieved))
        judged = random.permutation(documents)[: random.integers(1, 40)].tolist()
        grades = random.choice([-1, 0, 0, 0, 1, 2, 3, 4], size=len(judged))
        # pytrec_eval reads out of bounds, and may never return, where every grade is negative.
        grades[0] = max(grades[0], 0)
        if random.random() < 0.9:
            run[f"q{query}"] = dict(zip(retrieved, scores.tolist(), strict=True))
        if random.random() < 0.9:
            qrels[f"q{query}"] = dict(zip(judged, grades.tolist(), strict=True))
    return run, qrels


def test_every_measure_of_pytrec_eval_is_covered_or_listed_as_absent() -> None:
    families = {name.partition(".")[0] for name in ASKED}
    assert families | ABSENT == set(pytrec_eval.supported_measures)
    assert not families & ABSENT


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("tens", others_long(range(8), 3))
def test_bits_of_every_query(tens: int, level: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        check_bits(*random_run(seed), level)


@pytest.mark.parametrize("level", [1, 2])
def test_condensed_lists(level: int) -> None:
    for seed in range(100, 120):
        run, qrels = random_run(seed)
        asked = ASKED - {"infAP"}  # it is for documents that were pooled and not judged
        expected = pytrec_eval.RelevanceEvaluator(
            qrels, asked, relevance_level=level, judged_docs_only_flag=True
        ).evaluate(run)
        batch = by_ids(run, qrels)
        for theirs in set(MEASURES) - {"infAP"}:
            ours = MEASURES[theirs]
            metric = parse(f"{ours}{',' if ':' in ours else ':'}score_dtype=float32,level={level},unjudged=drop")
            scored = dict(zip(qrels, metric.score(metric.measure(batch)).tolist(), strict=True))
            # The mean over eleven levels of a ranking of which nothing is left is NaN there.
            found = {query: row[theirs] for query, row in expected.items() if not np.isnan(row[theirs])}
            assert {query: scored[query] for query in found} == found, ours


def check_bits(run: Any, qrels: Any, level: int) -> None:
    expected = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level).evaluate(run)
    batch = by_ids(run, qrels)
    for theirs, ours in MEASURES.items():
        metric = parse(f"{ours}{',' if ':' in ours else ':'}score_dtype=float32,level={level}")
        scored = dict(zip(qrels, metric.score(metric.measure(batch)).tolist(), strict=True))
        assert {query: scored[query] for query in expected} == {q: row[theirs] for q, row in expected.items()}, ours
        assert all(scored[query] == 0.0 for query in set(qrels) - set(run)), ours
