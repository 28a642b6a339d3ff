"""The folder of a run of ``ragauge ask``: free names, and which of several is resumed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ragauge
from ragauge.cli.run_folder import answers_of, chosen_folder, free_folder, is_whole, replaces
from ragauge.evaluation.exclude import exclude

ROWS = [{"id": "a", "answer": "tea", "references": ["tea"]}, {"id": "b", "answer": "茶", "references": ["水"]}]


def answers(folder: str, system: str, age: int) -> Path:
    path = answers_of(Path(folder))
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'{{"answers_of": "{system}", "format": 1}}\n', encoding="utf-8")
    os.utime(path, (1e9 - age, 1e9 - age))
    return Path(folder)


def test_a_name_is_like_that_of_the_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for questions, name in {
        "data/q.csv": "q",
        "q.jsonl.gz": "q",
        "问题 一.csv": "问题-一",
        "parts/*.csv": "questions",
        "-": "questions",
        "v1.2.jsonl": "v1.2",
        "runs/today": "today",
    }.items():
        assert chosen_folder(questions, "app:answer", resume=False) == Path("runs", name)
    Path("runs/q").mkdir(parents=True)
    answers("runs/q-2", "app:answer", 0)
    assert free_folder(Path("runs/q")) == Path("runs/q-3")


def test_the_newest_that_is_not_whole_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert chosen_folder("q.csv", "app:answer", resume=True) == Path("runs/q")
    answers("runs/q", "app:answer", 3)
    answers("runs/q-2", "app:answer", 2)
    newest = answers("runs/q-3", "app:answer", 1)
    answers("runs/q-4", "other:answer", 0)
    (tmp_path / "runs" / "q-5.answers.jsonl").write_text("torn", encoding="utf-8")
    assert chosen_folder("q.csv", "app:answer", resume=True) == newest
    ragauge.evaluate(ROWS, "exact-match").save(newest)
    assert is_whole(newest, ["exact-match"])
    assert not is_whole(newest, ["bleu"])
    assert chosen_folder("q.csv", "app:answer", resume=True) == Path("runs/q-2")
    for name in ("q", "q-2"):
        ragauge.evaluate(ROWS, "exact-match").save(Path("runs", name))
    assert chosen_folder("q.csv", "app:answer", resume=True) == newest
    assert chosen_folder("q.csv", "new:answer", resume=True) == Path("runs/q-6")


def test_a_run_takes_the_place_of_another_only_with_all_that_it_has(tmp_path: Path) -> None:
    run = tmp_path / "run"
    both = ragauge.evaluate(ROWS, ["exact-match", "token-f1"])
    assert replaces(both, run)
    both.save(run)
    assert replaces(both, run)
    assert not replaces(ragauge.evaluate(ROWS, "token-f1"), run)
    assert not replaces(ragauge.evaluate(ROWS, ["exact-match", "token-f1:tokenizer=zh"]), run)
    assert not replaces(ragauge.evaluate(ROWS[:1], ["exact-match", "token-f1"]), run)
    exclude(run, ["a"], why="its reference is wrong", who="Anna")
    assert not replaces(both, run)
