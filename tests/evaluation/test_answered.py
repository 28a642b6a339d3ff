"""Scores of the answers that answer, beside those that decline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import ColumnError

ROWS: list[dict[str, Any]] = [
    {"id": "en", "answer": "At nine.", "references": ["At nine."]},
    {"id": "zh", "answer": "资料里没有提到。", "references": ["九点。"]},
    {"id": "ja", "answer": "文書には記載がありません。", "references": ["九時。"]},
    {"id": "ko", "answer": "아홉 시입니다.", "references": ["열 시입니다."]},
    {"id": "de", "answer": "The passages do not say when. It is in Hangzhou.", "references": ["In Hangzhou."]},
    {"id": "ru", "answer": None, "references": ["В девять."]},
]


def groups(result: ragauge.Result, metric: str = "exact-match") -> dict[Any, tuple[float, int, int]]:
    """Return for each group the score, how many samples have one, and how many there are."""
    found = result.groups(metric, "answered")
    return {label: (score.value, score.scored, score.total) for label, score in found.items()}


def test_each_metric_has_its_score_of_the_answered_with_its_coverage() -> None:
    result = ragauge.evaluate(ROWS, ["exact-match", "token-f1"], by="answered", resamples=0)
    found = groups(result)
    assert found["answered"] == (0.5, 2, 2)
    assert found["declined"] == (0.0, 2, 2)
    assert found["in part"] == (0.0, 1, 1)
    assert found[None][1:] == (0, 1)
    assert (result["exact-match"].scored, result["exact-match"].total) == (5, 6)


def test_workers_and_saved_runs_have_the_same_groups(tmp_path: Path) -> None:
    rows = [row | {"id": f"{row['id']}{place}"} for place in range(20) for row in ROWS]
    alone = ragauge.evaluate(rows, ["token-f1"], by="answered")
    pooled = ragauge.evaluate(rows, ["token-f1"], by="answered", workers=2)
    assert str(alone.table) == str(pooled.table)
    alone.save(tmp_path / "run")
    kept = ragauge.load(tmp_path / "run")
    assert str(kept.table) == str(alone.table)
    again = ragauge.evaluate(kept, ["exact-match"], resamples=0)
    assert groups(again)["answered"] == (0.5, 40, 40)
    other = ragauge.evaluate([row | {"answer": row["references"][0]} for row in rows], ["token-f1"], by="answered")
    assert "answered" in str(ragauge.compare(alone, other, by="answered"))


def test_a_column_of_the_data_wins(tmp_path: Path) -> None:
    result = ragauge.evaluate([row | {"answered": "x"} for row in ROWS], ["exact-match"], by="answered", resamples=0)
    assert groups(result).keys() == {"x"}
    with pytest.raises(ColumnError, match="have no column 'answered'"):
        ragauge.evaluate([{"retrieved": ["d"], "relevance": {"d": 1}}], ["mrr"], by="answered")


def test_an_empty_answer_declines_and_other_groups_stand_beside() -> None:
    rows = [row | {"language": row["id"]} for row in ROWS] + [
        {"id": place, "answer": text, "references": ["x"], "language": "ar"}
        for place, text in enumerate(["", "  ", "لا أعرف."])
    ]
    result = ragauge.evaluate(rows, ["exact-match"], by=["answered", "language"], resamples=0)
    found = groups(result)
    assert {label: total for label, (_, _, total) in found.items()} == {
        "answered": 2,
        "declined": 5,
        "in part": 1,
        None: 1,
    }
    assert result.groups("exact-match", "language")["ar"].scored == 3


def test_metrics_of_retrieval_and_failed_questions_have_the_groups() -> None:
    rows = [
        {"id": text, "answer": text, "retrieved": ["d"], "relevance": {"d": 1}}
        for text in ("At nine.", "I don't know.")
    ]
    result = ragauge.evaluate(rows, ["mrr"], by="answered", resamples=0)
    assert groups(result, "mrr") == {"answered": (1.0, 1, 1), "declined": (1.0, 1, 1)}

    def system(question: str) -> str:
        if question == "b":
            raise RuntimeError("down")
        return "At nine."

    questions = [{"id": name, "question": name, "references": ["At nine."]} for name in "ab"]
    result = ragauge.evaluate(questions, ["exact-match"], system=system, by="answered", resamples=0)
    assert {label: (scored, total) for label, (_, scored, total) in groups(result).items()} == {
        "answered": (1, 1),
        None: (0, 1),
    }


def test_a_system_that_is_asked_has_the_groups(tmp_path: Path) -> None:
    questions = [
        {"id": "a", "question": "九点？", "references": ["九点"]},
        {"id": "b", "question": "几点？", "references": ["十点"]},
    ]
    result = ragauge.evaluate(
        questions,
        ["exact-match"],
        system=lambda question: "九点" if question == "九点？" else "资料里没有提到。",
        by="answered",
        resamples=0,
        answers=tmp_path / "answers.jsonl",
    )
    assert groups(result) == {"answered": (1.0, 1, 1), "declined": (0.0, 1, 1)}
