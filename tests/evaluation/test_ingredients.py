"""An embedder, a model of support or relevance, and a matcher for all metrics that take one and name none."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.grounding.relevance.lexical import LexicalRelevance
from ragauge.grounding.support.matched import Matched
from ragauge.metrics import ContextRelevancy, Groundedness, SemanticSimilarity

ROWS = [
    {
        "question": "Who founded the tea house?",
        "answer": "Lin Wan founded it.",
        "contexts": ["Lin Wan founded the tea house in 1974.", "Es regnet."],
        "references": ["Lin Wan."],
        "reference_contexts": ["Lin Wan founded the tea house in 1974!"],
    },
    {
        "question": "谁创办了茶馆？",
        "answer": "林婉创办了它。",
        "contexts": ["Lin Wan founded the tea house.", "下雨了。"],
        "references": ["林婉。"],
        "reference_contexts": ["Lin Wan founded the tea house."],
    },
]
ALL = ("groundedness", "semantic-similarity", "context-relevancy", "answer-relevancy", "answer-correctness", "mrr")


def evaluated(*metrics: Any, **options: Any) -> ragauge.Result:
    return ragauge.evaluate(ROWS, list(metrics) or None, resamples=0, **options)


@pytest.mark.parametrize("embedder", ["use", "blend", "blend[parts=lexical:.5/use:.5]"])
@pytest.mark.costly
def test_it_is_the_same_as_in_each_spec(embedder: str) -> None:
    once = evaluated(*ALL, embedder=embedder, matcher="exact")
    each = evaluated(*[f"{name}:embedder={embedder}" for name in ALL[:-1]], "mrr:matcher=exact")
    assert list(once.columns) == list(ALL)
    for one, other in zip(once.table, each.table, strict=True):
        assert (one.value, one.signature) == (other.value, other.signature)
    assert not once.data.notes


def test_what_a_metric_names_itself_stays() -> None:
    specs = ["semantic-similarity:embedder=lexical", "context-recall:support=matched[matcher=exact]", "groundedness"]
    result = evaluated(*specs, embedder="use", support="matched")
    plain = evaluated(*specs[:2], "groundedness:support=matched")
    assert [score.signature for score in result.table[1:]] == [score.signature for score in plain.table[1:]]
    assert "embedder=lexical" in result.table[0].signature


@pytest.mark.parametrize("metric", [SemanticSimilarity, SemanticSimilarity(), "semantic-similarity"])
def test_objects_and_classes_take_it_too(metric: Any) -> None:
    [score] = evaluated(metric, embedder=ragauge.embedders.get("use")).table
    [named] = evaluated("semantic-similarity:embedder=use").table
    assert (score.value, score.signature) == (named.value, named.signature)
    kept = evaluated(SemanticSimilarity(embedder="blend"), SemanticSimilarity(), embedder="use")
    assert [score.signature.count("blend") for score in kept.table] == [1, 0]
    by_name = ragauge.evaluate(
        ROWS, {"a": "semantic-similarity", "b": SemanticSimilarity()}, embedder="use", resamples=0
    )
    assert by_name.table[0].signature == by_name.table[1].signature == named.signature


def test_default_metrics_take_it() -> None:
    result = evaluated(embedder="blend")
    by_name = {score.metric: score for score in result.table}
    assert "embedder=blend[" in by_name["context-precision"].signature
    assert "blend" not in by_name["token-f1"].signature
    result = evaluated(preset="generation", embedder="blend")
    unused = (
        "embedder='blend' has no effect: no metric here has the option embedder; those that have: answer-correctness,"
    )
    assert any(note.startswith(unused) for note in result.data.notes)


@pytest.mark.parametrize(
    ("metrics", "options", "says"),
    [
        (["mrr"], {"embedder": "use"}, "embedder='use' has no effect: no metric here has the option embedder; those"),
        (["mrr:matcher=exact"], {"matcher": "edit"}, "matcher='edit' has no effect: each metric names its own matcher"),
        (["semantic-similarity"], {"support": "matched"}, "support='matched' has no effect: no metric"),
        (
            ["groundedness"],
            {"relevance": "lexical"},
            "relevance='lexical' has no effect: no metric here has the option",
        ),
        (
            ["context-relevancy:relevance=lexical"],
            {"relevance": "lexical[weight=0.25]"},
            "has no effect: each metric names its own relevance",
        ),
        (
            ["context-precision", "context-relevancy:to=answer"],
            {"relevance": "lexical"},
            "has no effect: with their other options the metrics here do not use relevance; leave it out",
        ),
        (
            ["faithfulness"],
            {"judge": "chat[url=http://localhost:1,model=m]"},
            "has no effect: no metric here asks a language model; judged-faithfulness does; leave it out",
        ),
        (
            ["context_recall", "mrr", "answer-relevancy"],
            {"judge": "chat[url=http://localhost:1,model=m]"},
            "has no effect: no metric here asks a language model; judged-context-recall and judged-answer-relevancy do",
        ),
        (
            ["mrr"],
            {"judge": "chat[url=http://localhost:1,model=m]"},
            "has no effect: no metric here asks a language model; those named judged-... do; leave it out",
        ),
        (["groundedness:threshold=0.5"], {"support": "matched"}, "option 'threshold'"),
        (["groundedness:support=ngram-recall"], {"embedder": "use"}, "option 'support'"),
    ],
)
def test_what_no_metric_takes_is_an_error(metrics: Any, options: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        evaluated(*metrics, **options)


def test_what_is_no_ingredient() -> None:
    with pytest.raises(UnknownNameError, match="unknown embedder 'uze'; did you mean use"):
        evaluated("groundedness", embedder="uze")
    for wrong in (5, Matched(), Groundedness):
        with pytest.raises(OptionError, match="option 'embedder' of groundedness must be an embedder"):
            evaluated("groundedness", embedder=wrong)
    with pytest.raises(UnknownNameError, match="unknown support 'nly'; did you mean nli"):
        evaluated("groundedness", support="nly")
    with pytest.raises(UnknownNameError, match="unknown relevance 'lexicle'; did you mean lexical"):
        evaluated("context-relevancy", relevance="lexicle")
    with pytest.raises(OptionError, match="option 'relevance' of context-relevancy must be"):
        evaluated("context-relevancy", relevance=Matched())


def test_a_support_model_leaves_relevance_to_a_question_alone() -> None:
    metrics = ["groundedness", "context-relevancy", "context-relevancy:to=answer"]
    result = evaluated(*metrics, support="matched")
    identities = {name: str(result[name].signature) for name in metrics}
    assert "support=matched" in identities["groundedness"]
    assert "relevance=lexical[" in identities["context-relevancy"]
    assert "support=matched" in identities["context-relevancy:to=answer"]


@pytest.mark.parametrize("relevance", ["lexical[weight=0.25]", LexicalRelevance(weight=0.25), "none"])
def test_a_relevance_model_is_for_metrics_that_ask_for_relevance(relevance: Any) -> None:
    asking = ["context-relevancy"] if relevance == "none" else ["context-relevancy", "context-precision:to=question"]
    others = ["context-relevancy:to=answer", "context-precision", "groundedness"]
    once = evaluated(*asking, *others, relevance=relevance)
    each = evaluated(*[f"{name}{',' if ':' in name else ':'}relevance={relevance}" for name in asking], *others)
    for one, other in zip(once.table, each.table, strict=True):
        assert (one.value, one.signature) == (other.value, other.signature)


def test_objects_take_a_relevance_model_where_they_ask_for_relevance() -> None:
    metrics = {"a": ContextRelevancy(), "b": ContextRelevancy(to="answer"), "c": ContextRelevancy(relevance=None)}
    result = ragauge.evaluate(ROWS, metrics, relevance=LexicalRelevance(weight=0.25), support="matched", resamples=0)
    signatures = [str(result[name].signature) for name in metrics]
    assert ["weight=0.25" in one for one in signatures] == [True, False, False]
    assert ["support=matched" in one for one in signatures] == [False, True, True]


def cut(text: str) -> list[str]:
    return text.split("|")


@pytest.mark.parametrize("tokenizer", ["char", cut])
def test_a_tokenizer_is_for_metrics_that_name_none(tokenizer: Any) -> None:
    rows = [{"answer": "茶|馆", "references": ["茶|馆|九点"]}]
    named = {"tokenizer": tokenizer, "resamples": 0}
    result = ragauge.evaluate(rows, ["rouge-1", "token-f1", "rouge-l:tokenizer=zh", "chrf"], **named)
    name = tokenizer if isinstance(tokenizer, str) else "function[name=tests.evaluation.test_ingredients:cut"
    assert [f"|tokenizer={name}" in str(score.signature) for score in result.table] == [True, True, False, False]
    if tokenizer is cut:
        assert [score.value for score in result.table[:2]] == [pytest.approx(0.8), pytest.approx(0.8)]
    with pytest.raises(UsageError, match="no metric here has the option tokenizer"):
        ragauge.evaluate(rows, "exact-match", **named)
