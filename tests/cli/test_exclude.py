"""``ragauge exclude``: the scores without a sample, the line that says so, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from ragauge.errors import OptionError

from .running import here, write_rows

Captured = pytest.CaptureFixture[str]
ROWS = [
    {"id": "问一", "answer": "八点", "references": ["八点"]},
    {"id": "سؤال٢", "answer": "بعشرة", "references": ["x"]},
    {"id": "q3", "answer": "Anna", "references": ["Anna"]},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Path:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    assert here(capsys, "score", "data.jsonl", "-m", "exact-match", "-o", "runs/今天").code == 0
    return tmp_path


def test_a_sample_is_left_out_and_taken_back(folder: Path, capsys: Captured) -> None:
    why = ("--why", "the passage is from another customer", "--who", "Ann")
    done = here(capsys, "exclude", "runs/今天", "--id", "سؤال٢", *why, "--output-format", "json")
    assert done.code == 0, done.err
    assert [(one["value"], one["total"]) for one in done.json["metrics"]] == [(1.0, 2)]
    assert "left out: 1 (سؤال٢: the passage is from another customer, by Ann, 20" in done.err
    report = here(capsys, "report", "runs/今天", "-o", "page.html")
    assert report.code == 0, report.err
    assert "the passage is from another customer, by Ann" in (folder / "page.html").read_text(encoding="utf-8")
    back = here(capsys, "exclude", "runs/今天", "--id", "سؤال٢", "--undo")
    assert (back.code, back.err) == (0, "no sample of runs/今天 is left out\n")
    assert "2/3" not in back.out
    assert "3/3" in back.out
    assert ragauge.load("runs/今天").samples == 3


def test_a_reason_is_asked_for_by_its_flag(folder: Path, capsys: Captured) -> None:
    done = here(capsys, "exclude", "runs/今天", "--id", "q3")
    assert (done.code, done.err.startswith("error: say why by --why")) == (2, True)
    twice = [here(capsys, "exclude", "runs/今天", "--id", "q3", "--why", "x") for _ in range(2)]
    assert [one.code for one in twice] == [0, 2]
    assert "take it back first, with --undo" in twice[1].err


def test_in_chinese(folder: Path, capsys: Captured) -> None:
    why = ("--why", "属于另一位客户", "--who", "安娜")
    done = here(capsys, "--lang-ui", "zh", "exclude", "runs/今天", "--id", "问一", *why)
    assert "已排除 1 个（问一：属于另一位客户，安娜，20" in done.err
    text = "".join(here(capsys, "--lang-ui", "zh", "exclude", "--help").out.replace("│", "").split())
    assert "恢复已排除的样本" in text


def test_rows_are_those_of_the_data_also_after_one_was_left_out(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"answer": f"茶 {place}", "contexts": [f"酒 {place}"]} for place in range(4)]
    write_rows(tmp_path / "data.jsonl", rows)
    assert here(capsys, "score", "data.jsonl", "-m", "groundedness", "-o", "run").code == 0
    assert "left out: 1 (" in here(capsys, "exclude", "run", "--row", 2, "--why", "x").err
    after = here(capsys, "explain", "run", "--row", 3).out
    assert after.splitlines()[0].endswith("  (row 3)")
    assert "茶 2" in after
    gone = here(capsys, "explain", "run", "--row", 2)
    assert (gone.code, "is left out of the run: x, by " in gone.err) == (2, True)
    assert here(capsys, "exclude", "run", "--row", 5, "--why", "x").err == "error: the run has 4 rows; got --row 5\n"
    assert here(capsys, "exclude", "run", "--why", "x").err == "error: name the samples, by --id ID or --row N\n"
    assert ragauge.exclude("run", rows=2, undo=True).samples == 4
    with pytest.raises(OptionError, match="option 'rows' of exclude must be rows of the data, whole numbers from 1"):
        ragauge.exclude("run", rows=[0], why="x")
