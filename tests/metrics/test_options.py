"""Options of metrics from Python: what is refused, and what becomes an ingredient."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Role, Vocabulary
from ragauge.core.protocol import signature_of
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.registry import entries, make_ingredient
from ragauge.errors import OptionError, UnknownNameError
from ragauge.judges import FunctionJudge
from ragauge.metrics.judged.judged_answer_correctness import JudgedAnswerCorrectness
from ragauge.metrics.parse import parse
from ragauge.metrics.rag._supported import graded
from ragauge.metrics.rag.answer_correctness import AnswerCorrectness
from ragauge.metrics.rag.groundedness import Groundedness
from ragauge.metrics.rag.semantic_similarity import SemanticSimilarity
from ragauge.metrics.retrieval.ndcg import Ndcg
from ragauge.metrics.retrieval.recall import Recall
from ragauge.metrics.text.bleu import Bleu
from ragauge.metrics.text.chrf import Chrf
from ragauge.metrics.text.rouge_l import RougeL
from ragauge.tokenizers.char import Char
from tests.approved import pattern

JUDGE = FunctionJudge(lambda _messages: "{}", "nobody")
BAD: dict[str, tuple[Callable[[], object], str]] = {
    "a choice": (lambda: RougeL(references="any"), "'references' of rouge-l must be max, mean or first; got 'any'"),  # type: ignore[arg-type]
    "a misspelled choice": (lambda: RougeL(case="lowwer"), "'case' of rouge-l must be fold, lower or keep"),  # type: ignore[arg-type]
    "a choice of many": (lambda: Bleu(smooth="exponential"), "'smooth' of bleu must be exp, floor, add-k"),  # type: ignore[arg-type]
    "a number as text": (lambda: Bleu(order="4"), "'order' of bleu must be a whole number from 1 to 100; got '4'"),  # type: ignore[arg-type]
    "no weights": (lambda: Bleu(weights=()), r"'weights' of bleu must be a tuple \(a number .*; got \(\)"),
    "no order that weighs": (
        lambda: Bleu(weights=(0.0, 0.0), effective=False),
        "'weights' of bleu must be at most 4 numbers, one above 0",
    ),
    "more weights than orders": (
        lambda: Bleu(order=2, weights=(0.5, 0.3, 0.2)),
        "'weights' of bleu must be at most 2 numbers, the first above 0",
    ),
    "a first weight of 0": (
        lambda: parse("bleu:weights=0/1"),
        "'weights' of bleu must be at most 4 numbers, the first",
    ),
    "the other order": (
        lambda: Chrf(word_order=-1),
        "'word_order' of chrf must be a whole number from 0 to 100; got -1",
    ),
    "a stemmer": (lambda: RougeL(stemmer="portr"), "'stemmer' of rouge-l must be none, porter or snowball-<language>"),
    "a language": (lambda: RougeL(stemmer="snowball-x"), "'stemmer' of rouge-l must be"),
    "an unknown option": (lambda: Bleu(ordr=3), "bleu has no option 'ordr'; did you mean order"),  # type: ignore[call-arg]
    "an ingredient": (
        lambda: RougeL(tokenizer=3),  # type: ignore[arg-type]
        "'tokenizer' of rouge-l must be a tokenizer, with signature and encode; got 3",
    ),
    "a class": (lambda: RougeL(tokenizer=Char), "'tokenizer' of rouge-l must be a tokenizer; got <class"),  # type: ignore[arg-type]
    "a spec's weight": (
        lambda: parse("bleu:weights=1/-.5/.5"),
        r"'weights' of bleu must be a number from 0 to 1000 \(several joined by '/'\) or none; got '1/-.5/.5'",
    ),
    "a spec's value": (lambda: parse("bleu:smooth_value=-1"), "'smooth_value' of bleu must be a number from 0 to 1000"),
    "a divisor of 0": (lambda: parse("bleu:smooth=method4,smooth_value=0"), "must be above 0 under smooth=method4"),
    "infinity": (lambda: parse("rouge-l:beta=inf"), "'beta' of rouge-l must be a number above 0 .*; got inf"),
    "what runs for ever": (lambda: parse("chrf:char_order=10000000"), "'char_order' of chrf must be a whole"),
    "an item twice": (lambda: Ndcg(gain=((1, 2), (1, 3))), "each grade once"),
    "an average": (lambda: RougeL(references="mean", average="pooled"), "'average' of rouge-l must be samples under"),
}


SUPPORTED = ["groundedness", "answer-correctness", "context-recall", "context-precision", "context-relevancy"]
BESIDE = {
    "support=matched,threshold=.5": "'threshold' of {} must be left out beside support",
    "matcher=m.py:f": r"{} has no option 'matcher'; write support=matched\[matcher=FILE.py:FUNCTION\]",
    "support=features,similarity=cosine": "{} has no option 'similarity'; write support=cosine or support=ngram-recall",
    "support=ngram-recall,embedder=static[path=x]": "'support' of {} must be cosine or auto with embedder=",
    "support=features,embedder=static[path=x]": "'support' of {} must be cosine or auto with embedder=",
}


@pytest.mark.parametrize("name", SUPPORTED)
@pytest.mark.parametrize("options", BESIDE)
def test_options_of_support_that_exclude_each_other(name: str, options: str) -> None:
    with pytest.raises(OptionError, match=BESIDE[options].format(name)):
        parse(f"{name}:{options}")


@pytest.mark.parametrize("name", BAD)
def test_an_option_is_refused_in_one_sentence(name: str) -> None:
    make, message = BAD[name]
    with pytest.raises(OptionError, match=message):
        make()


def test_the_text_of_an_ingredient_is_the_ingredient() -> None:
    assert RougeL(tokenizer="char") == RougeL(tokenizer=Char())
    assert Recall(k=5, matcher="edit[threshold=.9]") == parse("recall@5:matcher=edit[threshold=.9]")
    assert SemanticSimilarity(embedder="lexical") == SemanticSimilarity()
    assert Groundedness(support="matched[matcher=edit]").support == make_ingredient("support", "matched[matcher=edit]")
    with pytest.raises(UnknownNameError, match=pattern("metrics.unknown_tokenizer_chr_did_you_mean_char")):
        RougeL(tokenizer="chr")


def test_numbers_of_numpy_and_lists_are_taken_as_pythons_own() -> None:
    metric = Bleu(order=np.int64(2), weights=[np.float32(0.5), 1])  # type: ignore[arg-type]
    assert metric == Bleu(order=2, weights=(0.5, 1.0))
    assert type(metric.order) is int
    assert signature_of(metric) == signature_of(Bleu(order=2, weights=(0.5, 1)))


def test_a_changed_copy_is_checked_too() -> None:
    with pytest.raises(OptionError, match="'k' of ndcg"):
        dataclasses.replace(Ndcg(k=3), k=0)


class Lengths:
    """A tokenizer, an embedder and a matcher that nobody registered: every text is one token, a vector, equal."""

    signature = "lengths[revision=1]"

    def encode(self, texts: Any, other: Vocabulary | Role) -> Any:
        if isinstance(other, Vocabulary):
            return Ragged.from_lengths(other.codes(texts.to_pylist()), np.ones(len(texts), dtype=np.int64))
        return Angles(texts)

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        return np.ones(int((retrieved.lengths * references.lengths).sum()), dtype=bool)


class Angles:
    """Vectors whose cosine is 1 for texts of one length, else 0.5."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths = np.array([len(text) for text in texts])

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        return np.where(self.lengths[left] == self.lengths[right], 1.0, 0.5)


def test_an_ingredient_that_is_not_registered_is_known_by_its_signature() -> None:
    batch = Batch(pa.table({"id": ["a"], "answer": ["b c"], "references": [["b c", "x"]]}))
    metric = RougeL(tokenizer=Lengths())
    assert metric.score(metric.measure(batch).totals()) == 1.0
    assert str(metric) == 'rouge-l:tokenizer="lengths[revision=1]"'
    assert "|tokenizer=lengths[revision=1]|" in str(signature_of(metric))
    assert "matcher=lengths[revision=1]" in str(signature_of(Recall(matcher=Lengths())))
    assert "embedder=lengths[revision=1]" in str(signature_of(SemanticSimilarity(embedder=Lengths())))


@pytest.mark.parametrize("metric", [AnswerCorrectness, partial(JudgedAnswerCorrectness, judge=JUDGE)])
@pytest.mark.parametrize("weights", [(0.0, 0.0), (1.0,), (1.0, 1.0, 1.0)])
def test_weights_are_two_and_not_both_0(metric: Any, weights: tuple[float, ...]) -> None:
    with pytest.raises(OptionError, match=r"two numbers from 0 on, not both 0"):
        metric(weights=weights)
    assert metric(weights=(0.0, 1.0)).weights == (0.0, 1.0)


def test_a_degree_at_a_threshold_of_0_or_1_reaches_it() -> None:
    degrees = np.array([0.0, 0.5, 1.0])
    assert graded(degrees, 1.0).tolist() == [0.0, 0.0, 1.0]
    assert graded(degrees, 0.0).tolist() == [1.0, 1.0, 1.0]


def test_metrics_whose_bounds_count_answers_that_claim_nothing() -> None:
    """An answer without a claim may be right or wrong: the bounds of these metrics say so."""
    metrics = entries("metric").values()
    own = [entry for entry in metrics if not entry.alias_of and entry.cls.__module__.startswith("ragauge.")]
    assert {entry.name for entry in own if getattr(entry.cls, "bounds_undefined", False)} == {
        "citation-f1", "citation-precision", "citation-recall", "groundedness", "judged-citation-f1",
        "judged-citation-precision", "judged-citation-recall", "judged-faithfulness", "judged-groundedness-rating",
        "judged-noise-sensitivity",
    }  # fmt: skip
