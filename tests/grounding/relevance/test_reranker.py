"""The relevance of a cross-encoder: a tiny model made here, read as the library itself reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragauge.core.ragged import Ragged
from ragauge.errors import MissingExtraError, OptionError, UsageError
from ragauge.grounding.relevance.reranker import Reranker
from ragauge.metrics.rag.context_relevancy import ContextRelevancy
from tests.grounding.support.test_nli import make
from tests.metrics.rag.given import batch_of, scores

QUESTIONS = Ragged.of([["the cat ."], [], ["a dog ."]])
PASSAGES = Ragged.of([["a cat sat .", "", "the dog ran ."], ["a dog ."], ["a dog ran ."]])


def predicted(model: str, pairs: list[tuple[str, str]]) -> Any:
    library = pytest.importorskip("sentence_transformers", reason="pip install 'ragauge[st]'")
    logits = library.CrossEncoder(model, device="cpu").predict(pairs, activation_fn=lambda found: found)
    return 1 / (1 + np.exp(-logits))


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.mark.filterwarnings("default")
def test_a_probability_of_each_passage(tmp_path: Path) -> None:
    model = make(tmp_path, ["relevant"])
    found = Reranker(model=model, device="cpu").probabilities(QUESTIONS, PASSAGES)
    pairs = [("the cat .", "a cat sat ."), ("the cat .", "the dog ran ."), ("a dog .", "a dog ran .")]
    one, two, three = predicted(model, pairs)
    np.testing.assert_allclose(found, [one, 0, two, 0, three], atol=1e-6)
    assert len(set(found.round(4).tolist())) > 2


@pytest.mark.filterwarnings("default")
def test_long_passages_are_read_in_windows(tmp_path: Path) -> None:
    model = Reranker(model=make(tmp_path, ["relevant"]), device="cpu")
    long = " ".join(["the dog ran ."] * 12)
    questions, passages = Ragged.of([["the cat ."]]), Ragged.of([[long, "a cat ."]])
    pairs = [("the cat .", window) for window, _ in model._in_windows(long, "the cat .")]
    assert len(pairs) > 1
    found = model.probabilities(questions, passages)
    assert found[0] == pytest.approx(predicted(model.model, pairs).max(), abs=1e-6)
    counts = model.noted(questions, passages)
    assert [one.tolist() for one in counts.values()] == [[1], [0]]


@pytest.mark.filterwarnings("default")
def test_context_relevancy_by_a_reranker(tmp_path: Path) -> None:
    model = make(tmp_path, ["relevant"])
    metric = ContextRelevancy(relevance=Reranker(model=model, device="cpu"))
    assert "|embedder=" not in metric.identity
    assert "relevance=reranker[" in metric.identity
    sample = {"question": "the cat .", "contexts": ["a cat sat .", "the dog ran .", "a dog ."]}
    pairs = [("the cat .", text) for text in sample["contexts"]]
    assert scores(metric, sample) == [pytest.approx(np.sort(predicted(model, pairs))[-2:].mean(), abs=1e-6)]
    assert set(metric.notes) == {"texts read in windows", "claims cut"}
    assert len(metric.explain(batch_of(sample))) == 3


@pytest.mark.filterwarnings("default")
def test_a_model_with_several_outputs_is_no_reranker(tmp_path: Path) -> None:
    model = Reranker(model=make(tmp_path, ["no", "yes"]), device="cpu")
    with pytest.raises(UsageError, match="has 2 outputs; a reranker has one"):
        model.probabilities(QUESTIONS, PASSAGES)


def test_a_model_must_be_named() -> None:
    with pytest.raises(OptionError, match="model"):
        Reranker()  # type: ignore[call-arg]


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="relevance=reranker"):
        Reranker(model="none at all").probabilities(QUESTIONS, PASSAGES)
