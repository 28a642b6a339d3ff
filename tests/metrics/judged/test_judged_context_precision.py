"""Context precision by a judge: average precision of the useful passages."""

from __future__ import annotations

import pytest

from ragauge.core.statistics import Status

from .toys import ScriptedJudge, always, batch_of, cells_of, made, useful


def test_a_value_worked_by_hand() -> None:
    """Useful at ranks 1 and 3: (1/1 + 2/3) / 2 = 5/6."""
    three = {"contexts": ["a", "b", "c"]}
    script = always(useful(True, False, True))
    assert cells_of("judged-context-precision", script, three).scores.tolist() == [pytest.approx(5 / 6, abs=1e-15)]
    assert cells_of("judged-context-precision", script, three, k=2).scores.tolist() == [1.0]


def test_no_useful_passage_and_no_passage_score_0() -> None:
    cells = cells_of("judged-context-precision", always(useful(False, False)), {}, {"contexts": []})
    assert cells.scores.tolist() == [0.0, 0.0]


def test_the_epsilon_of_ragas_lowers_a_perfect_ranking() -> None:
    """One useful passage at rank 1: 1 / (1 + 1)."""
    one = {"contexts": ["a"]}
    assert cells_of("judged-context-precision", always(useful(True)), one, epsilon=1.0).scores.tolist() == [0.5]


@pytest.mark.parametrize("references", [[], [""], [" ", "\u3000"]])
def test_without_a_reference_it_is_undefined(references: list[str]) -> None:
    cells = cells_of("judged-context-precision", always(useful(True, True)), {"references": references})
    assert cells.sums.status.tolist() == [Status.UNDEFINED]


def test_all_references_are_in_one_question() -> None:
    judge = ScriptedJudge(always(useful(True, True)))
    made("judged-context-precision", judge).measure(batch_of({"references": ["شاي أخضر", "绿茶", "ชาเขียว"]}))
    [question] = judge.asked_for
    assert all(text in question.messages[-1][1] for text in ("شاي أخضر", "绿茶", "ชาเขียว"))
