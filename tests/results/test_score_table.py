"""Scores as one Arrow table, which CSV, Excel and the exporters read."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.core.messages import Face, catalogue
from ragauge.core.registry import entries
from ragauge.errors import UsageError
from ragauge.metrics.judged.cascade import NOT_ASKED
from ragauge.metrics.parse import parse
from ragauge.results.score import NO_SCORE, SCORE_TABLE, counted_note

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


def counted_names() -> list[str]:
    """Return the names of all that metrics count beside their scores."""
    names = {*NO_SCORE, NOT_ASKED, "texts read in windows", "claims cut"}
    for name, entry in entries("metric").items():
        if entry.alias_of is None and entry.instance is None and not entry.at:
            try:
                names |= getattr(parse(name), "notes", {}).keys()
            except UsageError:  # it needs a judge or a file
                continue
    return sorted(names)


@pytest.mark.parametrize("name", counted_names())
def test_a_count_of_one_is_in_the_singular(name: str) -> None:
    one, two = counted_note(name, 1), counted_note(name, 2)
    noun, *rest = str(one).removeprefix("1 ").replace("tool call", "call").split()
    assert not noun.endswith("s") or noun in ("across", "refusals")
    plural, *same = str(two).removeprefix("2 ").replace("tool call", "call").split()
    assert (plural in (noun, f"{noun}s"), same) == (True, rest)
    assert one.template == two.template


@pytest.mark.parametrize("name", ["texts read in windows", "tool calls with malformed arguments", "across languages"])
def test_counts_have_chinese_by_the_same_template_for_one_and_many(name: str) -> None:
    for n in (1, 2):
        note = counted_note(name, n)
        assert note.template in catalogue("zh")
        assert str(n) in note.wording(Face("zh"))
