"""The tokenizer of a language: for all rows, or for each by its column; and the one that deletes letters says so."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge
from ragauge.errors import ColumnError

ROWS = [
    {"answer": "龙井茶", "references": ["龙井茶"]},
    {"answer": "чай", "references": ["чай"]},
    {"answer": "شاي", "references": ["شاي"]},
    {"answer": "tea 茶", "references": ["tea"]},
    {"answer": "2026 年", "references": ["2026"]},
    {"answer": "…", "references": ["tea"]},
    {"answer": None, "references": ["tea"]},
]


@pytest.mark.parametrize("metric", ["rouge-1:tokenizer=rouge-score", "rouge-l:compat=rouge-score"])
def test_answers_without_a_token_are_counted(metric: str) -> None:
    result = ragauge.evaluate(ROWS, [metric, "bleu"], resamples=0)
    [note] = [note for note in result.data.notes if "deletes" in note]
    assert note.startswith(
        f"{metric}: the tokenizer rouge-score deletes every letter that is not ASCII: 3 of 7 answers"
    )
    assert result.scores(metric)[:3].tolist() == [0, 0, 0]


def test_where_all_is_read_nothing_is_said() -> None:
    assert not [note for note in ragauge.evaluate(ROWS, "rouge-1", resamples=0).data.notes if "deletes" in note]
    latin = ragauge.evaluate(ROWS[3:4], "rouge-1:tokenizer=rouge-score", resamples=0)
    assert not [note for note in latin.data.notes if "deletes" in note]


def test_each_row_is_tokenised_by_its_language() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "answer": "云山茶馆供应绿茶", "references": ["云山茶馆只供应绿茶"], "language": "zh"},
        {"id": "b", "answer": "the tea is hot", "references": ["the tea was hot"], "language": "en"},
    ]
    together = ragauge.evaluate(rows, "rouge-1", lang="column")
    alone = [ragauge.evaluate([row], "rouge-1", lang=row["language"])["rouge-1"].value for row in rows]
    assert together.scores("rouge-1").tolist() == alone
    assert alone[0] != ragauge.evaluate(rows[:1], "rouge-1")["rouge-1"].value
    assert "tokenizer zh for zh: language zh" in together.data.notes


def test_a_language_of_each_row_needs_its_column() -> None:
    rows = [{"id": "a", "answer": "tea", "references": ["tea"], "tongue": "en"}]
    with pytest.raises(ColumnError, match=r"the column language; if it has another name: map=\{'language': 'tongue'\}"):
        ragauge.evaluate(rows, "rouge-1", lang="column")


def test_a_language_that_changes_nothing_is_named() -> None:
    rows = [{"id": "a", "answer": "tea", "references": ["tea"]}]
    notes = ragauge.evaluate(rows, "exact-match", lang="zh").data.notes
    assert "lang='zh' changes nothing: no metric here leaves its tokenizer open" in notes
