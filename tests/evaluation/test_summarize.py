"""From sums to scores: intervals that cover, and when there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.ragged import FloatArray
from ragauge.errors import OptionError
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.summarize import Inference
from ragauge.inference.intervals import wilson
from ragauge.metrics.parse import parse
from ragauge.results.result import Result
from ragauge.results.score import Score
from tests.toys import Echo, dataset


def run(values: list[float], *, states: list[str] | None = None, **options: Any) -> Result:
    columns: dict[str, Any] = {"x": values, "state": states or ["ok"] * len(values)}
    columns |= {name: options.pop(name) for name in ("c", "g") if name in options}
    inference = Inference(
        **{name: options.pop(name) for name in ("level", "resamples", "seed", "interval") if name in options}
    )
    return Evaluator({"echo": Echo()}, inference=inference, **options)(dataset(columns))


def test_the_defaults_are_those_of_the_docs() -> None:
    assert Inference() == Inference(level=0.95, resamples=1000, seed=0)


def ends(score: Score) -> tuple[float, float]:
    return score.low, score.high


@pytest.mark.long
@pytest.mark.parametrize("spread", ["normal", "skewed", "binary"])
def test_a_95_percent_interval_covers_about_95_times_in_100(spread: str) -> None:
    random = np.random.default_rng(11)
    draws: dict[str, Callable[[], FloatArray]] = {
        "normal": lambda: random.normal(0.5, 0.1, 60),
        "skewed": lambda: random.beta(1.0, 3.0, 60),
        "binary": lambda: random.integers(0, 2, 60).astype(float),
    }
    draw = draws[spread]
    truth = {"normal": 0.5, "skewed": 0.25, "binary": 0.5}[spread]
    found = [run(draw().tolist(), resamples=300, seed=trial)["echo"] for trial in range(300)]
    assert 0.90 <= np.mean([score.low <= truth <= score.high for score in found]) <= 0.99


@pytest.mark.parametrize("hits", [0, 3, 8])
def test_scores_of_0_and_1_get_wilsons_interval(hits: int) -> None:
    score = run([1.0] * hits + [0.0] * (8 - hits))["echo"]
    assert ends(score) == wilson(hits, 8, 0.95)


def test_clusters_that_all_agree_get_wilsons_interval_of_clusters() -> None:
    score = run([1.0] * 9, c=list("aaabbbccc"), cluster="c")["echo"]
    assert ends(score) == wilson(3, 3, 0.95)


def test_clusters_that_disagree_count_as_fewer_trials() -> None:
    score = run([1.0, 1.0, 0.0, 0.0, 1.0, 1.0], c=list("aabbcc"), cluster="c")["echo"]
    assert ends(score) != wilson(4, 6, 0.95)
    assert score.low < score.value < score.high


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([0.5], {}),
        ([0.5, 0.7], {"states": ["ok", "failed"]}),
        ([0.5, 0.7], {"c": ["a", "a"], "cluster": "c"}),
        ([0.2, 0.4, 0.6], {"resamples": 0}),
    ],
)
def test_without_two_units_or_replicates_there_is_no_interval(values: list[float], options: dict[str, Any]) -> None:
    assert np.isnan(ends(run(values, **options)["echo"])).all()


def test_a_group_of_one_has_no_interval_and_the_others_do() -> None:
    groups = run([0.1, 0.3, 0.9, 0.4], g=["a", "a", "b", "a"], by=("g",)).groups("echo", "g")
    assert np.isnan(groups["b"].low)
    assert groups["a"].low <= groups["a"].value <= groups["a"].high


def test_a_groups_interval_is_that_of_the_group_alone() -> None:
    values = np.random.default_rng(2).random(30).tolist()
    together = run(values, g=["a"] * 20 + ["b"] * 10, by=("g",)).groups("echo", "g")["a"]
    assert ends(together) == ends(run(values[:20])["echo"])


def test_samples_that_do_not_count_do_not_move_the_interval() -> None:
    values = np.random.default_rng(3).random(20).tolist()
    padded = run([*values, 0.0, 0.0], states=["ok"] * 20 + ["failed", "undefined"])["echo"]
    assert ends(padded) == ends(run(values)["echo"])


def test_the_seed_decides_percentiles_and_the_level_its_width() -> None:
    values = np.random.default_rng(4).random(40).tolist()
    first, again, other, wide = (
        run(values, interval="percentile", **options)["echo"] for options in ({}, {}, {"seed": 1}, {"level": 0.99})
    )
    assert ends(first) == ends(again) != ends(other)
    assert wide.low < first.low < first.high < wide.high


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"level": 0.0}, "'level' of Inference must be a number between 0 and 1, as in 0.95; got 0.0"),
        ({"level": 95}, "'level' of Inference must be"),
        ({"level": float("nan")}, "'level' of Inference must be"),
        ({"resamples": True}, "'resamples' of Inference must be .*; got True"),
        ({"resamples": -1}, "'resamples' of Inference must be a whole number from 0"),
        ({"resamples": 10**8}, r"a whole number from 0 \(no interval\) to 1,000,000; got 100000000"),
        ({"interval": "t"}, "'interval' of Inference must be jackknife or percentile; got 't'"),
        ({"seed": 2**64}, "'seed' of Inference must be a whole number of at most 63 bits"),
    ],
)
def test_misuse(options: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        Inference(**options)


def test_undefined_cells_that_score_zero_are_counted_beside() -> None:
    data = dataset({"retrieved": [["d"], ["d"]], "relevance": [[{"id": "d", "grade": 1.0}], []]})
    metrics = {name: parse(name) for name in ("mrr", "mrr:undefined=skip")}
    result = Evaluator(metrics, inference=Inference(resamples=0))(data)
    zero, skip = result["mrr"], result["mrr:undefined=skip"]
    assert (zero.value, zero.scored, zero.undefined, zero.undefined_scored) == (0.5, 2, 0, 1)
    assert (skip.value, skip.scored, skip.undefined, skip.undefined_scored) == (1.0, 1, 1, 0)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "rouge-1:average=pooled", "edit-similarity:average=pooled"])
def test_replicates_without_a_sample_have_no_score(metric: str) -> None:
    """Of two samples, one replicate in seven draws neither."""
    texts = [
        ("the cat sat on the mat today", "the cat sat on the mat"),
        ("a dog ran far from it", "a dog ran far from us"),
    ]
    rows = [{"answer": answer, "references": reference} for answer, reference in texts]
    alone = [ragauge.score(metric, **row) for row in rows]
    score = ragauge.evaluate(rows, metric, interval="percentile").table[0]
    assert min(alone) - 1e-9 <= score.low <= score.high <= max(alone) + 1e-9
