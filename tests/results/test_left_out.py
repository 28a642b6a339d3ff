"""Samples that were left out of a saved run: what its manifest says, what is read, and what damage is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import ragauge
from ragauge.errors import DataError, UsageError
from ragauge.results.left_out import LeftOut, left_out_in, left_out_of, note_on_left_out, whole_manifest

ROWS = [
    {"id": name, "answer": name, "references": [reference], "failure": failure}
    for name, reference, failure in (
        ("问一", "问一", None),
        ("سؤال", "x", None),
        ("q3", "q3", None),
        ("q4", "q4", "down"),
    )
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    ragauge.evaluate(ROWS, ["token-f1", "bleu"], resamples=0).save(tmp_path / "run")
    return tmp_path / "run"


def manifest_of(run: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    return manifest


def test_the_manifest_says_who_when_and_why_and_keeps_what_it_said_before(run: Path) -> None:
    before = manifest_of(run)
    ragauge.exclude(run, "سؤال", why=" 属于另一位客户 ", who="安娜")
    after = manifest_of(run)
    [entry] = left_out_of(after)
    assert (entry.id, entry.why, entry.who) == ("سؤال", "属于另一位客户", "安娜")
    assert entry.when.endswith("+00:00")
    assert after["data"]["samples"] == 3
    assert whole_manifest(after) == before
    assert whole_manifest(before) == before


def test_the_samples_and_their_scores_are_read_without_it(run: Path) -> None:
    whole = ragauge.load(run)
    ragauge.exclude(run, "سؤال", why="x", who="y")
    result = ragauge.load(run)
    assert result.sample_ids().to_pylist() == ["问一", "q3", "q4"]
    assert result.column("answer").to_pylist() == ["问一", "q3", "q4"]
    for name in whole.metrics:
        np.testing.assert_array_equal(result.scores(name), whole.scores(name)[[0, 2, 3]])
        assert result.reasons(name) == {2: "down"}
        for statistic, numbers in whole.columns[name].statistics.items():
            np.testing.assert_array_equal(result.columns[name].statistics[statistic], numbers[[0, 2, 3]])


def test_its_evidence_is_passed_over_and_copies_have_none_of_it(tmp_path: Path) -> None:
    rows = [{"id": name, "answer": f"{name} tea.", "contexts": [f"{name} tea."]} for name in ("问一", "سؤال", "q3")]
    ragauge.evaluate(rows, "groundedness", evidence=True).save(tmp_path / "run")
    assert len(ragauge.load(tmp_path / "run").explain("سؤال"))
    ragauge.exclude(tmp_path / "run", "سؤال", why="x", who="y").save(tmp_path / "copy")
    for name in ("run", "copy"):
        with pytest.raises(UsageError, match="the run holds no sample 'سؤال'"):
            ragauge.load(tmp_path / name).explain("سؤال")
        assert len(ragauge.load(tmp_path / name).explain("q3"))
    assert "سؤال" not in pq.read_table(tmp_path / "copy" / "evidence.parquet")["id"].to_pylist()
    assert "سؤال" in pq.read_table(tmp_path / "run" / "evidence.parquet")["id"].to_pylist()


def test_the_note_names_up_to_five() -> None:
    entries = [{"id": f"q{i}", "why": "old", "who": "Ann", "when": "2026-11-26T05:00:00+00:00"} for i in range(7)]
    [note] = note_on_left_out({"run": {"left_out": entries}})
    assert note.startswith("left out: 7 (q0: old, by Ann, 2026-11-26; q1: old, by Ann, 2026-11-26; ")
    assert note.endswith("q4: old, by Ann, 2026-11-26; 2 more)")
    assert note_on_left_out({"run": {}}) == ()
    assert left_out_in([note, "other"]) == [note]
    assert left_out_in([note, "other"], "今天") == [f"今天: {note}"]
    assert LeftOut(**entries[0]).id == "q0"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda one: one["run"]["left_out"][0].pop("why"), r"run\.left_out\[0\]\.why is missing"),
        (lambda one: one["run"]["left_out"][0].update(who=5), r"run\.left_out\[0\]\.who must be a text; got 5"),
        (lambda one: one["run"].update(left_out="问一"), r"run\.left_out must be a list; got '问一'"),
        (lambda one: one.pop("whole"), "must agree on how many samples there are"),
        (lambda one: one["run"].pop("left_out"), "must agree on how many samples there are"),
        (lambda one: one["data"].update(samples=4), "must agree on how many samples there are"),
        (
            lambda one: one["run"].update(left_out=one["run"]["left_out"] * 2),
            r"run\.left_out must name each sample once",
        ),
        (lambda one: one["whole"].update(metrics=5), r"whole\.metrics must be a list; got 5"),
    ],
)
def test_damage_is_told(run: Path, change: Any, problem: str) -> None:
    ragauge.exclude(run, "q3", why="x", who="y")
    manifest = manifest_of(run)
    change(manifest)
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        ragauge.load(run)
