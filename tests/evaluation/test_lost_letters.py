"""The tokenizer that deletes letters says so."""

from __future__ import annotations

import pytest

import ragauge

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
