"""Degrees of support: which similarity is meant, what is computed once, windows, and comparisons that fail."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Role
from ragauge.embedders import get
from ragauge.errors import OptionError, UsageError
from ragauge.grounding.support import pairs, scorer
from ragauge.grounding.support.meaning import Similarity
from ragauge.grounding.support.scorer import Degrees, SupportScorer, cosines, methods_of, similarity_of
from ragauge.grounding.support.thresholds import Use
from ragauge.sentences import split
from tests.metrics.rag.given import Marked, Placed, batch_of

ROWS = (
    {"answer": "A cat sat. It rained.", "contexts": ["A cat sat.", "A dog ran. It rained."]},
    {"answer": "", "contexts": ["A dog ran."]},
    {"answer": "It rained. It rained.", "contexts": ["Snow fell."]},
)
KNOWN = {("A cat sat.", "A cat sat."): 0.75, ("It rained.", "A dog ran. It rained."): 0.5}
VECTORS = {"A cat sat.": (1.0, 0.0), "It rained.": (0.0, 1.0), "A dog ran.": (0.6, 0.8), "Snow fell.": (0.0, 1.0)}


def degrees_by(support: SupportScorer, batch: Batch, window: int = 1) -> Degrees:
    return support.degrees(batch, batch.segments("answer", split), batch.segments("contexts", split), window)


def by_model(marked: Marked) -> SupportScorer:
    return SupportScorer(get(), "cosine", "measured", marked, "support")


def test_a_model_decides_over_windows_of_its_evidence() -> None:
    degrees = degrees_by(by_model(Marked(KNOWN)), batch_of(*ROWS), window=2)
    assert degrees.by_claim.value.tolist() == [0.75, 0.5, 0.0, 0.0]
    assert degrees.by_claim.place.tolist() == [0, 1, 3 + 1, 3 + 1]
    assert degrees.by_segment.value.tolist() == [0.75, 0.5, 0.0, 0.0, 0.0]
    assert degrees.by_segment.place.tolist() == [0, 1, 0, -1, 2]


def test_a_model_that_gives_no_number_fails_its_sample() -> None:
    degrees = degrees_by(by_model(Marked({("It rained.", "Snow fell."): np.nan})), batch_of(*ROWS))
    assert degrees.reasons == {2: "the support model gave no answer"}
    assert degrees.by_claim.failed.tolist() == [False, False, True, True]
    assert degrees.by_claim.unknown(0.5).tolist() == [False, False, True, True]


def test_the_threshold_of_a_model_is_its_own() -> None:
    threshold = by_model(Marked(KNOWN, threshold=0.625)).resolved_threshold
    assert (threshold.value, threshold.origin) == (0.625, "support")
    given = SupportScorer(get(), "cosine", 0.25, None, "support").resolved_threshold
    assert (given.value, given.origin) == (0.25, "given")


def test_cosines_are_of_vectors_and_a_failed_vector_has_its_reason() -> None:
    degrees = degrees_by(SupportScorer(Placed(VECTORS), "cosine", 0.5, None, "support"), batch_of(*ROWS))
    np.testing.assert_allclose(degrees.by_claim.value, [1.0, 1.0, 1.0, 1.0])
    np.testing.assert_allclose(degrees.by_segment.value, [1.0, 0.8, 1.0, 0.0, 1.0], atol=1e-7)
    known = {text: vector for text, vector in VECTORS.items() if text != "Snow fell."}
    lost = degrees_by(SupportScorer(Placed(known), "cosine", 0.5, None, "support"), batch_of(*ROWS))
    assert lost.reasons == {2: "no vector for Snow fell."}


def test_a_question_is_a_query_only_for_relevance() -> None:
    roles: dict[Use, Role] = {"relevance": "query", "support": "passage"}
    for use, role in roles.items():
        batch = batch_of({"question": "Who sat?", "contexts": ["A cat sat."]})
        placed = Placed({**VECTORS, "Who sat?": (1.0, 0.0)})
        asking = SupportScorer(placed, "cosine", 0.5, None, use)
        asking.degrees(batch, batch.segments("question"), batch.segments("contexts")).by_claim  # noqa: B018 - computes
        assert placed.roles == {"Who sat?": role, "A cat sat.": "passage"}


def test_degrees_are_computed_once_for_a_batch() -> None:
    batch, support = batch_of(*ROWS), by_model(Marked(KNOWN))
    assert degrees_by(support, batch) is degrees_by(support, batch)
    assert degrees_by(support, batch) is not degrees_by(support, batch, window=2)
    placed = Placed(VECTORS)
    claims, evidence = batch.segments("answer", split), batch.segments("contexts", split)
    assert cosines(batch, placed, claims, evidence) is cosines(batch, placed, claims, evidence)
    assert set(Counter(placed.asked).values()) == {1}


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = degrees_by(by_model(Marked(KNOWN)), batch_of(*ROWS))
    monkeypatch.setattr(pairs, "BLOCK", 2)
    parts = degrees_by(by_model(Marked(KNOWN)), batch_of(*ROWS))
    for side in ("by_claim", "by_segment"):
        one, other = getattr(whole, side), getattr(parts, side)
        assert (one.place.tolist(), one.value.tolist()) == (other.place.tolist(), other.value.tolist())


@pytest.mark.parametrize("similarity", ["cosine", "ngram-recall"])
def test_a_sample_with_too_many_comparisons_fails_alone(
    similarity: Similarity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scorer, "MOST_COMPARED", 15)
    long = {"answer": "A cat sat. It rained. A dog ran. Snow fell. " * 2, "contexts": ["One. Two. Three. Four. " * 6]}
    degrees = degrees_by(SupportScorer(get(), similarity, 0.5, None, "support"), batch_of(long, ROWS[2]))
    assert degrees.pairs.left_out.tolist() == [True, False]
    assert {row: reason.partition(":")[0] for row, reason in degrees.reasons.items()} == {0: "too long"}


def test_which_similarities_an_embedder_has() -> None:
    assert methods_of(get()) == ("features", "ngram-recall", "cosine")
    assert methods_of(get("use")) == ("features", "cosine")
    assert methods_of(Placed({})) == ("cosine",)
    assert [similarity_of("auto", one) for one in (get(), Placed({}))] == ["ngram-recall", "cosine"]
    assert similarity_of("features", Placed({})) == "features"
    with pytest.raises(OptionError, match="must be features or ngram-recall or cosine with embedder="):
        SupportScorer(get(), "nli", 0.5, None, "support")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="must be cosine with embedder="):
        SupportScorer(Placed({}), "features", 0.5, None, "support")


def test_what_was_not_measured_is_refused_when_the_threshold_is_wanted() -> None:
    with pytest.raises(UsageError, match="no threshold was measured for cosine"):
        _ = SupportScorer(Placed({}), "cosine", "measured", None, "support").resolved_threshold
