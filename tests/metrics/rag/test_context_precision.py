"""Context precision and utilization: the formula, given the degrees; its edges."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import pytest

import ragauge
from ragauge.core.statistics import Status
from ragauge.errors import ColumnError, OptionError, UnknownNameError
from ragauge.metrics.rag.context_precision import ContextPrecision
from ragauge.metrics.rag.context_utilization import ContextUtilization
from tests.approved import pattern

from .given import Marked, Rated, batch_of, cells, scores

PASSAGES = ["p1", "p2", "p3", "p4"]


def row(relevant: str, **more: Any) -> tuple[dict[str, Any], Marked]:
    """A sample whose passages are relevant where ``relevant`` has a 1."""
    marks = Marked({("truth", place): 1.0 for place, mark in zip(PASSAGES, relevant, strict=False) if mark == "1"})
    return {"contexts": PASSAGES[: len(relevant)], "references": ["truth"], "answer": "truth", **more}, marks


def score(relevant: str, **options: Any) -> float:
    sample, marks = row(relevant)
    return scores(ContextPrecision(support=marks, **options), sample)[0]


@pytest.mark.parametrize(
    ("relevant", "expected"),
    [
        ("1", 1.0),
        ("11", 1.0),
        ("01", 1 / 2),
        ("101", (1 + 2 / 3) / 2),
        ("0110", (1 / 2 + 2 / 3) / 2),
        ("0001", 1 / 4),
        ("0000", 0.0),
        ("", 0.0),
    ],
)
def test_mean_of_precision_at_the_relevant_ranks(relevant: str, expected: float) -> None:
    assert score(relevant) == pytest.approx(expected, abs=1e-15)


def test_as_ragas_with_its_epsilon() -> None:
    """ragas divides by the hits plus 1e-10."""
    assert score("11", epsilon=1e-10) == 2 / (2 + 1e-10)
    assert round(score("1", epsilon=1e-10), 10) == 0.9999999999
    assert score("0", epsilon=1e-10) == 0.0
    assert str(ragauge.parse("context-precision:compat=ragas")) == "context-precision:epsilon=1e-10"
    assert str(ragauge.parse("context-utilization:compat=ragas")) == "context-utilization:epsilon=1e-10"


def test_a_cutoff_looks_at_the_first_only() -> None:
    assert score("0110", k=2) == 1 / 2
    assert score("0001", k=3) == 0.0


def test_what_was_not_found_counts_on_request() -> None:
    """One of four reference passages at rank 1: all that was found is first, a quarter of what there is."""
    truths = ["truth", "second", "third", "fourth"]
    sample, marks = row("1", reference_contexts=truths)
    found = [scores(ContextPrecision(support=marks, denominator=which), sample)[0] for which in ("hits", "relevant")]
    assert found == [1.0, 1 / 4]


def test_more_hits_than_references_do_not_exceed_one() -> None:
    sample, marks = row("11", reference_contexts=["truth", " "])
    assert scores(ContextPrecision(support=marks, denominator="relevant"), sample) == [1.0]


def test_soft_degrees_weigh() -> None:
    marks = Marked({("truth", "p1"): 0.5, ("truth", "p2"): 0.25})
    sample = {"contexts": ["p1", "p2"], "references": ["truth"]}
    expected = (0.5 * 0.5 + (0.75 / 2) * 0.25) / 0.75
    assert scores(ContextPrecision(support=marks, soft=True), sample) == [pytest.approx(expected)]


def test_any_sentence_of_any_reference_will_do() -> None:
    marks = Marked({("Two.", "p2"): 1.0})
    sample = {"contexts": ["p1", "p2"], "references": ["One.", "Three. Two."]}
    assert scores(ContextPrecision(support=marks), sample) == [1 / 2]


@pytest.mark.parametrize(
    ("sample", "status"),
    [
        ({"contexts": ["p1"], "references": []}, Status.UNDEFINED),
        ({"contexts": ["p1"], "references": [" "]}, Status.UNDEFINED),
        ({"contexts": [], "references": []}, Status.UNDEFINED),
        ({"contexts": ["p1"], "references": None}, Status.MISSING),
        ({"contexts": None, "references": ["truth"]}, Status.MISSING),
        ({"contexts": ["p1"], "references": ["truth"]}, Status.FAILED),
    ],
)
def test_samples_without_a_score(sample: dict[str, Any], status: Status) -> None:
    found = cells(ContextPrecision(support=Marked({("truth", "p1"): math.nan})), sample)
    assert (found.sums.status[0], math.isnan(found.scores[0])) == (status, True)


def test_no_answer_about_one_passage_fails_the_sample_unless_another_decides() -> None:
    marks = Marked({("truth", "p1"): 1.0, ("other", "p1"): math.nan})
    sample = {"contexts": ["p1"], "references": ["truth", "other"]}
    assert scores(ContextPrecision(support=marks), sample) == [1.0]


def test_utilization_looks_at_the_answer() -> None:
    sample, marks = row("01")
    assert scores(ContextUtilization(support=marks), sample) == [1 / 2]
    for edge in ({**sample, "answer": ""}, {**sample, "contexts": []}, {"contexts": [], "answer": ""}):
        assert scores(ContextUtilization(support=marks), edge) == [0.0]


def test_options_that_it_does_not_take() -> None:
    for options in ({"k": 0}, {"epsilon": -1.0}, {"threshold": 0.0}, {"denominator": "all"}):
        with pytest.raises(OptionError, match="of context-precision must be"):
            ContextPrecision(**options)
    with pytest.raises(UnknownNameError, match=pattern("metrics.unknown_support")):
        ContextPrecision(support="dot")
    for spec in ("similarity=cosine", "similarity=dot"):
        with pytest.raises(OptionError, match=pattern("metrics.similarity_is_support")):
            ragauge.parse(f"context-precision:{spec}")


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(ColumnError, match=pattern("metrics.context_precision_needs_the_columns_contexts_references")):
        ragauge.score("context-precision", contexts=["a"])
    with pytest.raises(ColumnError, match=pattern("metrics.context_precision_denominator_relevant_needs_the_columns")):
        ragauge.score("context-precision:denominator=relevant", contexts=["a"], references=["b"])


class TestToTheQuestion:
    """Without references: how probable it is that a passage is relevant to the question."""

    SAMPLE: ClassVar[dict[str, Any]] = {"question": "Why?", "contexts": ["One.", "Two.", "Three."]}
    RATED: ClassVar[Rated] = Rated({"One.": 0.5, "Two.": 0.25, "Three.": 1.0})

    def test_probabilities_count_as_they_are(self) -> None:
        """P@i is .5, .75 / 2 and 1.75 / 3: (.25 + .09375 + .58333) / 1.75."""
        metric = ContextPrecision(to="question", relevance=self.RATED)
        expected = (0.5 * 0.5 + 0.75 / 2 * 0.25 + 1.75 / 3) / 1.75
        assert scores(metric, self.SAMPLE) == [pytest.approx(expected)]
        assert scores(ContextPrecision(to="question", relevance=self.RATED, k=1), self.SAMPLE) == [pytest.approx(0.5)]

    def test_the_relevant_passage_should_stand_first(self) -> None:
        passages = ["The tea house was opened by Lin Wan.", "It rained in May.", "Cats sleep in the sun."]
        sample = {"question": "Who opened the tea house?", "contexts": passages}
        first, last = (
            scores(ContextPrecision(to="question"), {**sample, "contexts": passages[::step]}) for step in (1, -1)
        )
        assert first[0] > last[0]

    def test_edges(self) -> None:
        metric = ContextPrecision(to="question")
        assert metric.needs == (("contexts", "question"),)
        found = cells(metric, {**self.SAMPLE, "question": ""}, {**self.SAMPLE, "contexts": []})
        assert found.sums.status.tolist() == [Status.UNDEFINED, Status.OK]

    @pytest.mark.parametrize("option", ["denominator=relevant", "soft=true", "threshold=0.5", "relevance=none"])
    def test_options_that_do_not_go_with_it(self, option: str) -> None:
        with pytest.raises(OptionError):
            ragauge.parse(f"context-precision:to=question,{option}")


@pytest.mark.parametrize("metric", [ContextPrecision(), ContextUtilization()])
def test_what_decided_against_a_passage_is_told_of_the_claim_and_the_passage(metric: Any) -> None:
    claim, other = "It was founded in 1990.", "林婉于1990年创办了茶馆。"
    rows: list[dict[str, Any]] = [
        {"references": [claim], "contexts": ["It was founded in 1991.", "Nobody knows.", f"It is old. {claim}"]},
        {"references": [other], "contexts": ["林婉没有于1990年创办了茶馆。"]},
    ]
    table = metric.explain(batch_of(*[{**row, "answer": row["references"][0]} for row in rows]))
    assert table["best"].to_pylist() == [claim, claim, claim, other]
    assert table["why"].to_pylist() == [
        "the passage has 1991 where the claim has 1990",
        "few of the claim's words are in the passage",
        None,
        "the passage has a negation there, the claim has none",
    ]
