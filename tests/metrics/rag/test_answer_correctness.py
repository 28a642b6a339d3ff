"""Answer correctness: the F of supported sentences with the cosine, as RAGAS and with recall of its own."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import OptionError
from ragauge.metrics.rag.answer_correctness import AnswerCorrectness

from .given import Marked, Placed, batch_of, cells, scores

ANSWER, REFERENCE = "One. Two. Three.", "Uno. Due."
ALIKE = Placed({ANSWER: (1.0, 0.0), REFERENCE: (0.6, 0.8)})


def marks(*pairs: tuple[str, str]) -> Marked:
    return Marked(dict.fromkeys(pairs, 1.0))


def parts(support: Marked, **options: Any) -> dict[str, float]:
    metric = AnswerCorrectness(embedder=ALIKE, support=support, **options)
    found = cells(metric, {"answer": ANSWER, "references": [REFERENCE]})
    return {"value": float(found.scores[0]), **{name: float(part[0]) for name, part in found.parts.items()}}


def test_f_of_precision_and_recall_with_the_cosine() -> None:
    """Two of three sentences are right, one of two reference sentences is said: P 2/3, R 1/2, F 4/7."""
    found = parts(marks(("One.", "Uno."), ("Two.", "Uno."), ("Uno.", "One.")))
    assert (found["precision"], found["recall"]) == (2 / 3, 1 / 2)
    assert found["f"] == pytest.approx(4 / 7)
    assert found["similarity"] == pytest.approx(0.6)
    assert found["value"] == pytest.approx(0.75 * 4 / 7 + 0.25 * 0.6)


def test_as_ragas() -> None:
    """TP 2, FP 1, FN 1: F = 2 / (2 + (1 + 1) / 2)."""
    support = marks(("One.", "Uno."), ("Two.", "Uno."), ("Uno.", "One."))
    assert parts(support, recall="mixed")["f"] == pytest.approx(2 / 3)
    precision, recall, beta = 2 / 3, 2 / 3, 2.0
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert parts(support, recall="mixed", beta=beta)["f"] == pytest.approx(f)
    assert (
        str(ragauge.parse("answer-correctness:compat=ragas"))
        == "answer-correctness:clip=false,known=nothing,recall=mixed,soft=false"
    )


def test_negative_cosines() -> None:
    """RAGAS takes the weighted mean as it comes: .25 times -.6 with no sentence right."""
    row = {"answer": ANSWER, "references": [REFERENCE]}
    opposite = Placed({ANSWER: (1.0, 0.0), REFERENCE: (-0.6, 0.8)})
    clipped, as_it_is = (
        AnswerCorrectness(embedder=opposite, support=marks(("One.", "Uno.")), clip=clip) for clip in (True, False)
    )
    assert scores(clipped, row) == [0.0]
    assert scores(as_it_is, row) == pytest.approx([-0.15])
    assert (clipped.range, as_it_is.range) == ((0.0, 1.0), (-0.25, 1.0))
    assert scores(as_it_is, {"answer": "", "references": [REFERENCE]}) == [0.0]


def test_nothing_right_leaves_the_cosine() -> None:
    for recall in ("own", "mixed"):
        assert parts(marks(), recall=recall)["value"] == pytest.approx(0.25 * 0.6)


def test_weights_are_divided_by_their_sum() -> None:
    support = marks(("One.", "Uno."), ("Uno.", "One."))
    only_f, only_cosine = parts(support, weights=(2.0, 0.0)), parts(support, weights=(0.0, 1.0))
    assert only_f["value"] == only_f["f"] == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert only_cosine["value"] == pytest.approx(0.6)


def test_the_best_reference_counts() -> None:
    support = Marked({("One.", "Uno."): 1.0, ("Uno.", "One."): 1.0})
    embedder = Placed({"One.": (1.0, 0.0), "Uno.": (0.0, 1.0), "Due.": (1.0, 0.0)})
    metric = AnswerCorrectness(embedder=embedder, support=support)
    assert scores(metric, {"answer": "One.", "references": ["Due.", "", "Uno."]}) == [0.75]


def test_edges() -> None:
    metric = AnswerCorrectness(embedder=Placed({"One.": (1.0, 0.0)}), support=Marked({("One.", "One."): math.nan}))
    found = cells(
        metric,
        {"answer": "", "references": ["One."]},
        {"answer": "One.", "references": []},
        {"answer": "One.", "references": [""]},
        {"answer": "One.", "references": None},
        {"answer": "One.", "references": ["One."]},
    )
    states = [Status.OK, Status.UNDEFINED, Status.UNDEFINED, Status.MISSING, Status.FAILED]
    assert found.sums.status.tolist() == states
    assert found.scores[0] == 0.0


def test_words_of_the_question_are_known() -> None:
    """The answer repeats the question: only what it adds has to be in the reference."""
    row = {
        "question": "Who opened the old tea house by the river?",
        "answer": "The old tea house by the river was opened by Lin Wan.",
        "references": ["Lin Wan"],
    }
    known = cells(AnswerCorrectness(soft=False), row)
    not_known = cells(AnswerCorrectness(known="nothing", soft=False), row)
    assert known.parts["precision"].tolist() == [1.0]
    assert not_known.parts["precision"].tolist() == [0.0]
    assert known.parts["recall"].tolist() == [1.0]


def test_options_that_it_does_not_take() -> None:
    for options in ({"weights": (1.0,)}, {"weights": (0.0, 0.0)}, {"weights": (-1.0, 2.0)}, {"beta": 0.0}):
        with pytest.raises(OptionError, match="of answer-correctness must be"):
            AnswerCorrectness(**options)


def test_evidence_of_both_sides() -> None:
    metric = AnswerCorrectness(embedder=ALIKE, support=marks(("One.", "Uno."), ("Uno.", "One.")))
    table = metric.explain(batch_of({"answer": ANSWER, "references": [REFERENCE]}))
    assert table["what"].to_pylist() == ["answer sentence"] * 3 + ["reference sentence"] * 2
    assert table["text"].to_pylist() == ["One.", "Two.", "Three.", "Uno.", "Due."]
    assert table["best"].to_pylist()[0] == "Uno."
    assert table["supported"].to_pylist() == [True, False, False, True, False]


def test_very_many_references_beside_a_long_answer_fail_alone() -> None:
    answer = " ".join(f"The tea is number {number}." for number in range(3000))
    references = [f"The tea is number {number}." for number in range(400)]
    rows = [{"answer": answer, "references": references}, {"answer": "A. B.", "references": ["A. B.", "C."]}]
    result = ragauge.evaluate(rows, "answer-correctness", resamples=0, evidence=True)
    assert result.statuses("answer-correctness").tolist() == ["failed", "ok"]
    assert "too long" in result.reasons("answer-correctness")[0]
    assert result.scores("answer-correctness")[1] > 0.9
