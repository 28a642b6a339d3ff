"""The first screen: a card for each metric, what failed, and where to look first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.comparison.equal_columns import of_pairs
from ragauge.comparison.primary import primary_metrics
from ragauge.display.numbers import interval, number
from ragauge.results.score import shown_name
from tests.reports.reading import Element, read
from tests.reports.runs import make_result, rows, two_runs

SCRIPTS = ["en", "zh", "ja", "ko", "ru", "ar", "hi", "th"]


def summary_of(result: Any, path: Path, **more: Any) -> Element:
    return read(ragauge.report(result, path / "page.html", **more)).one("section", id="summary")


def test_each_metric_has_a_card_with_value_interval_and_change(tmp_path: Path) -> None:
    before, after = two_runs(tmp_path)
    summary = summary_of([before, after], tmp_path)
    result, comparison = ragauge.load(after), ragauge.compare(before, after)
    shown = summary.all("li", class_="card")
    primary = primary_metrics(result, result.metrics)
    again = {name for one in of_pairs(comparison.candidates[0], primary) for name in one.others}
    by_title = {shown_name(name): name for name in result.metrics if name not in again}
    titles = [card.one("div", class_="name").line.removesuffix(" ↓ lower is better") for card in shown]
    assert sorted(titles) == sorted(by_title)
    names = [by_title[title] for title in titles]
    order = ["worse", "better", "leaning worse", "leaning better", "unclear", "equal", "nothing"]
    places = [(name not in primary, order.index(comparison[name].outcome)) for name in names]
    assert places == sorted(places)
    assert len(set(places)) > 1
    assert len(summary.one("details", class_="fold").all("li", class_="card")) == len(names) - len(primary)
    for card, name in zip(shown, names, strict=True):
        score, change = result[name], comparison[name]
        assert number(score.value, score.low, score.high) in card.line
        assert interval(score.low, score.high) in card.line
        assert f"{score.scored} of {score.total} scored" in card.line
        assert card.one("svg").all("rect", class_="spark")
        assert card.attributes["class"] == f"card is-{change.outcome.replace(' ', '-')}"
        assert change.outcome in card.line


def test_what_failed_stands_on_the_first_screen_with_its_reason(tmp_path: Path) -> None:
    before, after = two_runs(tmp_path)
    assert "2 × timeout after 30 s" in summary_of([before, after], tmp_path).line


def scored(*groups: tuple[str, Sequence[float | None]], direction: str = "higher") -> ragauge.Result:
    data = [{"id": f"{name}{place}", "x": x, "group": name} for name, xs in groups for place, x in enumerate(xs)]
    return ragauge.evaluate(data, f"quality=column:name=x,low=0,high=1,direction={direction}", by="group")


def test_a_group_is_named_only_where_its_interval_sets_it_apart(tmp_path: Path) -> None:
    good, bad = [0.8, 0.9, 0.7, 0.9, 0.8, 0.9], [0.1, 0.2, 0.1, 0.2, 0.1, 0.3]
    apart = summary_of(scored(("a", good), ("b", bad), ("c", good)), tmp_path).one("div", class_="first")
    assert [item.line for item in apart.all("li")] == ["group b: quality 0.167 (rest 0.833)"]
    alike = summary_of(scored(("a", good), ("b", good)), tmp_path, force=True).one("div", class_="first")
    assert "No group is clearly worse than the rest of the samples." in alike.line
    assert "Groups looked at: 2; metrics: 1." in alike.line
    few = summary_of(scored(("a", good), ("b", bad[:4])), tmp_path, force=True).one("div", class_="first")
    assert not few.all("li")  # the interval of four samples says little
    lower = summary_of(scored(("a", good), ("b", bad), direction="lower"), tmp_path, force=True)
    assert lower.one("div", class_="first").all("li")[0].line.startswith("group a: quality 0.833")


def test_one_miss_in_a_small_group_sets_no_group_apart(tmp_path: Path) -> None:
    right, miss = [1.0] * 8, [1.0] * 7 + [0.0]
    summary = summary_of(scored(*[(name, right) for name in "abcdefg"], ("h", miss)), tmp_path)
    assert not summary.one("div", class_="first").all("li")


@pytest.mark.parametrize("language", SCRIPTS)
def test_groups_of_any_language_are_named(language: str, tmp_path: Path) -> None:
    names = {"en": "tea", "zh": "茶", "ja": "お茶", "ko": "차", "ru": "чай", "ar": "شاي", "hi": "चाय", "th": "ชา"}
    good, bad = [0.9] * 3 + [0.8] * 3, [0.1, 0.2, 0.1, 0.2, 0.1, 0.3]
    summary = summary_of(scored((names[language], bad), ("other", good)), tmp_path, language="zh")
    assert f"group {names[language]}：quality 0.167" in summary.one("div", class_="first").line


def test_a_change_that_only_the_correction_made_unclear_says_so(tmp_path: Path) -> None:
    """Of 8 metrics one rises on 9 samples of 12 and falls on 1; the others rise as often as they fall."""
    moves = {"m0": [0.1] * 9 + [-0.1] + [0.0] * 2, **{f"m{k}": [0.1, -0.1] * 6 for k in range(1, 8)}}
    base = [{"id": str(place), **dict.fromkeys(moves, 0.5)} for place in range(12)]
    moved = [{"id": row["id"], **{name: 0.5 + by[int(str(row["id"]))] for name, by in moves.items()}} for row in base]
    runs = [
        ragauge.evaluate(one, [f"{name}=column:name={name},low=0,high=1" for name in moves]) for one in (base, moved)
    ]
    change = ragauge.compare(*runs)["m0"]
    assert (change.outcome, change.p < 0.05, change.alone_low > 0) == ("leaning better", True, True)
    first, *others = summary_of(runs, tmp_path).all("li", class_="card")
    assert "△ +0.067 leaning better" in first.line
    assert not [card for card in others if "leaning" in card.line]


def test_samples_that_got_worse_are_counted_in_the_direction_of_the_metric(tmp_path: Path) -> None:
    def run(scores: list[float], costs: list[float]) -> ragauge.Result:
        data = [
            {"id": str(place), "x": x, "y": y, "z": 1.0} for place, (x, y) in enumerate(zip(scores, costs, strict=True))
        ]
        return ragauge.evaluate(
            data, ["tone=column:name=x", "cost=column:name=y,direction=lower", "same=column:name=z"]
        )

    summary = summary_of([run([1, 1, 0, 0], [1, 2, 3, 4]), run([0, 1, 1, 0], [2, 3, 4, 1])], tmp_path)
    [line] = [one.line for one in summary.all("p") if "got worse" in one.line]
    assert line == "Samples that got worse: tone 1 · cost 3"


def test_one_run_says_how_much_was_scored(tmp_path: Path) -> None:
    summary = summary_of(make_result(rows(12), ["mrr", "token-f1"]), tmp_path)
    assert [one.line for one in summary.all("p", class_="finding")] == [
        "▼ run 1 did not answer 2 of 12 samples.",
        "10 of 12 samples are scored under all 2 metrics.",
    ]
    assert [item.attributes["class"] for item in summary.all("li", class_="card")] == ["card", "card"]


def test_cards_of_metrics_that_scored_all_samples_count_none(tmp_path: Path) -> None:
    summary = summary_of(make_result(rows(12, failures=0), ["mrr", "token-f1"]), tmp_path)
    assert not [card for card in summary.all("li", class_="card") if "scored" in card.line]


def test_of_which_run_the_cards_are_is_said(tmp_path: Path) -> None:
    before, after = two_runs(tmp_path)
    other = make_result(rows(12, seed=1), ["mrr"])
    assert "Values of today, and changes from yesterday: + is better." in summary_of([before, after], tmp_path).line
    assert "Values of run 2." in summary_of([make_result(rows(12), ["chrf"]), other], tmp_path, force=True).line


def test_without_intervals_and_groups_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    data = [{"id": str(place), "x": 0.5, "group": "ab"[place % 2]} for place in range(12)]
    metric = "column:name=x,low=0,high=1"
    grouped = ragauge.evaluate(data, metric, by="group", resamples=0)
    assert "Without intervals no group can be set apart." in summary_of(grouped, tmp_path).line
    perfect = ragauge.evaluate([{**row, "x": 1.0} for row in data], metric)
    assert not summary_of(perfect, tmp_path, force=True).all("h3")


@pytest.mark.parametrize(("base", "words"), [([0.5, None], "the only sample"), ([0.5, 0.4], "the 2 samples")])
def test_one_sample_that_both_scored_is_said_in_the_singular(
    base: list[float | None], words: str, tmp_path: Path
) -> None:
    line = summary_of([scored(("a", [*base, None])), scored(("a", [0.9, 0.8, 0.7]))], tmp_path).line
    assert f"Changes are of {words} that both scored." in line


@pytest.mark.parametrize("runs", [1, 2])
def test_cards_of_metrics_that_say_the_same_stand_once(runs: int, tmp_path: Path) -> None:
    def of(rank: int) -> ragauge.Result:
        data = [
            {"id": str(place), "relevance": {"a": 1}, "retrieved": ["b", "c", "a"][place % 3 :] if place % rank else []}
            for place in range(12)
        ]
        return ragauge.evaluate(data, ["hit-rate@3", "recall@3", "precision@3", "mrr"], resamples=0)

    summary = summary_of([of(3), of(4)][:runs], tmp_path)
    titles = [card.one("div", class_="name").line for card in summary.all("li", class_="card")]
    assert sorted(titles) == ["mrr", "recall@3"]
    assert "recall@3 = hit-rate@3 = 3 × precision@3 here" in summary.line
    zh = summary_of([of(3), of(4)][:runs], tmp_path, language="zh", force=True)
    assert "这里 recall@3 = hit-rate@3 = 3 × precision@3" in zh.line
