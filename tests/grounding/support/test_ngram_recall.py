"""N-gram recall equals what sets of n-grams give, whatever the windows."""

from __future__ import annotations

import numpy as np
import pytest
import regex

from ragauge.core.ragged import Ragged
from ragauge.core.texts import Segments, VectorSpace
from ragauge.embedders import get
from ragauge.embedders.lexical import Lexical
from ragauge.embedders.sparse import SparseVectors
from ragauge.grounding.support import ngram_recall, pairs
from ragauge.grounding.support.scorer import Degrees, SupportScorer
from ragauge.sentences import split
from tests.metrics.rag.given import batch_of
from tests.repeats import others_long

ROWS = [
    {
        "answer": "The cat sat on the mat. 17 dogs bark!",
        "contexts": ["A cat sat. It rained. The 17 dogs bark a lot.", "No."],
    },
    {"answer": "猫坐在垫子上。", "contexts": ["今天下雨。一只猫坐着。在垫子上。"]},
    {"answer": "", "contexts": ["x."]},
    {"answer": "!", "contexts": ["x. Y.", "", "!"]},
    {"answer": "고양이가 매트 위에 앉았다.", "contexts": []},
    {"answer": "A cat sat. A dog sat. A cat is a cat.", "contexts": ["Cat. Dog. Cat. Sat. No. No. A cat.", "Dog. No."]},
]


def ngrams(text: str) -> dict[int, int]:
    vectors = Lexical().encode([text], "passage")
    return dict(zip(vectors.keys.tolist(), vectors.weights.tolist(), strict=True))


def worth(claim: str, held: dict[int, int], window: int) -> float:
    """Each word counts by its rarest n-gram, as far as its n-grams are near; numbers thrice, unspaced by length."""
    total = there = 0
    for word in regex.findall(r"[\p{Han}]+|[\p{L}\p{N}--\p{Han}]+", claim, regex.V1):
        weights = ngrams(word)
        size = sum(weights.values())
        scale = size // 4 if regex.match(r"\p{Han}", word) else max(weights.values())
        thrice = 3 if any(map(str.isdigit, word)) else 1
        parts = {key: weight * scale * 1024 // size * thrice for key, weight in weights.items()}
        total += sum(parts.values()) * window
        there += sum(part * (window - held.get(key, window)) for key, part in parts.items())
    return there / max(total, 1)


def expected(claims: Segments, evidence: Segments, window: int, granted: list[list[str]]) -> list[float]:
    """Look for each n-gram in every segment of the passage; the nearest counts, by how far it is."""
    texts, found = evidence.windows(1).values.tolist(), []
    for row in range(len(ROWS)):
        known = {key: 0 for text in granted[row] for key in ngrams(text)}
        places = range(*evidence.offsets[row : row + 2].tolist())
        for claim in claims.windows(1)[row].tolist():
            for centre in places:
                near: dict[int, int] = {}
                for place in places:
                    if evidence.source[place] == evidence.source[centre] and abs(place - centre) < window:
                        for key in ngrams(texts[place]):
                            near[key] = min(near.get(key, window), abs(place - centre))
                found.append(worth(claim, {**near, **known}, window))
    return found


def computed(degrees: Degrees) -> list[float]:
    return [value for _, _, values in degrees._blocks() for value in values.tolist()]


@pytest.mark.parametrize("window", others_long([2, 100, 1, 3], 2))
@pytest.mark.parametrize("block", [1, 1 << 19])
@pytest.mark.parametrize("fewest", [1, 1000])
def test_share_of_what_a_claim_is_worth(window: int, block: int, fewest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "BLOCK", block)
    monkeypatch.setattr(ngram_recall, "_ADDED", block)
    monkeypatch.setattr(ngram_recall, "_READ", block)
    monkeypatch.setattr(ngram_recall, "BLOCK", block)
    monkeypatch.setattr(ngram_recall, "_FEWEST", fewest)
    batch = batch_of(*ROWS)
    claims, evidence = (batch.segments(column, split) for column in ("answer", "contexts"))
    scorer = SupportScorer(get(), "ngram-recall", 0.5, None, "support")
    degrees = scorer.degrees(batch, claims, evidence, window)
    nothing: list[list[str]] = [[]] * len(ROWS)
    np.testing.assert_array_equal(computed(degrees), expected(claims, evidence, window, nothing))
    granted = [["A dog sat."], ["今天"], [], ["!"], ["고양이"], ["a dog"]]
    degrees = scorer.degrees(batch, claims, evidence, window, Segments.whole(Ragged.of(granted, object)))
    np.testing.assert_array_equal(computed(degrees), expected(claims, evidence, window, granted))


def test_samples_that_share_slots_find_their_own_ngrams_only() -> None:
    """The filter has slots for 512 samples; sample 512 shares those of sample 0."""
    space = VectorSpace(get())
    claims = Ragged.of([["A cat sat."], *([["Rain fell."]] * 511), ["A dog ran."]])
    texts = ["A dog ran. A cat sat.", *["Rain."] * 511, "A dog ran. A cat sat."]
    terms = ngram_recall.terms_of(claims, space)
    evidence = Ragged.of([[number] for number in space.numbers(texts, "passage").tolist()])
    assert isinstance(space.vectors, SparseVectors)
    found = terms.found(space.vectors, evidence)
    for sample, text in ((0, "A cat sat."), (512, "A dog ran."), (300, "Rain")):
        held = {key for word in text.rstrip(".").split() for key in ngrams(word)}
        own = [place for place, key in enumerate(terms.index[0].tolist()) if key >> 32 == sample]
        there = {terms.index[0].tolist()[place] & 0xFFFFFFFF for place in own if len(found[place])}
        assert there == held
        assert {number for place in own for number in found[place].tolist()} == {sample}
