"""Scores as one Arrow table, which CSV, Excel and the exporters read."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.results.score import SCORE_TABLE

ROWS = [
    {"id": "a", "answer": "tea", "references": ["tea"], "language": "zh"},
    {"id": "b", "answer": "cup", "references": ["tea"], "language": None},
    {"id": "c", "failure": "timeout", "references": ["tea"], "language": "zh"},
]


def test_each_score_is_a_row_with_its_group_and_its_counts() -> None:
    table = ragauge.evaluate(ROWS, ["exact-match", "rouge-l"], by="language").score_table()
    assert table.schema == SCORE_TABLE
    first, *_ = rows = table.to_pylist()
    assert [(row["metric"], row["by"], row["group"]) for row in rows] == [
        ("exact-match", None, None),
        ("rouge-l", None, None),
        ("exact-match", "language", "zh"),
        ("rouge-l", "language", "zh"),
        ("exact-match", "language", None),
        ("rouge-l", "language", None),
    ]
    counts = ("value", "scored", "total", "failed", "bound_low", "bound_high")
    assert [first[name] for name in counts] == [0.5, 2, 3, 1, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert first["coverage"] == pytest.approx(2 / 3)
    assert dict(rows[1]["parts"]).keys() == {"precision", "recall"}


def test_what_is_not_known_is_null() -> None:
    rows = [{"id": "a", "answer": None, "failure": "timeout", "references": ["tea"]}]
    [score] = ragauge.evaluate(rows, "exact-match").score_table().to_pylist()
    assert [score[name] for name in ("value", "low", "high", "coverage")] == [None, None, None, 0.0]


def test_the_table_has_the_scores_of_the_json_form() -> None:
    result = ragauge.evaluate(ROWS, "exact-match", by="language")
    for row, plain in zip(result.score_table().to_pylist(), result.to_dict()["metrics"], strict=True):
        same = plain.keys() & row.keys() - {"group", "parts", "notes", "noted"}
        assert {name: row[name] for name in same} == {name: plain[name] for name in same}
