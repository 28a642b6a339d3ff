"""Groundedness: the share of supported sentences, its windows and its edges."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ragauge
from ragauge.core.protocol import signature_of
from ragauge.core.statistics import Status
from ragauge.errors import DataError, OptionError, UsageError
from ragauge.metrics.rag.groundedness import Groundedness
from tests.approved import approved, pattern

from .given import Marked, Placed, batch_of, cells, scores

ANSWER = "Lin Wan founded it in 1990. It has a garden. It closes at ten."
CONTEXTS = ["The tea house was founded by Lin Wan in 1990. Behind it there is a garden.", "Mondays it rests."]


def test_share_of_supported_sentences() -> None:
    marks = Marked({("One.", "x"): 1.0, ("Three.", "y"): 0.5, ("Two.", "y"): 0.4})
    assert scores(Groundedness(support=marks), {"answer": "One. Two. Three.", "contexts": ["x", "y"]}) == [2 / 3]
    assert scores(Groundedness(support=marks, soft=True), {"answer": "One. Two. Three.", "contexts": ["x", "y"]}) == [
        1.9 / 3
    ]


def test_a_degree_that_is_above_1_or_below_0_counts_as_the_nearer_end() -> None:
    marks = Marked({("One.", "x"): 1.25, ("Two.", "x"): -0.5, ("Three.", "x"): 0.5})
    sample = {"answer": "One. Two. Three.", "contexts": ["x"]}
    assert scores(Groundedness(support=marks, soft=True), sample) == [0.5]


def test_windows_of_neighbouring_sentences_of_one_passage() -> None:
    sample = {"answer": "Lin Wan founded a garden behind the tea house.", "contexts": CONTEXTS}
    table = Groundedness(window=2).explain(batch_of(sample))
    assert table["best"].to_pylist() == ["The tea house was founded by Lin Wan in 1990."]
    table = Groundedness(support="cosine", window=2).explain(batch_of(sample))
    assert table["best"].to_pylist() == [CONTEXTS[0]]
    apart = {**sample, "contexts": CONTEXTS[0].split(". ")}
    one, two, many = (scores(Groundedness(window=window, soft=True), sample)[0] for window in (1, 2, 1000))
    assert one < two < many < 1.0
    assert scores(Groundedness(window=1000, soft=True), apart) == scores(Groundedness(window=1, soft=True), apart)


def test_graded_degrees_are_half_at_the_threshold() -> None:
    marks = Marked({("One.", "x"): 0.8, ("Two.", "x"): 0.6, ("Three.", "x"): 0.5, ("Four.", "x"): 0.4})
    sample = {"answer": "One. Two. Three. Four. Five.", "contexts": ["x"]}
    assert scores(Groundedness(support=marks, soft="graded"), sample) == [(1 + 0.75 + 0.5 + 0.25) / 5]
    assert scores(Groundedness(support=marks), sample) == [3 / 5]
    placed = Placed({"A.": (1.0, 0.0), "x": (0.8, 0.6)})
    for threshold, expected in ((0.8, 0.5), (0.9, 0.0), (0.85, 0.5 - 0.05 / 0.3), (0.7, 0.75), (0.6, 1.0)):
        metric = Groundedness(embedder=placed, threshold=threshold, soft="graded")
        assert scores(metric, {"answer": "A.", "contexts": ["x"]}) == [pytest.approx(expected, abs=1e-6)]


@pytest.mark.parametrize(
    ("spec", "softness"),
    [
        ("groundedness", "calibrated"),
        ("context-recall", "calibrated"),
        ("groundedness:soft=true", "true"),
        ("groundedness:support=ngram-recall", "graded"),
        ("context-recall:support=ngram-recall", "graded"),
        ("answer-correctness", "true"),
        ("answer-correctness:support=ngram-recall", "true"),
        ("answer-correctness:support=ngram-recall,soft=graded", "graded"),
        ("answer-correctness:support=ngram-recall,threshold=0.65", "false"),
        ("answer-correctness:support=cosine", "false"),
        ("groundedness:threshold=0.65", "false"),
        ("groundedness:support=features,threshold=0.65", "false"),
        ("groundedness:support=cosine", "false"),
        ("groundedness:support=matched", "false"),
        ("groundedness:compat=ragas", "false"),
        ("context-recall:compat=ragas", "false"),
        ("context-relevancy:relevance=none", "false"),
        ("context-precision", "false"),
    ],
)
def test_ngram_recall_is_graded_and_features_are_calibrated(spec: str, softness: str) -> None:
    assert f"|soft={softness}|" in str(signature_of(ragauge.parse(spec)))


def test_evidence_of_each_sentence() -> None:
    table = Groundedness(window=1).explain(batch_of({"answer": ANSWER, "contexts": CONTEXTS}))
    assert table.column_names == ["id", "what", "text", "best", "similarity", "supported", "why", "message"]
    assert table["text"].to_pylist() == ["Lin Wan founded it in 1990.", "It has a garden.", "It closes at ten."]
    assert table["best"].to_pylist()[0] == "The tea house was founded by Lin Wan in 1990."
    assert table["supported"].to_pylist() == [True, True, False]
    assert set(table["what"].to_pylist()) == {"answer sentence"}


@pytest.mark.parametrize(
    ("sample", "score"),
    [({"answer": ANSWER, "contexts": []}, 0.0), ({"answer": "!", "contexts": ["!"]}, 0.0)],
)
def test_nothing_to_rest_on_scores_zero(sample: dict[str, Any], score: float) -> None:
    assert scores(Groundedness(), sample) == [score]


@pytest.mark.parametrize("answer", ["", "  \n"])
def test_an_empty_answer_claims_nothing(answer: str) -> None:
    found = cells(Groundedness(), {"answer": answer, "contexts": CONTEXTS})
    assert found.sums.status.tolist() == [Status.UNDEFINED]


def test_empty_answers_enter_the_bounds() -> None:
    """Supported, not supported, silent: from 1/3 to 2/3, whatever silence is taken for."""
    rows = [{"answer": answer, "contexts": CONTEXTS} for answer in ("It has a garden.", "It sells shoes.", "")]
    score = ragauge.evaluate(rows, "groundedness:soft=false", resamples=0).table[0]
    assert (score.value, score.scored, score.undefined, score.failed) == (0.5, 2, 1, 0)
    assert score.bounds == (1 / 3, 2 / 3)


def test_a_failed_vector_fails_what_it_would_have_decided() -> None:
    embedder = Placed({"A.": (1.0, 0.0), "x": (1.0, 0.0), "z": (0.0, 1.0)})
    metric = Groundedness(embedder=embedder, threshold=0.5)
    rows = [{"answer": "A.", "contexts": texts} for texts in (["x", "lost"], ["z", "lost"], ["z"])]
    found = cells(metric, *rows)
    assert found.sums.status.tolist() == [Status.OK, Status.FAILED, Status.OK]
    assert dict(found.sums.reasons) == {1: "no vector for lost"}
    assert (found.scores[0], found.scores[2]) == (1.0, 0.0)
    assert math.isnan(found.scores[1])


def test_each_distinct_text_is_embedded_once_across_metrics() -> None:
    embedder = Placed(dict.fromkeys(("One.", "Two.", "x", "y"), (1.0, 0.0)))
    batch = batch_of(*[{"answer": "One. Two.", "contexts": ["x", "y"], "references": ["One."]}] * 3)
    for spec in (Groundedness(embedder=embedder, threshold=0.5), Groundedness(embedder=embedder, threshold=0.9)):
        spec.measure(batch)
    assert sorted(embedder.asked) == ["One.", "Two.", "x", "y"]


def test_an_embedder_that_was_not_measured_needs_a_threshold() -> None:
    with pytest.raises(UsageError, match=pattern("metrics.no_threshold_was_measured_for_cosine_of")):
        ragauge.score("groundedness:embedder=http[url=http://x,model=m]", answer="A.", contexts=["A."])


def test_an_embedder_of_the_caller_is_named_by_its_signature() -> None:
    class Mine:
        signature = "mine-1"

        def encode(self, texts: Any, role: Any) -> Any:
            raise AssertionError((texts, role))

    with pytest.raises(UsageError) as caught:
        ragauge.evaluate([{"answer": "A.", "contexts": ["A."]}], [Groundedness(embedder=Mine())])
    assert str(caught.value) == approved("metrics.no_threshold_was_measured_for_an_object")


def test_thresholds_that_it_does_not_take() -> None:
    for threshold in (0.0, 1.5):
        with pytest.raises(OptionError, match="'threshold' of groundedness"):
            Groundedness(threshold=threshold)
    with pytest.raises(DataError, match=pattern("metrics.thresholds_file_not_found")):
        scores(Groundedness(threshold="none.json"), {"answer": "A.", "contexts": ["A."]})
    with pytest.raises(OptionError, match=pattern("metrics.option_threshold_of_groundedness_must_be_left")):
        Groundedness(threshold=0.5, support=Marked({}))
    with pytest.raises(OptionError, match="cosine or auto with embedder="):
        Groundedness(embedder=Placed({}), support="ngram-recall", threshold=0.5)
    with pytest.raises(OptionError, match=pattern("metrics.option_window_of_groundedness_must_be_a")):
        Groundedness(window=0)


def test_the_signature_says_value_and_origin_of_the_threshold() -> None:
    identity = ragauge.parse("groundedness:support=ngram-recall").identity  # type: ignore[attr-defined]
    assert "|support=ngram-recall|" in identity
    assert "|window=20|" in identity
    assert "|threshold=0.65 measured|" in identity
    assert "|threshold=0.8 measured|" in Groundedness(soft=False).identity
    assert "|support=features[coefficients=" in Groundedness().identity
    assert "|threshold=0.7 given|" in Groundedness(threshold=0.7).identity
    marked = Groundedness(support=Marked({})).identity
    assert "support=marked" in marked
    assert "threshold" not in marked
    assert "embedder" not in marked


UNSAID = {
    "en": "The passages do not say when it opened.",
    "zh": "文中没有提到它何时开业。",
    "ja": "本文には開店の時期についての記載がありません。",
    "ko": "문서에는 개업 시기가 언급되어 있지 않습니다.",
    "ru": "В тексте не указано, когда он открылся.",
    "ar": "لا يذكر النص متى افتتح.",
    "hi": "पाठ में इसका उल्लेख नहीं है कि यह कब खुला।",
    "th": "บทความไม่ได้ระบุว่าเปิดเมื่อไร",
    "de": "Der Text erwähnt die Eröffnung nicht.",
    "es": "El texto no menciona la apertura.",
    "fr": "Le texte ne mentionne pas l'ouverture.",
}


@pytest.mark.parametrize("language", UNSAID)
def test_statements_about_the_passages_are_left_out(language: str) -> None:
    claim, passage = "Lin Wan built 42 houses.", "Lin Wan built 42 houses."
    rows = [{"answer": answer, "contexts": [passage]} for answer in (f"{claim} {UNSAID[language]}", UNSAID[language])]
    found = Groundedness().measure(batch_of(*rows))
    assert found["value"][0] == 1.0
    assert found.status.tolist() == [Status.OK, Status.UNDEFINED]
    assert found.noted["nothing claimed"].tolist() == [1, 1]
    counted = Groundedness(unsaid="count").measure(batch_of(*rows))
    assert counted["value"][0] < 0.8
    assert counted.status.tolist() == [Status.OK, Status.OK]


@pytest.mark.parametrize("soft", ["auto", False, True])
def test_what_a_passage_says_of_itself_is_a_claim(soft: Any) -> None:
    said = "The report does not mention a price. The text does not mention a price."
    metric = Groundedness(soft=soft)
    found = metric.measure(batch_of({"answer": said, "contexts": [said]}))
    assert found["value"].tolist() == [1.0]
    assert found.noted["nothing claimed"].tolist() == [0]


@pytest.mark.parametrize("soft", ["auto", "false"])
def test_evidence_says_which_sentences_are_left_out(soft: str) -> None:
    answer = "Lin Wan opened it in 1990. The passages do not say who paid for it."
    rows = [{"id": "a", "answer": answer, "contexts": ["Lin Wan opened it in 1990."]}]
    result = ragauge.evaluate(rows, [f"groundedness:soft={soft}"], resamples=0, evidence=True)
    supported, left_out = result.explain("a").to_pylist()
    assert supported["why"] is None
    assert (left_out["supported"], left_out["why"]) == (None, "it claims nothing, and is left out")


@pytest.mark.parametrize(("degree", "claimed"), [(0.49, False), (0.5, True), (1.0, True)])
def test_from_which_degree_a_passage_says_of_itself_what_an_answer_says(degree: float, claimed: bool) -> None:
    said = "The text does not mention a price."
    metric = Groundedness(support=Marked({(said, "passage"): degree}), soft=True, window=1)
    found = metric.measure(batch_of({"answer": said, "contexts": ["passage"]}))
    assert found.noted["nothing claimed"].tolist() == [0 if claimed else 1]
