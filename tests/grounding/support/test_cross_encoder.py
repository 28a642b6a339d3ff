"""Reading of pairs by any cross-encoder: windows of long texts, each distinct pair once, what is counted and signed.

The model is a function of words here, so that no library is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from ragauge.core.ragged import FloatArray, Ragged
from ragauge.grounding.relevance.reranker import Reranker
from ragauge.grounding.support.cross_encoder import logistic
from ragauge.grounding.support.nli import Nli

MOST = 16


@dataclass
class Words:
    """Gives the share of the second text's words that the first has, as a logit; a text with "lost" has none."""

    most: int = MOST
    labels: Mapping[str, int] = field(default_factory=lambda: {"neutral": 0, "entailment": 1})
    asked: list[tuple[str, str]] = field(default_factory=list)

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def logits(self, pairs: Sequence[tuple[str, str]], batch: int) -> FloatArray:
        self.asked.extend(pairs)
        assert batch == 32
        values = [np.nan if "lost" in one else _shared(one, other) for one, other in pairs]
        return np.array([[0.0, value] for value in values])[:, -len(self.labels) :]


def _shared(one: str, other: str) -> float:
    words = other.split()
    return sum(word in one.split() for word in words) / len(words)


def reader(labels: Mapping[str, int] | None = None) -> tuple[Nli, Words]:
    """Return a support model whose model is loaded already."""
    support, model = Nli(model="m"), Words() if labels is None else Words(labels=labels)
    support.__dict__["loaded"] = model
    return support, model


def entailed(share: float) -> float:
    return float(np.exp(share) / (1 + np.exp(share)))


def test_each_distinct_pair_is_read_once_and_the_long_text_comes_first() -> None:
    support, model = reader()
    claims, evidence = Ragged.of([["a b", "a b"], [], ["a b"]]), Ragged.of([["a c"], ["x"], ["a c", "a b"]])
    found = support.degrees(claims, evidence)
    np.testing.assert_allclose(found, [entailed(0.5)] * 3 + [entailed(1.0)])
    assert model.asked == [("a c", "a b"), ("a b", "a b")]


def test_a_long_text_is_read_to_its_end_in_windows_that_leave_room_for_the_short_one() -> None:
    support, model = reader()
    long = " ".join(["far"] * 30 + ["a", "b"])
    [found] = support.degrees(Ragged.of([["a b"]]), Ragged.of([[long]]))
    assert found == pytest.approx(entailed(1.0))
    assert len(model.asked) > 1
    assert " ".join("".join(window for window, _ in model.asked).split()) == long
    assert all(sum(model.count(pair)) + 4 <= MOST for pair in model.asked)


def test_a_short_text_that_is_too_long_itself_is_cut_by_the_model() -> None:
    support, model = reader()
    claim = " ".join("abcdefghijklmn")
    support.degrees(Ragged.of([[claim]]), Ragged.of([["a b"]]))
    assert model.asked == [("a b", claim)]
    windowed, cut = support.noted(Ragged.of([[claim, "a"], ["a"]]), Ragged.of([["a b"], ["x " * 12]])).values()
    assert (windowed.tolist(), cut.tolist()) == ([1, 1], [1, 0])


def test_a_logit_that_is_no_number_is_no_answer() -> None:
    support, _ = reader()
    found = support.degrees(Ragged.of([["a"]]), Ragged.of([["lost", "a"]]))
    assert np.isnan(found).tolist() == [True, False]


def test_one_label_is_a_logistic_probability_and_a_question_comes_first() -> None:
    reranker, model = Reranker(model="m"), Words(labels={"score": 0})
    reranker.__dict__["loaded"] = model
    found = reranker.probabilities(Ragged.of([["a b"]]), Ragged.of([["a b c d", " "]]))
    np.testing.assert_allclose(found, [logistic(np.array([0.5]))[0], 0.0])
    assert model.asked == [("a b", "a b c d")]


def test_options_that_do_not_change_a_probability_are_not_signed() -> None:
    assert Nli(model="m").signed == {"model": "m", "threshold": "0.5", "label": "auto"}
    assert Nli(model="m", device="cpu", batch=1).signature == Nli(model="m").signature
    assert Nli(model="m", label="yes").signature != Nli(model="m").signature


def test_copies_hold_options_only() -> None:
    support, _ = reader()
    assert "loaded" not in support.__getstate__()
