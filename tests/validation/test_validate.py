"""Metrics validated with human labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

import ragauge
from ragauge.cli import main
from ragauge.display.numbers import short_number
from ragauge.display.table import Table
from ragauge.errors import ColumnError, DataError, OptionError, UnknownNameError, UsageError
from tests.approved import pattern

NEAR, FAR = "column:name=near", "column:name=far"


def rows(n: int = 120, seed: int = 0) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    quality = rng.random(n)
    return [
        {
            "id": f"q{i}",
            "near": float(quality[i] + 0.1 * rng.normal()),
            "far": float(quality[i] + 0.6 * rng.normal()),
            "cost": float(-quality[i] + 0.1 * rng.normal()),
            "human": float(np.rint(4 * quality[i]) + 1),
            "second": None if i % 4 == 0 else float(np.clip(np.rint(4 * quality[i]) + rng.integers(0, 2), 1, 5)),
            "good": bool(quality[i] > 0.5),
            "few": float(quality[i] > 0.5) if i % 4 == 0 else None,
            "question": f"what {i // 6}",
            "system": f"s{i % 6}",
        }
        for i in range(n)
    ]


@pytest.fixture(scope="module")
def found() -> ragauge.Validation:
    return ragauge.validate(rows(), [NEAR, FAR], human="human", group="question", system="system", resamples=300)


def test_pooled_agreement_is_scipys(found: ragauge.Validation, stats: Any) -> None:
    near, human = ([row[name] for row in rows()] for name in ("near", "human"))
    for measure, theirs in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        one = found[NEAR, measure]
        assert one.value == pytest.approx(theirs(near, human)[0], rel=1e-9)
        assert one.low < one.value < one.high


def test_numbers_are_on_the_right_of_their_columns_and_words_on_the_left(found: ragauge.Validation) -> None:
    tables = [block for block in found.blocks(verbose=True) if isinstance(block, Table)]
    kinds = {column.head: column.kind for table in tables for column in table.columns}
    assert [kinds[head] for head in ("metric", "metrics", "measure", "95 % interval")] == [
        "name",
        "name",
        "text",
        "text",
    ]
    assert {kinds[head] for head in ("value", "difference", "p", "Holm")} == {"number"}


@pytest.mark.parametrize(("good", "bad"), [("yes", "no"), ("是", "否"), ("ja", "nein"), ("○", "×")])
def test_words_are_labels(good: str, bad: str) -> None:
    numbers = [{**row, "human": float(row["good"])} for row in rows(40)]
    words = [{**row, "human": good if row["human"] else bad} for row in numbers]
    by_number, by_word = (ragauge.validate(given, NEAR, human="human", resamples=20) for given in (numbers, words))
    assert str(by_word) == str(by_number)


def test_groups_are_averaged_and_systems_are_means(found: ragauge.Validation, stats: Any) -> None:
    values = {(one.metric, one.scope, one.measure): one.value for one in found.agreements}
    groups = [[row for row in rows() if row["question"] == f"what {g}"] for g in range(20)]
    within = [stats.spearmanr(*([row[name] for row in group] for name in ("near", "human")))[0] for group in groups]
    assert values[NEAR, "by group", "spearman"] == pytest.approx(np.nanmean(within), rel=1e-9)
    means = [
        [np.mean([row[name] for row in rows() if row["system"] == f"s{s}"]) for s in range(6)]
        for name in ("near", "human")
    ]
    assert values[NEAR, "systems", "pearson"] == pytest.approx(stats.pearsonr(*means)[0], rel=1e-9)


def test_the_better_metric_wins(found: ragauge.Validation) -> None:
    [difference] = [one for one in found.differences if (one.scope, one.measure) == ("pooled", "kendall")]
    assert (difference.better, difference.other) == (NEAR, FAR)
    assert difference.low > 0
    assert difference.corrected < 0.05
    assert difference.difference == pytest.approx(found[NEAR, "kendall"].value - found[FAR, "kendall"].value)


def test_binary_labels_have_the_area_under_a_risk_coverage_curve() -> None:
    found = ragauge.validate(rows(), NEAR, human="good", resamples=100)
    pairs = sorted(((row["near"], row["good"]) for row in rows()), key=lambda pair: -pair[0])
    accuracies = np.cumsum([good for _, good in pairs]) / np.arange(1, len(pairs) + 1)
    assert len({near for near, _ in pairs}) == len(pairs)
    agreement = found[NEAR, "selective accuracy"]
    assert agreement.value == pytest.approx(accuracies.mean())
    assert agreement.low < agreement.value < agreement.high
    assert (NEAR, "selective accuracy") not in ragauge.validate(rows(), NEAR, human="human", resamples=10).keys()  # noqa: SIM118


def test_binary_labels_have_an_area(sklearn_metrics: Any) -> None:
    found = ragauge.validate(rows(), NEAR, human="good", resamples=100)
    near, good = ([row[name] for row in rows()] for name in ("near", "good"))
    assert found[NEAR, "auc"].value == pytest.approx(sklearn_metrics.roc_auc_score(good, near), rel=1e-12)
    assert 0.7 < found[NEAR, "balanced accuracy"].value <= 1
    graded = ragauge.validate(rows(), NEAR, human="human", positive=3, resamples=100)
    area = sklearn_metrics.roc_auc_score([row["human"] >= 3 for row in rows()], near)
    assert graded[NEAR, "auc"].value == pytest.approx(area)
    with pytest.raises(UnknownNameError, match="unknown agreement"):
        ragauge.validate(rows(), NEAR, human="human", resamples=10)[NEAR, "auc"]


def test_grades_on_the_scale_of_the_labels_have_kappa(sklearn_metrics: Any) -> None:
    graded = [{**row, "grade": min(5.0, float(np.rint(4 * row["near"]) + 1))} for row in rows()]
    graded = [{**row, "grade": max(1.0, row["grade"])} for row in graded]
    grade = "column:name=grade"
    found = ragauge.validate(graded, [grade, NEAR], human="human", resamples=100)
    ours = found[grade, "kappa"]
    columns = [[int(row[name]) for row in graded] for name in ("grade", "human")]
    assert ours.value == pytest.approx(sklearn_metrics.cohen_kappa_score(*columns, weights="quadratic"), rel=1e-9)
    assert ours.low < ours.value < ours.high
    with pytest.raises(UnknownNameError, match="unknown agreement"):
        found[NEAR, "kappa"]


def test_a_share_on_the_scale_of_binary_labels_has_no_kappa() -> None:
    found = ragauge.validate([{**row, "share": 0.5} for row in rows()], [NEAR, "column:name=share"], human="good")
    assert {one.measure for one in found.agreements}.isdisjoint({"kappa"})


def test_lower_is_better_agrees_all_the_same() -> None:
    name = "column:name=cost,direction=lower"
    assert ragauge.validate(rows(), name, human="human", resamples=50)[name, "pearson"].value > 0.9


def test_several_annotators_have_a_ceiling() -> None:
    found = ragauge.validate(rows(), NEAR, human=["human", "second"], resamples=100)
    assert found.ceiling is not None
    assert (found.ceiling.annotators, found.ceiling.scale) == (2, "interval")
    assert found.ceiling.low < found.ceiling.alpha < found.ceiling.high < 1
    assert found.samples == 120


def test_few_labels_and_a_metric_give_a_shorter_interval() -> None:
    found = ragauge.validate(rows(400), [NEAR, FAR], labels="few")
    near, far = found.estimates
    assert near.high - near.low < far.high - far.low < far.alone_high - far.alone_low
    assert near.low < np.mean([row["good"] for row in rows(400)]) < near.high
    assert (near.labelled, near.samples) == (100, 400)
    assert near.worth > 150


def test_a_metric_of_which_lower_is_better_helps_as_much() -> None:
    some = [{**row, "far": -row["near"]} for row in rows(400)]
    lower = "column:name=far,direction=lower"
    near, far = ragauge.validate(some, [NEAR, lower], labels="few").estimates
    assert near.weight > 0.5
    assert (far.weight, far.low, far.high) == pytest.approx((near.weight, near.low, near.high))


def test_one_group_with_an_order_has_no_interval() -> None:
    some = [{**row, "question": "same" if i < 6 else f"what {i}"} for i, row in enumerate(rows())]
    found = ragauge.validate(some, [NEAR, FAR], human="human", group="question", resamples=50)
    inside = [one for one in found.agreements if one.scope == "by group"]
    assert not np.isnan([one.value for one in inside]).any()
    assert np.isnan([(one.low, one.high) for one in inside]).all()
    assert np.isnan([one.p for one in found.differences if one.scope == "by group"]).all()


def test_order_does_not_matter() -> None:
    options: dict[str, Any] = {"human": ["human", "second"], "labels": "few", "group": "question", "resamples": 50}
    texts = [json.dumps(ragauge.validate(some, [NEAR], **options).to_dict()) for some in (rows(), rows()[::-1])]
    assert texts[0] == texts[1]


def test_replicates_are_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"human": ["human", "second"], "resamples": 30}
    together = ragauge.validate(rows(), [NEAR], **options)
    monkeypatch.setattr("ragauge.validation.labels._AT_ONCE", 8 * 120)
    apart = ragauge.validate(rows(), [NEAR], **options)
    for one, other in zip((*together.agreements, together.ceiling), (*apart.agreements, apart.ceiling), strict=True):
        assert one is not None
        assert other is not None
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


@pytest.mark.parametrize("names", [(NEAR, FAR), (FAR, NEAR)])
def test_the_interval_of_a_difference_has_the_sign_of_the_better_metric(names: tuple[str, str]) -> None:
    found = ragauge.validate(rows(400), names, human="human", resamples=200)
    [one] = [one for one in found.differences if one.measure == "spearman"]
    values = [found[name, "spearman"].value for name in (NEAR, FAR)]
    assert (one.better, one.other) == (NEAR, FAR)
    assert one.difference == values[0] - values[1]
    assert 0 < one.low < one.difference < one.high


def labelled_twice(first: list[Any], second: list[Any], **options: Any) -> ragauge.Validation:
    some = [
        {"id": f"q{i}", "near": i / 9, "a": a, "b": b, "doc": "d" if a is not None and b is not None else f"d{i}"}
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    return ragauge.validate(some, NEAR, human=["a", "b"], resamples=50, **options)


ODD, NOBODY = [i % 2 for i in range(9)], [None] * 9


@pytest.mark.parametrize(
    ("first", "second", "options", "alpha", "has_interval"),
    [
        (ODD, ODD, {}, 1.0, False),
        (ODD, ODD, {"cluster": "doc"}, 1.0, False),
        (ODD, ODD, {"group": "doc"}, 1.0, False),
        ([1] * 9, [1] * 9, {}, None, False),
        ([1] * 9, ODD, {}, -4 / 13, True),
        # One sample alone has both labels.
        (ODD, [*NOBODY[1:], 0], {}, None, False),
        ([*ODD[:4], *NOBODY[4:]], [*NOBODY[:4], *ODD[4:]], {}, None, False),
        # All that have both labels are in one cluster.
        (ODD, [*ODD[:4], *NOBODY[4:]], {"cluster": "doc"}, 1.0, False),
    ],
)
def test_agreement_of_annotators_with_little_to_compare(
    first: list[Any], second: list[Any], options: dict[str, Any], alpha: float | None, has_interval: bool
) -> None:
    found = labelled_twice(first, second, **options)
    assert found.ceiling is not None
    assert found.ceiling.alpha == pytest.approx(np.nan if alpha is None else alpha, nan_ok=True)
    assert np.isnan(found.ceiling.kappa) == (alpha is None)
    assert np.isfinite([found.ceiling.low, found.ceiling.high]).tolist() == [has_interval] * 2
    assert "nan" not in str(found)


@pytest.mark.parametrize(("labels", "scale"), [([0, 1], "nominal"), ([1, 4], "nominal"), ([0, 1, 2], "interval")])
def test_labels_of_two_values_agree_or_not_and_those_of_more_lie_near(labels: list[int], scale: str) -> None:
    found = labelled_twice([labels[i % len(labels)] for i in range(9)], [labels[-1]] * 9)
    assert found.ceiling is not None
    assert found.ceiling.scale == scale


def test_one_cluster_has_values_without_intervals_and_tests() -> None:
    some = [{**row, "doc": "d"} for row in rows(30)]
    found = ragauge.validate(some, [NEAR, FAR], human="human", labels="few", cluster="doc", resamples=50)
    assert np.isfinite([one.value for one in found.agreements]).all()
    assert np.isnan([(one.low, one.high) for one in found.agreements]).all()
    assert np.isnan([(one.low, one.high, one.p, one.corrected) for one in found.differences]).all()
    assert np.isnan([(one.low, one.high, one.alone_low, one.alone_high) for one in found.estimates]).all()


def test_results_and_saved_runs_are_not_scored_again(tmp_path: Path) -> None:
    result = ragauge.evaluate(rows(), [NEAR, FAR], resamples=0)
    result.save(tmp_path / "run")
    both = [ragauge.validate(run, human="human", resamples=50) for run in (result, tmp_path / "run")]
    assert both[0].agreements == both[1].agreements
    assert {one.metric for one in ragauge.validate(result, FAR, human="human", resamples=9).agreements} == {FAR}


def test_groups_systems_and_clusters_have_the_names_that_the_user_gave_them() -> None:
    own = [{("query" if name == "question" else name): value for name, value in row.items()} for row in rows()]
    expected = ragauge.validate(rows(), NEAR, human="human", group="question", resamples=9)
    assert ragauge.validate(own, NEAR, human="human", group="query", resamples=9).agreements == expected.agreements
    in_systems = [
        ragauge.validate(own, NEAR, human="human", system=name, cluster="query", resamples=9)
        for name in ("query", "question")
    ]
    assert in_systems[0].agreements == in_systems[1].agreements


@pytest.mark.parametrize("name", ["gold", "target", "Output"])
def test_labels_are_found_under_a_name_that_means_a_known_column(name: str, tmp_path: Path) -> None:
    samples = [{**row, name: row["good"], "references": ["a b"], "answer": "a"} for row in rows(40)]
    expected = ragauge.validate(rows(40), NEAR, human="good", resamples=9)
    assert ragauge.validate(samples, NEAR, human=name, resamples=9).agreements == expected.agreements
    (tmp_path / "g.jsonl").write_text("\n".join(map(json.dumps, samples)))
    assert (
        ragauge.validate(tmp_path / "g.jsonl", [NEAR, "rouge-1"], labels=name, resamples=9).estimates[0].labelled == 40
    )


def test_what_has_no_score_is_noted() -> None:
    some = [{**row, "near": None if i < 5 else row["near"]} for i, row in enumerate(rows())]
    found = ragauge.validate(some, [NEAR, FAR], human="human", resamples=20)
    assert found.samples == 115
    assert found.notes[-2:] == (
        f"{NEAR} has no score for 5 labelled samples",
        "5 of 120 labelled samples are left out for all metrics",
    )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_samples_and_constant_labels(n: int) -> None:
    found = ragauge.validate(rows(n), [NEAR, FAR], human="human", group="question", system="system", resamples=20)
    assert str(found)
    flat = ragauge.validate([{**row, "human": 1, "near": 0.5} for row in rows(9)], NEAR, human="human", resamples=20)
    assert np.isnan([one.value for one in flat.agreements if one.measure != "pairwise accuracy"]).all()
    assert flat.to_dict()["agreements"][0]["value"] is None
    assert [note.partition(" is ")[0] for note in flat.notes] == ["the label", f"the score of {NEAR}"]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({}, UsageError, "validate needs labels; got none. Pass human='COLUMN', or labels='COLUMN' where"),
        ({"human": "humna"}, ColumnError, "human='humna': the data have no column 'humna'; did you mean human"),
        ({"human": "system"}, DataError, "labels must be numbers"),
        ({"human": "human", "group": "quest"}, ColumnError, "group='quest'"),
        ({"human": "human", "level": 2.0}, OptionError, "'level' of validate"),
        ({"human": "human", "level": "high"}, OptionError, "'level' of validate"),
        ({"human": "human", "resamples": 0}, OptionError, "'resamples' of validate"),
        ({"human": "human", "resamples": 1.5}, OptionError, "'resamples' of validate"),
        ({"human": "human", "seed": "x"}, OptionError, "'seed' of validate"),
        ({"human": "human", "positive": "x"}, OptionError, "'positive' of validate"),
        ({"human": 5}, OptionError, "'human' of validate must be the name of a column"),
        ({"human": "human", "resamples": 10**8}, OptionError, "a whole number from 1 to 1,000,000; got 100000000"),
        ({"human": "nobody"}, DataError, "no sample has a label"),
        ({"human": "human", "lnag": "zh"}, TypeError, r"validate\(\) has no argument 'lnag'; did you mean lang"),
    ],
)
def test_errors(options: dict[str, Any], error: type[Exception], said: str) -> None:
    some = [{**row, "nobody": float("nan")} for row in rows(9)]
    with pytest.raises(error, match=said):
        ragauge.validate(some, NEAR, **options)


def test_labels_where_there_are_no_scores() -> None:
    some = [{**row, "near": None} for row in rows(9)]
    with pytest.raises(DataError, match=pattern("validation.list_of_dicts_no_sample_has_both")):
        ragauge.validate(some, NEAR, human="human")


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    arguments = [
        "validate",
        str(path),
        "-m",
        NEAR,
        "-m",
        FAR,
        "--human",
        "human",
        "--human",
        "second",
        "--labels",
        "few",
    ]
    texts = {}
    for form in ("table", "json", "markdown"):
        with pytest.raises(SystemExit) as ended:
            main([*arguments, "--labels", "few", "--resamples", "50", "--output-format", form])
        assert ended.value.code == 0
        texts[form] = capsys.readouterr().out
    assert max(map(cell_len, texts["table"].splitlines())) <= 80
    assert json.loads(texts["json"])["ceiling"]["annotators"] == 2
    assert "**agreement of annotators, interval scale**" in texts["markdown"]
    with pytest.raises(SystemExit) as ended:
        main(["validate", str(path), "-m", NEAR, "--human", "human", "--map", "question"])
    assert (ended.value.code, "--map must be KNOWN=YOURS" in capsys.readouterr().err) == (2, True)


def test_the_text_has_a_line_for_each_metric_and_the_best_stands_first() -> None:
    found = ragauge.validate(rows(), [FAR, "column:name=cost,direction=lower", NEAR], human="human", resamples=50)
    brief, verbose = (
        [block for block in found.blocks(verbose=more) if isinstance(block, Table)] for more in (False, True)
    )
    assert [column.head for column in brief[0].columns][:3] == ["metric", "kendall", "95 % interval"]
    names = [row.cells[0] for row in brief[0].rows]
    assert len(names) == 3
    values = [found[str(name), "kendall"].value for name in names]
    assert values == sorted(values, reverse=True)
    heads = [column.head for column in brief[0].columns]
    assert [row.cells[heads.index("pearson")] for row in brief[0].rows] == [
        short_number(found[str(name), "pearson"].value) for name in names
    ]
    assert len(verbose[0].rows) == 3 * 4
    assert all(str(names[0]) in str(row.cells[0]) for row in brief[1].rows)
    assert (len(brief[1].rows), len(verbose[1].rows)) == (2, 3)


def test_a_validation_is_a_mapping_of_agreements() -> None:
    found = ragauge.validate(rows(20), [NEAR, FAR], human="human", group="question", resamples=9)
    measures = ("pearson", "spearman", "kendall", "pairwise accuracy")
    assert list(found) == list(found.keys()) == [(metric, measure) for metric in (NEAR, FAR) for measure in measures]
    assert len(found) == 8
    assert dict(found)[NEAR, "kendall"] is found[NEAR, "kendall"]
    assert (NEAR, "kendall") in found
    assert NEAR not in found
    with pytest.raises(UnknownNameError, match=f"unknown agreement '{NEAR}'"):
        found[NEAR]  # type: ignore[index]


def of_many(metrics: int, **options: Any) -> ragauge.Validation:
    rng = np.random.default_rng(0)
    made: list[dict[str, Any]] = []
    for number, value in enumerate(rng.random(60).tolist()):
        scores = {f"m{j}": value if j == 0 else float(rng.random()) for j in range(metrics)}
        made.append({"id": f"q{number}", "human": value, **scores})
    return ragauge.validate(made, [f"column:name=m{j}" for j in range(metrics)], human="human", **options)


def test_a_corrected_p_of_many_metrics_can_be_below_the_level() -> None:
    found = of_many(12)
    smallest = min(one.corrected for one in found.differences if one.measure == "kendall")
    assert found.options["resamples"] == 2640
    assert smallest == pytest.approx(66 / 2641)
    (note,) = found.notes
    assert note == "2,640 replicates are drawn, so that a p corrected for 66 pairs of metrics can be below .0500"
    assert of_many(10).options["resamples"] == 1000
    assert of_many(10).notes == ()
    assert of_many(12, resamples=1320).options["resamples"] == 1320


def test_where_no_corrected_p_can_be_below_the_level_a_note_says_so() -> None:
    found = of_many(12, level=0.999, resamples=100)
    assert found.options["resamples"] == 100
    (note,) = found.notes
    assert str(note).startswith(
        "with 100 replicates no p that is corrected for 66 pairs of metrics can be below .6535;"
    )
    assert str(note).endswith(" or pass resamples=132000")
