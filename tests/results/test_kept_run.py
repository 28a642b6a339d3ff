"""A saved run as data: what is one, and which of its notes are on its samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import DataError
from ragauge.results.kept_run import is_kept_run, kept_run

ROWS = [
    {"id": "问1", "answer": "茶", "references": ["茶"], "note": 1},
    {"id": "س2", "answer": None, "references": ["شاي"]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ragauge.evaluate(ROWS, "token-f1", resamples=0).save(tmp_path / "今天")
    return tmp_path / "今天"


def test_a_result_and_its_directory_are_runs(folder: Path) -> None:
    assert is_kept_run(folder)
    assert is_kept_run(str(folder))
    assert is_kept_run(ragauge.load(folder))


OTHERS = ["data.jsonl", "-", "", "a\0b", "x" * 5000, [{"answer": "tea"}], {"answer": ["a"]}, None, 5]


@pytest.mark.parametrize("other", OTHERS)
def test_other_data_is_none(other: Any) -> None:
    assert not is_kept_run(other)
    assert kept_run(other) is None


def test_notes_on_scores_are_left_and_the_directory_is_named(folder: Path) -> None:
    assert any(note.startswith("unused columns") for note in ragauge.load(folder).data.notes)
    run = kept_run(folder)
    assert run is not None
    assert run.data.notes == (f"the samples are those that {folder} kept; their source was not read again",)
    # The same run again: nothing is added.
    again = kept_run(run)
    assert again is not None
    assert again.data.notes == run.data.notes


def test_notes_on_samples_stay(tmp_path: Path) -> None:
    run, qrels = {"q1": {"d1": 1.0}}, {"q1": {"d1": 1}, "q2": {"d2": 1}}
    ragauge.evaluate(run=run, qrels=qrels, metrics="mrr").save(tmp_path / "run")
    kept = kept_run(tmp_path / "run")
    assert kept is not None
    assert "1 judged query is not in the run" in kept.data.notes


def test_a_folder_with_another_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"name": "web app"}), encoding="utf-8")
    with pytest.raises(DataError, match="is not a saved run"):
        kept_run(tmp_path)
