"""Metrics over saved runs: their order, what each run changed, and what cannot be compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.comparison.past_runs import History
from ragauge.errors import ColumnError, DataError, OptionError, UnknownNameError, UsageError
from tests.cli.running import here


def save(
    folder: Path,
    name: str,
    first: int,
    *,
    day: int,
    metrics: Any = ("mrr", "hit-rate"),
    samples: int = 40,
    commit: str | None = None,
    grade: int = 1,
    **options: Any,
) -> None:
    """Save a run in which the relevant passage of ``first`` samples stands first, of the others second."""
    rows = [
        {
            "id": f"q{place}",
            "question": f"第 {place} 个问题",
            "relevance": {"a": grade},
            "retrieved": ["a", "b"] if place < first else ["b", "a"],
        }
        for place in range(samples)
    ]
    ragauge.evaluate(rows, metrics).save(folder / name, **options)
    manifest = folder / name / "manifest.json"
    described = json.loads(manifest.read_text(encoding="utf-8"))
    described["run"] |= {"created": f"2026-11-{day:02}T10:00:00+00:00"}
    described["run"].pop("commit", None)
    described["run"] |= {} if commit is None else {"commit": commit}
    manifest.write_text(json.dumps(described), encoding="utf-8")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    save(folder, "z-base", 5, day=1, tag="bm25", commit="a" * 40)
    save(folder, "reranked", 30, day=2, tag="reranker", commit="b" * 40)
    save(folder, "更多", 31, day=3, tag="reranker", metrics=("mrr", "ndcg@5"))
    save(folder, "below/broken", 10, day=4, samples=30)
    return folder


def changes(shown: History, metric: str) -> list[Any]:
    return [
        (one.base, one.run, None if one.difference is None else one.difference.outcome)
        for one in shown.changes
        if one.metric == metric
    ]


def test_runs_stand_in_the_order_of_time_each_against_the_last_with_the_metric(runs: Path) -> None:
    shown = ragauge.history(runs)
    assert [run.name for run in shown.runs] == ["z-base", "reranked", "更多", "below/broken"]
    assert shown.metrics == ["mrr", "hit-rate", "ndcg@5"]
    assert changes(shown, "mrr") == [
        ("z-base", "reranked", "better"),
        ("reranked", "更多", "unclear"),
        ("更多", "below/broken", "worse"),
    ]
    assert changes(shown, "hit-rate") == [("z-base", "reranked", "equal"), ("reranked", "below/broken", "equal")]
    assert changes(shown, "ndcg@5") == []
    assert [(one.run, one.metric) for one in shown.moved()] == [("reranked", "mrr"), ("below/broken", "mrr")]


def test_a_change_is_that_of_compare(runs: Path) -> None:
    change = ragauge.history(runs, metrics="mrr", level=0.9, seed=3).change("mrr", "reranked")
    expected = ragauge.compare(
        ragauge.load(runs / "z-base"), ragauge.load(runs / "reranked"), metrics="mrr", level=0.9, seed=3
    )["mrr"]
    assert change is not None
    assert change.difference == expected


def test_the_last_run_of_each_tag_or_commit(runs: Path) -> None:
    by_tag = ragauge.history(runs, by="tag")
    assert [run.name for run in by_tag.runs] == ["z-base", "更多"]
    assert by_tag.notes == (
        "left out: 1 run without a tag",
        "left out: 1 run that a later one of the same tag replaces",
    )
    by_commit = ragauge.history(runs, by="commit")
    assert [(run.commit or "")[0] for run in by_commit.runs] == ["a", "b"]
    with pytest.raises(UsageError, match="no run has a tag; ragauge score --tag keeps one"):
        ragauge.history(runs / "below", by="tag")


def test_runs_that_were_computed_otherwise_are_shown_and_not_compared(tmp_path: Path) -> None:
    save(tmp_path, "a", 5, day=1, metrics={"own": "ndcg:gain=exp"})
    save(tmp_path, "b", 9, day=2, metrics={"own": "ndcg"})
    save(tmp_path, "c", 9, day=3, metrics={"own": "ndcg"}, grade=2)
    shown = ragauge.history(tmp_path)
    assert [one.reason.partition(":")[0] for one in shown.changes] == [
        "computed otherwise than in a",
        "not compared with b",
    ]
    assert "different questions or references" in shown.changes[1].reason
    assert "–" in str(shown)


def test_what_is_no_run_is_left_out_and_named(runs: Path) -> None:
    (runs / "reranked" / "manifest.json").write_text("{}", encoding="utf-8")
    (runs / ".hidden.new").mkdir()
    (runs / ".hidden.new" / "manifest.json").write_text("{}", encoding="utf-8")
    shown = ragauge.history(runs)
    assert len(shown.runs) == 3
    assert [note.partition(";")[0] for note in shown.notes] == [
        f"left out: {runs / 'reranked' / 'manifest.json'} is damaged: its content is not what was saved"
    ]


def test_a_run_with_a_damaged_file_is_left_out_and_named(runs: Path) -> None:
    (runs / "reranked" / "scores.parquet").write_bytes(b"PAR1")
    shown = ragauge.history(runs)
    assert "reranked" not in [run.name for run in shown.runs]
    damaged = f"{runs / 'reranked' / 'scores.parquet'} is damaged: its content is not what was saved"
    assert shown.notes == (f"left out: {damaged}; score the data again, or restore the folder",)
    for path in runs.rglob("scores.parquet"):
        path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"scores.parquet is damaged"):
        ragauge.history(runs)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"by": "name"}, OptionError, "option 'by' of history must be date, tag or commit"),
        ({"metrics": "mr"}, UnknownNameError, "unknown metric of these runs: 'mr'; did you mean mrr"),
        ({"test": "guess"}, OptionError, "test"),
        ({"trails": 5}, OptionError, "trails"),
        ({"on": "nosuch"}, ColumnError, "on of history must be a column; no run has 'nosuch'"),
        ({"cluster": "nosuch"}, ColumnError, "cluster of history must be a column; no run has 'nosuch'"),
    ],
)
def test_misuse(runs: Path, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ragauge.history(runs, **options)


def test_a_folder_without_runs(tmp_path: Path) -> None:
    for directories in ((tmp_path,), (tmp_path / "absent",), ()):
        with pytest.raises(DataError if directories else UsageError, match="there is no saved run in"):
            ragauge.history(*directories)


def test_one_run_alone(runs: Path) -> None:
    shown = ragauge.history(runs / "z-base")
    assert ([run.name for run in shown.runs], shown.changes) == (["z-base"], ())
    assert "what moved" not in str(shown)


@pytest.mark.parametrize("tag", ["", " ", 5])
def test_a_tag_is_a_text(tmp_path: Path, tag: Any) -> None:
    with pytest.raises(OptionError, match="option 'tag' of save must be a text"):
        save(tmp_path, "a", 5, day=1, tag=tag)


class TestCommand:
    """``ragauge history``, and ``ragauge score --tag``."""

    def test_table(self, runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "160")
        done = here(capsys, "history", runs)
        assert done.code == 0
        lines = [line.split() for line in done.out.splitlines()]
        assert ["2", "reranked", "2026-11-02", "10:00", "reranker", "bbbbbbbb", "40"] in lines
        assert here(capsys, "history", runs, "-v").out.count("bbbbbbbb") == 3
        assert "what moved" in done.out
        assert "▲ better" in done.out

    def test_json_csv_and_markdown(self, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
        document = here(capsys, "history", runs, "-m", "mrr", "--output-format", "json").json
        assert [run["tag"] for run in document["runs"]] == ["bm25", "reranker", "reranker", None]
        assert [change["difference"]["outcome"] for change in document["changes"]] == ["better", "unclear", "worse"]
        csv = here(capsys, "history", runs, "-m", "mrr", "--output-format", "csv").out.splitlines()
        assert csv[0].startswith("run,path,created,tag,commit,metric,value,low,high")
        assert len(csv) == 5
        markdown = here(capsys, "history", runs, "-m", "mrr", "--output-format", "markdown").out
        assert "| 更多 | 2026-11-03 10:00 | reranker |" in markdown

    def test_errors_name_flags(self, runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
        done = here(capsys, "history", runs, "--by", "name")
        assert (done.code, done.err) == (2, "error: --by must be date, tag or commit; got 'name'\n")
        assert here(capsys, "history").code == 2

    def test_a_tag_is_kept_with_a_run(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        data = tmp_path / "data.jsonl"
        data.write_text('{"retrieved": ["a"], "relevance": {"a": 1}}\n', encoding="utf-8")
        run = tmp_path / "run"
        assert here(capsys, "score", data, "-m", "mrr", "-o", run, "--tag", "标签").code == 0
        assert [one.tag for one in ragauge.history(run).runs] == ["标签"]
        refused = here(capsys, "score", data, "-m", "mrr", "--tag", "x")
        assert (refused.code, refused.err.startswith("error: --tag is kept with a saved run: it needs -o")) == (2, True)


def test_order_does_not_depend_on_that_of_the_folders(runs: Path) -> None:
    names: Sequence[str] = ["更多", "z-base", "reranked"]
    shown = ragauge.history(*[runs / name for name in names])
    assert [run.name for run in shown.runs] == ["z-base", "reranked", "更多"]
    assert shown.to_dict()["changes"] == ragauge.history(*[runs / name for name in sorted(names)]).to_dict()["changes"]


def test_metrics_by_names_of_other_libraries(runs: Path) -> None:
    assert ragauge.history(runs, metrics="recip_rank").metrics == ["mrr"]
    assert ragauge.history(runs, metrics=["ndcg_cut_5", "mrr"]).metrics == ["mrr", "ndcg@5"]
    with pytest.raises(UnknownNameError, match=r"unknown metric of these runs: 'ndcg_cut_10', here ndcg@10; did you"):
        ragauge.history(runs, metrics="ndcg_cut_10")
