"""Running metrics over data: statuses, groups, clusters, coverage."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.statistics import Rows
from ragauge.errors import ColumnError, DataError, OptionError, UsageError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.partial import measure_cells
from ragauge.evaluation.summarize import Inference
from ragauge.metrics.parse import parse
from ragauge.results.result import Result
from tests.approved import pattern
from tests.toys import STATES, Echo, Share, dataset

NO_INTERVALS = Inference(resamples=0)


def run(columns: dict[str, Any], *, sizes: list[int] | None = None, **options: Any) -> Result:
    found = {"echo": Echo()} if "state" in columns else {"x": parse("column:name=x")}
    return Evaluator(found, **{"inference": NO_INTERVALS, **options})(dataset(columns, sizes))


@given(states=st.lists(st.sampled_from(sorted(STATES)), min_size=1, max_size=12))
def test_every_sample_is_counted_once(states: list[str]) -> None:
    result = run({"x": [0.5] * len(states), "state": states, "g": states[::-1]}, by=("g",))
    for score in result.table:
        assert score.total == score.scored + score.undefined + score.missing + score.failed
    score = result["echo"]
    assert [score.scored, score.undefined, score.missing, score.failed] == [states.count(state) for state in STATES]
    assert result.statuses("echo").tolist() == states
    assert np.isnan(result.scores("echo")).tolist() == [state != "ok" for state in states]


def test_bounds_are_the_means_if_failures_were_worst_or_best() -> None:
    score = run({"x": [1.0, 0.5, 0.0, 0.0], "state": ["ok", "ok", "failed", "missing"]})["echo"]
    assert score.value == 0.75
    assert score.bounds == pytest.approx((0.5, 2.5 / 3))


def test_without_any_answer_bounds_are_the_range_and_the_value_is_nan() -> None:
    score = run({"x": [0.0, 0.0], "state": ["failed", "failed"]})["echo"]
    assert np.isnan([score.value, score.low, score.high]).all()
    assert (score.bounds, score.scored, score.failed) == ((0.0, 1.0), 0, 2)


def test_an_unbounded_range_has_no_bounds() -> None:
    assert run({"x": [1.0], "failure": [None]})["x"].bounds is None


def test_a_score_that_is_nan_is_undefined() -> None:
    result = Evaluator({"share": Share()}, inference=NO_INTERVALS)(dataset({"hits": [1, 0], "tries": [2, 0]}))
    assert (result["share"].value, result["share"].undefined) == (0.5, 1)
    assert result.statuses("share").tolist() == ["ok", "undefined"]


def test_null_is_missing_also_where_the_metric_would_say_otherwise() -> None:
    score = run({"x": [1.0, None, 0.0], "state": ["ok", "ok", None]})["echo"]
    assert (score.scored, score.missing) == (1, 2)


@pytest.mark.parametrize(
    ("failure", "reasons"),
    [
        ([None, "timeout"], {1: "timeout"}),
        (["", "timeout"], {1: "timeout"}),
        ([False, True], {1: "True"}),
        ([None, None], {}),
        (["none", "down"], {1: "down"}),
        (["OK", " N/A "], {}),
        ([0, 503], {1: "503"}),
        ([float("nan"), 1.0], {1: "1.0"}),
        (["0.0", "-0.0"], {}),
        (["0.0", "0.5"], {1: "0.5"}),
    ],
)
def test_the_column_failure_fails_rows(failure: list[Any], reasons: dict[int, str]) -> None:
    result = run({"x": [1.0, 2.0], "failure": failure})
    assert dict(result.reasons("x")) == reasons
    assert result["x"].failed == len(reasons)
    assert result.statuses("x").tolist() == ["failed" if row in reasons else "ok" for row in range(2)]


def test_pooled_and_mean_of_samples() -> None:
    metrics = {"mean": Share(), "pooled": Share(average="pooled")}
    result = Evaluator(metrics, inference=NO_INTERVALS)(dataset({"hits": [1, 1], "tries": [1, 3]}))
    assert result["mean"].value == pytest.approx(2 / 3)
    assert result["pooled"].value == 0.5
    assert dict(result["mean"].parts) == {"hits": 1.0, "tries": 2.0}
    assert dict(result["pooled"].parts) == {"hits": 2.0, "tries": 4.0}
    assert result["pooled"].bounds is None


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", None, "a", "b"], {"a": 1, "b": 2, None: 1}),
        ([10, 9, None, 9], {9: 2, 10: 1, None: 1}),
        ([1.5, float("nan"), None, float("nan")], {1.5: 1, None: 3}),
        ([True, False, True, None], {False: 1, True: 2, None: 1}),
        ([date(2026, 1, 2), date(2026, 1, 1), None, None], {"2026-01-01": 1, "2026-01-02": 1, None: 2}),
        ([Decimal("1.5"), None, None, None], {"1.5": 1, None: 3}),
        ([None] * 4, {None: 4}),
    ],
)
def test_groups_of_any_scalar_column_in_order(labels: list[Any], expected: dict[Any, int]) -> None:
    for sizes in ([4], [1, 1, 2]):
        typed = dataset({"x": [1.0] * 4, "g": labels}, sizes)
        result = Evaluator({"x": parse("column:name=x")}, by=("g",), inference=NO_INTERVALS)(typed)
        assert [(label, score.scored) for label, score in result.groups("x", "g").items()] == list(expected.items())


def test_each_grouping_column_stands_on_its_own() -> None:
    result = run({"x": [1.0, 2.0, 3.0], "g": ["a", "a", "b"], "h": [1, 2, 2]}, by=("g", "h"))
    assert [(score.group, score.value) for score in result.table] == [
        (None, 2.0),
        ({"g": "a"}, 1.5),
        ({"g": "b"}, 3.0),
        ({"h": 1}, 1.0),
        ({"h": 2}, 2.5),
    ]


@pytest.mark.parametrize("option", ["by", "cluster"])
def test_columns_of_lists_neither_group_nor_cluster(option: str) -> None:
    given: Any = ("l",) if option == "by" else "l"
    with pytest.raises(ColumnError, match=f"{option}='l': the column must hold text, numbers or dates; it holds list"):
        run({"x": [1.0], "l": [["a"]]}, **{option: given})


@pytest.mark.parametrize(("option", "given"), [("by", ("lang",)), ("cluster", "lang")])
def test_an_absent_column_is_named_with_what_is_like_it(option: str, given: Any) -> None:
    with pytest.raises(ColumnError, match=f"{option}='lang': the data have no column 'lang'; did you mean language"):
        run({"x": [1.0], "language": ["zh"]}, **{option: given})


def test_a_metric_without_its_column_names_the_mapping() -> None:
    with pytest.raises(ColumnError) as caught:
        Evaluator({"m": parse("ndcg@3")}).check(["id", "question", "relevance", "命中", "found"])
    assert "retrieved not found among: found, id, question, relevance, 命中" in str(caught.value)
    assert "if it has another name: map={'retrieved': '命中'} or map={'retrieved': 'found'}" in str(caught.value)
    with pytest.raises(ColumnError, match=r"retrieved, relevance not found among: '' \(a column without a name\), id;"):
        Evaluator({"m": parse("ndcg@3")}).check(["", "id"])


def test_clusters_widen_the_interval_of_samples_that_agree_within() -> None:
    columns = {"x": [float(i // 10 % 2) + i / 1e6 for i in range(100)], "c": [i // 10 for i in range(100)]}
    alone, together = (run(columns, cluster=c, inference=Inference(resamples=400))["x"] for c in (None, "c"))
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert alone.value == together.value


def test_samples_without_a_cluster_are_drawn_alone() -> None:
    keys = Evaluator({"x": parse("column:name=x")}, cluster="c").measure(
        Batch(next(dataset({"x": [1.0] * 4, "c": ["s1", None, None, "s1"]}).batches()).table())
    )
    first, second, third, fourth = keys.sums.keys.tolist()
    assert first == fourth
    assert len({first, second, third}) == 3


def test_a_sum_that_cannot_be_exact_names_its_metric() -> None:
    with pytest.raises(DataError, match=r"^x: cannot add up 1e\+18"):
        run({"x": [1.0, 1e18]})


def test_no_samples_are_an_error() -> None:
    with pytest.raises(DataError, match=pattern("evaluation.test_there_are_no_samples_in_it")):
        run({"x": []})


def test_progress_is_reported_at_the_start_and_after_every_batch() -> None:
    heard: list[tuple[int, int]] = []
    Evaluator({"x": parse("column:name=x")}, inference=NO_INTERVALS)(
        dataset({"x": [1.0] * 6}, [1, 2, 3]), lambda done, total: heard.append((done, total))
    )
    assert heard == [(0, 6), (1, 6), (3, 6), (6, 6)]


@pytest.mark.parametrize("metrics", ["token-f1", ["bleu"], {"a": "bleu"}, {"a": Echo}])
def test_metrics_that_are_no_objects_by_name_are_refused(metrics: Any) -> None:
    with pytest.raises(OptionError, match=r"'metrics.* of Evaluator must be .*as in \{'bleu': .*; got "):
        Evaluator(metrics)


def test_a_cluster_that_is_no_name_is_refused() -> None:
    cluster: Any = ["a"]
    with pytest.raises(OptionError, match=pattern("evaluation.option_cluster_must_be_the_name", call="Evaluator")):
        run({"x": [0.5]}, cluster=cluster)


def test_by_takes_one_name_as_evaluate_does() -> None:
    assert Evaluator({"x": parse("column:name=x")}, by="topic").by == ("topic",)  # type: ignore[arg-type]


def test_what_is_no_dataset_and_no_inference_is_refused() -> None:
    metrics: Any = {"x": parse("column:name=x")}
    wrong: Any = [{"x": 1.0}]
    with pytest.raises(OptionError, match=r"must be a Dataset, as ragauge\.formats\.read returns; got 'list'"):
        Evaluator(metrics)(wrong)
    with pytest.raises(OptionError, match="must be an Inference"):
        Evaluator(metrics, inference=wrong)


@pytest.mark.parametrize(("rows", "found"), [(Rows.of({"value": [1.0]}), "1 row"), ([1.0, 1.0], "list")])
def test_a_metric_must_return_a_row_for_each_sample(rows: Any, found: str) -> None:
    echo: Any = SimpleNamespace(measure=lambda _batch: rows)
    batch = next(iter(dataset({"x": [1.0, 2.0]}).batches()))
    with pytest.raises(UsageError, match=f"must return Rows of 2 samples; got {found}"):
        measure_cells(echo, batch)


@pytest.mark.parametrize("average", ["samples", "pooled"])
@pytest.mark.parametrize("method", ["measure", "score", "parts"])
def test_an_error_of_a_metric_names_the_metric(method: str, average: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_metric: Any, totals: Any) -> Any:
        # A pooled metric is asked for the score of the corpus apart from those of samples.
        if method == "measure" or average == "samples" or not isinstance(totals, Rows):
            raise ZeroDivisionError
        return whole(_metric, totals)

    metric = parse(f"token-f1:average={average}")
    whole = getattr(type(metric), method)
    monkeypatch.setattr(type(metric), method, fail)
    with pytest.raises(ZeroDivisionError) as error:
        Evaluator({"f1": metric})(dataset({"answer": ["a"], "references": [["a"]]}))
    assert error.value.__notes__ == [f"raised by the metric {metric}"]


@pytest.mark.parametrize(("clusters", "noted"), [(1, False), (2, True), (9, True), (10, False)])
def test_intervals_of_few_clusters_are_noted(clusters: int, noted: bool) -> None:
    rows = [{"answer": "a", "references": ["a" if i % 3 else "b"], "c": i % clusters} for i in range(40)]
    for resamples, expected in ((1000, noted), (0, False)):
        notes = ragauge.evaluate(rows, "exact-match", cluster="c", resamples=resamples).data.notes
        assert any(getattr(note, "code", "") == "RG-NOTE-301" for note in notes) == expected
