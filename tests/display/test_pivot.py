"""Groups as columns, where text has room for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

import ragauge
from ragauge.display.pivot import GroupCell, pivots
from ragauge.display.table import Table, TableColumn, TableRow, markdown
from ragauge.display.text import Screen, plain_text
from tests.cli.running import here

GROUPS = ("中文", "한국어", "ไทย", "हिन्दी", "equal")
"""Groups in scripts of many widths, and one that is a word of ours."""


def cells(groups: tuple[str, ...] = GROUPS, note: str = "") -> list[GroupCell]:
    return [GroupCell(group, name, ("0.500",), 9, note) for group in groups for name in ("recall", "bleu")]


def test_columns_are_aligned_in_every_script() -> None:
    [table] = pivots("by language", cells())
    title, *lines = plain_text([table], Screen(70)).splitlines()
    assert title == "by language"
    assert len({cell_len(line) for line in lines}) == 1
    assert lines[0].split() == ["metric", *GROUPS]
    assert lines[2].split() == ["samples", *"99999"]


def test_one_group_or_one_metric_is_no_pivot() -> None:
    assert pivots("", cells(("zh",))) == ()
    assert pivots("", [cell for cell in cells() if cell.metric == "bleu"]) == ()
    assert pivots("", []) == ()


def test_what_holds_for_all_metrics_of_a_group_is_noted_once() -> None:
    [table] = pivots(
        "", [*cells(("zh",), "1 failed"), *cells(("en",)), GroupCell("en", "ter", ("–",), 0, "9 missing")], ["↓"]
    )
    assert table.notes == ("↓", "zh: 1 failed", "en, ter: 9 missing")
    assert [row.cells[2] for row in table.rows] == ["9", "0.500", "0.500", "(0) –"]


def test_the_samples_of_a_group_are_those_of_all_metrics() -> None:
    scored = [("en", "a", 0), ("en", "b", 5), ("zh", "a", 4), ("zh", "b", 5)]
    for order in (scored, scored[::-1]):
        [table] = pivots("", [GroupCell(group, name, ("x",), count, total=5) for group, name, count in order])
        assert table.rows[0].cells == ("samples", "5", "5")
        assert {row.cells[0]: set(row.cells[1:]) for row in table.rows[1:]} == {"a": {"(0) x", "(4) x"}, "b": {"x"}}


def test_text_takes_the_first_that_fits_and_all_else_the_whole_table() -> None:
    texts = ("0.500 [0.400, 0.600]", "0.500")
    shorter = pivots("", [cell._replace(texts=texts) for cell in cells()])
    wide, narrow = (replace(one, title=title) for one, title in zip(shorter, ("wide", "narrow"), strict=True))
    whole = Table("whole", (TableColumn("metric", "name"),), (TableRow(("bleu",)),), shorter=(wide, narrow))
    titles = {width: plain_text([whole], Screen(width)).splitlines()[0] for width in (140, 80, 40)}
    assert titles == {140: "wide", 80: "narrow", 40: "whole"}
    assert plain_text([whole], Screen(140, verbose=True)).startswith("whole")
    assert markdown([whole]).startswith("**whole**")


ROWS = [
    {
        "id": f"{language}{place}",
        "language": language,
        "relevance": {"a": 1},
        "retrieved": ["a", "b"] if place % (2 + step) else ["b", "a"],
        "answer": None if (language, place) == ("ไทย", 3) else "tea",
        "references": ["tea" if place % 3 else "milk"],
    }
    for step, language in enumerate(("中文", "ไทย", "हिन्दी"))
    for place in range(12)
]


SORTED = ("हिन्दी", "ไทย", "中文")


def test_scores_by_group() -> None:
    result = ragauge.evaluate(ROWS, ["mrr", "recall@1", "rouge-l", "token-f1"], by="language")
    text = plain_text(result.blocks(), Screen(40))
    [retrieval, generation] = [part.splitlines() for part in text.split("\n\n") if " by language\n" in part]
    assert retrieval[1].split() == ["metric", *SORTED]
    assert [line.split() for line in retrieval[3:]] == [
        ["samples", "12", "12", "12"],
        ["mrr", *[f"{result.groups('mrr', 'language')[one].value:.2f}" for one in SORTED]],
        ["recall@1", *[f"{result.groups('recall@1', 'language')[one].value:.2f}" for one in SORTED]],
    ]
    assert generation[-1] == "ไทย: 1 missing"
    assert generation[3].split() == ["samples", "12", "11", "12"]
    wide = plain_text(result.blocks(), Screen(110))
    one = result.groups("mrr", "language")["中文"]
    assert f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" in wide
    assert "0.88 ±.14" in plain_text(result.blocks(), Screen(60))
    assert "± half the width of the interval" in plain_text(result.blocks(), Screen(60))
    assert "by language\nlanguage" in plain_text(result.blocks(), Screen(110, verbose=True))


def test_differences_by_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, rows in (("old", ROWS), ("new", [row | {"retrieved": ["a"]} for row in ROWS])):
        ragauge.evaluate(rows, ["mrr", "recall@1"]).save(tmp_path / name)
    command = ("compare", tmp_path / "old", tmp_path / "new", "--by", "language")
    shown = here(capsys, *command).out.partition("by language\n")[2].splitlines()
    assert shown[0].split() == ["metric", *SORTED]
    assert shown[3].split() == ["mrr", "+0.12", "≈", "+0.17", "≈", "+0.25", "△"]
    assert shown[-1] == "≈ unclear, △ leaning better"
    verbose = here(capsys, *command, "-v").out.partition("by language\n")[2]
    assert verbose.split()[:2] == ["language", "metric"]
    chinese = here(capsys, "--lang-ui", "zh", *command).out
    assert [line.split()[0] for line in chinese.splitlines()[-5:]] == [
        "─" * len(chinese.splitlines()[-5]),
        "样本",
        "mrr",
        "recall@1",
        "≈",
    ]
