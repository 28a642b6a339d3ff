"""Leaving samples out afterwards: scores are those of the other samples alone, tables say so, and it can be undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import DataError, OptionError, UnknownNameError, UsageError
from ragauge.results.result import Result

TEXTS = [
    "茶馆八点开门",
    "お茶は二百円です",
    "차는 천 원입니다",
    "Чайная у реки",
    "يفتح المقهى في الثامنة",
    "चाय दस रुपये",
    "ร้านชา ริมแม่น้ำ",
    "Anna runs it",
]
ROWS: list[dict[str, Any]] = [
    {"id": f"问{place}س", "answer": text[: 4 + place % 5], "references": [text], "contexts": [text], "house": place % 3,
     "failure": "down" if place == 5 else None}
    for place, text in enumerate(TEXTS * 3)
]  # fmt: skip
METRICS = ["token-f1", "bleu", "groundedness"]
OPTIONS: dict[str, Any] = {"by": "house", "ci": 0.9}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    ragauge.evaluate(ROWS, METRICS, evidence=True, **OPTIONS).save(tmp_path / "今天", tag="t")
    return tmp_path / "今天"


def scores_of(result: Result) -> str:
    return repr(result.table)


def shown(table: object) -> str:
    """Return what is printed, in one line."""
    return " ".join(str(table).split())


@pytest.mark.parametrize("interval", ["jackknife", "percentile"])
def test_scores_and_intervals_are_those_of_the_other_samples(tmp_path: Path, interval: str) -> None:
    options = {**OPTIONS, "cluster": "house", "interval": interval, "resamples": 50}
    ragauge.evaluate(ROWS, METRICS, **options).save(tmp_path / "run")
    result = ragauge.exclude(tmp_path / "run", ["问0س", "问5س", "问7س"], why="x", who="y")
    rest = [row for row in ROWS if row["id"] not in ("问0س", "问5س", "问7س")]
    assert scores_of(result) == scores_of(ragauge.evaluate(rest, METRICS, **options))
    assert (result["bleu"].total, result["bleu"].failed, result.samples) == (21, 0, 21)


def test_it_is_undone_to_the_byte(run: Path) -> None:
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    ragauge.exclude(run, "问1س", why="first", who="Ann")
    two = ragauge.exclude(run, "问2س", why="second", who="Ben")
    assert "left out: 2 (问1س: first, by Ann, " in shown(two)
    assert "; 问2س: second, by Ben, " in shown(two)
    one = ragauge.exclude(run, ["问1س"], undo=True)
    rest = [row for row in ROWS if row["id"] != "问2س"]
    assert scores_of(one) == scores_of(ragauge.evaluate(rest, METRICS, **OPTIONS))
    whole = ragauge.exclude(run, "问2س", undo=True)
    assert "left out" not in shown(whole)
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before


def test_each_table_says_so(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "昨天"
    ragauge.load(run).save(other)
    ragauge.exclude(run, "问1س", why="of another customer", who="Ann")
    line = "left out: 1 (问1س: of another customer, by Ann, "
    comparison = ragauge.compare(other, run, metrics="token-f1")
    assert comparison["token-f1"].total == 23
    assert [note for note in comparison.notes if note.startswith(f"{run}: {line}")]
    assert any("1 sample is only in" in note for note in comparison.notes)
    back = ragauge.compare(run, other, metrics="token-f1")
    assert [note for note in back.notes if line in note]
    gate = ragauge.gate(run, min={"token-f1": 0.0}, max_failed="50%", min_coverage="50%")
    assert f"{run}: {line}" in shown(gate)
    assert "/23" in shown(gate)
    drop = ragauge.gate(run, other, max_drop={"token-f1": 0.9}, min_coverage="50%")
    assert line in shown(drop)
    history = ragauge.history(run, other)
    assert [note for note in history.notes if note.startswith(f"今天: {line}")]
    assert {one.name: one.samples for one in history.runs} == {"今天": 23, "昨天": 24}
    ragauge.report(run, tmp_path / "page.html")
    assert line in (tmp_path / "page.html").read_text(encoding="utf-8")
    ragauge.export(run, "markdown", path=str(tmp_path / "summary.md"))
    assert line in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert any(note.startswith(line) for note in ragauge.load(run).to_dict()["data"]["notes"])


def test_a_run_that_is_scored_again_is_without_it_and_says_so(run: Path, tmp_path: Path) -> None:
    ragauge.exclude(run, "问1س", why="old", who="Ann")
    again = ragauge.evaluate(run, "rouge-l")
    assert again["rouge-l"].total == 23
    again.save(tmp_path / "again")
    assert "left out: 1 (问1س: old, by Ann, " in shown(ragauge.load(tmp_path / "again"))
    resumed = ragauge.evaluate(run, resume=True)
    assert scores_of(resumed) == scores_of(ragauge.load(run))


def test_who_is_the_user_of_git_or_of_the_system(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("LOGNAME", "ann")
    ragauge.exclude(run, "问1س", why="x")
    (home / ".gitconfig").write_text(
        '[core]\n\teditor = vi\n[user]\n\temail = a@b\n\tname = "安娜 Ж"\n', encoding="utf-8"
    )
    both = shown(ragauge.exclude(run, "问2س", why="x"))
    assert "问1س: x, by ann, " in both
    assert "问2س: x, by 安娜 Ж, " in both


@pytest.mark.parametrize(
    ("ids", "options", "message"),
    [
        ("问1", {"why": "x"}, "the run holds no sample '问1'; did you mean 问1س"),
        ([row["id"] for row in ROWS], {"why": "x"}, "no sample would be left in the run; leave out fewer"),
        ("q1", {"undo": True}, "'q1' is not left out of .*; left out: none"),
    ],
)
def test_what_cannot_be_left_out(run: Path, ids: Any, options: dict[str, Any], message: str) -> None:
    before = (run / "manifest.json").read_bytes()
    with pytest.raises(UsageError, match=message):
        ragauge.exclude(run, ids, who="y", **options)
    assert (run / "manifest.json").read_bytes() == before


def test_twice_is_an_error_and_a_reason_is_needed(run: Path, tmp_path: Path) -> None:
    ragauge.exclude(run, "问1س", why="first", who="Ann")
    already = "'问1س' is left out already: first, by Ann. To change that, take it back first, with undo=True"
    with pytest.raises(UsageError, match=already):
        ragauge.exclude(run, ["问2س", "问1س"], why="second", who="Ben")
    assert ragauge.load(run).samples == 23
    with pytest.raises(OptionError, match="'why' of exclude must be the reason"):
        ragauge.exclude(run, "问2س", why=" ")
    with pytest.raises(UsageError, match=r"'问2س' is not left out of .*; left out: '问1س'"):
        ragauge.exclude(run, "问2س", undo=True)
    with pytest.raises(DataError, match="is not a saved run"):
        ragauge.exclude(tmp_path / "nowhere", "问1س", why="x")
    assert not (tmp_path / "nowhere").exists()


def test_metrics_that_cannot_be_computed_here(tmp_path: Path) -> None:
    ragauge.evaluate(ROWS, "token-f1").save(tmp_path / "function")
    manifest = json.loads((tmp_path / "function" / "manifest.json").read_text(encoding="utf-8"))
    manifest["run"]["metrics"]["token-f1"] = "elsewhere.py:length"
    (tmp_path / "function" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(UnknownNameError, match=r"elsewhere\.py:length is unknown here; import its module"):
        ragauge.exclude(tmp_path / "function", "问1س", why="x")
    ragauge.evaluate(ROWS, "token-f1").save(tmp_path / "old")
    manifest = json.loads((tmp_path / "old" / "manifest.json").read_text(encoding="utf-8"))
    manifest["metrics"][0]["signature"] = manifest["metrics"][0]["signature"].replace("revision=", "revision=9")
    (tmp_path / "old" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DataError, match=r"token-f1 was computed by another revision.* score the run again first"):
        ragauge.exclude(tmp_path / "old", "问1س", why="x")
