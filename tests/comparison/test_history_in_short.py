"""The first tables of a history: its runs, and one row for each metric from the first run to the last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

import ragauge
from ragauge.comparison.past_runs import History
from ragauge.display.table import Table
from ragauge.display.text import Screen, plain_text
from ragauge.errors import OptionError, UnknownNameError, UsageError
from tests.cli.running import here

from .test_history import save


def overview(shown: History) -> list[Table]:
    return [block for block in shown.blocks(details=False) if isinstance(block, Table)]


def cells(table: Table) -> list[list[str]]:
    return [[str(cell) for cell in row.cells] for row in table.rows]


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five runs, each a little better: no step is found, and all of them together are."""
    folder = tmp_path_factory.mktemp("steps")
    order = np.random.default_rng(1).permutation(60).tolist()
    for step in range(5):
        better = set(order[: 4 * step])
        rows = [
            {
                "id": f"q{place}",
                "relevance": {"a": 1},
                "retrieved": ["a", "b"] if place in better or place % 2 else ["b", "a"],
                "answer": "tea" if place in better or place % 3 else "milk",
                "references": ["tea"],
            }
            for place in range(60)
        ]
        result = ragauge.evaluate(rows, ["recall@1", "mrr", "ndcg@5", "rouge-l", "token-f1", "bleu", "chrf"])
        result.save(folder / f"v{step + 1}", tag=f"标签{step + 1}")
    return folder


def test_the_first_sentence_is_on_the_last_run_against_the_first_and_the_one_before(steps: Path) -> None:
    shown = ragauge.history(steps)
    assert shown.verdict().startswith("v5 is better than v1 under ")
    assert shown.verdict().endswith("; not told apart from v4")
    assert str(shown).split("\n\n")[0].replace("\n", " ") == shown.verdict()
    of_one = replace(shown, runs=shown.runs[:1], changes=(), overall=())
    assert of_one.verdict() == ""
    assert str(of_one).startswith("95 %")


def test_steps_that_are_not_found_are_found_together(steps: Path) -> None:
    shown = ragauge.history(steps)
    assert {one.difference.outcome for one in shown.changes if one.difference} <= {"unclear", "leaning better", "equal"}
    assert shown.moved() == []
    whole = {one.metric: one for one in shown.overall}
    assert {(one.base, one.run) for one in shown.overall} == {("v1", "v5")}
    assert whole["recall@1"].difference is not None
    assert whole["recall@1"].difference.outcome == "better"


def test_primary_metrics_are_those_of_compare_and_so_are_their_intervals(steps: Path) -> None:
    shown, expected = ragauge.history(steps), ragauge.compare(steps / "v1", steps / "v5")
    found = [replace(one.difference, run="") for one in shown.overall if one.difference]
    assert found == [replace(one, run="") for one in expected.table]
    primary, others = overview(shown)[1:]
    assert [row[0] for row in cells(primary)] == ["recall@1", "rouge-l"]
    assert (primary.title, others.title) == (
        "from v1 to v5", "more metrics, exploratory: corrected among themselves")  # fmt: skip
    [own, _] = overview(ragauge.history(steps, primary="mrr"))[1:]
    assert [row[0] for row in cells(own)] == ["mrr"]
    [named] = overview(ragauge.history(steps, metrics=["mrr", "bleu"]))[1:]
    assert [row[0] for row in cells(named)] == ["mrr", "bleu"]


def test_a_row_has_the_values_of_all_runs_and_the_change(steps: Path) -> None:
    runs, metrics = overview(ragauge.history(steps, metrics="recall@1"))
    assert [row[0] for row in cells(runs)] == ["1", "2", "3", "4", "5"]
    assert cells(runs)[2][1] == "v3"
    [row] = cells(metrics)
    assert [column.head for column in metrics.columns[1:6]] == ["1", "2", "3", "4", "5"]
    assert [float(value) for value in row[1:6]] == sorted(float(value) for value in row[1:6])
    assert (len(row[6]), row[6]) == (5, "".join(sorted(row[6])))
    assert row[9] == "▲ better"


def test_what_has_no_room_is_the_middle(steps: Path) -> None:
    text = plain_text(ragauge.history(steps, metrics="recall@1").blocks(details=False), Screen(72))
    [head] = [line.split() for line in text.splitlines() if line.startswith("metric")]
    assert (head[1], head[-3]) == ("1", "5")
    assert len(head) < 8
    assert all(len(line) <= 72 for line in text.splitlines())


def test_a_baseline_is_what_all_are_compared_with(steps: Path) -> None:
    for baseline in ("v2", steps / "v2", "标签2"):
        shown = ragauge.history(steps, baseline=baseline)
        assert {(one.base, one.run) for one in shown.changes} == {("v2", name) for name in ("v1", "v3", "v4", "v5")}
        assert {(one.base, one.run) for one in shown.overall} == {("v2", "v5")}
        assert shown.to_dict()["baseline"] == "v2"
        assert [row[-1] for row in cells(overview(shown)[0])] == ["", "baseline", "", "", ""]
    latest = ragauge.history(steps, metrics="mrr", baseline="v5")
    assert [(one.base, one.run) for one in latest.overall] == [("v5", "v4")]
    with pytest.raises(OptionError, match=r"must be one of these runs, or its folder or tag: 'v1', .*; got 'v7'"):
        ragauge.history(steps, baseline="v7")


def test_a_metric_that_the_ends_lack_says_between_which_runs(tmp_path: Path) -> None:
    save(tmp_path, "a", 5, day=1, metrics=["mrr"])
    save(tmp_path, "b", 9, day=2, metrics=["mrr", "hit-rate"])
    save(tmp_path, "c", 20, day=3, metrics=["mrr", "hit-rate", "ndcg@5"])
    shown = ragauge.history(tmp_path)
    assert [(one.metric, one.base, one.run) for one in shown.overall] == [("mrr", "a", "c"), ("hit-rate", "b", "c")]
    tables = overview(shown)[1:]
    assert [note for table in tables for note in table.notes] == ["hit-rate: from b to c"]
    [new] = [row for table in tables for row in cells(table) if row[0] == "ndcg@5"]
    assert (new[1:3], new[4], new[5:]) == (["", ""], "  ▇"[:2] + new[4][2:], ["", "", ""])
    two = ragauge.history(tmp_path / "a", tmp_path / "c")
    assert ["moved" in str(two), len(two.moved()), "what moved in c" in two._repr_markdown_()] == [False, 1, True]
    alone = overview(ragauge.history(tmp_path / "a"))
    assert [table.title for table in alone] == ["", ""]


def test_more_runs_than_have_a_column(tmp_path: Path) -> None:
    for day in range(1, 15):
        save(tmp_path, f"r{day:02}", day, day=day, metrics=["mrr"], samples=16)
    _, metrics = overview(ragauge.history(tmp_path, resamples=50, trials=50))[:2]
    assert [column.head for column in metrics.columns] == ["metric", "1", "14", "", "change", "interval", ""]
    assert len(cells(metrics)[0][3]) == 14


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        ("mr", UnknownNameError, "unknown metric of these runs: 'mr'"),
        (["mrr", "bleu", "chrf", "rouge-l", "token-f1", "ndcg@5"], UsageError, "at most 5 metrics can be primary"),
        (5, OptionError, "option 'primary' of history must be a metric's name"),
    ],
)
def test_misuse_of_primary(steps: Path, wanted: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ragauge.history(steps, primary=wanted)


def test_the_command(
    steps: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    chinese = here(capsys, "--lang-ui", "zh", "history", steps, "--baseline", "标签2").out
    assert "从 v2 到 v5" in chinese
    assert all(cell_len(line) <= 80 for line in chinese.splitlines())
    assert here(capsys, "history", steps).out.isascii() is False
    Path("ragauge.toml").write_text('[report]\nprimary = ["mrr"]\n', "utf-8")
    document = here(capsys, "history", steps, "--output-format", "json").json
    assert [one["metric"] for one in document["overall"] if one["difference"]["primary"]] == ["mrr"]
    head, *rows = here(capsys, "history", steps, "-m", "mrr", "--output-format", "csv").out.splitlines()
    last = dict(zip(head.split(","), rows[-1].split(","), strict=True))
    assert (last["run"], last["overall_base"], last["overall_outcome"], last["primary"]) == (
        "v5", "v1", "better", "True")  # fmt: skip
    done = here(capsys, "history", steps, "--baseline", "v7")
    assert (done.code, "--baseline must be one of these runs" in done.err) == (2, True)
    markdown = here(capsys, "history", steps, "--output-format", "markdown").out
    assert markdown.count("| recall@1 |") == 1
    assert "**recall@1**" in markdown
