"""The listed samples as files: made in the page, the same numbers, and no formulas."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.formats.csv import unguarded
from tests.browser.conftest import Open
from tests.browser.payloads import PAYLOADS
from tests.reports.runs import make_result, rows


def saved(reader: Any, kind: str) -> str:
    with reader.page.expect_download() as found:
        reader.page.get_by_role("button", name=f"Save the listed samples as {kind}").click()
    assert found.value.suggested_filename == f"samples.{kind.lower()}"
    return Path(found.value.path()).read_bytes().decode()


def table(text: str) -> list[dict[str, str]]:
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


def test_csv_holds_the_filtered_list_in_its_order(visit: Open, compared: Path):
    reader = visit(compared)
    reader.choose("topic", "music")
    reader.sort("token-f1")
    found = table(saved(reader, "CSV"))
    assert [row["id"] for row in found] == reader.ids
    assert len(found) == 12
    given = {row["id"]: row for row in rows(48, ("en", "zh", "ja", "ko", "ru", "ar", "hi", "th"), seed=2, skill=0.8)}
    for row in found:
        assert row["question"] == given[row["id"]]["question"]
        assert row["topic"] == "music"
    shown = [row["token-f1 (today)"] for row in found]
    assert [f"{float(score):.3f}" if score else "✗ failed" for score in shown] == reader.column("token-f1")
    assert {row["token-f1|status (today)"] for row in found} <= {"ok", "failed"}


def test_json_lines_hold_the_passages_too(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.search("灯笼")
    lines = [json.loads(line) for line in saved(reader, "JSONL").splitlines()]
    assert [line["id"] for line in lines] == reader.ids
    given = {row["id"]: row for row in rows(48, ("en", "zh", "ja", "ko", "ru", "ar", "hi", "th"), failures=2)}
    for line in lines:
        [run] = line["runs"]
        row = given[line["id"]]
        assert (line["question"], line["references"], run["answer"]) == (
            row["question"],
            row["references"],
            row["answer"],
        )
        assert [context["text"] for context in run["contexts"]] == row["contexts"]
        assert line["columns"]["topic"] == row["topic"]


TEXTS = (
    *PAYLOADS,
    "=1+1",
    "+cmd|' /C calc'!A0",
    "@SUM(1)",
    "-2+3",
    " =1",
    "＝1+1",
    "'=1",
    "-1.5",
    "\t=1",
    "a,b",
    'a"b',
    "a\r\nb",
    "灯,笼",
)


@pytest.mark.parametrize("kind", ["CSV", "JSONL"])
def test_texts_come_back_and_none_is_a_formula(visit: Open, tmp_path: Path, kind: str):
    samples = [
        {"id": f"q{place}", "question": text, "answer": text, "references": ["a"], "kind": text}
        for place, text in enumerate(TEXTS)
    ]
    reader = visit(ragauge.report(make_result(samples, ("exact-match",)), tmp_path / "report.html"))
    text = saved(reader, kind)
    if kind == "JSONL":
        assert [json.loads(line)["question"] for line in text.split("\n")[:-1]] == list(TEXTS)
        return
    found = table(text)
    for name in ("question", "answer", "kind"):
        assert [unguarded(row[name]) for row in found] == list(TEXTS)
        assert not [row[name] for row in found if row[name].lstrip()[:1] in set("=+@＝") or row[name][:2] == "-2"]
