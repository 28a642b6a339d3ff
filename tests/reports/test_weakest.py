"""Where to look first: the worst scores, the weakest group, samples to open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.reports.runs import Page, badness, load_runs, select
from ragauge.reports.sections.weakest import WeakestRow, weakest
from ragauge.reports.texts import Texts
from tests.reports.reading import read
from tests.reports.runs import make_result, rows, two_runs


def samples(hits: str, groups: str) -> list[dict[str, Any]]:
    """Return samples that were answered right where ``hits`` has 1."""
    made = zip(hits, groups, strict=True)
    return [
        {"id": f"Nr. {i}/ä", "answer": "Anna" if hit == "1" else "Bea", "references": ["Anna"], "group": group}
        for i, (hit, group) in enumerate(made)
    ]


def found(*results: Any, limit: int = 100) -> list[WeakestRow]:
    page = Page.of(load_runs(results), Texts())
    return weakest(page, select(page, limit))


def test_the_worst_scores_are_counted_and_their_samples_named() -> None:
    (row,) = found(ragauge.evaluate(samples("1101011111", "a" * 10), "exact-match", by="group"))
    assert row.worst is not None
    assert row.worst.values == {"n": "2", "total": "10"}
    assert row.samples == {"Nr. 2/ä": "#sample=Nr.%202%2F%C3%A4", "Nr. 4/ä": "#sample=Nr.%204%2F%C3%A4"}
    assert row.groups == {}


def test_a_small_group_is_not_the_weakest_by_chance() -> None:
    # None of 6, and 8 of 40: the first scores lower, the second is known to be low.
    given = samples("0" * 6 + "1" * 8 + "0" * 32 + "1" * 20, "s" * 6 + "b" * 40 + "g" * 20)
    (row,) = found(ragauge.evaluate(given, "exact-match", by="group"))
    assert {column: group for column, (group, _) in row.groups.items()} == {"group": "b"}
    (row,) = found(ragauge.evaluate(given, "exact-match", by="group", resamples=0))
    assert row.groups["group"][0] == "s"


def test_a_handful_of_samples_is_no_group() -> None:
    given = samples("0000" + "1" * 8 + "0" * 8 + "1" * 20, "s" * 4 + "b" * 16 + "g" * 20)
    (row,) = found(ragauge.evaluate(given, "exact-match", by="group", resamples=0))
    assert row.groups["group"][0] == "b"


def test_groups_that_are_equally_weak_are_all_named(tmp_path: Path) -> None:
    hits, groups = "00011111" * 2 + "1" * 16 + "00011111" * 3, "".join(8 * name for name in "a茶ccdef")
    given = samples(hits, groups)
    result = ragauge.evaluate(given, "exact-match", by="group")
    (row,) = found(result)
    assert row.groups["group"][0] == "a"
    assert [name for name, _ in row.ties["group"]] == ["d", "e", "f", "茶"]
    page = read(ragauge.report(result, tmp_path / "report.html")).one("section", id="weakest")
    assert "group a, d, e and 2 more 0.62" in page.line
    (row,) = found(ragauge.evaluate(given[:16], "exact-match", by="group"))
    assert row.groups == {}, "no group is the weakest where all are equal"


def test_lower_may_be_better() -> None:
    costs = (1.0, 2.0, 1.5, 1.2, 1.1, 8.0, 7.0, 7.1, 9.0, 7.2)
    given = [one | {"cost": cost} for one, cost in zip(samples("1" * 10, "aaaaabbbbb"), costs, strict=True)]
    (row,) = found(ragauge.evaluate(given, "column:name=cost,direction=lower", by="group", resamples=0))
    assert row.worst is None
    assert row.groups["group"][0] == "b"
    assert list(row.samples) == ["Nr. 8/ä", "Nr. 5/ä", "Nr. 9/ä"]


def test_where_lower_is_better_the_worst_score_is_the_highest() -> None:
    @ragauge.metric(needs=("answer",), name="wrong", direction="lower", range=(0.0, 1.0))
    def wrong(sample: Any) -> float:
        return float(sample.answer != "Anna")

    (row,) = found(ragauge.evaluate(samples("1101011111", "a" * 10), wrong, resamples=0))
    assert row.worst is not None
    assert row.worst.values == {"n": "2", "total": "10"}
    assert list(row.samples) == ["Nr. 2/ä", "Nr. 4/ä"]
    assert found(ragauge.evaluate(samples("1" * 10, "a" * 5 + "b" * 5), wrong, by="group", resamples=0)) == []


def test_where_all_is_well_nothing_is_said(tmp_path: Path) -> None:
    result = ragauge.evaluate(samples("1111", "aabb"), "exact-match", by="group")
    assert found(result) == []
    page = read(ragauge.report(result, tmp_path / "report.html"))
    assert not page.all("section", id="weakest")


def test_failed_samples_and_samples_of_one_run_are_not_named() -> None:
    base = ragauge.evaluate(samples("111", "aaa"), "exact-match")
    failing = [sample | {"failure": None if i else "timeout"} for i, sample in enumerate(samples("0010", "aaaa"))]
    (row,) = found(base, ragauge.evaluate(failing, "exact-match"))
    assert list(row.samples) == ["Nr. 1/ä"]


def test_only_samples_that_the_page_holds_are_named(tmp_path: Path) -> None:
    result = make_result(rows(40))
    page = read(ragauge.report(result, tmp_path / "report.html", limit=4))
    addresses = {str(link.attributes["href"]) for link in page.one("section", id="weakest").all("a")}
    samples = {address for address in addresses if address.startswith("#sample=")}
    assert 1 <= len(samples) <= 4
    assert all(address.startswith(("#in.topic=", "#language=")) for address in addresses - samples)


def test_metrics_that_changed_are_named_and_the_runs_that_lack_one(tmp_path: Path) -> None:
    before, after = two_runs(tmp_path)
    page = read(ragauge.report([before, after], tmp_path / "report.html"))
    named = {outcome: [] for outcome in ("better", "worse")}  # type: dict[str, list[str]]
    for one in ragauge.compare(before, after).table:
        if one.outcome in named:
            named[one.outcome].append(one.metric)
    lines = [line.line for line in page.one("section", id="changes").all("p", class_="found")]
    found = [f"{outcome.title()}: {', '.join(names)}" for outcome, names in named.items() if names]
    assert found
    assert lines[:-1] == found
    assert lines[-1].startswith("Rankings beside those of the baseline: RBO ")
    other = make_result(rows(40, seed=1), ["mrr", "chrf", "bleu"])
    evaluated = read(ragauge.report([before, other], tmp_path / "other.html")).one("section", id="evaluated")
    assert "Only in run 2, or with other options there: chrf, bleu" in evaluated.line


@pytest.mark.parametrize(
    ("limit", "worst", "drawn"), [(1, 1, 0), (4, 2, 2), (5, 3, 2), (8, 4, 4), (9, 9, 0), (100, 9, 0)]
)
def test_half_of_the_shown_samples_are_the_worst(limit: int, worst: int, drawn: int) -> None:
    result = make_result(rows(9), ["ndcg"])
    page = Page.of(load_runs(result), Texts())
    chosen = select(page, limit)
    assert (chosen.worst, chosen.drawn, chosen.by) == (worst, drawn, "ndcg")
    assert chosen.everything is (limit >= 9)
    assert chosen.rows.tolist() == sorted(set(chosen.rows.tolist()))
    assert len(chosen.rows) == worst + drawn
    bad = badness(page, page.metrics[0])
    assert sorted(bad[chosen.rows])[::-1][:worst] == sorted(bad)[::-1][:worst]
