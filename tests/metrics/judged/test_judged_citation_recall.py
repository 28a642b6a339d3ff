"""Citations by a judge: what counts as right, which question is asked, and what the three names share."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.core.statistics import Status
from ragauge.evaluation.partial import measure_cells

from .toys import ScriptedJudge, always, batch_of, cells_of, data_in, made, support

NAME = "judged-citation-recall"
CONTEXTS = ["It opened.", "林婉开办了它。", "It rained."]
# Right; one right and one superfluous; of no passage; wrong; without one.
ANSWER = "It opened [1]. 林婉开办了它【2】【3】。 It is red [9]. It is old [3]. It is big."
REPLY = support([1], [2], [1], [], [3])
ROW = {"answer": ANSWER, "contexts": CONTEXTS}


def test_recall_precision_and_f1() -> None:
    found = [cells_of(NAME, always(REPLY), ROW, mode=mode).scores.tolist() for mode in ("recall", "precision", "f1")]
    recall, precision = 2 / 5, 2 / 5
    assert found == [[recall], [precision], [pytest.approx(2 * recall * precision / (recall + precision))]]


def test_the_judge_sees_sentences_without_markers_once_for_all_names() -> None:
    judge, batch = ScriptedJudge(always(REPLY)), batch_of({**ROW, "question": "?"})
    for mode in ("recall", "precision", "f1"):
        measure_cells(made(NAME, judge, mode=mode), batch)
    [one] = judge.asked_for
    texts = data_in(one.messages[-1][1])
    assert texts[:4] == ["?", *CONTEXTS]
    assert [text.replace(" ", "") for text in texts[4:6]] == ["Itopened.", "林婉开办了它。"]


def test_a_sentence_that_claims_nothing_does_not_count_and_ids_name_passages() -> None:
    ids = ["a", "b", "c"]
    row = {"answer": "Sure! It opened [a]. The passages do not say who.", "contexts": CONTEXTS, "retrieved": ids}
    assert cells_of(NAME, always(support([1])), row).scores.tolist() == [1.0]
    assert cells_of(NAME, always(support([2])), row).scores.tolist() == [0.0]


@pytest.mark.parametrize("mode", ["recall", "precision", "f1"])
def test_what_has_no_score_and_what_scores_0(mode: str) -> None:
    rows: list[dict[str, Any]] = [
        {"answer": ""}, {"answer": "Sure!"}, {"answer": "It opened.", "contexts": CONTEXTS},
        {"answer": "It opened [1].", "contexts": []},
    ]  # fmt: skip
    cells = cells_of(NAME, always(support([1])), *rows, mode=mode)
    assert cells.sums.status.tolist()[2:] == [Status.OK] * 2
    assert cells.sums.status[0] == Status.UNDEFINED
    assert cells.scores[2:].tolist() == [0.0, 0.0]
    assert cells_of(NAME, always("refused: no"), ROW, mode=mode).sums.status.tolist() == [Status.FAILED]


def test_evidence_has_a_row_for_each_sentence_and_each_citation() -> None:
    rows = made(NAME, ScriptedJudge(always(REPLY))).explain(batch_of(ROW)).to_pylist()
    assert [(row["what"], row["best"], row["supported"]) for row in rows] == [
        ("answer sentence", None, True), ("citation", CONTEXTS[0], True),
        ("answer sentence", None, True), ("citation", CONTEXTS[1], True), ("citation", CONTEXTS[2], False),
        ("answer sentence", None, False), ("citation", None, False),
        ("answer sentence", None, False), ("citation", CONTEXTS[2], False),
        ("answer sentence", None, False),
    ]  # fmt: skip
    assert (rows[0]["text"], rows[-1]["why"]) == ("It opened [1].", "it cites nothing")


@pytest.mark.parametrize("stop", ["[1].", "【1】。", "[1]।", " [1]", "[1]؟", "¹."])
def test_forms_of_markers(stop: str) -> None:
    row = {"answer": f"Она открылась{stop}", "contexts": CONTEXTS}
    assert cells_of(NAME, always(support([1])), row).scores.tolist() == [1.0]
