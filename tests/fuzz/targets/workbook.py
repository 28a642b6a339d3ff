"""Workbooks of Excel, damaged and whole."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

from hypothesis import strategies as st

from tests.fuzz.making import NAMES, TEXTS, damaged
from tests.fuzz.targets._reading import read_file

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
_FILES = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_BOOK}"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SHEET}"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="a" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="表" sheetId="1" r:id="a"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="a" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_CELL = st.one_of(
    TEXTS.map(lambda text: f'<c t="inlineStr"><is><t>{escape(text)}</t></is></c>'),
    st.sampled_from(["1991", "-0.5", "1e400", "", "x", "9" * 400]).map(lambda number: f"<c><v>{number}</v></c>"),
    st.sampled_from(['<c t="b"><v>1</v></c>', '<c t="e"><v>#N/A</v></c>', '<c t="s"><v>7</v></c>', "<c/>", "<c>"]),
    st.sampled_from(['<c t="d"><v>2026-01-31T00:00:00</v></c>', '<c r="ZZZ9"/>', '<c r="A99999999"><v>1</v></c>']),
)
_ROW = st.lists(_CELL, max_size=4).map(lambda cells: f"<row>{''.join(cells)}</row>")
_HEADER = st.lists(st.sampled_from(NAMES), max_size=4).map(
    lambda names: "<row>" + "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in names) + "</row>"
)


def _sheet(header: str, rows: list[str]) -> bytes:
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{header}{"".join(rows)}</sheetData></worksheet>'
    return sheet.encode("utf-8", "surrogatepass")


def _book(sheet: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        files = {name: content.encode() for name, content in _FILES.items()}
        for name, content in {**files, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return written.getvalue()


_SHEETS = st.builds(_sheet, _HEADER, st.lists(_ROW, max_size=4))
STRATEGY = st.one_of(_SHEETS, damaged(_SHEETS), damaged(_SHEETS.map(_book)))


def target(data: bytes) -> None:
    """Read ``data`` as a workbook, or as the sheet of one."""
    read_file("book.xlsx", data if data.startswith(b"PK") else _book(data))
