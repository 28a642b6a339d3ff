"""Answer correctness by a judge: F of claims and the cosine, by their weights."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.errors import OptionError

from .toys import ScriptedJudge, always, cells_of, made, of_two, support


def test_answer_correctness() -> None:
    script = of_two(support([1], []), support([1]))
    alone = cells_of("judged-answer-correctness", script, {}, weights=(1, 0))
    assert alone.scores[0] == pytest.approx(2 / 3, abs=1e-15)
    both = cells_of("judged-answer-correctness", script, {})
    similarity = both.parts["similarity"][0]
    assert 0 < similarity < 1
    assert both.scores[0] == pytest.approx(0.75 * 2 / 3 + 0.25 * similarity, abs=1e-15)


def test_the_same_text_in_any_language_scores_1() -> None:
    for text in ("Lin Wan opened it.", "افتتحه لين وان.", "林婉开的。", "หลินหวันเปิดร้านนี้"):
        cells = cells_of("judged-answer-correctness", always(support([1])), {"answer": text, "references": [text]})
        assert cells.scores.tolist() == [pytest.approx(1.0, abs=1e-6)]


def test_the_reference_with_the_highest_score_counts() -> None:
    """Of both references the judge finds all claims in the answer; the second is the answer, so its cosine is 1."""
    row = {"answer": "Lin Wan opened it.", "references": ["It was opened by Lin.", "Lin Wan opened it."]}

    def script(_prompt: str, message: str) -> object:
        return support([1], [1]) if "by Lin" in message.partition("Claims:")[2] else support([1, 2])

    cells = cells_of("judged-answer-correctness", script, row)
    assert cells.parts["similarity"].tolist() == [pytest.approx(1.0, abs=1e-6)]


def test_an_empty_answer_scores_0_and_an_empty_reference_is_undefined() -> None:
    rows: list[dict[str, Any]] = [{"answer": ""}, {"references": [" "]}, {"answer": None}]
    cells = cells_of("judged-answer-correctness", always(support([])), *rows)
    assert cells.scores[0] == 0.0
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED, Status.MISSING]


def test_its_range_and_its_weights() -> None:
    judge = ScriptedJudge(always(support([])))
    assert made("judged-answer-correctness", judge).range == (0.0, 1.0)
    assert made("judged-answer-correctness", judge, clip=False, weights=(3, 1)).range == (-0.25, 1.0)
    with pytest.raises(OptionError, match="'weights' of judged-answer-correctness must be two numbers from 0 on"):
        made("judged-answer-correctness", judge, weights=(0, 0))
