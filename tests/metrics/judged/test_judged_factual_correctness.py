"""Factual correctness by a judge: precision and recall of claims, and their F."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.core.statistics import Status
from ragauge.metrics.judged.judged_factual_correctness import ClaimAgreement

from .toys import always, cells_of, of_two, support


def test_factual_correctness() -> None:
    script = of_two(support([1], []), support([1]))
    cells = cells_of("judged-factual-correctness", script, {})
    assert cells.scores[0] == pytest.approx(2 / 3, abs=1e-15)
    assert {name: part[0] for name, part in cells.parts.items()} == {"precision": 0.5, "recall": 1.0}
    for mode, expected in (("precision", 0.5), ("recall", 1.0)):
        assert cells_of("judged-factual-correctness", script, {}, mode=mode).scores[0] == expected
    # Of two references the second agrees more.
    two = {"references": ["It rained.", "Lin Wan opened it."]}
    cells = cells_of("judged-factual-correctness", of_two(support([2], [2]), support([], [1])), two)
    assert cells.scores[0] == 1.0
    cells = cells_of("judged-factual-correctness", always(support([])), {"answer": ""}, {"references": [""]})
    assert cells.scores[0] == 0.0
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED]


def test_precision_and_both_recalls_of_claims() -> None:
    counts = {"right": [2, 0, 0, 3], "claimed": [3, 2, 0, 3], "covered": [1, 0, 0, 4], "stated": [4, 2, 0, 4]}
    found = ClaimAgreement(np.arange(4), **{name: np.array(some, dtype=float) for name, some in counts.items()})
    assert found.precision().tolist() == [2 / 3, 0, 0, 1]
    assert found.recall("own").tolist() == [1 / 4, 0, 0, 1]
    assert found.recall("mixed").tolist() == [2 / 5, 0, 0, 1]


def test_f_leans_to_recall_with_a_larger_beta() -> None:
    """P = 1/2 and R = 1: F1 = 2/3, and F2 = 5 P R / (4 P + R) = 5/6."""
    cells = cells_of("judged-factual-correctness", of_two(support([1], []), support([1])), {}, beta=2.0)
    assert cells.scores.tolist() == [pytest.approx(5 / 6, abs=1e-15)]


def test_the_two_recalls() -> None:
    """Both claims of the answer are wrong, the one of the reference is missed: own and mixed recall are 0 / 1.

    With one right claim and the reference's claim covered, mixed recall is 1 / (1 + 0).
    """
    wrong, right = of_two(support([], []), support([])), of_two(support([1], []), support([1]))
    for recall in ("own", "mixed"):
        assert cells_of("judged-factual-correctness", wrong, {}, recall=recall).parts["recall"].tolist() == [0.0]
        assert cells_of("judged-factual-correctness", right, {}, recall=recall).parts["recall"].tolist() == [1.0]


def test_a_chinese_answer_beside_a_chinese_reference() -> None:
    """One of two claims of the answer is right, the only one of the reference is covered: F = 2/3."""

    row = {"question": "谁开的？", "answer": "林婉开的。里面有花园。", "references": ["林婉开的。"]}
    cells = cells_of("judged-factual-correctness", of_two(support([1], []), support([1]), "花园"), row, language="en")
    assert cells.scores.tolist() == [pytest.approx(2 / 3, abs=1e-15)]


def test_a_missing_column_is_missing() -> None:
    cells = cells_of("judged-factual-correctness", always(support([1])), {"answer": None}, {"references": None})
    assert cells.sums.status.tolist() == [Status.MISSING, Status.MISSING]
