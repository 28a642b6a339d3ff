"""Context relevancy by a judge: relevant sentences, divided by all sentences of the passages."""

from __future__ import annotations

import pytest

from ragauge.core.statistics import Status

from .toys import always, cells_of, relevant


def test_context_relevancy() -> None:
    cells = cells_of("judged-context-relevancy", always(relevant(True, False)), {}, {"contexts": []}, {"question": " "})
    assert cells.scores[:2].tolist() == [0.5, 0.0]
    assert cells.sums.status[2] == Status.UNDEFINED


@pytest.mark.parametrize("passage", ["افتتحه لين وان. فيه حديقة.", "林婉开的。里面有花园。", "หลินหวันเปิดร้านนี้ ร้านมีสวน"])
def test_sentences_in_any_language(passage: str) -> None:
    """Two sentences, the second relevant; beside a passage of one that is not: 1 / 3."""
    script = always(relevant(False, True, False))
    cells = cells_of("judged-context-relevancy", script, {"contexts": [passage, "It rained."]})
    assert cells.scores.tolist() == [pytest.approx(1 / 3, abs=1e-15)]


def test_blank_passages_have_no_sentence_and_a_null_question_is_missing() -> None:
    cells = cells_of("judged-context-relevancy", always(relevant()), {"contexts": ["", " "]}, {"question": None})
    assert cells.scores[0] == 0.0
    assert cells.sums.status.tolist() == [Status.OK, Status.MISSING]
