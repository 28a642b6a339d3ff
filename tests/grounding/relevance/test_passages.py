"""Relevance of passages by any model: means of the best, samples without an answer, models that are wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from ragauge.core.ragged import FloatArray, Ragged
from ragauge.embedders import get
from ragauge.errors import UsageError
from ragauge.grounding.relevance.lexical import LexicalRelevance
from ragauge.grounding.relevance.passages import PassageRelevance, relevance_of
from tests.metrics.rag.given import Rated, batch_of

BATCH = (
    {"question": "Who?", "contexts": ["Ada.", "Bo."]},
    {"question": " ", "contexts": []},
    {"question": "When?", "contexts": ["Now."]},
)


def relevance(*values: list[float]) -> PassageRelevance:
    return PassageRelevance(Ragged.of(values), np.array([], dtype=object))


def test_the_mean_of_the_best_leaves_out_what_is_not_known() -> None:
    found = relevance([0.25, 0.75, 0.5], [np.nan, 0.5], [np.nan], [])
    assert found.mean_of_best(1).tolist() == [0.75, 0.5, 0.0, 0.0]
    assert found.mean_of_best(2).tolist() == [0.625, 0.25, 0.0, 0.0]
    assert found.mean_of_best(9).tolist() == [0.5, 0.25, 0.0, 0.0]
    assert found.unknown.tolist() == [False, True, True, False]


def test_a_model_is_asked_once_for_a_batch() -> None:
    asked: list[int] = []
    batch, model = batch_of(*BATCH), Counting({"Ada.": 0.75}, asked=asked)
    first, again = (relevance_of(batch, model, get()) for _ in range(2))
    assert first is again
    assert first.values.to_lists() == [[0.75, 0.0], [], [0.0]]
    assert asked == [3]
    assert first.why() is None
    assert set(first.best.tolist()) == {None}


def test_words_are_compared_with_the_embedder_once_for_a_batch() -> None:
    batch, model = batch_of(*BATCH), LexicalRelevance()
    first, again = (relevance_of(batch, model, get()) for _ in range(2))
    assert first is again
    assert first.values.to_lists() == model.passages(batch_of(*BATCH), get()).values.to_lists()


def test_where_a_model_gives_no_number_the_sample_has_a_reason() -> None:
    found = relevance_of(batch_of(*BATCH), Rated({"Bo.": np.nan, "Now.": np.nan}), get())
    assert found.reasons == dict.fromkeys([0, 2], "the relevance model gave no answer")
    named = relevance_of(batch_of(*BATCH), Saying({"Bo.": np.nan}), get())
    assert named.reasons == {0: "the server is down"}
    assert {name: counts.tolist() for name, counts in named.noted.items()} == {"long": [1, 0, 0]}


def test_a_model_must_return_a_number_for_each_passage() -> None:
    with pytest.raises(UsageError, match="must return one number per passage, 3; got an array of shape"):
        relevance_of(batch_of(*BATCH), Rated({}, first=2), get())


@dataclass(frozen=True)
class Counting(Rated):
    """Notes of how many passages it was asked."""

    asked: list[int] = field(default_factory=list)

    def probabilities(self, questions: Ragged, passages: Ragged) -> FloatArray:
        self.asked.append(len(passages.values))
        return super().probabilities(questions, passages)

    __hash__ = Rated.__hash__


@dataclass(frozen=True)
class Saying(Rated):
    """Says why it has no answer, and notes a long text."""

    def answers(self, questions: Ragged, passages: Ragged) -> tuple[Any, Any]:
        return self.probabilities(questions, passages), {0: "the server is down"}

    def noted(self, questions: Ragged, _passages: Ragged) -> Any:
        return {"long": np.eye(len(questions), dtype=np.int64)[0]}

    __hash__ = Rated.__hash__
