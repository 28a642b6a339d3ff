"""Relevance with an encoder beside words: weights, roles, scripts that the encoder does not know, failed vectors."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ragauge.embedders import get
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.relevance.lexical import LexicalRelevance, Parts, parts_of
from tests.metrics.rag.given import Placed, batch_of

SAMPLE = {"question": "Who sings?", "contexts": ["He sings. Rain.", "Snow."]}
VECTORS = {
    "Who sings?": (1.0, 0.0), "He sings. Rain.": (0.6, 0.8), "He sings.": (1.0, 0.0), "Rain.": (0.0, 1.0),
    "Snow.": (0.6, 0.8),
}  # fmt: skip


def score_of(probability: float, slope: float, intercept: float) -> float:
    return (math.log(probability / (1 - probability)) + intercept) / slope


def by_words_alone(sample: dict[str, Any]) -> list[float]:
    return [*LexicalRelevance().passages(batch_of(sample), get()).values.values]


def passage_scores(model: LexicalRelevance, embedder: Any) -> list[float]:
    found = model.passages(batch_of(SAMPLE), embedder)
    return [score_of(one, 8.84, 3.97) for one in found.values.values.tolist()]


def test_a_cosine_beside_words() -> None:
    by_words = [score_of(one, 5.84, 2.75) for one in by_words_alone(SAMPLE)]
    both = passage_scores(LexicalRelevance(), Placed(VECTORS))
    np.testing.assert_allclose(both, [by_words[0] / 2 + 0.8 / 2, by_words[1] / 2 + 0.6 / 2], atol=1e-6)
    passages_only = passage_scores(LexicalRelevance(weight=0.25, sentences=False), Placed(VECTORS))
    np.testing.assert_allclose(passages_only, [0.75 * one + 0.25 * 0.6 for one in by_words], atol=1e-6)


def test_roles_and_texts_of_the_embedder() -> None:
    placed = Placed(VECTORS)
    LexicalRelevance().passages(batch_of(SAMPLE), placed)
    assert placed.roles["Who sings?"] == "query"
    assert set(placed.asked) == set(VECTORS)
    fewer = Placed(VECTORS)
    LexicalRelevance(sentences=False).passages(batch_of(SAMPLE), fewer)
    assert set(fewer.asked) == {"Who sings?", "He sings. Rain.", "Snow."}


def test_a_failed_vector_is_no_answer() -> None:
    known = {text: vector for text, vector in VECTORS.items() if text != "Snow."}
    found = LexicalRelevance().passages(batch_of(SAMPLE), Placed(known))
    assert found.unknown.tolist() == [True]
    assert len(found.reasons) == 1


@dataclass(frozen=True)
class Latin(Placed):
    """Reads no text with a Greek letter, as `use`."""

    def reads(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([not re.search("[α-ω]", text) for text in texts], dtype=bool)


def test_what_an_embedder_does_not_read_is_left_out() -> None:
    latin = Latin({"Who sings?": (1.0, 0.0), "He sings. Ναι.": (0.6, 0.8), "He sings.": (1.0, 0.0)})
    sample = {"question": "Who sings?", "contexts": ["He sings. Ναι.", "He sings."]}
    found = LexicalRelevance().passages(batch_of(sample), latin)
    assert not np.isnan(found.values.values).any()
    greek = LexicalRelevance().passages(batch_of({"question": "Ποιος;", "contexts": ["Ναι."]}), latin)
    [by_words] = by_words_alone({"question": "Ποιος;", "contexts": ["Ναι."]})
    assert score_of(greek.values.values[0], 8.84, 3.97) == pytest.approx(score_of(by_words, 5.84, 2.75))


def test_weight_0_is_words_on_the_other_curve() -> None:
    by_words = [score_of(one, 5.84, 2.75) for one in by_words_alone(SAMPLE)]
    np.testing.assert_allclose(passage_scores(LexicalRelevance(weight=0.0), Placed(VECTORS)), by_words, atol=1e-6)


def test_the_weights_of_words_and_encoders_are_one_together() -> None:
    placed = Placed(VECTORS)
    assert parts_of(Lexical(), 0.25) == Parts(1.0, ())
    assert parts_of(placed, 0.25) == Parts(0.75, ((placed, 0.25),))
    words_and_use = parts_of(get("blend[parts=lexical:1/use:3]"), 0.5)
    assert (words_and_use.words, [own for _, own in words_and_use.encoders]) == (0.25, [0.75])
    encoders_alone = parts_of(get("blend[parts=use:3/st:1]"), 0.5)
    assert (encoders_alone.words, [own for _, own in encoders_alone.encoders]) == (0.5, [0.375, 0.125])


def test_words_do_not_count_between_texts_that_share_no_script() -> None:
    vectors = {"Who sings?": (1.0, 0.0), "Он поёт.": (0.6, 0.8)}
    sample = {"question": "Who sings?", "contexts": ["Он поёт."]}
    found = LexicalRelevance(sentences=False).passages(batch_of(sample), Placed(vectors))
    assert score_of(found.values.values[0], 8.84, 3.97) == pytest.approx(0.6, abs=1e-6)
