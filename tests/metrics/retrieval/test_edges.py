"""Corner cases: queries without relevant documents, missing queries, short rankings, bad options."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.core.statistics import Status
from ragauge.errors import DataError, OptionError
from ragauge.metrics.parse import parse
from ragauge.metrics.retrieval.hit_rate import HitRate
from ragauge.metrics.retrieval.ndcg import Ndcg
from tests.approved import pattern
from tests.metrics.retrieval.rankings import by_grades, by_ids, by_texts, mean, scores

NAMES = (
    "hit-rate", "precision", "recall", "f1", "r-precision", "mrr", "map", "dcg", "idcg", "ndcg", "rbp", "err", "bpref",
    "iprec", "iprec@0.5",
)  # fmt: skip
every_metric = pytest.mark.parametrize("name", NAMES)


@every_metric
@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -1, "b": -2}])
def test_nothing_relevant_is_zero_and_said(name: str, grades: dict[str, float]) -> None:
    rows = parse(name).measure(by_ids({"q": {"a": 1.0, "b": 0.5}}, {"q": grades}))
    assert rows.status.tolist() == [Status.OK]
    assert rows.defaulted.tolist() == [True]
    assert parse(name).score(rows).tolist() == [0.0]


@every_metric
def test_nothing_relevant_can_be_left_out(name: str) -> None:
    batch = by_ids({"q": {"a": 1.0}, "r": {"a": 1.0}}, {"q": {"a": 0}, "r": {"a": 4}})
    rows = parse(f"{name}:undefined=skip").measure(batch)
    assert rows.status.tolist() == [Status.UNDEFINED, Status.OK]
    assert not rows.values[0].any()


@pytest.mark.parametrize("name", [name for name in (*NAMES, "judged") if name != "idcg"])
def test_a_query_missing_from_the_run(name: str) -> None:
    batch = by_ids({"r": {"a": 1.0}}, {"q": {"a": 1}, "r": {"a": 1}})
    assert scores(name, batch)[0] == 0.0
    assert parse(f"{name}:missing_queries=skip").measure(batch).status.tolist() == [Status.MISSING, Status.OK]


@pytest.mark.parametrize("name", [name for name in (*NAMES, "judged") if name != "idcg"])
def test_an_empty_ranking_scores_zero(name: str) -> None:
    rows = parse(name).measure(by_ids({"q": {}}, {"q": {"a": 1}}))
    assert (rows.status.tolist(), rows.defaulted.tolist()) == ([Status.OK], [False])
    assert parse(name).score(rows).tolist() == [0.0]


@every_metric
def test_no_queries_at_all(name: str) -> None:
    assert len(parse(name).measure(by_ids({}, {}))) == 0
    assert len(parse(name).measure(by_texts([], []))) == 0


@pytest.mark.parametrize("name", ["precision", "ndcg", "judged"])
def test_k_beyond_any_integer(name: str) -> None:
    assert parse(f"{name}@{10**6}")
    for k in (10**6 + 1, 2**63, 10**400):
        with pytest.raises(OptionError, match="must be a whole number from 1 to 1000000 or none; got"):
            parse(f"{name}@{k}")


def test_k_beyond_what_was_retrieved() -> None:
    batch = by_ids({"q": {"a": 2.0, "x": 1.0}}, {"q": {"a": 1, "b": 1, "c": 1}})
    assert scores("precision@10", batch)[0] == 0.1
    assert scores("judged@10", batch)[0] == 0.5
    assert round(scores("f1@10", batch)[0], 4) == 0.1538
    assert round(scores("ndcg@2", batch)[0], 4) == 0.6131


def test_ideal_of_all_judgements_is_not_that_of_the_list() -> None:
    batch = by_ids({"q": {"x": 2.0, "a": 1.0}}, {"q": {"a": 1, "b": 1, "c": 1}})
    assert round(scores("ndcg@2", batch)[0], 4) == 0.3869
    assert round(scores("ndcg@2:ideal=retrieved", batch)[0], 4) == 0.6309


def test_ideal_of_the_list_sorts_all_of_it_before_the_cut() -> None:
    assert scores("ndcg@1:ideal=retrieved", by_grades([1, 2]))[0] == 0.5


def test_level_is_for_binary_measures_only() -> None:
    batch = by_ids({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "b": 3, "c": 2}})
    assert scores("ndcg:level=2", batch)[0] == scores("ndcg", batch)[0]
    assert scores("err:level=2", batch)[0] == scores("err", batch)[0]
    assert scores("mrr:level=2", batch)[0] == 0.5
    assert scores("precision@2:level=3", batch)[0] == 0.5


def test_negative_grades_gain_nothing_and_are_not_judged() -> None:
    batch = by_ids({"q": {"a": 3.0, "b": 2.0}}, {"q": {"a": -2, "b": 1}})
    assert round(scores("dcg:gain=exp", batch)[0], 4) == 0.6309
    assert round(scores("dcg", batch)[0], 4) == 0.6309
    assert scores("judged@2", batch)[0] == 0.5
    assert scores("bpref", batch)[0] == 1.0


def test_fractional_grades() -> None:
    batch = by_ids({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 0.5, "b": 1.0}})
    assert scores("dcg", batch)[0] == 0.5 + 1 / math.log2(3)
    assert scores("dcg@1:gain=exp", batch)[0] == pytest.approx(math.sqrt(2) - 1)


def test_unjudged_share_at_k() -> None:
    batch = by_ids({"q": {"a": 3.0, "x": 2.0, "y": 1.0}, "r": {}}, {"q": {"a": 1}, "r": {"a": 1}})
    for name in ("ndcg", "map"):
        for k, share in (("@2", 1 / 2), ("@10", 2 / 3), ("", 2 / 3)):
            metric = parse(f"{name}{k}")
            parts = metric.parts(metric.measure(batch))["unjudged"]  # type: ignore[attr-defined]
            np.testing.assert_equal(parts, [share, np.nan])


def test_parts_of_f1_and_pooled() -> None:
    batch = by_ids({"q": {"a": 2.0, "x": 1.0}, "r": {"a": 1.0}}, {"q": {"a": 1, "b": 1}, "r": {"a": 1}})
    metric = parse("f1:average=pooled")
    rows = metric.measure(batch)
    parts = {name: float(part) for name, part in metric.parts(rows.totals()).items()}  # type: ignore[attr-defined]
    assert parts == {"precision": 2 / 3, "recall": 2 / 3}
    assert float(metric.score(rows.totals())) == pytest.approx(2 / 3)
    assert mean("f1", batch) == pytest.approx((0.5 + 1) / 2)


def test_beta_weighs_recall() -> None:
    batch = by_ids({"q": {"a": 2.0, "x": 1.0}}, {"q": {"a": 1}})
    assert scores("f1:beta=2", batch)[0] == pytest.approx(5 * 0.5 / (4 * 0.5 + 1))


def test_gain_table_that_changes_the_order_of_grades() -> None:
    batch = by_ids({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 2}})
    assert scores("ndcg:gain=1:5/2:1", batch)[0] == 1.0
    assert scores("idcg@1:gain=1:5/2:1", batch)[0] == 5.0


def test_rounding_of_recall_levels() -> None:
    batch = by_ids({"q": {"a": 3.0, "x": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1, "c": 1}})
    assert scores("iprec@0.4", batch)[0] == 1.0
    assert scores("iprec@0.4:rounding=up", batch)[0] == pytest.approx(2 / 3)


def test_grades_above_the_scale_of_err() -> None:
    with pytest.raises(DataError, match=pattern("metrics.err_a_document_has_grade_but_max")):
        scores("err", by_grades([5]))
    assert scores("err:max_grade=5", by_grades([5]))[0] == 31 / 32


def test_grades_too_large_for_exponential_gains() -> None:
    assert scores("ndcg:gain=exp", by_grades([1023]))[0] == 1
    with pytest.raises(DataError, match=r"2\^5000 is too large for a number; give grades of at most 1023"):
        scores("ndcg:gain=exp", by_grades([5000]))


@pytest.mark.parametrize(("spec", "message"), [
    ("ndcg@0", "option 'k' of ndcg must be a whole number from 1 to 1000000 or none; got 0"),
    ("precision@-3", "option 'k' of precision must be a whole number from 1"),
    ("ndcg:gain=1:-2", "a number from 0 to 1000000"),
    ("ndcg:gain=1:2/1:3", "each grade once"),
    ("recall:level=0", "option 'level' of recall must be a number above 0"),
    ("f1:beta=0", "option 'beta' of f1 must be a number above 0"),
    ("rbp:p=1", "option 'p' of rbp must be a number between 0 and 1"),
    ("err:max_grade=0", "option 'max_grade' of err"),
    ("iprec@1.5", "option 'recall' of iprec must be a number from 0 to 1"),
    ("mrr:average=pooled", "option 'average' of mrr must be samples"),
    ("mrr:ties=random", "option 'ties' of mrr must be docid-desc, docid-asc, input or mean"),
    ("ndcg:gain=burges", "option 'gain' of ndcg must be linear or exp or"),
])  # fmt: skip
def test_bad_options(spec: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse(spec)


def test_objects_check_what_text_would() -> None:
    with pytest.raises(OptionError, match="option 'ideal' of ndcg"):
        Ndcg(ideal="best")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="option 'k' of hit-rate"):
        HitRate(k=1.5)  # type: ignore[arg-type]


def test_success_is_hit_rate() -> None:
    assert parse("success@5") == parse("hit-rate@5")
    assert str(parse("success@5")) == "hit-rate@5"


def test_null_is_left_to_the_framework() -> None:
    relevance = pa.array([None, [{"id": "a", "grade": 1.0}]])
    table = {"id": ["q", "r"], "retrieved": pa.array([["a"], None], pa.list_(pa.string())), "relevance": relevance}
    for name in (*NAMES, "judged"):
        assert len(parse(name).measure(Batch(pa.table(table)))) == 2
        assert len(parse(name).measure(by_texts([None, ["a"]], [["a"], None]))) == 2
