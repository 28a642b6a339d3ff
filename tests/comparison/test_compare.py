"""What a comparison says of runs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.messages import Face, wording_of
from ragauge.display.table import Bar, Notes, Table
from ragauge.display.text import plain_text
from ragauge.errors import ColumnError, DataError, OptionError, UnknownNameError, UsageError
from ragauge.inference import resampling
from ragauge.metrics import Bleu
from tests.approved import pattern

from .runs import METRICS, given, rows, scored

QUALITY, BLEU, LATENCY = METRICS


@pytest.fixture(scope="module")
def comparison() -> ragauge.Comparison:
    return ragauge.compare(scored(rows(120, 1)), scored(rows(120, 2, skill=0.8)), by="language")


def test_answers_that_failed_are_noted_after_the_verdict_in_the_words_of_the_page() -> None:
    whole = scored([{**row, "failure": None} for row in rows(20, 1)])
    half = scored([{**row, "failure": "down" if place % 2 else None} for place, row in enumerate(rows(20, 1))])
    first = "candidate did not answer 10 of 20 samples (base: 0)."
    assert str(ragauge.compare(whole, half)).startswith("Do not ship (candidate): fails on 10 of 20 samples (base: 0)")
    assert f"\nnote: {first}\n" in str(ragauge.compare(whole, half))
    assert "\nnote: base did not answer 10 of 20 samples (candidate: 0).\n" in str(ragauge.compare(half, whole))
    assert "did not answer" not in str(ragauge.compare(half, half))
    [note] = [one for block in ragauge.compare(whole, half).blocks() if isinstance(block, Notes) for one in block.items]
    assert wording_of(note, Face("zh")) == "candidate 没有回答 20 个样本中的 10 个（base：0 个）。"


def test_values_are_those_of_the_runs(comparison: ragauge.Comparison) -> None:
    for metric in METRICS:
        one = comparison[metric]
        assert one.base == scored(rows(120, 1))[metric].value
        assert one.candidate == scored(rows(120, 2, skill=0.8))[metric].value
        assert one.difference == one.candidate - one.base
        assert one.low < one.difference < one.high
        assert one.wins + one.ties + one.losses == one.scored == one.total == 120
        assert one.p <= one.corrected <= 1


def test_what_these_samples_could_have_shown(comparison: ragauge.Comparison) -> None:
    one = comparison[QUALITY]
    assert one.samples_for(one.detectable) == pytest.approx(one.scored, rel=0.03)
    assert one.samples_for(one.detectable / 2) == pytest.approx(4 * one.scored, rel=0.03)


def test_outcomes_know_the_direction() -> None:
    high, low = np.linspace(0.6, 0.8, 30).tolist(), np.linspace(0.2, 0.3, 30).tolist()
    for direction, outcome in (("higher", "worse"), ("lower", "better")):
        runs = [
            scored([{"id": f"q{i}", "x": x} for i, x in enumerate(values)], f"column:name=x,direction={direction}")
            for values in (high, low)
        ]
        one = ragauge.compare(*runs).table[0]
        assert one.outcome == outcome
        assert (one.wins, one.losses) == ((30, 0) if outcome == "better" else (0, 30))


def test_groups_are_runs_of_their_own(comparison: ragauge.Comparison) -> None:
    some = [one for one in comparison.table if one.group == {"language": "zh"}]
    runs = rows(120, 1), rows(120, 2, skill=0.8)
    base, candidate = ([row for row in run if row["language"] == "zh"] for run in runs)
    alone = ragauge.compare(scored(base), scored(candidate))
    for one in some:
        again = alone[one.metric]
        assert (one.base, one.candidate, one.p, one.alone_low, one.alone_high) == (
            again.base,
            again.candidate,
            again.p,
            again.alone_low,
            again.alone_high,
        )
    assert [one.group["language"] for one in comparison.table if one.group and one.metric == BLEU] == ["en", "zh", None]


def test_saved_runs_compare_alike(comparison: ragauge.Comparison, tmp_path: Path) -> None:
    scored(rows(120, 1)).save(tmp_path / "a")
    scored(rows(120, 2, skill=0.8)).save(tmp_path / "b")
    again = ragauge.compare(tmp_path / "a", str(tmp_path / "b"), by="language")
    assert [one.to_dict() | {"run": ""} for one in again.table] == [
        one.to_dict() | {"run": ""} for one in comparison.table
    ]
    assert again.base == str(tmp_path / "a")


@pytest.mark.parametrize("cluster", [None, "document"])
def test_order_of_samples_does_not_matter(cluster: str | None) -> None:
    base, candidate = rows(90, 1), rows(90, 2)
    order = np.random.default_rng(0).permutation(90)
    straight = ragauge.compare(scored(base), scored(candidate), cluster=cluster)
    shuffled = ragauge.compare(scored([base[i] for i in order]), scored(candidate[::-1]), cluster=cluster)
    assert [one.to_dict() for one in straight.table] == [one.to_dict() for one in shuffled.table]
    assert straight.table[0].units == (90 if cluster is None else 23)


def test_same_seed_same_bytes_other_seed_other_draws() -> None:
    runs = scored(rows(60, 1)), scored(rows(60, 2))
    texts = [json.dumps(ragauge.compare(*runs, seed=seed).to_dict(3)) for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]


def test_several_candidates_are_one_family() -> None:
    base, one, two = (scored(rows(60, seed), QUALITY, BLEU) for seed in (1, 2, 3))
    found = ragauge.compare(base, one, two)
    assert [(each.run, each.metric) for each in found.table] == [
        (run, metric) for run in ("candidate", "candidate 2") for metric in (QUALITY, BLEU)
    ]
    smallest = min(found.table, key=lambda each: each.p)
    assert smallest.corrected == pytest.approx(min(1, 4 * smallest.p))


@pytest.mark.parametrize("test", ["bootstrap", "wilcoxon", "t", "mcnemar"])
def test_other_tests_and_what_takes_their_place(test: str) -> None:
    found = ragauge.compare(scored(rows(60, 1)), scored(rows(60, 2)), test=test)
    used = {one.metric: one.test for one in found.table}
    fits = {"bootstrap": METRICS, "t": METRICS, "wilcoxon": (QUALITY, LATENCY), "mcnemar": ()}[test]
    assert used == {metric: test if metric in fits else "randomisation" for metric in METRICS}
    assert bool(found.notes) == (len(fits) < 3)


def test_mcnemar_on_binary_scores() -> None:
    found = ragauge.compare(given([0, 0, 0, 1, 1, 0]), given([1, 1, 1, 1, 0, 0]), test="mcnemar")
    assert found.table[0].test == "mcnemar"
    assert found.table[0].p == pytest.approx(0.625)


def test_bca_is_offered() -> None:
    runs = scored(rows(60, 1)), scored(rows(60, 2))
    plain, bca = (ragauge.compare(*runs, interval=interval)[QUALITY] for interval in ("percentile", "bca"))
    assert bca.low != plain.low
    assert bca.low == pytest.approx(plain.low, abs=0.02)


def test_only_samples_that_are_ok_in_both_count() -> None:
    base = given([0.1, None, 0.3, 0.4, None], failure=[None, None, None, "timeout", None])
    candidate = given([0.2, 0.5, 0.6, 0.9, None], failure=[None, None, "crash", None, None])
    one = ragauge.compare(base, candidate).table[0]
    assert (one.scored, one.total) == (1, 5)
    assert one.excluded == {"failed in base": 1, "missing in base": 1, "failed in candidate": 1, "missing in both": 1}
    assert (one.base, one.candidate) == (0.1, 0.2)


def first_table(base: ragauge.Result, candidate: ragauge.Result, **more: Any) -> Table:
    """Return the table of all samples."""
    [table, *_] = [block for block in ragauge.compare(base, candidate).blocks(**more) if isinstance(block, Table)]
    return table


def details(base: ragauge.Result, candidate: ragauge.Result) -> list[tuple[str, ...]]:
    """Return what is said below each row of the first table."""
    return [row.details for row in first_table(base, candidate).rows]


def test_a_row_says_how_many_samples_moved_and_what_they_could_show() -> None:
    base, candidate = given([0.1, 0.2, 0.3, None]), given([0.2, 0.2, 0.1, 0.4])
    [[moved, effect, detectable]] = details(base, candidate)
    assert moved == "1 better, 1 same, 1 worse"
    assert effect.startswith("effect -0.")
    assert detectable.startswith("minimum detectable difference 0.")
    assert [len(found) for found in details(base, base)] == [1]
    assert [len(found) for found in details(candidate, given([0.3, 0.1, 0.5, 0.4]))] == [3]


def test_samples_that_were_not_scored_are_told_once_and_by_metric_where_metrics_differ() -> None:
    base, candidate = given([0.1, 0.2, 0.3, None]), given([0.2, 0.2, 0.1, 0.4])
    assert first_table(base, candidate, details=False).notes == ("3 of 4 scored: 1 missing in base",)
    assert first_table(candidate, candidate, details=False).notes == ()
    assert "3 of 4 scored: 1 missing in base" in str(ragauge.compare(base, candidate))
    rows = [{"id": str(place), "x": place / 8, "y": None if place < 2 else 0.5} for place in range(4)]
    metrics = ["x=column:name=x", "y=column:name=y"]
    one = ragauge.evaluate(rows, metrics, resamples=0)
    assert first_table(one, one, details=False).notes == ("y: 2 of 4 scored: 2 missing in both",)


def test_the_text_has_a_line_for_each_metric_and_details_on_request() -> None:
    found = ragauge.compare(given([0.1, 0.2, 0.3]), given([0.2, 0.2, 0.1]))
    assert "better, " not in str(found)
    assert "1 better, 1 same, 1 worse" in plain_text(found.blocks())


def test_what_does_not_pair_is_reported() -> None:
    found = ragauge.compare(scored(rows(20, 1)[:12]), scored(rows(20, 2)[5:]))
    assert found["bleu"].total == 7
    assert found.notes == (
        "5 samples are only in base: 'q0', 'q1', 'q2', ...",
        "8 samples are only in candidate: 'q12', 'q13', 'q14', ...",
    )
    [candidate] = found.to_dict()["candidates"]
    assert {name: candidate[name] for name in ("run", "paired", "only_base", "only_candidate")} == {
        "run": "candidate", "paired": 7, "only_base": 5, "only_candidate": 8,
    }  # fmt: skip


def test_samples_without_ids_of_their_own_are_paired_by_their_questions() -> None:
    base = [{"question": f"问题 {place}", "answer": "茶", "references": ["茶"]} for place in range(4)]
    candidate = [{**row, "answer": "水" if place < 2 else "茶"} for place, row in enumerate(base)]
    left, right = (ragauge.evaluate(one, "exact-match", resamples=0) for one in (base, candidate))
    found = ragauge.compare(left, right)
    assert found["exact-match"].total == 2
    assert found.notes[-1] == (
        "the ids of these samples are made from their content, so another answer makes another sample; give samples"
        " ids, or compare by a column, as on='question'"
    )
    paired = ragauge.compare(left, right, on="question")
    assert (paired["exact-match"].total, paired["exact-match"].losses, paired.notes) == (4, 2, ())


def test_pairs_by_another_column() -> None:
    base, candidate = ([{**row, "id": f"{seed}-{row['id']}"} for row in rows(20, seed)] for seed in (1, 2))
    with pytest.raises(UsageError, match=pattern("comparison.the_runs_have_no_sample_in_common")):
        ragauge.compare(scored(base), scored(candidate))
    assert ragauge.compare(scored(base), scored(candidate), on="question")["bleu"].total == 20
    with pytest.raises(DataError, match=pattern("comparison.base_column_language_does_not_tell_samples")):
        ragauge.compare(scored(base), scored(candidate), on="language")
    with pytest.raises(ColumnError, match=pattern("comparison.base_has_no_column_quesion_to_pair")):
        ragauge.compare(scored(base), scored(candidate), on="quesion")


@pytest.mark.parametrize(("names", "said"), [("aab", "'a' is in several"), ("abbb", "'b' is in several")])
def test_a_column_that_does_not_tell_samples_apart_pairs_none(names: str, said: str) -> None:
    runs = [given([0.5] * len(names), name=list(names)) for _ in range(2)]
    with pytest.raises(DataError, match=said):
        ragauge.compare(*runs, on="name")


def test_other_options_are_an_error_that_names_them() -> None:
    runs = scored(rows(9, 1), "bleu"), scored(rows(9, 2), "bleu:order=2")
    with pytest.raises(UsageError, match=pattern("comparison.bleu_was_computed_differently_order_in_base")):
        ragauge.compare(*runs)


def test_a_metric_that_one_run_has_in_a_further_form_is_compared_in_the_form_of_both() -> None:
    runs = scored(rows(9, 1), "bleu", "bleu:order=2"), scored(rows(9, 2), "bleu")
    for pair, where in ((runs, "base"), (runs[::-1], "candidate")):
        found = ragauge.compare(*pair)
        assert {one.metric for one in found.table} == {"bleu"}
        assert found.notes == (f"only {where} has bleu:order=2",)
    with pytest.raises(UsageError, match="bleu:order=2 was computed differently"):
        ragauge.compare(*runs, metrics="bleu:order=2")


def test_metrics_of_one_run_only_are_noted() -> None:
    found = ragauge.compare(scored(rows(9, 1), "bleu", "rouge-1"), scored(rows(9, 2), "bleu", "rouge-2"))
    assert found.notes == ("only base has rouge-1", "only candidate has rouge-2")
    with pytest.raises(UnknownNameError, match=pattern("comparison.unknown_metric_in_candidate_rouge_there_are")):
        ragauge.compare(scored(rows(9, 1), "bleu", "rouge-1"), scored(rows(9, 2), "bleu"), metrics="rouge-1")
    with pytest.raises(UsageError, match=pattern("comparison.the_runs_share_no_metric_base_has")):
        ragauge.compare(scored(rows(9, 1), "bleu"), scored(rows(9, 2), "rouge-1"))


def test_another_task_is_an_error_that_names_it() -> None:
    other = rows(9, 2)
    other[3]["references"] = ["something else"]
    with pytest.raises(UsageError, match=pattern("comparison.base_and_candidate_were_scored_on_different")):
        ragauge.compare(scored(rows(9, 1)), scored(other))


def test_task_columns_of_one_run_are_noted() -> None:
    without = [{name: value for name, value in row.items() if name != "question"} for row in rows(9, 2)]
    assert ragauge.compare(scored(rows(9, 1)), scored(without)).notes == ("only base has the column question",)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"test": "chi"}, "'test' of compare must be randomisation, bootstrap, wilcoxon, mcnemar or t; got"),
        ({"correction": "sidak"}, "'correction' of compare must be holm, bonferroni, bh or none; got"),
        ({"level": 1.0}, "'level' of compare must be a number between 0 and 1"),
        ({"level": "high"}, "'level' of compare must be a number between 0 and 1"),
        ({"trials": 0}, "'trials' of compare"),
        ({"trials": 1.5}, "'trials' of compare"),
        ({"seed": "x"}, "'seed' of compare"),
        ({"trials": 10**7}, "a whole number from 1 to 1,000,000; got 10000000"),
        ({"resamples": 10**8}, "a whole number from 1 to 1,000,000; got 100000000"),
        ({"seed": 2**64}, "'seed' of compare"),
        ({"tests": "t"}, "compare has no option 'tests'; did you mean test"),
    ],
)
def test_bad_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        ragauge.compare(given([0.5]), given([0.5]), **options)


def test_bad_calls() -> None:
    with pytest.raises(UsageError, match=pattern("comparison.compare_must_get_at_least_one_candidate")):
        ragauge.compare(given([0.5]))
    wrong: Any = 3
    with pytest.raises(OptionError, match="'candidates' of compare must be a result or the directory of a saved run"):
        ragauge.compare(given([0.5]), wrong)
    with pytest.raises(ColumnError, match=pattern("comparison.cluster_documnt_the_base_has_no_column")):
        ragauge.compare(scored(rows(9, 1)), scored(rows(9, 2)), cluster="documnt")


def test_clusters_are_those_of_the_base_run() -> None:
    base = scored(rows(80, 1), cluster="document")
    assert ragauge.compare(base, scored(rows(80, 2)))["bleu"].units == 20


def test_groups_of_numbers_and_none() -> None:
    some = [{**row, "turns": [10, 9, None][i % 3], "weight": float("nan")} for i, row in enumerate(rows(30, 1))]
    found = ragauge.compare(scored(some), scored(some), by=["turns", "weight"])
    labels = [one.group for one in found.table if one.group and one.metric == BLEU]
    assert labels == [{"turns": 9}, {"turns": 10}, {"turns": None}, {"weight": None}]
    assert ragauge.compare(scored(some), scored(some), cluster="weight")[BLEU].units == 30
    with pytest.raises(ColumnError, match=pattern("comparison.by_references_the_column_must_hold_text")):
        ragauge.compare(scored(some), scored(some), by="references")


def test_worst_samples_come_with_their_texts() -> None:
    base, candidate = rows(30, 1), rows(30, 2)
    found = ragauge.compare(scored(base), scored(candidate)).worst(2, QUALITY)
    fell = sorted(range(30), key=lambda i: (round(candidate[i]["quality"] - base[i]["quality"], 9), base[i]["id"]))
    assert [fall.id for fall in found] == [base[i]["id"] for i in fell[:2]]
    first = fell[0]
    assert found[0].question == base[first]["question"]
    assert found[0].base_answer == base[first]["answer"]
    assert found[0].candidate_answer == candidate[first]["answer"]
    assert found[0].references == tuple(base[first]["references"])


def test_a_metric_under_two_names_is_tested_once(tmp_path: Path) -> None:
    runs = []
    for name, seed in (("base", 1), ("new", 2)):
        once = scored(rows(40, seed), "bleu", QUALITY)
        again = "bleu:order=4"
        table = (*once.table, replace(once["bleu"], metric=again))
        metrics, columns = {**once.metrics, again: once.metrics["bleu"]}, {**once.columns, again: once.columns["bleu"]}
        replace(once, table=table, metrics=metrics, columns=columns).save(tmp_path / name)
        runs.append(once)
    alone = ragauge.compare(*runs)
    for wanted in ([], ["bleu", "bleu:order=4", QUALITY]):
        both = ragauge.compare(tmp_path / "base", tmp_path / "new", metrics=wanted)
        assert [one.metric for one in both.table] == ["bleu", QUALITY]
        assert [one.corrected for one in both.table] == [one.corrected for one in alone.table]
        assert both.notes == ()
        assert both["bleu:order=4"] is both["bleu"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"metrics": 5}, "'metrics' of compare must be a metric's name in both runs, or a list of names; got 5"),
        ({"metrics": [5]}, "'metrics' of compare must be a metric's name in both runs, or a list of names; got 5"),
        ({"on": 5}, "'on' of compare must be the name of a column; got 5"),
        ({"trials": True}, "'trials' of compare must be a whole number from 1 to 1,000,000; got True"),
    ],
)
def test_wrong_types_are_refused_by_name(wrong: dict[str, Any], said: str) -> None:
    run = scored(rows(5, 1), "bleu")
    with pytest.raises(OptionError, match=said):
        ragauge.compare(run, run, **wrong)


def test_columns_have_the_names_that_the_user_gave_them(tmp_path: Path) -> None:
    names = {"id": "qid", "question": "query", "language": "lang"}
    own = scored([{names.get(name, name): value for name, value in row.items()} for row in rows(12, 1)])
    own.save(tmp_path / "run")
    same = scored(rows(12, 1))
    expected = ragauge.compare(same, same, by="language", cluster="language", on="question")
    for run in (own, ragauge.load(tmp_path / "run")):
        found = ragauge.compare(run, run, by=["lang", "language"], cluster="lang", on="query")
        assert str(found.table) == str(expected.table)
        assert found.options == {**expected.options, "on": "query"}


def test_a_comparison_is_a_mapping_of_metrics(comparison: ragauge.Comparison) -> None:
    assert list(comparison) == list(comparison.keys()) == list(METRICS)
    assert len(comparison) == 3
    assert dict(comparison)[BLEU] is comparison[BLEU]
    assert BLEU in comparison
    assert "bleu:order=4" in comparison
    assert comparison[Bleu] is comparison[BLEU]
    assert "mrr" not in comparison
    assert "no such metric" not in comparison


def test_the_options_of_a_comparison_that_names_none() -> None:
    run = ragauge.evaluate([{"id": "a", "x": 1.0}, {"id": "b", "x": 2.0}], "column:name=x", resamples=0)
    assert ragauge.compare(run, run).to_dict()["options"] == {
        "test": "randomisation", "correction": "holm", "interval": "percentile", "level": 0.95, "alpha": 0.05,
        "trials": 10_000, "resamples": 2000, "seed": 0, "by": [], "cluster": None, "on": "id",
    }  # fmt: skip


def test_samples_that_fell_are_in_json_where_they_are_wanted() -> None:
    runs = [ragauge.evaluate([{"id": name, "x": x - by} for name, x in zip("abc", (1.0, 2.0, 3.0), strict=True)],
                             "column:name=x", resamples=0) for by in (0, 1)]  # fmt: skip
    comparison = ragauge.compare(*runs)
    assert "worst" not in comparison.to_dict()
    assert [len(comparison.to_dict(worst)["worst"]) for worst in (1, 2, 4)] == [1, 2, 3]


def test_names_of_columns_are_those_of_the_base_run() -> None:
    base = scored(
        [{("lang" if name == "language" else name): value for name, value in row.items()} for row in rows(12, 1)]
    )
    found = ragauge.compare(base, scored(rows(12, 2)), by="lang", cluster="lang")
    assert found.options["by"] == ["language"]
    assert found.options["cluster"] == "language"


def test_where_lower_is_better_an_arrow_says_so(comparison: ragauge.Comparison) -> None:
    named = [line for line in str(comparison).splitlines() if "↓" in line and not line.startswith("↓")]
    assert len(named) == 2
    assert all("latency (column), s ↓" in line for line in named)


def test_bars_share_one_scale_in_units_of_the_ranges() -> None:
    """A quarter of each range is as long in either metric, and no bar has a scale where there is no range."""
    metrics = ["column:name=share,low=0,high=1", "column:name=stars,low=1,high=5", "column:name=cost"]
    samples = (
        [{"id": f"q{place}", "share": x, "stars": 1 + 4 * x, "cost": x} for place in range(20)] for x in (0.25, 0.5)
    )
    comparison = ragauge.compare(*(ragauge.evaluate(rows, metrics, resamples=0) for rows in samples))
    [table] = [block for block in comparison.blocks() if isinstance(block, Table)]
    bars = [cell for row in table.rows for cell in row.cells if isinstance(cell, Bar)]
    assert [(bar.value, bar.span) for bar in bars] == [
        (0.25, (-0.25, 0.25)), (1.0, (-1.0, 1.0)), (-0.25, (-np.inf, np.inf)),
    ]  # fmt: skip


@pytest.mark.parametrize("names", [("mrr", "自己的"), ("自己的", "mrr"), ("a", "b")])
def test_a_metric_that_has_another_name_in_each_run(names: tuple[str, str]) -> None:
    def run(name: str, first: int) -> Any:
        lists = [["a", "b"] if place < first else ["b", "a"] for place in range(12)]
        rows = [{"id": f"q{place}", "relevance": {"a": 1}, "retrieved": one} for place, one in enumerate(lists)]
        return ragauge.evaluate(rows, {name: "mrr"}, resamples=0)

    [found] = ragauge.compare(run(names[0], 5), run(names[1], 9)).table
    assert (found.metric, found.base, found.candidate) == (names[0], 17 / 24, 10.5 / 12)


def test_the_number_of_tests_is_that_of_metrics_with_a_p_value() -> None:
    def run(first: int, scored: int) -> Any:
        rows = [
            {"id": f"q{place}", "x": float(place < first), "y": 0.5 if place < scored else None} for place in range(12)
        ]
        return ragauge.evaluate(rows, ["x=column:name=x", "y=column:name=y"], resamples=0)

    both, one = ragauge.compare(run(5, 12), run(9, 12)), ragauge.compare(run(5, 0), run(9, 0))
    assert "Holm's correction over 2 tests; seed 0" in " ".join(str(both).split())
    assert "Holm's correction over 1 test; seed 0" in " ".join(str(one).split())


def test_a_difference_that_the_correction_alone_leaves_open_is_leaning() -> None:
    base = [{"id": str(place), "x": 0.5, "y": 0.5} for place in range(10)]
    better = [{**row, "x": 0.6 if place < 5 else 0.5, "y": 0.5 + 0.01 * place} for place, row in enumerate(base)]
    metrics = ["column:name=x", "column:name=y"]
    runs = [ragauge.evaluate(rows, metrics) for rows in (base, better)]
    shown = ragauge.compare(*runs)
    assert [shown[name].outcome for name in metrics] == ["unclear", "better"]
    x = shown["column:name=x"]
    assert (x.alone_low > 0, x.low <= 0, x.p > 0.05) == (True, True, True)
    # Three more metrics cost the third its finding, not what it leans to.
    leaning = [{**row, "z": 0.6 if place < 6 else 0.5} for place, row in enumerate(better)]
    runs = [
        ragauge.evaluate([{"z": 0.5, **row} for row in rows], [*metrics, "column:name=z"]) for rows in (base, leaning)
    ]
    z = ragauge.compare(*runs)["column:name=z"]
    assert (z.outcome, z.p < 0.05 < z.corrected) == ("leaning better", True)


def test_the_samples_that_got_worse_most_are_one_list_each_once_with_its_cause() -> None:
    def of(ranks: list[int]) -> ragauge.Result:
        data = [
            {"id": f"q{place}", "relevance": {"a": 1}, "retrieved": [*["b"] * (rank > 1), *["c"] * (rank > 2), "a"][:3]}
            for place, rank in enumerate(ranks)
        ]
        return ragauge.evaluate(data, ["mrr", "ndcg@3"], resamples=0)

    comparison = ragauge.compare(of([1, 1, 1, 1]), of([2, 3, 1, 2]), metrics=["mrr", "ndcg@3"], trials=10)
    text = plain_text(comparison.blocks(worst=2))
    lines = text[text.index("got worse most") :].splitlines()
    assert lines == [
        "got worse most in candidate:",
        "  q1  mrr 1.000 -> 0.333, ndcg@3 1.000 -> 0.500",
        "    cause      the rank of passage a fell from 1 to 3",
        "  q0  mrr 1.000 -> 0.500, ndcg@3 1.000 -> 0.631",
        "    cause      the rank of passage a fell from 1 to 2",
    ]
    one = ragauge.compare(of([1, 1]), of([1, 1]), trials=10)
    assert plain_text(one.blocks(worst=2)).endswith("no sample got worse")


def test_samples_without_ids_are_shown_with_their_rows() -> None:
    def of(answers: list[str]) -> ragauge.Result:
        rows = [{"question": f"{text}?", "answer": text, "reference": "茶"} for text in answers]
        for place, row in enumerate(rows):
            row["question"] = f"{place}?"
        return ragauge.evaluate(rows, "exact-match", resamples=0)

    comparison = ragauge.compare(of(["水", "茶", "茶"]), of(["水", "水", "水"]), on="question", trials=10)
    assert [fall.row for fall in comparison.worst()] == [2, 3]
    text = plain_text(comparison.blocks(worst=1))
    assert "\n  1?  (row 2)  exact-match 1.000 -> 0.000\n" in text
    own = ragauge.compare(
        ragauge.evaluate([{"id": "a", "x": 1}], "column:name=x"),
        ragauge.evaluate([{"id": "a", "x": 0}], "column:name=x"),
        trials=10,
    )
    assert [fall.row for fall in own.worst()] == [None]


def test_all_candidates_share_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [scored(rows(20, seed)) for seed in (1, 2, 3, 4)]
    alone = [ragauge.compare(runs[0], one).table for one in runs[1:]]
    drawn: list[object] = []

    original = resampling.drawn_sums

    def counted(*given: Any) -> Any:
        drawn.append(given)
        return original(*given)

    monkeypatch.setattr(resampling, "drawn_sums", counted)
    together = ragauge.compare(*runs).table
    assert len(drawn) == 2  # of swaps, and of replicates
    assert [one.p for one in together] == [one.p for of_pair in alone for one in of_pair]
    assert [one.alone_low for one in together] == [one.alone_low for of_pair in alone for one in of_pair]


def test_runs_that_lack_other_samples_share_the_draws_of_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run lacks is drawn for by itself: the other samples are summed once for all pairs that it is in."""
    scores = np.random.default_rng(0).random((5, 200))
    runs = [
        given([None if run == place else one for place, one in enumerate(of_run)])
        for run, of_run in enumerate(scores.tolist())
    ]
    alone = [ragauge.compare(runs[0], one).table for one in runs[1:]]
    drawn: list[tuple[int, int]] = []
    original = resampling.drawn_sums

    def counted(draw: Any, columns: Any, *given: Any) -> Any:
        drawn.append(columns.shape)
        return original(draw, columns, *given)

    monkeypatch.setattr(resampling, "drawn_sums", counted)
    together = ragauge.compare(*runs).table
    shared, apart = drawn[:2]
    assert (shared[0], apart[0]) == (196, 4)
    assert shared[1] < apart[1]
    assert [(one.p, one.alone_low) for one in together] == [(one.p, one.alone_low) for (one,) in alone]


@pytest.mark.parametrize("asked", ["who {}", "谁 {}", "누구 {}", "кто {}", "من {}", "कौन {}", "ใคร {}"])
def test_samples_without_ids_are_named_by_their_rows(asked: str) -> None:
    def run(answer: str) -> ragauge.Result:
        rows = [
            {"question": asked.format(n), "answer": answer if n > 1 else "a", "references": ["a"]} for n in range(4)
        ]
        return ragauge.evaluate(rows, "exact-match", resamples=0)

    notes = [note for note in ragauge.compare(run("a"), run("b")).notes if "only in" in note]
    assert len(notes) == 2
    assert all(re.search(r": '[0-9a-f]{16}' \(row 3\), '[0-9a-f]{16}' \(row 4\)$", note) for note in notes)


def test_runs_of_one_sample_without_ids_and_none_in_common_are_an_error() -> None:
    runs = [
        ragauge.evaluate([{"question": one, "answer": one, "references": [one]}], "exact-match", resamples=0)
        for one in ("谁", "누구")
    ]
    with pytest.raises(UsageError, match="their data have no ids, and no row is the same in both"):
        ragauge.compare(*runs)
