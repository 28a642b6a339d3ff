"""Context relevancy: the best passages' relevance, or the share of relevant sentences; their edges."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import OptionError, UsageError
from ragauge.metrics.rag.context_relevancy import ContextRelevancy
from tests.approved import pattern

from .given import Marked, Placed, Rated, batch_of, cells, scores

MARKS = Marked({("Why?", "One."): 1.0, ("So.", "One."): 1.0, ("Then.", "Four."): 1.0})
SAMPLE = {"question": "Why?", "answer": "So. Then.", "contexts": ["One. Two.", "Three. Four."]}


def test_to_the_question_or_to_the_answer() -> None:
    assert scores(ContextRelevancy(support=MARKS), SAMPLE) == [1 / 4]
    assert scores(ContextRelevancy(support=MARKS, to="answer"), SAMPLE) == [2 / 4]


def test_needs_what_it_is_held_against() -> None:
    assert ContextRelevancy().needs == (("question", "contexts"),)
    assert ContextRelevancy(to="answer").needs == (("answer", "contexts"),)


def test_a_question_is_held_to_the_threshold_of_relevance() -> None:
    assert "|threshold=0.25 measured|" in ContextRelevancy(relevance=None).identity
    assert "|threshold=0.8 measured|" in ContextRelevancy(to="answer").identity


@pytest.mark.parametrize(
    ("to", "change", "status"),
    [
        ("question", {"question": " "}, Status.UNDEFINED),
        ("question", {"contexts": []}, Status.OK),
        ("question", {"contexts": ["", " "]}, Status.OK),
        ("answer", {"answer": ""}, Status.OK),
        ("answer", {"answer": None}, Status.MISSING),
    ],
)
def test_edges(to: Any, change: dict[str, Any], status: Status) -> None:
    found = cells(ContextRelevancy(support=MARKS, to=to), {**SAMPLE, **change})
    assert found.sums.status.tolist() == [status]
    assert status != Status.OK or found.scores.tolist() == [0.0]


def test_evidence() -> None:
    table = ContextRelevancy(support=MARKS).explain(batch_of(SAMPLE))
    assert table["text"].to_pylist() == ["One.", "Two.", "Three.", "Four."]
    assert table["supported"].to_pylist() == [True, False, False, False]
    assert set(table["best"].to_pylist()) == {"Why?"}


PASSAGES = {"question": "Why?", "contexts": ["One.", "Two.", "Three."]}
RATED = Rated({"One.": 0.25, "Two.": 0.5, "Three.": 0.75})


def test_the_two_best_passages_count() -> None:
    assert scores(ContextRelevancy(relevance=RATED), PASSAGES) == [0.625]
    assert scores(ContextRelevancy(relevance=RATED), {**PASSAGES, "contexts": ["Two."]}) == [0.5]
    assert scores(ContextRelevancy(relevance=RATED), {**PASSAGES, "contexts": ["Other.", "Two.", "None."]}) == [0.25]


def test_one_unknown_passage_fails_the_sample() -> None:
    lost = Rated({"One.": float("nan"), "Two.": 0.5})
    found = cells(ContextRelevancy(relevance=lost), PASSAGES, {**PASSAGES, "contexts": ["Two."]})
    assert found.sums.status.tolist() == [Status.FAILED, Status.OK]
    assert dict(found.sums.reasons) == {0: "the relevance model gave no answer"}


def test_evidence_of_passages() -> None:
    table = ContextRelevancy(relevance=RATED).explain(batch_of(PASSAGES))
    assert table["what"].to_pylist() == ["passage"] * 3
    assert table["text"].to_pylist() == PASSAGES["contexts"]
    assert table["similarity"].to_pylist() == [0.25, 0.5, 0.75]
    assert table["supported"].to_pylist() == [False, True, True]
    assert table["best"].to_pylist() == [None] * 3


def test_evidence_shows_the_best_sentence() -> None:
    sample = {"question": "Who opened the tea house?", "contexts": ["It rained. Lin Wan opened the tea house.", ""]}
    table = ContextRelevancy().explain(batch_of(sample))
    assert table["best"].to_pylist() == ["Lin Wan opened the tea house.", None]
    assert table["supported"].to_pylist() == [True, False]
    assert table["why"].to_pylist() == [None, None]


def test_evidence_names_what_is_absent() -> None:
    contexts = ["Opera: Mozart wrote the opera. It rained.", "Mozart.", "The opera has 12 acts."]
    sample = {"question": "How many acts has the opera by Mozart of 1791?", "contexts": contexts}
    assert ContextRelevancy().explain(batch_of(sample))["why"].to_pylist() == [
        "not in any passage: 1791; not in this passage: acts; not beside them: a number of acts",
        "not in any passage: 1791; not in this passage: acts, opera; not beside them: a number of acts",
        "not in any passage: 1791; not in this passage: mozart",
    ]


def test_evidence_by_parts_of_a_blend() -> None:
    placed = Placed({"Why?": (1.0, 0.0), "One.": (0.6, 0.8), "Two.": (0.0, 1.0)})
    table = ContextRelevancy(embedder=placed).explain(batch_of({**PASSAGES, "contexts": ["One.", "", "Two."]}))
    [name] = [name for name in table.column_names if name.startswith("similarity ")]
    assert table[name].to_pylist() == [pytest.approx(0.6), None, 0.0]


def test_a_model_must_give_one_number_a_passage() -> None:
    with pytest.raises(UsageError, match=pattern("metrics.a_relevance_model_gives_too_few")):
        ContextRelevancy(relevance=Rated({}, first=1)).measure(batch_of(PASSAGES))


@pytest.mark.parametrize(
    ("spec", "by_relevance"),
    [
        ("context-relevancy", True),
        ("context-relevancy:relevance=lexical", True),
        ("context-relevancy:relevance=none", False),
        ("context-relevancy:to=answer", False),
        ("context-relevancy:soft=true", False),
        ("context-relevancy:threshold=0.3", False),
        ("context-relevancy:support=cosine", False),
        ("context-relevancy:support=matched", False),
        ("context-relevancy:support=ngram-recall", False),
    ],
)
def test_an_option_of_support_asks_for_the_share_of_sentences(spec: str, by_relevance: bool) -> None:
    metric: Any = ragauge.parse(spec)
    assert (metric.relevance_model is not None) == by_relevance
    assert ("|relevance=lexical[" in metric.identity) == by_relevance
    assert ("|relevance=none|" in metric.identity) != by_relevance
    assert str(metric) == spec


@pytest.mark.parametrize("option", ["soft=true", "threshold=0.3", "support=cosine", "support=matched"])
def test_relevance_goes_with_no_option_of_support(option: str) -> None:
    message = pattern("metrics.relevance_beside_support", options=option.partition("=")[0])
    with pytest.raises(OptionError, match=message):
        ragauge.parse(f"context-relevancy:relevance=lexical,{option}")


def test_relevance_is_to_a_question() -> None:
    with pytest.raises(OptionError, match=pattern("metrics.relevance_to_the_answer")):
        ragauge.parse("context-relevancy:relevance=lexical,to=answer")


def test_an_embedder_without_a_measured_threshold_needs_none() -> None:
    placed = Placed({"Why?": (1.0, 0.0), "One.": (1.0, 0.0), "Two.": (0.0, 1.0)})
    metric = ContextRelevancy(embedder=placed)
    one, two = (scores(metric, {"question": "Why?", "contexts": [text]})[0] for text in ("One.", "Two."))
    assert one > two > 0
    with pytest.raises(UsageError):
        ContextRelevancy(embedder=placed, relevance=None)


@pytest.mark.parametrize(
    ("metric", "word"),
    [
        (ContextRelevancy(), "lexical"),
        (ContextRelevancy(embedder=Placed({})), "cosine"),
        (ContextRelevancy(relevance=RATED), "rated"),
        (ContextRelevancy(relevance=None), "lexical"),
        (ContextRelevancy(to="answer"), "features"),
    ],
)
def test_how_texts_are_compared(metric: ContextRelevancy, word: str) -> None:
    assert metric.compared_by == word


def test_ngram_recall_is_the_share_of_sentences() -> None:
    sample = {"question": "谁开了这家茶馆？", "contexts": ["林婉开了这家茶馆。花园里有一只猫。", "天下雨了。"]}
    assert scores(ContextRelevancy(support="ngram-recall"), sample) == [1 / 3]
    assert scores(ContextRelevancy(relevance=None), sample) == [1 / 3]
