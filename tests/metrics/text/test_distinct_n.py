"""Distinct n-grams: by hand, as sets of tuples count them, and in every language."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ragauge import evaluate, score
from ragauge.core.ragged import Ragged
from ragauge.metrics.text.distinct_n import distinct_ngrams
from tests import fresh
from tests.metrics.text.test_every_language import TEXTS


@pytest.mark.parametrize(("answer", "n", "value"), [
    ("a cat and a cat and a dog", 1, 4 / 8),
    ("a cat and a cat and a dog", 2, 4 / 7),
    ("a cat and a cat and a dog", 3, 4 / 6),
    ("tea tea tea tea", 2, 1 / 3),
    ("Tea, tea; TEA!", 1, 1 / 3),
    ("好的好的好的", 2, 2 / 5),
    ("", 2, 0.0),
    ("   ", 2, 0.0),
])  # fmt: skip
def test_values_worked_by_hand(answer: str, n: int, value: float) -> None:
    assert score(f"distinct-n@{n}", answer=answer) == pytest.approx(value)


@pytest.mark.parametrize("seed", [1, fresh.seed()], ids=["known", "fresh"])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_sets_of_tuples(seed: int, n: int) -> None:
    random = Random(seed)  # noqa: S311 - no secret is drawn
    lists = [[random.randrange(4) for _ in range(random.randrange(12))] for _ in range(300)]
    wanted = [len({tuple(one[place : place + n]) for place in range(len(one) - n + 1)}) for one in lists]
    np.testing.assert_array_equal(distinct_ngrams(Ragged.of(lists, np.int32), n), wanted)
    assert distinct_ngrams(Ragged.of([], np.int32), n).tolist() == []


def test_answers_without_an_ngram_and_both_averages() -> None:
    rows = [{"answer": "tea tea tea"}, {"answer": "a b c d e"}, {"answer": "tea"}, {"answer": ""}, {"answer": None}]
    result = evaluate(rows, ["distinct-2", "distinct-n:average=pooled", "distinct-1"], resamples=0)
    assert [str(one) for one in result.statuses("distinct-2")] == ["ok", "ok", "undefined", "ok", "missing"]
    assert result["distinct-2"].value == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert result["distinct-n:average=pooled"].value == pytest.approx((1 + 4) / (2 + 4))
    assert result.scores("distinct-1")[2] == 1


@pytest.mark.parametrize("language", TEXTS)
def test_every_language(language: str) -> None:
    text, _ = TEXTS[language]
    once, again = (score("distinct-2", answer=one) for one in (text, " ".join([text] * 3)))
    assert again < 0.6 * once
    assert once > 0.8
