"""A sheet that people filled is read back as samples, in each form that it can be written in."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

import ragauge
from ragauge.errors import DataError, UsageError
from ragauge.formats import read
from ragauge.formats.csv import guarded
from ragauge.testsets import Sheet, draw
from ragauge.testsets.sheet import SUFFIXES

from .corpora import ROWS, TEXTS

HOSTILE = [
    '=HYPERLINK("http://example.com","tea") is what a passage may begin with.',
    "'=1+1 and a quotation mark before a formula, as another passage has it.",
    'Line one of a passage.\nLine two, with a comma, "quotes" and a tab\tin it.',
    "-1 is a number, and this is a passage that begins with a minus sign.",
    "\x07 a bell, and a passage that no workbook can hold as it stands.",
]


@pytest.fixture(params=SUFFIXES)
def suffix(request: pytest.FixtureRequest) -> str:
    """Return the suffix of each form."""
    return str(request.param)


def filled(sheet: Sheet, texts: Mapping[str, tuple[str, str]]) -> Sheet:
    """Return the sheet with a question and a reference by passage."""
    rows = []
    for row in sheet.rows:
        question, reference = texts.get(row["passage"], ("", ""))
        rows.append({**row, "question": question, "reference": reference})
    return sheet.with_rows(rows, [])


def samples(path: Path, **options: Any) -> list[dict[str, Any]]:
    return [row for batch in read(str(path), **options).batches() for row in batch.table().to_pylist()]


def test_a_filled_sheet_comes_back_as_samples(suffix: str, tmp_path: Path) -> None:
    told = {one.passage: (one.question, one.answer) for tag, one in TEXTS.items() if tag != "de"}
    path = tmp_path / f"sheet{suffix}"
    filled(draw(ROWS, 20), told).write(path)
    data = read(str(path))
    assert data.rows == 10
    assert "1 row of the sheet has no question and no reference, and is left out" in data.notes
    assert data.mapping == {
        "references": "reference", "reference_contexts": "passage", "relevance": "passage_id",
    }  # fmt: skip
    by_tag = {row["language"]: row for row in samples(path)}
    assert set(by_tag) == {*TEXTS} - {"de"}
    for tag, row in by_tag.items():
        one = TEXTS[tag]
        assert row["question"] == one.question
        assert row["references"] == [one.answer]
        assert row["reference_contexts"] == [one.passage]
        assert row["relevance"] == [{"id": f"d-{tag}", "grade": 1.0}]


def test_ids_that_we_made_are_not_those_of_a_system(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(TEXTS["zh"].passage, encoding="utf-8")
    path = tmp_path / f"sheet{suffix}"
    filled(draw(tmp_path / "tea.md"), {TEXTS["zh"].passage: ("谁？", "林婉")}).write(path)
    [row] = samples(path)
    assert "relevance" not in row
    assert row["reference_contexts"] == [TEXTS["zh"].passage]


def test_hostile_passages_come_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"sheet{suffix}"
    texts = HOSTILE[: 4 if suffix == ".xlsx" else 5]
    filled(draw(texts), dict.fromkeys(texts, ("What?", "=1+1"))).write(path)
    assert {row["reference_contexts"][0] for row in samples(path)} == set(texts)
    assert {row["references"][0] for row in samples(path)} == {"=1+1"}


def test_no_field_of_csv_or_of_a_workbook_is_a_formula(tmp_path: Path) -> None:
    sheet = draw(HOSTILE)
    sheet.write(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as stream:
        fields = [field for row in csv.reader(stream) for field in row]
    assert not any(field.startswith(("=", "-", "+", "@")) for field in fields)
    assert {field[:4] for field in fields} >= {"'=HY", "''=1", "'-1 "}
    assert (tmp_path / "a.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    sheet.write(tmp_path / "a.xlsx")
    page = load_workbook(tmp_path / "a.xlsx").active
    assert page is not None
    assert "f" not in {field.data_type for row in page.iter_rows() for field in row}
    texts = {row[1] for row in page.iter_rows(min_row=2, values_only=True)}
    assert {guarded(text).replace("\x07", "\ufffd") for text in HOSTILE} == texts


def test_a_sheet_saved_as_gbk_with_a_column_of_answers(tmp_path: Path) -> None:
    one = TEXTS["zh"]
    filled(draw([one.passage]), {one.passage: (one.question, one.answer)}).write(tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_text(encoding="utf-8-sig")
    header, _, rest = text.partition("\n")
    (tmp_path / "b.csv").write_bytes(f"{header.strip()},answer\r\n{rest.strip()},林婉创办了它。\r\n".encode("gb18030"))
    result = ragauge.evaluate(str(tmp_path / "b.csv"), ["contains-answer"], resamples=0)
    assert result["contains-answer"].value == 1.0


def test_rows_that_are_half_filled_are_named(tmp_path: Path) -> None:
    rows = list(draw(ROWS, 20).rows)
    written = [
        {**rows[0], "question": "Who?", "reference": "Lin Wan"},
        {**rows[1], "question": "Who?"},
        {**rows[2], "reference": "Lin Wan"},
        {**rows[3], "question": "  ", "reference": "\u3000"},
    ]
    path = tmp_path / "a.jsonl"
    Sheet(tuple(written)).write(path)
    with pytest.raises(DataError) as caught:
        read(str(path))
    assert caught.value.problems == (
        "line 2: has a question, but no reference; write it, or clear the question",
        "line 3: has a reference, but no question; write it, or clear the reference",
    )
    Sheet((written[1], written[3])).write(path)
    data = read(str(path))
    assert (data.rows, "references" in data.columns) == (1, False)


def test_a_sheet_that_nobody_filled(tmp_path: Path) -> None:
    draw(ROWS, 20).write(tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"has no rows; give at least one \(11 rows of the sheet have no question"):
        read(str(tmp_path / "a.csv"))


def test_the_limit_counts_filled_rows(tmp_path: Path) -> None:
    rows = [{**row, "question": "Who?"} if place > 4 else row for place, row in enumerate(draw(ROWS, 20).rows)]
    Sheet(tuple(rows)).write(tmp_path / "a.csv")
    assert read(str(tmp_path / "a.csv"), limit=3).rows == 3


def test_other_data_with_a_passage_are_no_sheet() -> None:
    rows = [{"question": "Who?", "reference": "Lin Wan", "passage": "Lin Wan."}]
    assert set(read(rows).columns) == {"id", "question", "references", "passage"}


def test_ids_are_unique_and_stay(tmp_path: Path) -> None:
    first, again = draw(ROWS, 20), draw(ROWS[::-1], 20, seed=3)
    assert len({row["id"] for row in first.rows}) == 11
    assert {(row["id"], row["passage_id"]) for row in first.rows} == {
        (row["id"], row["passage_id"]) for row in again.rows
    }


def test_a_suffix_that_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a sheet must end with \.csv, \.jsonl, \.xlsx; got '.*a\.ods'"):
        draw(ROWS).write(tmp_path / "a.ods")


def test_lines_are_json(tmp_path: Path) -> None:
    draw(ROWS, 1).write(tmp_path / "a.jsonl")
    row = json.loads((tmp_path / "a.jsonl").read_text(encoding="utf-8"))
    assert list(row) == ["id", "passage", "passage_id", "source", "language", "question", "reference"]
