"""Defects of other tools, each of which we are seen not to have (pytrec_eval, ranx and others as of November 2026)."""

from __future__ import annotations

import copy
import time

import numpy as np
import pytest

from ragauge.formats import read_retrieval
from tests.metrics.retrieval.rankings import Scores, by_grades, by_ids, mean, scores

ORDER_132 = by_ids({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "b": 3, "c": 2}})


def test_two_gains_at_one_cutoff_do_not_mix() -> None:
    """ir_measures 0.4.3: [nDCG@2, nDCG(gains=...)@2] gave .6091 and 0."""
    specs = ("ndcg@2", "ndcg@2:gain=exp", "ndcg@2:gain=1:1/2:3/3:7", "ndcg@2")
    assert [round(scores(spec, ORDER_132)[0], 4) for spec in specs] == [0.6788, 0.6091, 0.6091, 0.6788]


def test_one_rule_for_ties_in_one_call() -> None:
    """ir_measures 0.4.3: of a three-way tie, RR .3333 and RR@10 1."""
    batch = by_ids({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1}})
    assert scores("mrr", batch) == scores("mrr@10", batch) == pytest.approx([1 / 3])


def test_fractional_gains() -> None:
    """trec_eval 10.0: gains .5, .7, .9 gave 0, ten times as much gave .8908."""
    small = scores("ndcg:gain=1:0.5/2:0.7/3:0.9", ORDER_132)[0]
    assert small == pytest.approx(scores("ndcg:gain=1:5/2:7/3:9", ORDER_132)[0])
    assert round(small, 4) == 0.8908


def test_a_missing_query_is_counted_as_zero() -> None:
    """trec_eval 10.0 exits; trec_eval 9, pytrec_eval and beir 2.2 average over the rest."""
    batch = by_ids({"q": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 1}})
    assert mean("map", batch) == 0.5


def test_rbp_does_not_depend_on_what_was_in_memory() -> None:
    """trec_eval 10.0 reads uninitialised bounds of gains; ranx 0.3.21 adds raw grades: .532, and more than 1."""
    assert round(scores("rbp:p=.9", ORDER_132)[0], 3) == 0.271
    assert scores("rbp", by_grades([4, 4, 4, 4]))[0] == pytest.approx(1 - 0.8**4)


def test_time_grows_with_the_topics_not_with_their_square() -> None:
    """trec_eval 10.0 looks each topic up by comparing it with all."""
    batch = by_ids({f"q{n}": {"a": 1.0} for n in range(20000)}, {f"q{n}": {"a": 1} for n in range(20000)})
    start = time.process_time()
    assert mean("map", batch) == 1.0
    assert time.process_time() - start < 5


def test_the_order_of_insertion_does_not_break_ties() -> None:
    """ranx 0.3.21: 40 tied documents gave RR .0385 or .0714 by insertion order."""
    names = [f"d{number:02}" for number in range(40)]
    found = [
        scores("mrr", by_ids({"q": dict.fromkeys(order, 1.0)}, {"q": {"d07": 1}}))[0] for order in (names, names[::-1])
    ]
    assert found == [1 / 33, 1 / 33]


def test_bpref_without_a_document_judged_not_relevant() -> None:
    """ranx 0.3.21: NaN; and 0 for grades -1, 2, 0 in this order, where trec_eval has 1."""
    assert scores("bpref", by_ids({"q": {"a": 1.0}}, {"q": {"a": 1}})).tolist() == [1.0]
    assert scores("bpref", by_grades([-1, 2, 0])).tolist() == [1.0]


def test_ids_are_compared_whole() -> None:
    """ranx 0.3.21 turns ids into 53 bits of a hash."""
    names = [str(2**53 + number) for number in range(4)]
    batch = by_ids({"q": {name: float(-place) for place, name in enumerate(names)}}, {"q": {names[1]: 1}})
    assert scores("mrr", batch).tolist() == [0.5]


def test_many_relevant_documents_take_no_longer_each() -> None:
    """ranx 0.3.21: average precision in time retrieved x relevant."""
    size = 200_000
    start = time.process_time()
    assert mean("map", by_grades([1.0] * size)) == 1.0
    assert time.process_time() - start < 10


def test_a_document_named_like_its_query_counts_and_input_is_not_changed() -> None:
    """beir 2.2.0 deletes it, from the caller's dict."""
    run: Scores = {"q": {"q": 2.0, "a": 1.0}}
    qrels: Scores = {"q": {"q": 1}}
    before = copy.deepcopy((run, qrels))
    (batch,) = read_retrieval(run, qrels).batches()
    assert scores("mrr", batch).tolist() == [1.0]
    assert (run, qrels) == before


def test_nothing_is_rounded() -> None:
    """beir 2.2.0 rounds to 5 digits."""
    assert scores("mrr", by_grades([0, 0, 1])).tolist() == [1 / 3]


def test_scores_of_zero_and_below_are_scores() -> None:
    """torchmetrics 1.9 takes documents scored 0 or less as not relevant, and computes in float32."""
    batch = by_ids({"q": {"a": -1.0, "x": -2.0, "b": -2.000000001}}, {"q": {"a": 1, "b": 1}})
    assert scores("precision@3", batch).tolist() == [2 / 3]
    assert scores("map", batch).tolist() == [(1 + 2 / 3) / 2]


def test_the_divisor_is_all_that_is_relevant() -> None:
    """torchmetrics 1.9 divides average precision by what was found in the top k; others by k."""
    batch = by_ids({"q": {"a": 1.0}}, {"q": dict.fromkeys("abcd", 1)})
    assert scores("map@1", batch).tolist() == [0.25]
    assert scores("recall@1", batch).tolist() == [0.25]


@pytest.mark.parametrize("gain", ["linear", "exp", "1:3/2:9/3:27"])
def test_ideal_and_actual_gains_are_of_one_kind(gain: str) -> None:
    """Hand-written nDCGs with gain 3 in the ideal and 1 in the ranking."""
    assert scores(f"ndcg:gain={gain}", by_grades([3, 2, 1, 0])).tolist() == [1.0]


def test_the_discount_of_rank_1_is_1() -> None:
    """Hand-written nDCGs whose discount is off by one."""
    assert scores("dcg", by_grades([1, 1])).tolist() == [1 + 1 / np.log2(3)]


def test_a_query_without_judgements_leaves_the_next_alone() -> None:
    """pytrec_eval #49: an empty set of judgements corrupted later queries; and measures kept state between calls."""
    batch = by_ids({"q": {"a": 1.0}, "r": {"a": 1.0}}, {"q": {}, "r": {"a": 1}})
    assert scores("map", batch).tolist() == scores("map", batch).tolist() == [0.0, 1.0]


def test_level_leaves_gains_alone() -> None:
    """ranx 0.3.21 with -l2 drops gains below 2 from nDCG: .6309 for .8597."""
    batch = by_ids({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}})
    assert round(scores("ndcg:level=2", batch)[0], 4) == 0.8597


def test_ndcg_with_a_cutoff_cuts_the_ideal_too() -> None:
    """trec_eval: -M k with ndcg is not ndcg_cut.k, for its ideal is not cut."""
    batch = by_ids({"q": {"a": 2.0, "b": 1.0}}, {"q": dict.fromkeys("abc", 1)})
    assert scores("ndcg@2", batch).tolist() == [1.0]
