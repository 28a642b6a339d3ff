"""The support of a matcher: the same cells, claims first."""

from __future__ import annotations

import pytest

import ragauge
from ragauge.core.ragged import Ragged
from ragauge.errors import UnknownNameError
from ragauge.grounding.support.matched import Matched
from tests.approved import pattern


def test_each_claim_with_each_piece_of_evidence() -> None:
    claims, evidence = Ragged.of([["one", "two"], [], ["three"]]), Ragged.of([["two", "x", "one"], ["y"], ["three"]])
    matcher = ragauge.parse("context-precision:support=matched[matcher=exact]").support  # type: ignore[attr-defined]
    assert matcher.degrees(claims, evidence).tolist() == [0, 0, 1, 1, 0, 0, 1]


def test_it_decides_in_a_metric() -> None:
    sample = {"answer": "The cat sat. A dog ran.", "contexts": ["So the cat sat. It was warm."]}
    assert ragauge.score("groundedness:support=matched[matcher=exact]", **sample) == 0.0
    assert ragauge.score("groundedness:support=matched[matcher=overlap[threshold=1]]", **sample) == 0.5


def test_its_text_and_signature() -> None:
    metric = ragauge.parse("groundedness:support=matched[matcher=edit[threshold=0.9]]")
    assert str(metric) == "groundedness:support=matched[matcher=edit[threshold=0.9]]"
    assert "support=matched[matcher=edit[threshold=0.9" in metric.identity  # type: ignore[attr-defined]
    assert Matched().threshold == 1.0


def test_an_unknown_verdict() -> None:
    with pytest.raises(UnknownNameError, match=pattern("support.unknown_support_match_did_you_mean_matched")):
        ragauge.parse("groundedness:support=match")
