"""What a score rests on, row by row: of each judged metric, beside a sample that the judge failed on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragauge.evaluation.partial import measure_cells

from .toys import ScriptedJudge, any_reply, batch_of, data_in, made, relevant, support, useful

LONG = "Lin Wan opened it. It has a garden."
LAKE = "By a lake. In 云南."
NOT_CITED = "the judge cites no passage for it"
Row = tuple[Any, ...]

# The first sample is one that the judge gives no answer about: what follows must keep its place.
ROWS: list[dict[str, Any]] = [
    dict.fromkeys(("question", "answer", "other_answer"), "Nothing here.")
    | {"contexts": ["Nothing here."], "references": ["Nothing here."]},
    {"references": ["It rained. It has a garden.", "Lin Wan opened it."], "contexts": ["It rained.", LONG, "Tea."]},
    {
        "question": "Where is it?",
        "answer": "In 云南. On a hill. By a lake.",
        "contexts": ["", LAKE],
        "references": ["In 云南. By a lake."],
        "other_answer": "In Yunnan.",
    },
]


def by_content(prompt: str, message: str) -> Any:
    """Reply what a reader would: a claim follows from the passages that hold it."""
    if "Nothing here" in message:
        return "refused: no"
    if prompt == "support":
        before, _, after = message.partition("Claims:")
        passages = data_in(before.rpartition("Passages:")[2])
        return support(
            *[[place for place, text in enumerate(passages, 1) if claim in text] for claim in data_in(after)]
        )
    if prompt == "useful":
        return useful(*["In" in text or "Lin" in text for text in data_in(message.partition("Passages:")[2])])
    if prompt == "relevant":
        return relevant(*["In" in text or "Lin" in text for text in data_in(message.partition("Sentences:")[2])])
    if prompt == "entities":
        passages = ["Lake", "tea"] if LAKE in message else ["lake", "LAKE", "云南"]
        return {"entities": ["Lin Wan", "garden"] if "garden" in message else passages}
    return any_reply(prompt, message)


def evidence_of(name: str, **options: Any) -> list[Row]:
    """Return sample, text, best, supported and why of each row."""
    metric, batch = made(name, ScriptedJudge(by_content), **options), batch_of(*ROWS)
    columns = ("id", "text", "best", "supported", "why")
    return [tuple(row[column] for column in columns) for row in metric.explain(batch).to_pylist()]


def scores_of(name: str, **options: Any) -> list[float]:
    cells = measure_cells(made(name, ScriptedJudge(by_content), **options), batch_of(*ROWS))
    return [float(score) for score in cells.scores[1:]]


OF_ANSWERS = [
    ("s1", "Lin Wan opened it.", LONG, True, None),
    ("s1", "It has a garden.", LONG, True, None),
    ("s2", "In 云南.", LAKE, True, None),
    ("s2", "On a hill.", None, False, NOT_CITED),
    ("s2", "By a lake.", LAKE, True, None),
]
OF_REFERENCES = [
    ("s1", "It rained.", "It rained.", True, None),
    ("s1", "It has a garden.", LONG, True, None),
    ("s1", "Lin Wan opened it.", LONG, True, None),
    ("s2", "In 云南.", LAKE, True, None),
    ("s2", "By a lake.", LAKE, True, None),
]
AGAINST_REFERENCES = [
    ("s1", "Lin Wan opened it.", "Lin Wan opened it.", True, None),
    ("s1", "It has a garden.", "It rained. It has a garden.", True, None),
    ("s2", "In 云南.", "In 云南. By a lake.", True, None),
    ("s2", "On a hill.", None, False, NOT_CITED),
    ("s2", "By a lake.", "In 云南. By a lake.", True, None),
]
AGAINST_ANSWERS = [
    ("s1", "It rained.", None, False, NOT_CITED),
    ("s1", "It has a garden.", LONG, True, None),
    ("s1", "Lin Wan opened it.", LONG, True, None),
    ("s2", "In 云南.", "In 云南. On a hill. By a lake.", True, None),
    ("s2", "By a lake.", "In 云南. On a hill. By a lake.", True, None),
]


@pytest.mark.parametrize(
    ("name", "scores", "shown"),
    [
        ("judged-faithfulness", [1.0, 2 / 3], OF_ANSWERS),
        ("judged-context-recall", [1.0, 1.0], OF_REFERENCES),
        # In the first sample both references agree with half of the answer, and the answer holds the second one whole.
        ("judged-factual-correctness", [2 / 3, 0.8], AGAINST_REFERENCES + AGAINST_ANSWERS),
    ],
)
def test_claims(name: str, scores: list[float], shown: list[Row]) -> None:
    assert scores_of(name) == pytest.approx(scores, abs=1e-15)
    assert evidence_of(name) == shown


def test_two_metrics_of_agreement_show_the_same() -> None:
    assert evidence_of("judged-answer-correctness") == evidence_of("judged-factual-correctness")


@pytest.mark.parametrize(("mode", "score"), [("relevant", 0.0), ("irrelevant", 0.0)])
def test_claims_that_no_passage_supports_are_no_noise(mode: str, score: float) -> None:
    assert scores_of("judged-noise-sensitivity", mode=mode) == [score, score]


def test_noise() -> None:
    """Passages 1 and 3 support the reference; of two wrong claims one is from there, one from passage 2."""
    row = {
        "answer": "It is red. It is blue. It is old. It is tall.",
        "contexts": ["It is old. It is red.", "It is blue. It is red.", "It is old."],
        "references": ["It is old."],
    }
    shown = {}
    for mode in ("relevant", "irrelevant"):
        metric, batch = made("judged-noise-sensitivity", ScriptedJudge(by_content), mode=mode), batch_of(ROWS[0], row)
        assert measure_cells(metric, batch).scores[1] == 0.25
        shown[mode] = [
            (one["text"], one["best"], one["supported"], one["why"]) for one in metric.explain(batch).to_pylist()
        ]
    red, blue, old, tall = shown["relevant"]
    assert red == ("It is red.", "It is old. It is red.", False, "wrong, from relevant passages")
    assert blue == ("It is blue.", "It is blue. It is red.", False, None)
    assert old == ("It is old.", "It is old. It is red.", True, None)
    assert tall == ("It is tall.", None, False, None)
    assert [why for *_, why in shown["irrelevant"]] == [None, "wrong, from irrelevant passages", None, None]


@pytest.mark.parametrize("name", ["judged-context-precision", "judged-context-utilization"])
def test_passages(name: str) -> None:
    assert evidence_of(name) == [
        ("s1", "It rained.", None, False, None),
        ("s1", LONG, None, True, None),
        ("s1", "Tea.", None, False, None),
        ("s2", "", None, False, None),
        ("s2", LAKE, None, True, None),
    ]
    assert scores_of(name) == [0.5, 0.5]
    assert scores_of(name, k=1) == [0.0, 0.0]
    assert scores_of(name, epsilon=1.0) == [0.25, 0.25]


def test_sentences_of_passages() -> None:
    assert evidence_of("judged-context-relevancy") == [
        ("s1", "It rained.", None, False, None),
        ("s1", "Lin Wan opened it.", None, True, None),
        ("s1", "It has a garden.", None, False, None),
        ("s1", "Tea.", None, False, None),
        ("s2", "By a lake.", None, False, None),
        ("s2", "In 云南.", None, True, None),
    ]
    assert scores_of("judged-context-relevancy") == [0.25, 0.5]


def test_entities() -> None:
    assert evidence_of("judged-context-entity-recall") == [
        ("s1", "Lin Wan", None, True, None),
        ("s1", "garden", None, True, None),
        ("s1", "LAKE", None, False, None),
        ("s1", "云南", None, False, None),
        ("s2", "LAKE", None, True, None),
        ("s2", "云南", None, False, None),
    ]
    assert scores_of("judged-context-entity-recall") == [1.0, 0.5]
    assert scores_of("judged-context-entity-recall", match="exact") == [1.0, 0.0]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("judged-answer-rating", [LONG, LONG, ROWS[2]["answer"]] * 2),
        ("judged-context-rating", ["Who opened it?", "Where is it?"]),
        ("judged-groundedness-rating", [LONG, ROWS[2]["answer"]]),
        ("judged-rubric", [LONG, ROWS[2]["answer"]]),
    ],
)
def test_ratings(name: str, texts: list[str]) -> None:
    assert [row[1] for row in evidence_of(name)] == texts
    assert {row[2:] for row in evidence_of(name)} == {(None, None, "rating 1")}


def test_a_rating_by_probabilities_is_shown_with_its_fraction() -> None:
    judge = ScriptedJudge(lambda _prompt, _message: {"rating": 2}, probabilities={"1": 0.25, "2": 0.75})
    table = made("judged-groundedness-rating", judge).explain(batch_of({}))
    assert table["why"].to_pylist() == ["rating 1.75"]
    assert table["similarity"].to_pylist() == [None]


def test_both_orders_of_a_preference() -> None:
    other = {"s1": "Nobody.", "s2": "In Yunnan."}
    assert evidence_of("judged-preference") == [
        (sample, answer, other[sample], None, f"preferred {won}, shown {order}")
        for order, won in (("first", 1), ("second", 0))
        for sample, answer in (("s1", LONG), ("s2", ROWS[2]["answer"]))
    ]


def test_generated_questions() -> None:
    def script(_prompt: str, message: str) -> Any:
        if "Nothing here" in message:
            return "refused: no"
        return {"questions": ["Who opened it?", "Where is it?"], "evasive": "hill" in message}

    metric, batch = made("judged-answer-relevancy", ScriptedJudge(script), questions=2), batch_of(*ROWS)
    shown = [tuple(row.values())[:7] for row in metric.explain(batch).to_pylist()]
    evasive = "the judge finds the answer evasive"
    kind = "generated question"
    similarity = shown[1][4]
    assert shown == [
        ("s1", kind, "Who opened it?", "Who opened it?", pytest.approx(1.0), None, None),
        ("s1", kind, "Where is it?", "Who opened it?", similarity, None, None),
        ("s2", kind, "Who opened it?", "Where is it?", similarity, None, evasive),
        ("s2", kind, "Where is it?", "Where is it?", pytest.approx(1.0), None, evasive),
    ]
    assert 0 < similarity < 1
    scores = measure_cells(metric, batch).scores
    assert np.isnan(scores[0])
    assert scores[1:].tolist() == [pytest.approx((1 + similarity) / 2), 0.0]
