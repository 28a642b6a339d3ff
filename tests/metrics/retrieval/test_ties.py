"""How equally scored documents are ordered, and the mean over all their orders."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragauge.errors import OptionError
from ragauge.metrics.parse import parse
from tests.metrics.retrieval.rankings import Scores, by_ids, scores

HAVE_A_MEAN = (
    "hit-rate@2", "hit-rate", "precision@2", "precision", "recall@3", "mrr", "mrr@2", "map", "map@2", "map@3",
    "r-precision", "dcg@3", "ndcg", "ndcg@2", "ndcg@3:gain=exp", "rbp", "rbp@2:p=.5", "judged@3",
    "ndcg@1:ideal=retrieved", "f1@2", "f1:beta=3",
)  # fmt: skip


def orders(row: dict[str, float]) -> list[dict[str, float]]:
    """The same documents in every order that their scores allow, without ties."""
    groups = [[name for name in row if row[name] == score] for score in sorted(set(row.values()), reverse=True)]
    whole = [[name for group in choice for name in group] for choice in product(*map(permutations, groups))]
    return [{name: float(-place) for place, name in enumerate(order)} for order in whole]


documents = st.sampled_from([f"d{number}" for number in range(6)])
ranking = st.dictionaries(documents, st.sampled_from([0.0, 1.0, 2.0]), max_size=6)
judgements = st.dictionaries(documents, st.sampled_from([-1, 0, 1, 1, 2, 3]), min_size=1, max_size=6)


@settings(max_examples=60)
@given(row=ranking, grades=judgements)
@pytest.mark.costly
def test_mean_is_the_mean_over_all_orders(row: dict[str, float], grades: dict[str, float]) -> None:
    every = orders(row)
    each = by_ids(
        {str(number): order for number, order in enumerate(every)}, {str(n): grades for n in range(len(every))}
    )
    others: Scores = {"q": {"x": 1.0, "d1": 1.0}}
    batch = by_ids({"q": row, "r": others["q"]}, {"q": grades, "r": {"d1": 1}})
    for spec in HAVE_A_MEAN:
        tied = f"{spec}{',' if ':' in spec else ':'}ties=mean"
        assert scores(tied, batch)[0] == pytest.approx(scores(spec, each).mean(), abs=1e-12), spec


@pytest.mark.parametrize("name", ["err", "bpref", "iprec"])
def test_no_mean_without_a_closed_form(name: str) -> None:
    with pytest.raises(OptionError, match=f"option 'ties' of {name} must be .* no closed form .* got 'mean'"):
        parse(f"{name}:ties=mean")


def test_policies() -> None:
    batch = by_ids({"q": {"b": 1.0, "c": 1.0, "a": 1.0}}, {"q": {"a": 1}})
    found = {ties: scores(f"mrr:ties={ties}", batch)[0] for ties in ("docid-desc", "docid-asc", "input", "mean")}
    assert found == pytest.approx({"docid-desc": 1 / 3, "docid-asc": 1.0, "input": 1 / 3, "mean": 11 / 18})


def test_trec_eval_9_rounds_scores() -> None:
    batch = by_ids({"q": {"a": 1.00000001, "b": 1.0}}, {"q": {"a": 1}})
    assert [scores(f"mrr:score_dtype={kind}", batch)[0] for kind in ("float64", "float32")] == [1.0, 0.5]


def test_a_thousand_tied_documents_are_quick_and_exact() -> None:
    row = {f"d{number:04}": 1.0 for number in range(1000)}
    batch = by_ids({"q": row}, {"q": {"d0500": 1}})
    harmonic = (1 / np.arange(1, 1001)).sum()
    assert scores("mrr:ties=mean", batch)[0] == pytest.approx(harmonic / 1000)
    assert scores("map:ties=mean", batch)[0] == pytest.approx(harmonic / 1000)
    assert scores("hit-rate@10:ties=mean", batch)[0] == pytest.approx(0.01)


def test_a_mean_over_ties_is_not_above_a_perfect_score() -> None:
    """Its sum is rounded up to 1.0000000000000002."""
    batch = by_ids(
        {"q": {f"d{place}": float(-(place // 2)) for place in range(5)}}, {"q": {f"d{i}": 1 for i in range(5)}}
    )
    assert scores("map:ties=mean", batch).tolist() == [1.0]


@pytest.mark.parametrize("spec", [spec for spec in HAVE_A_MEAN if "dcg@3" not in spec and "rbp" not in spec])
def test_no_mean_is_above_1_however_it_is_rounded(spec: str) -> None:
    """Of tied documents that are all relevant, sums of their probabilities may come to 1.0000000000000004."""
    random = np.random.default_rng(0)
    run: dict[str, dict[str, float]] = {}
    for query in range(600):
        levels = random.integers(0, random.integers(2, 7), random.integers(2, 60))
        run[str(query)] = {f"d{place}": float(level) for place, level in enumerate(levels)}
    few = {query: dict.fromkeys(list(row)[: 1 + int(query) % len(row)], 1) for query, row in run.items()}
    every = {query: dict.fromkeys(row, 1) for query, row in run.items()}
    for grades in (few, every):
        found = scores(f"{spec}{',' if ':' in spec else ':'}ties=mean", by_ids(run, grades))
        assert found.max() <= 1.0
        assert found.min() >= 0.0
