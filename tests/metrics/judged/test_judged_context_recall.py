"""Context recall by a judge: claims of the reference with a citation, divided by all of them."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status

from .toys import always, any_reply, cells_of, support


def test_context_recall_takes_the_best_reference() -> None:
    rows: list[dict[str, Any]] = [{"references": texts} for texts in (["One. Two.", "Three."], [], [" "])]
    rows.append({"contexts": []})
    cells = cells_of("judged-context-recall", always(support([1], [], [2])), *rows)
    assert cells.scores[0] == 1.0
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED, Status.UNDEFINED, Status.OK]
    assert cells.scores[3] == 0.0


def test_claims_of_one_reference() -> None:
    """Two of three claims are cited, by whichever passage: 2 / 3."""
    row = {"references": ["It opened. It has a garden. It closed."]}
    cells = cells_of("judged-context-recall", always(support([2], [], [1, 2])), row)
    assert cells.scores.tolist() == [pytest.approx(2 / 3, abs=1e-15)]


@pytest.mark.parametrize("reference", ["افتتحه لين وان. فيه حديقة.", "林婉开的。里面有花园。", "หลินหวันเปิดร้านนี้ ร้านมีสวน"])
def test_claims_are_sentences_in_any_language(reference: str) -> None:
    """Arabic, Chinese and Thai: two sentences, of which the judge finds the first."""
    assert cells_of("judged-context-recall", any_reply, {"references": [reference]}).scores.tolist() == [0.5]


def test_a_reference_that_only_says_that_it_does_not_know_claims_nothing() -> None:
    cells = cells_of("judged-context-recall", any_reply, {"references": ["我不知道。"]}, {"references": None})
    assert cells.sums.status.tolist() == [Status.UNDEFINED, Status.MISSING]
