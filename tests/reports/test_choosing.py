"""Which samples the page holds where there are more than its limit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.errors import OptionError
from ragauge.results.score import shown_name
from tests.approved import pattern
from tests.reports.reading import payload, read
from tests.reports.runs import make_result, rows

LATENCY = "column:name=latency,direction=lower"


def made(tmp_path: Path, runs: Any, **options: Any) -> Any:
    return payload(read(ragauge.report(runs, tmp_path / "report.html", force=True, **options)))


@pytest.mark.parametrize(("metric", "sign"), [("token-f1", 1), (LATENCY, -1)])
def test_half_are_the_worst_of_the_last_run_failed_ones_first(tmp_path: Path, metric: str, sign: int) -> None:
    first, last = (make_result(rows(200, seed=seed), ["mrr", "token-f1", LATENCY]) for seed in (1, 2))
    held = made(tmp_path, [first, last], limit=31, metric=metric)
    assert (held["total"], held["shown"]) == (200, 31)
    assert held["chosen"] == {"worst": 16, "drawn": 15, "by": shown_name(metric), "seed": 0}
    scores = np.where(last.statuses(metric) == "failed", -np.inf, sign * last.scores(metric))
    shown = np.array([int(name[1:]) for name in held["ids"]])
    assert shown.tolist() == sorted(shown.tolist())
    cut = np.sort(scores)[15]
    assert set(np.flatnonzero(scores < cut).tolist()) <= set(shown.tolist())
    assert np.sum(scores[shown] <= cut) >= 16


def test_the_choice_does_not_depend_on_the_order_of_the_samples(tmp_path: Path) -> None:
    samples = rows(80)
    shuffled = [samples[i] for i in np.random.default_rng(0).permutation(80).tolist()]
    held = [made(tmp_path, make_result(some, ["token-f1"]), limit=20)["ids"] for some in (samples, shuffled)]
    assert sorted(held[0]) == sorted(held[1])


def test_the_rest_is_drawn_from_all_over(tmp_path: Path) -> None:
    samples = [{"id": f"q{i}", "x": float(i)} for i in range(2000)]
    held = made(tmp_path, make_result(samples, ["column:name=x"]), limit=400)
    drawn = np.array([int(name[1:]) for name in held["ids"]])
    drawn = drawn[drawn >= 200]
    assert len(drawn) == 200
    assert abs(drawn.mean() - 1100) < 4 * 520 / 200**0.5


def test_the_page_says_what_was_chosen(tmp_path: Path) -> None:
    page = read(ragauge.report(make_result(rows(40)), tmp_path / "report.html", limit=10, metric="mrr"))
    said = page.one("section", id="samples").line
    assert "10 of 40 samples are listed here: the 5 worst by mrr in run 1, and 5 drawn at random" in said


def test_one_sample_may_be_all_that_the_page_holds(tmp_path: Path) -> None:
    held = made(tmp_path, make_result([{"id": f"q{i}", "x": i} for i in (3, 1, 2)], ["column:name=x"]), limit=1)
    assert held["ids"] == ["q1"]


def test_a_limit_that_all_fit_in_leaves_none_out(tmp_path: Path) -> None:
    page = read(ragauge.report(make_result(rows(40)), tmp_path / "report.html", limit=40))
    assert payload(page)["chosen"] is None
    assert "All 40 samples are listed here." in page.one("section", id="samples").line


@pytest.mark.parametrize("metric", ["nope", "bleu"])
def test_a_metric_that_the_run_lacks_is_named(tmp_path: Path, metric: str) -> None:
    with pytest.raises(ragauge.UsageError, match=r"metric of this run: '(nope|bleu)'; available: mrr, token-f1"):
        made(tmp_path, make_result(rows(4), ["mrr", "token-f1"]), metric=metric)


def test_no_samples_are_no_report(tmp_path: Path) -> None:
    with pytest.raises(ragauge.UsageError, match=pattern("reports.option_limit_of_the_report_must_be")):
        made(tmp_path, make_result(rows(4), ["mrr"]), limit=0)
    wrong: Any = "many"
    with pytest.raises(ragauge.UsageError, match="'limit' of the report must be a whole number from 1; got 'many'"):
        made(tmp_path, make_result(rows(4), ["mrr"]), limit=wrong)


@pytest.mark.parametrize("wrong", [5, [5]])
def test_what_is_no_run_is_refused(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(OptionError, match=r"'runs' of report must be a result, the directory of .*; got 5"):
        ragauge.report(wrong, tmp_path / "report.html")


def test_the_worst_samples_are_by_the_primary_metric_that_tells_best_whether_an_answer_is_right(
    tmp_path: Path,
) -> None:
    result = make_result(rows(8), ("mrr", "groundedness", "token-f1", "exact-match"), by=[])
    given: list[tuple[str, dict[str, Any]]] = [
        ("token-f1", {}),
        ("groundedness", {"primary": ["mrr", "groundedness"]}),
        ("exact-match", {"metric": "exact-match"}),
    ]
    for by, options in given:
        assert made(tmp_path, [result, result], limit=5, **options)["chosen"]["by"] == by
