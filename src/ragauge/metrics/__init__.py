"""Metrics by what they compare: ``from ragauge.metrics import Bleu, Ndcg``, imported when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragauge.core.lazy import lazy_names

if TYPE_CHECKING:
    from ragauge.metrics.column import Column
    from ragauge.metrics.function import FunctionMetric
    from ragauge.metrics.rag.answer_correctness import AnswerCorrectness
    from ragauge.metrics.rag.answer_relevancy import AnswerRelevancy
    from ragauge.metrics.rag.bertscore import BertScore
    from ragauge.metrics.rag.context_precision import ContextPrecision
    from ragauge.metrics.rag.context_recall import ContextRecall
    from ragauge.metrics.rag.context_relevancy import ContextRelevancy
    from ragauge.metrics.rag.context_utilization import ContextUtilization
    from ragauge.metrics.rag.groundedness import Groundedness
    from ragauge.metrics.rag.semantic_similarity import SemanticSimilarity
    from ragauge.metrics.retrieval.bpref import Bpref
    from ragauge.metrics.retrieval.dcg import Dcg
    from ragauge.metrics.retrieval.err import Err
    from ragauge.metrics.retrieval.f1 import F1
    from ragauge.metrics.retrieval.hit_rate import HitRate
    from ragauge.metrics.retrieval.idcg import Idcg
    from ragauge.metrics.retrieval.iprec import Iprec
    from ragauge.metrics.retrieval.judged import Judged
    from ragauge.metrics.retrieval.map import Map
    from ragauge.metrics.retrieval.mrr import Mrr
    from ragauge.metrics.retrieval.ndcg import Ndcg
    from ragauge.metrics.retrieval.precision import Precision
    from ragauge.metrics.retrieval.r_precision import RPrecision
    from ragauge.metrics.retrieval.rbp import Rbp
    from ragauge.metrics.retrieval.recall import Recall
    from ragauge.metrics.text.bleu import Bleu
    from ragauge.metrics.text.chrf import Chrf
    from ragauge.metrics.text.edit_similarity import EditSimilarity
    from ragauge.metrics.text.exact_match import ExactMatch
    from ragauge.metrics.text.meteor import Meteor
    from ragauge.metrics.text.rouge_l import RougeL
    from ragauge.metrics.text.rouge_lsum import RougeLsum
    from ragauge.metrics.text.rouge_n import RougeN
    from ragauge.metrics.text.token_f1 import TokenF1

__all__ = [
    "F1",
    "AnswerCorrectness",
    "AnswerRelevancy",
    "BertScore",
    "Bleu",
    "Bpref",
    "Chrf",
    "Column",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevancy",
    "ContextUtilization",
    "Dcg",
    "EditSimilarity",
    "Err",
    "ExactMatch",
    "FunctionMetric",
    "Groundedness",
    "HitRate",
    "Idcg",
    "Iprec",
    "Judged",
    "Map",
    "Meteor",
    "Mrr",
    "Ndcg",
    "Precision",
    "RPrecision",
    "Rbp",
    "Recall",
    "RougeL",
    "RougeLsum",
    "RougeN",
    "SemanticSimilarity",
    "TokenF1",
]

_HOMES = {
    "ragauge.metrics.column": ("Column",),
    "ragauge.metrics.function": ("FunctionMetric",),
    "ragauge.metrics.rag.answer_correctness": ("AnswerCorrectness",),
    "ragauge.metrics.rag.answer_relevancy": ("AnswerRelevancy",),
    "ragauge.metrics.rag.bertscore": ("BertScore",),
    "ragauge.metrics.rag.context_precision": ("ContextPrecision",),
    "ragauge.metrics.rag.context_recall": ("ContextRecall",),
    "ragauge.metrics.rag.context_relevancy": ("ContextRelevancy",),
    "ragauge.metrics.rag.context_utilization": ("ContextUtilization",),
    "ragauge.metrics.rag.groundedness": ("Groundedness",),
    "ragauge.metrics.rag.semantic_similarity": ("SemanticSimilarity",),
    "ragauge.metrics.retrieval.bpref": ("Bpref",),
    "ragauge.metrics.retrieval.dcg": ("Dcg",),
    "ragauge.metrics.retrieval.err": ("Err",),
    "ragauge.metrics.retrieval.f1": ("F1",),
    "ragauge.metrics.retrieval.hit_rate": ("HitRate",),
    "ragauge.metrics.retrieval.idcg": ("Idcg",),
    "ragauge.metrics.retrieval.iprec": ("Iprec",),
    "ragauge.metrics.retrieval.judged": ("Judged",),
    "ragauge.metrics.retrieval.map": ("Map",),
    "ragauge.metrics.retrieval.mrr": ("Mrr",),
    "ragauge.metrics.retrieval.ndcg": ("Ndcg",),
    "ragauge.metrics.retrieval.precision": ("Precision",),
    "ragauge.metrics.retrieval.r_precision": ("RPrecision",),
    "ragauge.metrics.retrieval.rbp": ("Rbp",),
    "ragauge.metrics.retrieval.recall": ("Recall",),
    "ragauge.metrics.text.bleu": ("Bleu",),
    "ragauge.metrics.text.chrf": ("Chrf",),
    "ragauge.metrics.text.edit_similarity": ("EditSimilarity",),
    "ragauge.metrics.text.exact_match": ("ExactMatch",),
    "ragauge.metrics.text.meteor": ("Meteor",),
    "ragauge.metrics.text.rouge_l": ("RougeL",),
    "ragauge.metrics.text.rouge_lsum": ("RougeLsum",),
    "ragauge.metrics.text.rouge_n": ("RougeN",),
    "ragauge.metrics.text.token_f1": ("TokenF1",),
}

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
