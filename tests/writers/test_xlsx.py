"""A run as a workbook: what is read from it is what was scored, and no text becomes anything else."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook

import ragauge
from ragauge.writers import xlsx
from tests.writers.runs import LABELS, TEXTS, some_result


def book(path: Path) -> Any:
    return load_workbook(path / "run.xlsx")


def written(path: Path, run: Any, **options: Any) -> Any:
    ragauge.export(run, "xlsx", path=str(path / "run.xlsx"), **options)
    return book(path)


def lines(sheet: Any) -> list[dict[str, Any]]:
    heads, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(heads, row, strict=True)) for row in rows]


def test_scores_gate_samples_and_settings(tmp_path: Path) -> None:
    result = some_result()
    gate = ragauge.gate(result, min={"exact-match": 0.9}, min_coverage=0.5)
    found = written(tmp_path, result, gate=gate, baseline=result, name="茶")
    assert found.sheetnames == ["scores", "gate", "samples", "settings"]
    scores = lines(found["scores"])
    assert [(row["metric"], row["by"], row["group"]) for row in scores] == [
        (score.metric, *((None, None) if score.group is None else ("language", score.group["language"])))
        for score in result.table
    ]
    first = scores[0]
    assert [first[name] for name in ("value", "low", "high")] == [
        result["exact-match"].value, result["exact-match"].low, result["exact-match"].high
    ]  # fmt: skip
    counts = ("scored", "total", "failed", "missing", "undefined", "paired")
    assert [first[name] for name in counts] == [8, 11, 1, 1, 1, 8]
    assert [first[name] for name in ("baseline", "difference", "outcome")] == [0.875, 0, "equal"]
    assert scores[-1]["baseline"] is None
    assert [list(row.values()) for row in lines(found["gate"])] == [
        ["FAIL", "exact-match at least 0.9", "exact-match", 0.875, 0.9, 8, 11, "the score is 0.025 below the limit"]
    ]
    samples = lines(found["samples"])
    assert [row["question"] for row in samples][:7] == list(TEXTS.values())
    assert samples[0]["references"] == f'["{TEXTS["zh"]}"]'
    assert (samples[8]["exact-match"], samples[8]["exact-match|status"]) == (None, "failed")
    assert samples[8]["exact-match|reason"] == "超时：\n<b>"
    settings = [tuple(row.values()) for row in lines(found["settings"])]
    assert ("run", "茶") in settings
    assert ("metric", f"{LABELS[0]}: rouge-l") in settings


TEXT_ROWS = [
    *("=1+1", "=cmd|' /C calc'!A0", "+1", "-2", "@SUM(1)", "#N/A", "#DIV/0!", "TRUE", "1e5", "007", "2026-01-01"),
    *("a\x00\x1b\x0bb", "_x0041_", "\ufffe", "\u202egpj.exe", "<&>\"'", " blank ", "a\tb\nc", "🍵" * 3),
    *TEXTS.values(),
]


@pytest.mark.parametrize("text", TEXT_ROWS)
def test_a_text_stays_a_text(text: str, tmp_path: Path) -> None:
    row = {"id": "1", "answer": text, "references": ["茶"]}
    found = written(tmp_path, ragauge.evaluate([row], "exact-match", resamples=0))["samples"]
    [place] = [number for number, cell in enumerate(found[1]) if cell.value == "answer"]
    cell = found[2][place]
    shown = {
        "a\x00\x1b\x0bb": "a\\x00\\x1b\\x0bb",
        "_x0041_": "_x005F_x0041_",
        "\ufffe": "\ufffd",
        "\u202egpj.exe": "\\u202egpj.exe",
    }.get(text, text)
    assert (cell.data_type, cell.value) == ("s", shown)
    assert cell.quotePrefix == text.startswith(("=", "+", "-", "@"))
    with ZipFile(tmp_path / "run.xlsx") as file:
        assert all(b"<f>" not in file.read(name) for name in file.namelist())


@pytest.mark.parametrize("label", [*LABELS, "=1+1", "@x"])
def test_names_of_metrics(label: str, tmp_path: Path) -> None:
    result = ragauge.evaluate([{label: 0.5}], ragauge.metrics.Column(name=label), resamples=0)
    found = written(tmp_path, result, samples=False)
    assert found.sheetnames == ["scores", "settings"]
    assert lines(found["scores"])[0]["metric"] == next(iter(result.metrics))


def test_values_of_other_columns(tmp_path: Path) -> None:
    row = {"x": 1, "n": 2**60, "i": -3, "b": True, "d": date(2026, 1, 2), "l": ["a", "茶"], "s": {"k": [1]}, "e": ""}
    result = ragauge.evaluate([row, {"x": 2}], "column:name=x", resamples=0)
    first, second = lines(written(tmp_path, result)["samples"])
    values = [first[name] for name in row]
    assert values == [1, str(2**60), -3, True, "2026-01-02", '["a", "茶"]', '{"k": [1]}', None]
    assert [second[name] for name in row if name != "x"] == [None] * 7


def test_limits_of_excel_are_kept_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "ROWS", 4)
    monkeypatch.setattr(xlsx, "COLUMNS", 5)
    monkeypatch.setattr(xlsx, "CHARACTERS", 10)
    rows = [{"id": f"{i}", "answer": "🍵" * (i + 3), "references": ["x"], "x": 1, "y": 2} for i in range(6)]
    result = ragauge.evaluate(rows, "exact-match", resamples=0)
    notes = ragauge.export(result, "xlsx", path=str(tmp_path / "run.xlsx")).notes
    assert "sheet 'samples' lacks 3 rows: Excel has at most 4, with the headings" in notes
    assert any(re.match(r"sheet 'samples' has the first 5 of \d+ columns: Excel has no more", note) for note in notes)
    sheet = book(tmp_path)["samples"]
    assert (sheet.max_row, sheet.max_column) == (4, 5)
    # A tea cup is two units of UTF-16; none is cut in half.
    assert [row["answer"] for row in lines(sheet)] == ["🍵" * 3, "🍵" * 4, "🍵" * 5]
    assert lines(written(tmp_path / "b", ragauge.evaluate(rows[3:], "exact-match"))["samples"])[0]["answer"] == "🍵" * 5
