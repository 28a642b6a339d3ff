"""Scores in words."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import pytest
from rich.cells import cell_len

from ragauge.results.score import Score
from ragauge.results.tables import interval, label, markdown, notes, number, plain_text, printable, sections

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


def test_failures_are_said_with_what_they_could_change() -> None:
    assert notes(SCORE) == "2 failed, bounds 0.8000–0.8200"
    assert notes(replace(SCORE, failed=0, bounds=None, undefined_scored=3, parts={"unjudged": 0.5})) == (
        "3 undefined scored 0, unjudged 0.5000"
    )
    assert notes(replace(SCORE, failed=0, bounds=None, missing=1, undefined=4)) == "1 missing, 4 undefined"


def test_without_a_value_or_interval_nothing_is_made_up() -> None:
    assert number(nan) == "–"
    assert interval(replace(SCORE, low=nan, high=nan)) == ""
    assert interval(SCORE) == "[0.7900, 0.8300]"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.0000"), (-0.5, "-0.5000"), (99.99999, "100.0000"), (5e-7, "5e-07"), (1e6, "1000000.00")],
)
def test_numbers_keep_four_places_or_four_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_stages_come_in_the_order_of_a_system_groups_after_the_whole() -> None:
    scores = [of(None, stage="generation"), of(None), of({"g": "b"}), of({"h": 1}), of({"g": None})]
    found = [(section.title, section.heads[0], len(section.rows)) for section in sections(scores, 0.95)]
    assert found == [
        ("retrieval", "metric", 1),
        ("retrieval by g", "g", 2),
        ("retrieval by h", "h", 1),
        ("generation", "metric", 1),
    ]


def test_a_group_is_named_once_and_the_level_in_the_heading() -> None:
    [section] = sections([of({"g": "b"}), of({"g": "b"}, metric="mrr"), of({"g": None})], 0.9)
    assert [row[0] for row in section.rows] == ["b", "", "(none)"]
    assert section.heads == ("g", "metric", "value", "90 % interval", "scored", "notes")


def test_lower_is_better_is_marked_and_explained_where_it_is() -> None:
    lower = of(None, direction="lower", metric="latency")
    for write in (plain_text, markdown):
        assert "latency ↓" in write([lower], 0.95)
        assert "↓ lower is better" in write([lower], 0.95)
        assert "↓" not in write([SCORE], 0.95)


def test_wide_characters_are_aligned() -> None:
    lines = plain_text([of({"g": "中文"}), of({"g": "en"})], 0.95).splitlines()[1:]
    starts = [cell_len(line[: line.index(word)]) for line, word in zip(lines, ["metric", *["ndcg"] * 2], strict=True)]
    assert len(set(starts)) == 1


def test_texts_of_the_data_cannot_break_a_table() -> None:
    evil = of({"g": "a|b\n<b>\x1b[31m"}, metric="column:name=<i>")
    table = markdown([evil], 0.95)
    assert r"a\|b\x0a<b>\x1b[31m" in table
    assert all(len(set(line.replace(r"\|", "").split("|"))) > 1 for line in table.splitlines()[2:])
    assert printable("中文, عربي, 🍵") == "中文, عربي, 🍵"


def test_the_label_of_all_is_empty() -> None:
    assert (label(None), label({"g": 1.5})) == ("", "1.5")
