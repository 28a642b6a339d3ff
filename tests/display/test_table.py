"""One table as text, Markdown and HTML."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from ragauge.display.html import html
from ragauge.display.numbers import DRAWN
from ragauge.display.table import Bar, Facts, Notes, Paragraph, Table, TableColumn, TableRow, Verbatim, Words, markdown
from ragauge.display.text import Screen, plain_text, wrapped

LONG = "groundedness:support=nli[model=a/very/long/name/of/a/model]"
COLUMNS = (
    TableColumn("metric", "name"),
    TableColumn("value", "number"),
    TableColumn("", "bar"),
    TableColumn("notes", "words"),
)


def row(name: str, value: str, words: Words | str, *details: str) -> TableRow:
    return TableRow((name, value, Bar(0.5, (0.25, 0.75), (0, 1), "half"), words), details)


def table(*rows: TableRow) -> Table:
    return Table("title", COLUMNS, rows, ("below",), "details")


def lines(shown: Table, width: int = 80, *, bars: bool = False) -> list[str]:
    return plain_text([shown], Screen(width, DRAWN if bars else None)).splitlines()


def test_numbers_stand_right_and_names_left() -> None:
    assert lines(table(row("a", "1", "x"), row("bcd", "10.5", ""))) == [
        "title",
        "metric  value  notes",
        "────────────────────",
        "a           1  x",
        "bcd      10.5",
        "below",
    ]


def test_a_long_name_stands_on_a_line_of_its_own() -> None:
    shown = lines(table(row(LONG, "1", ""), row("short", "2", "")), 40)
    assert shown[3:6] == [LONG, "        1".rjust(13), "short       2"]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_words_wrap_in_their_column(width: int) -> None:
    shown = lines(table(row("a", "1", "seven words that need quite some room")), width, bars=True)
    assert max(map(cell_len, shown)) <= width
    assert " ".join(" ".join(shown[3:-1]).replace("·", "").split()).endswith("some room")


def test_extra_words_are_for_readers_who_asked_for_them() -> None:
    words = Words("1 failed", "precision 0.5000, recall 0.5000")
    brief = lines(table(row("a", "1", words)), 80)
    assert ("failed" in brief[3], any("precision" in line for line in brief)) == (True, False)
    assert "1 failed, precision 0.5000" in plain_text([table(row("a", "1", words))], Screen(80, verbose=True))


def test_extra_columns_are_left_out_from_the_last_on_until_a_row_fits() -> None:
    heads = [TableColumn("metric", "name"), *[TableColumn(head, "number", extra=True) for head in ("one", "two")]]
    shown = Table("", (*heads, TableColumn("three", "number")), (TableRow(("a" * 10, "1", "2", "3")),))
    assert [plain_text([shown], Screen(width)).splitlines()[0].split() for width in (27, 26, 22, 21)] == [
        ["metric", "one", "two", "three"],
        ["metric", "one", "three"],
        ["metric", "one", "three"],
        ["metric", "three"],
    ]


def test_bars_need_room_and_a_screen_that_draws_them() -> None:
    shown = table(row("a", "1", "x"))
    assert "●" in "".join(lines(shown, 80, bars=True))
    assert "●" not in "".join(lines(shown, 24, bars=True))
    assert "●" not in "".join(lines(shown, 80))


def test_details_stand_below_and_break_between_each_other_only() -> None:
    shown = lines(table(row("a", "1", "", "first detail", "second detail", "third")), 30)
    assert shown[4:6] == ["  first detail; second detail", "  third"]


def test_markdown_has_the_details_and_no_bars() -> None:
    text = markdown(
        [table(row("a|b", "1", Words("x", "y"), "first", "second")), Notes(("n",)), Facts((("run", "a`b"),))]
    )
    assert text.split("\n\n") == [
        "**title**",
        "| metric | value | notes | details |\n| --- | ---: | --- | --- |\n| a\\|b | 1 | x, y | first; second |",
        "below",
        "- note: n",
        "- run: `a'b`",
    ]


def test_a_fence_in_the_data_does_not_end_the_block() -> None:
    assert markdown([Verbatim(("```", "x"))]) == "````text\n```\nx\n````"


def test_html_has_bars_and_details() -> None:
    page = html([table(row("a", "1", "x", "first")), Paragraph("<b>"), Verbatim(("<i>",)), Facts((("run", "<a>"),))])
    assert page.count("<svg") == 1
    assert 'aria-label="half"' in page
    assert '<td class="words">first</td>' in page
    assert "&lt;b&gt;" in page
    assert not {"<b>", "<i>", "<a>"} & {page[start : start + 3] for start in range(len(page))}


def test_blocks_without_content_leave_no_empty_lines() -> None:
    assert plain_text([Paragraph("a"), Notes(()), Paragraph("b")]) == "a\n\nb"
    assert markdown([Paragraph("a"), Notes(()), Paragraph("b")]) == "a\n\nb"


def test_wide_characters_count_twice() -> None:
    assert wrapped("茶 茶 茶", 5) == ["茶 茶", "茶"]


@pytest.mark.parametrize(("width", "apart"), [(24, True), (60, False)])
def test_a_group_stands_above_its_rows_where_there_is_no_room_beside_them(width: int, apart: bool) -> None:
    columns = (TableColumn("language", "group"), TableColumn("metric", "name"), TableColumn("value", "number"))
    rows = tuple(TableRow((group, name, "0.5000")) for group, name in (("zh", "hit-rate"), ("", "mrr"), ("en", "mrr")))
    shown = lines(Table("", columns, rows), width)[2:]
    beside = ["zh        hit-rate  0.5000", "          mrr       0.5000", "en        mrr       0.5000"]
    assert shown == (["zh", "hit-rate  0.5000", "mrr       0.5000", "en", "mrr       0.5000"] if apart else beside)


def test_bars_of_all_tables_are_as_wide_as_the_narrowest() -> None:
    narrow = table(row("a name that takes much room", "1", "and words that take all that they can get"))
    wide = table(row("a", "1", "x"))

    def width_of_bar(*tables: Table) -> list[int]:
        text = plain_text(tables, Screen(80, DRAWN))
        return [len(bar) for bar in re.findall("[·├─●┤]{9,}(?= |$)", text, re.MULTILINE) if "●" in bar]

    assert width_of_bar(wide) == [21]
    assert set(width_of_bar(wide, narrow)) == set(width_of_bar(narrow)) == {11}
    assert plain_text([wide, narrow], Screen(40, DRAWN)).count("●") == 0


def test_short_notes_are_wrapped_to_make_room_for_bars() -> None:
    short, long = (table(row("answer-correctness", "1", note)) for note in ("1 across languages", "word " * 20))
    beside = plain_text([short], Screen(50, DRAWN)).splitlines()[3:5]
    assert [line.rstrip() for line in beside] == [
        "answer-correctness      1  ··├─●─┤··  1 across",
        " " * 38 + "languages",
    ]
    assert "●" not in plain_text([long], Screen(50, DRAWN))


def test_a_column_that_one_table_has_no_room_for_is_in_none() -> None:
    heads = (TableColumn("metric", "name"), TableColumn("p", "number", extra=True), TableColumn("value", "number"))
    one, other = (Table("", heads, (TableRow((name, "1", "2")),)) for name in ("a", "a" * 20))
    assert " p " in plain_text([one], Screen(28))
    assert " p " not in plain_text([one, other], Screen(28))


def test_notes_are_left_out_where_no_row_has_one() -> None:
    assert "notes" not in "".join(lines(table(row("a", "1", ""))))
    assert "notes" in "".join(lines(table(row("a", "1", ""), row("b", "1", "x"))))
    hidden = table(row("a", "1", Words("", "precision 0.5000")))
    assert "notes" not in plain_text([hidden])
    assert "notes" in plain_text([hidden], Screen(verbose=True))


def test_a_usual_name_is_never_narrowed_for_words() -> None:
    shown = lines(table(row("answer-correctness", "1", "seven words that need quite some room")), 48)
    assert shown[3].startswith("answer-correctness      1  seven")
    assert max(map(cell_len, shown)) <= 48


def test_heads_of_numbers_are_stacked_where_one_line_has_no_room() -> None:
    heads = (TableColumn("metric", "name"), *[TableColumn(f"pairwise {head}", "number") for head in ("one", "other")])
    shown = Table("", heads, (TableRow(("a", "1", "2")),))
    assert lines(shown, 40)[0] == "metric  pairwise one  pairwise other"
    assert lines(shown, 30)[:2] == ["        pairwise  pairwise", "metric       one     other"]
