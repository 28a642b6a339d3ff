"""Answer accuracy by a judge: the mean of two ratings, with the texts in both orders."""

from __future__ import annotations

import pytest

from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells

from .toys import ScriptedJudge, always, any_reply, batch_of, cells_of, made


def test_ratings_as_shares_of_2() -> None:
    cells = cells_of("judged-answer-rating", always({"rating": 1}), {}, {"answer": ""})
    assert cells.scores.tolist() == [0.5, 0.0]
    assert cells_of("judged-answer-rating", always({"rating": 2}), {}).scores.tolist() == [1.0]


def test_ratings_weighted_by_their_probabilities() -> None:
    """Labels 1 and 2 with .5 each: 1.5 of 2; as written it is 2 of 2."""
    judge = ScriptedJudge(always({"rating": 2}), probabilities={"0": 0.0, "1": 0.5, "2": 0.5})
    assert measure_cells(made("judged-answer-rating", judge), batch_of({})).scores.tolist() == [0.75]
    assert measure_cells(made("judged-answer-rating", judge, weighted=False), batch_of({})).scores.tolist() == [1.0]


def test_an_answer_is_rated_in_both_orders() -> None:
    judge = ScriptedJudge(
        lambda _prompt, message: {"rating": 2 if message.index("garden") < message.rindex("Lin") else 0}
    )
    cells = measure_cells(made("judged-answer-rating", judge), batch_of({}))
    first, second = [question.messages[-1][1] for question in judge.asked_for]
    assert first != second
    assert cells.scores.tolist() == [0.5]


def test_the_best_of_several_references() -> None:
    """The first is rated 0 in both orders, the second 2 and 1: 3 / 4."""

    def script(_prompt: str, message: str) -> object:
        if "ชา" in message:
            return {"rating": 0}
        return {"rating": 2 if message.index("garden") < message.index("قهوة") else 1}

    cells = cells_of("judged-answer-rating", script, {"references": ["ชา", "قهوة"]})
    assert cells.scores.tolist() == [0.75]


def test_one_lost_rating_fails_the_sample() -> None:
    def script(_prompt: str, message: str) -> object:
        return {"rating": 2} if message.index("garden") < message.rindex("Lin") else "refused: no"

    cells = cells_of("judged-answer-rating", script, {})
    assert cells.sums.status.tolist() == [Status.FAILED]
    assert cells.sums.reasons == {0: "refused: no"}


@pytest.mark.parametrize("references", [[], ["", " "]])
def test_without_a_reference_it_is_undefined(references: list[str]) -> None:
    judge = ScriptedJudge(any_reply)
    cells = measure_cells(made("judged-answer-rating", judge), batch_of({"references": references}))
    assert cells.sums.status.tolist() == [Status.UNDEFINED]
    assert judge.asked_for == []
