"""Scores as tables."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

from rich.cells import cell_len

import ragauge
from ragauge.display.table import Table, Words, markdown
from ragauge.display.text import plain_text
from ragauge.results.score import Score, notes, score_tables

SCORE = Score(
    metric="ndcg@10",
    value=0.8123,
    low=0.79,
    high=0.83,
    parts={},
    group=None,
    scored=98,
    total=100,
    undefined=0,
    missing=0,
    failed=2,
    undefined_scored=0,
    bounds=(0.8, 0.82),
    average="samples",
    stage="retrieval",
    direction="higher",
    signature="ndcg",
)


def of(group: Any, **changes: Any) -> Score:
    return replace(SCORE, group=group, **changes)


def tables(*scores: Score) -> list[Table]:
    return score_tables(scores, "95 % interval", lambda _: (-inf, inf))


def test_failures_are_noted_with_what_they_could_change() -> None:
    assert notes(SCORE) == Words("2 failed, bounds 0.8000–0.8200")
    assert notes(replace(SCORE, failed=0, bounds=None, undefined_scored=3, parts={"unjudged": 0.5})) == (
        Words("3 undefined scored 0, unjudged 0.5000")
    )
    assert notes(replace(SCORE, failed=0, bounds=None, missing=1, undefined=4)) == Words("1 missing, 4 undefined")


def test_without_a_value_or_interval_nothing_is_made_up() -> None:
    [table] = tables(replace(SCORE, value=nan, low=nan, high=nan))
    assert table.rows[0].cells[1:4] == ("–", "", "98/100")


def test_stages_come_in_the_order_of_a_system_and_groups_after_all_samples() -> None:
    scores = [of(None, stage="generation"), of(None), of({"g": "b"}), of({"h": 1}), of({"g": None})]
    assert [(table.title, table.columns[0].head, len(table.rows)) for table in tables(*scores)] == [
        ("retrieval", "metric", 1),
        ("retrieval by g", "g", 2),
        ("retrieval by h", "h", 1),
        ("generation", "metric", 1),
    ]


def test_a_group_is_named_once() -> None:
    [table] = tables(of({"g": "b"}), of({"g": "b"}, metric="mrr"), of({"g": None}))
    assert [row.cells[0] for row in table.rows] == ["b", "", "(none)"]


def test_the_level_is_in_the_heading() -> None:
    result = ragauge.evaluate([{"answer": "tea", "references": ["tea"]}], "exact-match", ci=0.9)
    assert [column.head for column in result.tables()[0].columns] == [
        "metric", "value", "90 % interval", "scored", "", "notes"
    ]  # fmt: skip


def test_what_must_be_read_beside_a_score_is_shown_with_it_alone() -> None:
    text = str(of({"g": "b"}, compared_by="lexical", direction="lower"))
    assert "retrieval by g" in text
    assert "↓ lower is better" in text
    assert "lexical: compares letters" in text


def test_lower_is_better_is_marked_and_explained_where_it_is() -> None:
    lower = of(None, direction="lower", metric="latency")
    for write in (plain_text, markdown):
        assert "latency ↓" in write(tables(lower))
        assert "↓ lower is better" in write(tables(lower))
        assert "↓" not in write(tables(SCORE))


def test_wide_characters_are_aligned() -> None:
    title, heads, rule, *rows = plain_text(tables(of({"g": "中文"}), of({"g": "en"}))).splitlines()
    lines = [heads, *rows]
    starts = [cell_len(line[: line.index(word)]) for line, word in zip(lines, ["metric", *["ndcg"] * 2], strict=True)]
    assert (title, set(rule), len(set(starts))) == ("retrieval by g", {"─"}, 1)


def test_texts_of_the_data_cannot_break_a_table() -> None:
    evil = of({"g": "a|b\n<b>\x1b[31m"}, metric="column:name=<i>")
    table = markdown(tables(evil))
    assert r"a\|b\x0a<b>\x1b[31m" in table
    assert all(len(set(line.replace(r"\|", "").split("|"))) > 1 for line in table.splitlines()[2:])
