"""Citation recall, and what all metrics of citations share: support by what is cited, evidence, notes, languages."""

from __future__ import annotations

import math

import pytest

import ragauge
from ragauge import evaluate, score
from ragauge.core.protocol import signature_of
from ragauge.errors import OptionError
from ragauge.metrics.rag.citation_precision import CitationPrecision
from ragauge.metrics.rag.citation_recall import CitationRecall
from ragauge.metrics.rag.groundedness import Groundedness
from tests.metrics.text.test_every_language import TEXTS
from tests.repeats import others_long

from .given import Marked, batch_of, scores

CONTEXTS = ["The tea house opened in 1990.", "Lin Wan founded the tea house."]


def test_two_passages_can_support_a_sentence_together() -> None:
    marks = Marked({("A and B.", "A.\nB."): 1.0, ("A and B.", "A."): 0.4})
    metric = CitationRecall(support=marks, window=2)
    rows = [{"answer": answer, "contexts": ["A.", "B."]} for answer in ("A and B [1][2].", "A and B [1].")]
    assert scores(metric, *rows) == [1.0, 0.0]


def test_graded_support_counts_a_part() -> None:
    marks = Marked({("One.", "x"): 1.0, ("Two.", "x"): 0.5, ("Three.", "x"): 0.0})
    sample = {"answer": "One [1]. Two [1]. Three [1]. Four.", "contexts": ["x"]}
    assert scores(CitationRecall(support=marks, soft="graded"), sample) == [1.5 / 4]
    assert scores(CitationRecall(support=marks), sample) == [2 / 4]
    with pytest.raises(OptionError):
        ragauge.parse("citation-recall:soft=calibrated")


def test_steps_count_half_from_half_of_the_threshold_on() -> None:
    """By a threshold of .6: .6 is whole, .59 and .3 are in part, .29 is nothing; a marker of no passage is nothing."""
    degrees = {"One.": 0.6, "Two.": 0.59, "Three.": 0.3, "Four.": 0.29}
    marks = Marked({(text, "x"): degree for text, degree in degrees.items()}, threshold=0.6)
    sample = {"answer": " ".join(f"{text[:-1]} [1]." for text in degrees) + " Five [2].", "contexts": ["x"]}
    assert scores(CitationRecall(support=marks, soft="steps"), sample) == [(1 + 0.5 + 0.5 + 0 + 0) / 5]
    # Of citations each counts for itself, also where the sentence is supported without it.
    assert scores(CitationPrecision(support=marks, soft="steps"), sample) == [(1 + 0.5 + 0.5 + 0 + 0) / 5]
    both = Marked({("A.", "x\ny"): 0.6, ("A.", "x"): 0.6, ("A.", "y"): 0.3}, threshold=0.6)
    assert scores(CitationPrecision(support=both, soft="steps"), {"answer": "A [1][2].", "contexts": ["x", "y"]}) == [
        0.75
    ]


def test_the_threshold_is_that_of_groundedness_and_in_the_signature() -> None:
    own, other = CitationRecall(), Groundedness(soft=False)
    assert own.resolved["threshold"] == other.resolved["threshold"]
    assert f"threshold={own.resolved['threshold']}" in str(signature_of(own))
    assert CitationRecall(threshold=0.3).limit == 0.3


@pytest.mark.parametrize("answer", ["", "The passages do not say when it opened.", "Sure!  "])
def test_what_claims_nothing(answer: str) -> None:
    result = evaluate([{"answer": answer, "contexts": CONTEXTS}], "citation-recall", resamples=0)["citation-recall"]
    assert math.isnan(result.value) == (answer != "Sure!  ")


def test_without_passages_all_citations_point_at_none() -> None:
    assert scores(CitationRecall(), {"answer": "Lin Wan founded it [1]. It is big.", "contexts": []}) == [0.0]


def test_ids_of_the_column_retrieved() -> None:
    sample = {"answer": "Lin Wan founded the tea house [b].", "contexts": CONTEXTS}
    assert score("citation-recall", **sample, retrieved=["a", "b"]) == 1
    assert score("citation-recall", **sample, retrieved=["b", "a"]) == 0
    assert score("citation-recall", **sample) == 0


def test_evidence_names_the_passage_of_each_sentence() -> None:
    answer = "Lin Wan founded the tea house [2]. The tea house opened in 1990 [2][7]. It is big. Sure!"
    table = CitationRecall().explain(batch_of({"answer": answer, "contexts": CONTEXTS}))
    rows = [(row["what"], row["text"], row["best"], row["supported"], row["why"]) for row in table.to_pylist()]
    together = "what the sentence cites does not support it"
    assert rows == [
        ("answer sentence", "Lin Wan founded the tea house [2].", CONTEXTS[1], True, None),
        ("citation", "[2] Lin Wan founded the tea house [2].", CONTEXTS[1], True, None),
        *rows[2:],
    ]
    assert [row[4] for row in rows[2:]] == [
        together, together, "it points at no passage", "it cites nothing", "it claims nothing, and is left out",
    ]  # fmt: skip


MORE = {
    "es": ("La casa de té abrió en mayo.", "Lin Wan fundó un museo en Lyon."),
    "fr": ("Le salon de thé a ouvert en mai.", "Lin Wan a fondé un musée à Lyon."),
    "tr": ("Çay evi mayıs ayında açıldı.", "Lin Wan bir müze kurdu."),
    "el": ("Το τεϊοποτείο άνοιξε τον Μάιο.", "Η Λιν Ουάν ίδρυσε ένα μουσείο."),
    "vi": ("Quán trà mở cửa vào tháng năm.", "Lâm Uyển lập một bảo tàng ở Huế."),
}


@pytest.mark.parametrize("language", others_long([*TEXTS, *MORE], 4))
def test_every_language(language: str) -> None:
    text, other = {**TEXTS, **MORE}[language]
    stop = "" if language == "th" else text[-1]
    answer = f"{text.removesuffix(stop) if stop else text} [1]{stop}"
    assert score("citation-recall", answer=answer, contexts=[text, other]) == 1
    assert score("citation-recall", answer=answer, contexts=[other, text]) == 0


def test_citations_beside_the_sentences_count_as_markers_do() -> None:
    """Of three sentences the first cites the right passage by its id, the second a wrong one, the third none."""
    contexts, retrieved = ["The tea house opened in 1990.", "Lin Wan founded the tea house."], ["d1", "d2"]
    sentences = ["Lin Wan founded the tea house.", "It opened in 1990.", "It is big."]
    cited = [{"text": text, "citations": ids} for text, ids in zip(sentences, (["d2"], ["d2"], []), strict=True)]
    row = {"answer": " ".join(sentences), "contexts": contexts, "retrieved": retrieved, "citations": cited}
    marked = {**row, "answer": f"{sentences[0]} [d2] {sentences[1]} [d2] {sentences[2]}", "citations": None}
    for name in ("citation-recall", "citation-precision", "citation-f1"):
        values = [ragauge.evaluate([one], name, resamples=0)[name].value for one in (row, marked)]
        assert values[0] == values[1]
    assert ragauge.evaluate([row], "citation-recall", resamples=0)["citation-recall"].value == 1 / 3


def test_a_sentence_cited_as_one_may_be_two_and_ranks_count_from_1() -> None:
    row = {"answer": "Lin Wan founded it. She is old.", "contexts": ["Lin Wan founded it. She is old.", "x"]}
    whole = {**row, "citations": [{"text": row["answer"], "citations": [1]}]}
    assert ragauge.evaluate([whole], "citation-recall", resamples=0)["citation-recall"].value == 1.0
    other = {**row, "citations": [{"text": row["answer"], "citations": ["7"]}]}
    rows = CitationRecall().measure(batch_of(other))
    assert (rows["value"].tolist(), rows.noted["citations of no passage"].tolist()) == ([0.0], [2])


@pytest.mark.parametrize("citations", [["d1"], "d1", [1], [{"id": "d1"}], [{"text": 3, "citations": ["d1"]}], None])
def test_a_column_of_another_form_is_not_read(citations: object) -> None:
    row = {"answer": "Lin Wan founded it [1].", "contexts": ["Lin Wan founded it."], "citations": citations}
    assert ragauge.evaluate([row], "citation-recall", resamples=0)["citation-recall"].value == 1.0
