"""Workbooks of Excel."""

from __future__ import annotations

import re
import zipfile
from datetime import date
from pathlib import Path
from time import process_time
from typing import Any

import openpyxl
import pytest

from ragauge.errors import DataError, UnknownNameError
from ragauge.formats import read
from tests.frameworks.reading import ANSWER, FIRST, GOLD, QUESTION, SECOND, rows


def book(path: Path, *sheets: list[list[Any]]) -> Path:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for place, lines in enumerate(sheets):
        sheet = workbook.create_sheet(f"表{place}")
        for line in lines:
            sheet.append(line)
    workbook.save(path)
    return path


def test_a_sheet_is_read_as_csv(tmp_path: Path) -> None:
    header = ["问题", "回答", "标准答案", "docs", "年", "share", "good", "day", None]
    lines: list[list[Any]] = [
        [QUESTION, ANSWER, GOLD, f'["{FIRST}", "{SECOND}"]', 1991, 0.5, True, date(2026, 1, 31), None],
        [None] * 9,
        ["b", None, "c", None, None, None, False, None, None],
    ]
    path = book(tmp_path / "qa.xlsx", [], [header, *lines], [["x"], ["y"]])
    first, second = rows(path)
    assert first == {"question": QUESTION, "answer": ANSWER, "references": [GOLD], "contexts": [FIRST, SECOND],
                     "年": 1991, "share": 0.5, "good": True, "day": "2026-01-31"}  # fmt: skip
    assert second == {"question": "b", "references": ["c"], "good": False}
    data = read(path)
    assert dict(data.mapping) == {"question": "问题", "answer": "回答", "references": "标准答案", "contexts": "docs"}
    assert "sheet '表1' was read, and not '表2'; to read another: format='xlsx:表2'" in data.notes


def test_a_sheet_with_a_title_alone_is_passed_over(tmp_path: Path) -> None:
    path = book(tmp_path / "qa.xlsx", [["Auswertung 2026"]], [["question", "answer"], ["Wer?", "Anna."]])
    data = read(path)
    assert [batch.column("answer").to_pylist() for batch in data.batches()] == [["Anna."]]
    assert any("sheet '表1' was read, and not '表0'" in one for one in data.notes)


def test_a_sheet_is_chosen_by_its_name(tmp_path: Path) -> None:
    path = book(tmp_path / "qa.xlsx", [["回答"], ["一"]], [["answer"], ["two"]], [])
    data = read(path, format="xlsx:表1")
    assert [row["answer"] for row in rows(path, format="xlsx:表1")] == ["two"]
    assert not [note for note in data.notes if "was read" in note]
    with pytest.raises(UnknownNameError, match=r"unknown sheet of .*qa\.xlsx '表7'.*表0.*表1"):
        read(path, format="xlsx:表7")
    with pytest.raises(DataError, match="has no rows; give at least one"):
        read(path, format="xlsx:表2")


def test_wrong_workbooks(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"sheet '表0': two columns are named a; rename one"):
        read(book(tmp_path / "twice.xlsx", [["a", "a"], [1, 2]]))
    with pytest.raises(DataError, match="has no rows; give at least one"):
        read(book(tmp_path / "empty.xlsx", []))
    (tmp_path / "bad.xlsx").write_bytes(b"PK no workbook")
    with pytest.raises(DataError, match=r"bad.xlsx: cannot be read as a workbook \(.*\); save it again as .xlsx"):
        read(tmp_path / "bad.xlsx")


def test_problems_name_the_row_of_the_sheet(tmp_path: Path) -> None:
    lines: list[list[Any]] = [["question", "relevance"], ["a", '["d1"]'], [None, None], ["b", "[1"], ["c", "[2"]]
    with pytest.raises(DataError) as caught:
        read(book(tmp_path / "qa.xlsx", lines))
    assert [problem.partition(": ")[0] for problem in caught.value.problems] == ["row 4", "row 5"]


def test_a_header_of_very_many_columns_is_refused_at_once(tmp_path: Path) -> None:
    path = book(tmp_path / "wide.xlsx", [["question", *[None] * 16_000, "x", "x"], ["Who?"]])
    with pytest.raises(DataError, match="two columns are named x; rename one"):
        read(path)
    path = book(tmp_path / "wide.xlsx", [["question", *[None] * 16_000, "x"], ["Who?"]])
    with pytest.raises(DataError, match="has more than 4096 columns"):
        read(path)


def test_a_formula_without_a_value_is_an_empty_field(tmp_path: Path) -> None:
    """Excel writes the last value beside the formula; openpyxl writes the formula alone."""
    assert rows(book(tmp_path / "qa.xlsx", [["question", "n"], ["a", "=1+1"], ["b", 3]])) == [
        {"question": "a"},
        {"question": "b", "n": 3},
    ]


def bomb(path: Path, rows: str, times: int) -> Path:
    """Write a workbook with ``rows`` of XML so many times below a row with a question."""
    book(path, [["question", "answer"], ["q", "a"]])
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    head, end, rest = files["xl/worksheets/sheet1.xml"].partition(b"</sheetData>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            if name != "xl/worksheets/sheet1.xml":
                archive.writestr(name, content)
        with archive.open("xl/worksheets/sheet1.xml", "w") as sheet:
            # openpyxl reads no more than a sheet says that it has.
            sheet.write(re.sub(rb"<dimension[^>]*/>", b"", head))
            for _ in range(times // 1000):
                sheet.write(rows.encode() * 1000)
            sheet.write(end + rest)
    return path


@pytest.mark.costly
def test_a_small_workbook_that_expands_to_much_is_refused(tmp_path: Path) -> None:
    path = bomb(tmp_path / "bomb.xlsx", f"<row><c t='inlineStr'><is><t>{'a' * 4000}</t></is></c></row>", 100_000)
    assert path.stat().st_size < 2 << 20
    expected = r"bomb\.xlsx: unpacked it is larger than 64 MiB \(with long texts 128 MiB\) and 20 times its size"
    with pytest.raises(DataError, match=expected):
        read(path)
    # As many bytes as a sheet of long texts may have, but each a part of an element.
    path = bomb(tmp_path / "bomb.xlsx", "<row><c><v>1</v></c></row>", 3_000_000)
    with pytest.raises(DataError, match=expected):
        read(path)


@pytest.mark.costly
def test_a_sheet_of_much_repeated_text_is_read(tmp_path: Path) -> None:
    prompt = "Answer in one sentence. " * 200
    path = bomb(tmp_path / "prompts.xlsx", f"<row><c t='inlineStr'><is><t>{prompt}</t></is></c></row>", 18_000)
    assert path.stat().st_size < 1 << 20
    assert read(path).rows == 18_001


def test_characters_that_xml_has_not_are_read_as_one(tmp_path: Path) -> None:
    """As Excel writes line ends of Windows: ``_x000D_`` before the end of a line."""
    line = "a" * 98 + "_x000D_\n"
    odd = "_x005F_x000D_ _x0007_ _xD83D_ _x12_ x_x000d_"
    cells = [f"<row><c t='inlineStr'><is><t>{text}</t></is></c></row>" for text in (line * 326, odd)]
    answers = [row["question"] for row in rows(bomb(tmp_path / "lines.xlsx", "".join(cells), 1000))[1:3]]
    assert answers == [("a" * 98 + "\r\n") * 326, "_x000D_ \x07 _xD83D_ _x12_ x\r"]


def test_styles_that_expand_to_much_are_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "styles.xlsx", [["question"], ["q"]])
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content.replace(b"</fonts>", b"<font/>" * (1 << 21) + b"</fonts>"))
    with pytest.raises(DataError, match=r"styles\.xlsx: its styles and names expand to more than 8 MiB"):
        read(path)


@pytest.mark.parametrize("row", ["<row><c r='ZZZ{n}'/></row>", "<row r='1{n}99999999'><c/></row>"])
def test_a_sheet_that_is_mostly_empty_is_refused(tmp_path: Path, row: str) -> None:
    path = bomb(tmp_path / "sparse.xlsx", row.replace("{n}", "9"), 10_000)
    began = process_time()
    with pytest.raises(
        DataError, match=r"sheet '表0': row \d+: too much of the sheet is empty; remove empty rows and columns"
    ):
        read(path)
    assert process_time() - began < 10


def test_a_cell_of_more_characters_than_excel_has_is_refused(tmp_path: Path) -> None:
    path = bomb(tmp_path / "long.xlsx", f"<row><c t='inlineStr'><is><t>{'a' * 33}</t></is></c></row>", 1000)
    assert len(rows(path)) == 1001
    path = bomb(tmp_path / "long.xlsx", f"<row><c t='inlineStr'><is><t>{'a' * 32_768}</t></is></c></row>", 1000)
    with pytest.raises(DataError, match=r"sheet '表0': row 3: a cell has more than 32,767 characters"):
        read(path)


def test_titles_above_the_header_are_skipped_with_a_note(tmp_path: Path) -> None:
    lines: list[list[Any]] = [["五月报告"], [], ["部门", "茶"], ["问题", "回答", "年"], ["谁？", "林婉。", 1991]]
    path = book(tmp_path / "qa.xlsx", lines)
    assert rows(path) == [{"question": "谁？", "answer": "林婉。", "年": 1991}]
    assert "skipped before the header in row 4, as a title: row 1, 3" in read(path).notes
    other = book(tmp_path / "other.xlsx", [["answer"], ["question", "answer"]])
    assert rows(other) == [{"answer": "question"}]


def test_formulas_without_a_value_have_a_note(tmp_path: Path) -> None:
    rows = [["question", "answer", "reference"], *[["谁？", f'=A{row}&"茶"', "茶"] for row in range(2, 40)]]
    path = book(tmp_path / "a.xlsx", rows, [["=1+1"]])
    [note] = [one for one in read(path, format="xlsx:表0").notes if "formula" in one]
    assert note.startswith("38 formulas have no value in sheet '表0', and were read as empty; open the workbook")


@pytest.mark.parametrize("count", [1, 1200])
def test_cells_merged_over_several_rows_have_a_note(count: int, tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.append(["Report", None])
    sheet.merge_cells("A1:B1")
    sheet.append(["question", "answer"])
    for place in range(count):
        sheet.append([f"谁种茶 {place}？", "林婉"])
        sheet.append([None, "王"])
        sheet.merge_cells(start_row=3 + 2 * place, end_row=4 + 2 * place, start_column=1, end_column=1)
    sheet.merge_cells("A1:B1")
    made.save(tmp_path / "a.xlsx")
    [note] = [one for one in read(tmp_path / "a.xlsx").notes if "merged" in one]
    verb = "cell is" if count == 1 else "cells are"
    assert note.startswith(f"sheet 'Sheet': {count:,} {verb} merged over several rows, as A")
    made = openpyxl.Workbook()
    for row in (["question", "answer"], ["谁？", "林婉"]):
        made.active.append(row)
    made.active.merge_cells("A1:A2")
    made.active.merge_cells("B2:C2")
    made.save(tmp_path / "a.xlsx")
    assert not [one for one in read(tmp_path / "a.xlsx").notes if "merged" in one]


def test_what_excel_hides_or_shows_otherwise_has_a_note(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    sheet = made.active
    for row in (
        ["问题", "回答", "备注", "share"],
        ["谁？", "林婉", "a", 0.85],
        ["哪里？", "云南", "b", 0.5],
        ["几时？", "五月", "c", 2],
    ):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.row_dimensions[9].hidden = True
    sheet.column_dimensions["C"].hidden = True
    sheet["D2"].number_format = "0%"
    sheet["D3"].number_format = "0.00 %"
    made.save(tmp_path / "a.xlsx")
    data = read(tmp_path / "a.xlsx")
    assert [row["share"] for row in rows(tmp_path / "a.xlsx")] == [0.85, 0.5, 2]
    assert [note.partition(";")[0] for note in data.notes] == [
        "sheet 'Sheet': 1 hidden row was read too (3)",
        "sheet 'Sheet': 1 hidden column was read too (备注)",
        "sheet 'Sheet': 2 cells are shown in per cent, as D2, and read as the number that is stored, .5 for 50 %",
    ]


def test_a_hidden_title_and_other_formats_have_no_note(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    for row in (["Report", None], ["question", "answer"], ["谁？", 0.5]):
        made.active.append(row)
    made.active.row_dimensions[1].hidden = True
    made.active["B3"].number_format = "0.00"
    made.save(tmp_path / "a.xlsx")
    assert not [note for note in read(tmp_path / "a.xlsx").notes if "hidden" in note or "per cent" in note]
