"""The tables of a history: what a row shows, the scale of its bars, which columns and notes there are."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan, nan
from pathlib import Path

import pytest

import ragauge
from ragauge.comparison.past_runs import Change, History, PastRun, _labels, _span
from ragauge.display.table import Notes, Paragraph, Table
from ragauge.errors import DataError, UsageError
from ragauge.results.score import Score

from .test_history import save


def score(value: float, low: float = nan, high: float = nan, **more: object) -> Score:
    known: dict[str, object] = {
        "metric": "mrr", "value": value, "low": low, "high": high, "parts": {}, "group": None, "scored": 8, "total": 9,
        "undefined": 0, "missing": 1, "failed": 0, "undefined_scored": 0, "bounds": (value, value),
        "average": "samples", "stage": "retrieval", "direction": "higher", "signature": "mrr",
    }  # fmt: skip
    return Score(**{**known, **more})  # type: ignore[arg-type]


def run(name: str, value: Score, **more: object) -> PastRun:
    known: dict[str, object] = {"path": Path(name), "name": name, "created": "2026-11-01T10:00:59+00:00",
                                "tag": None, "commit": None, "samples": 9, "scores": {"mrr": value}}  # fmt: skip
    return PastRun(**{**known, **more})  # type: ignore[arg-type]


def tables(shown: History) -> list[Table]:
    """Return the tables of single metrics, and those of what moved."""
    found = [block for block in shown.blocks() if isinstance(block, Table)]
    return [one for one in found if one.columns[0].head == "run" or "moved" in one.title]


@pytest.mark.parametrize(
    ("scores", "span"),
    [
        ([score(0.5, 0.42, 0.58), score(0.6, 0.52, 0.71)], (0.4, 0.8)),
        ([score(0.5, 0.4, 0.6)], (0.4, 0.6)),
        ([score(0.5)], (0.5, 0.5)),
        ([score(0.3)], (0.0, 0.5)),
        ([score(12.0, -3.0, 38.0), score(nan)], (-10.0, 40.0)),
        ([score(0.5, -inf, inf), score(0.7)], (0.5, 0.7)),
        ([score(0.0031, 0.00295, 0.00335)], (0.0029, 0.0034)),
    ],
)
def test_the_scale_holds_all_intervals_and_has_round_ends(scores: list[Score], span: tuple[float, float]) -> None:
    assert _span(scores) == span


def test_without_values_there_is_no_scale() -> None:
    assert all(map(isnan, _span([score(nan)])))
    assert all(map(isnan, _span([])))


def test_the_first_columns_of_a_row() -> None:
    assert _labels(run("a", score(0.5), tag="重排", commit="0123456789abcdef")) == (
        "a", "2026-11-01 10:00", "重排", "01234567")  # fmt: skip
    assert _labels(run("a", score(0.5), created="")) == ("a", "", "", "")


def test_tags_and_commits_have_a_column_where_a_run_has_one() -> None:
    plain, tagged = run("a", score(0.5, 0.4, 0.6)), run("b", score(0.25, 0.1, 0.4), tag="x")
    for runs, names in (((plain,), ["run", "date", "value"]), ((plain, tagged), ["run", "date", "tag", "value"])):
        [table] = tables(History(runs, (), (), 0.95))
        assert [column.head for column in table.columns[: len(names)]] == names
        assert len(table.columns) == len(names) + 6
    first, second = table.rows
    assert [str(cell) for cell in first.cells[:9]] == [
        "a", "2026-11-01 10:00", "", "0.50", "[0.40, 0.60]", "8/9", "", "", ""]  # fmt: skip
    bar = second.cells[-1]
    assert not isinstance(bar, str)
    assert (bar.value, bar.interval, bar.span) == (0.25, (0.1, 0.4), (0.1, 0.6))  # type: ignore[union-attr]
    assert bar.description == "0.25, [0.10, 0.40]"  # type: ignore[union-attr]


def test_a_metric_of_which_lower_is_better_says_so() -> None:
    higher, lower = (
        tables(History((run("a", score(0.5, direction=one)),), (), (), 0.9)) for one in ("higher", "lower")
    )
    assert (higher[0].title, lower[0].title) == ("mrr", "mrr ↓ lower is better")
    [paragraph] = [one for one in History((), (), (), 0.9).blocks() if isinstance(one, Paragraph)]
    assert str(paragraph.text).startswith("90 % intervals; ")


def test_changes_that_cannot_be_compared_have_a_dash_and_a_note() -> None:
    runs = (run("a", score(0.5)), run("b", score(0.5)))
    [table] = tables(History(runs, (Change("mrr", "a", "b", None, "computed otherwise"),), (), 0.95))
    assert [str(row.cells[-4]) for row in table.rows] == ["", "–"]
    assert table.notes == ("a: 1 missing", "b: 1 missing", "b: computed otherwise")
    change = Change("mrr", "a", "b", None, "why")
    assert change.to_dict() == {"metric": "mrr", "base": "a", "run": "b", "reason": "why", "difference": None}


def test_samples_that_failed_are_counted_with_what_they_could_change(tmp_path: Path) -> None:
    def runs(failures: int) -> ragauge.Result:
        def system(question: str) -> str:
            if int(question) < failures:
                raise ValueError("broken")  # Is not tried again.
            return "tea"

        rows = [{"id": str(place), "question": str(place), "references": ["tea"]} for place in range(20)]
        return ragauge.evaluate(rows, "exact-match", system=system, resamples=0)

    for day, failures in enumerate((0, 5), 1):
        runs(failures).save(tmp_path / f"run{day}")
    [table] = [one for one in tables(ragauge.history(tmp_path)) if one.title == "exact-match"]
    assert table.notes == (
        "run2: 5 failed",
        "run2: bounds 0.750–1.000",
        "run2: compared on 15 samples scored in both",
    )


def test_a_change_on_fewer_samples_than_were_scored_says_on_how_many(tmp_path: Path) -> None:
    save(tmp_path, "few", 5, day=1, samples=30)
    save(tmp_path, "all", 5, day=2, samples=40)
    save(tmp_path, "again", 9, day=3, samples=40)
    shown = ragauge.history(tmp_path, metrics=["mrr"])
    [table] = [one for one in tables(shown) if one.title == "mrr"]
    assert table.notes == ("all: compared on 30 samples scored in both",)
    assert shown.metrics == ["mrr"]
    assert shown.change("mrr", "few") is None
    assert shown.changes[0].to_dict()["reason"] is None
    assert shown.to_dict()["level"] == 0.95
    assert ragauge.history(tmp_path, level=0.9).level == 0.9


def test_what_moved(tmp_path: Path) -> None:
    save(tmp_path, "a", 5, day=1)
    save(tmp_path, "b", 30, day=2)
    [moved] = [one for one in tables(ragauge.history(tmp_path)) if "moved" in one.title]
    assert moved.title == "what moved in b, against a"
    assert [str(cell) for cell in moved.rows[0].cells[:1]] == ["mrr"]
    assert len(moved.rows) == 1


def test_names_of_runs_are_as_short_as_they_can_be(tmp_path: Path) -> None:
    for place, name in enumerate(("x/deep/a", "x/deep/b", "x/c")):
        save(tmp_path, name, 5, day=1 + place)
    assert [one.name for one in ragauge.history(tmp_path).runs] == ["deep/a", "deep/b", "c"]
    assert [one.name for one in ragauge.history(tmp_path / "x" / "deep").runs] == ["a", "b"]
    assert [one.name for one in ragauge.history(tmp_path / "x" / "c").runs] == ["c"]
    twice = ragauge.history(tmp_path / "x", tmp_path / "x" / "c")
    assert [one.name for one in twice.runs] == ["deep/a", "deep/b", "c"]
    assert [one.path for one in twice.runs] == [tmp_path / "x" / name for name in ("deep/a", "deep/b", "c")]


def test_runs_of_one_moment_stand_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        save(tmp_path, name, 5, day=1)
    assert [one.name for one in ragauge.history(tmp_path).runs] == ["a", "b", "c"]
    assert ragauge.history(tmp_path).runs[0].samples == 40


def test_runs_that_are_left_out_are_counted(tmp_path: Path) -> None:
    for place, tag in enumerate(("x", None, "x", None, "x", "y")):
        save(tmp_path, f"run{place}", 5, day=1 + place, tag=tag)
    shown = ragauge.history(tmp_path, by="tag")
    assert [one.name for one in shown.runs] == ["run4", "run5"]
    assert shown.notes == (
        "left out: 2 runs without a tag",
        "left out: 2 runs that a later one of the same tag replaces",
    )
    assert Notes(shown.notes) in list(shown.blocks())
    with pytest.raises(UsageError, match="no run has a commit; runs that are scored in a repository have one"):
        ragauge.history(tmp_path, by="commit")


def test_without_runs_the_folders_and_the_reason_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no saved run in no directory; ragauge score -o"):
        ragauge.history()
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        ragauge.history(tmp_path / "x", tmp_path / "y")
    message = str(caught.value)
    assert message.startswith(f"there is no saved run in {tmp_path / 'x'}, {tmp_path / 'y'} (left out: ")
    assert message.endswith("); ragauge score -o runs/today saves one")


def test_what_holds_under_all_metrics_of_a_run_is_noted_once() -> None:
    scores = {name: replace(score(0.5, 0.4, 0.6), metric=name) for name in ("mrr", "map")}
    runs = (replace(run("a", score(0.5)), scores=scores), replace(run("b", score(0.5)), scores={"mrr": scores["mrr"]}))
    shown = History(runs, (), (), 0.95)
    notes = [
        [block.items for block in shown.blocks(details=more) if isinstance(block, Notes)] for more in (True, False)
    ]
    assert notes == [[("a: 1 missing",), ()], [("a: 1 missing", "b: 1 missing"), ()]]
    assert [table.notes for table in tables(shown)] == [("b: 1 missing",), ()]
