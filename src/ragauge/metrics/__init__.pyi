# Written by `python -m tests.new`.
from ragauge.metrics.column import Column
from ragauge.metrics.function import FunctionMetric
from ragauge.metrics.judged.judged_answer_correctness import JudgedAnswerCorrectness
from ragauge.metrics.judged.judged_answer_rating import JudgedAnswerRating
from ragauge.metrics.judged.judged_answer_relevancy import JudgedAnswerRelevancy
from ragauge.metrics.judged.judged_citation_recall import JudgedCitationRecall
from ragauge.metrics.judged.judged_context_entity_recall import JudgedContextEntityRecall
from ragauge.metrics.judged.judged_context_precision import JudgedContextPrecision
from ragauge.metrics.judged.judged_context_rating import JudgedContextRating
from ragauge.metrics.judged.judged_context_recall import JudgedContextRecall
from ragauge.metrics.judged.judged_context_relevancy import JudgedContextRelevancy
from ragauge.metrics.judged.judged_context_utilization import JudgedContextUtilization
from ragauge.metrics.judged.judged_factual_correctness import JudgedFactualCorrectness
from ragauge.metrics.judged.judged_faithfulness import JudgedFaithfulness
from ragauge.metrics.judged.judged_groundedness_rating import JudgedGroundednessRating
from ragauge.metrics.judged.judged_noise_sensitivity import JudgedNoiseSensitivity
from ragauge.metrics.judged.judged_nugget_all import JudgedNuggetAll
from ragauge.metrics.judged.judged_passage_relevance import JudgedPassageRelevance
from ragauge.metrics.judged.judged_preference import JudgedPreference
from ragauge.metrics.judged.judged_rubric import JudgedRubric
from ragauge.metrics.rag.abstention import Abstention
from ragauge.metrics.rag.abstention_accuracy import AbstentionAccuracy
from ragauge.metrics.rag.abstention_f1 import AbstentionF1
from ragauge.metrics.rag.answer_correctness import AnswerCorrectness
from ragauge.metrics.rag.answer_language import AnswerLanguage
from ragauge.metrics.rag.answer_relevancy import AnswerRelevancy
from ragauge.metrics.rag.bertscore import BertScore
from ragauge.metrics.rag.citation_f1 import CitationF1
from ragauge.metrics.rag.citation_precision import CitationPrecision
from ragauge.metrics.rag.citation_recall import CitationRecall
from ragauge.metrics.rag.context_precision import ContextPrecision
from ragauge.metrics.rag.context_recall import ContextRecall
from ragauge.metrics.rag.context_relevancy import ContextRelevancy
from ragauge.metrics.rag.context_utilization import ContextUtilization
from ragauge.metrics.rag.groundedness import Groundedness
from ragauge.metrics.rag.nugget_all import NuggetAll
from ragauge.metrics.rag.semantic_similarity import SemanticSimilarity
from ragauge.metrics.rag.tool_call_f1 import ToolCallF1
from ragauge.metrics.retrieval.alpha_ndcg import AlphaNdcg
from ragauge.metrics.retrieval.bpref import Bpref
from ragauge.metrics.retrieval.cg import Cg
from ragauge.metrics.retrieval.dcg import Dcg
from ragauge.metrics.retrieval.err import Err
from ragauge.metrics.retrieval.err_ia import ErrIa
from ragauge.metrics.retrieval.f1 import F1
from ragauge.metrics.retrieval.gm_map import GmMap
from ragauge.metrics.retrieval.hit_rate import HitRate
from ragauge.metrics.retrieval.idcg import Idcg
from ragauge.metrics.retrieval.infap import InfAp
from ragauge.metrics.retrieval.iprec import Iprec
from ragauge.metrics.retrieval.judged import Judged
from ragauge.metrics.retrieval.map import Map
from ragauge.metrics.retrieval.mrr import Mrr
from ragauge.metrics.retrieval.ndcg import Ndcg
from ragauge.metrics.retrieval.nerr import Nerr
from ragauge.metrics.retrieval.precision import Precision
from ragauge.metrics.retrieval.r_precision import RPrecision
from ragauge.metrics.retrieval.rbp import Rbp
from ragauge.metrics.retrieval.rbp_residual import RbpResidual
from ragauge.metrics.retrieval.recall import Recall
from ragauge.metrics.retrieval.span_iou import SpanIou
from ragauge.metrics.retrieval.st_recall import StRecall
from ragauge.metrics.text.bleu import Bleu
from ragauge.metrics.text.cer import Cer
from ragauge.metrics.text.chrf import Chrf
from ragauge.metrics.text.comet import Comet
from ragauge.metrics.text.compression_ratio import CompressionRatio
from ragauge.metrics.text.contains_answer import ContainsAnswer
from ragauge.metrics.text.distinct_n import DistinctN
from ragauge.metrics.text.edit_similarity import EditSimilarity
from ragauge.metrics.text.exact_match import ExactMatch
from ragauge.metrics.text.extractive_coverage import ExtractiveCoverage
from ragauge.metrics.text.extractive_density import ExtractiveDensity
from ragauge.metrics.text.gleu import Gleu
from ragauge.metrics.text.json_match import JsonMatch
from ragauge.metrics.text.length_ratio import LengthRatio
from ragauge.metrics.text.mer import Mer
from ragauge.metrics.text.meteor import Meteor
from ragauge.metrics.text.rouge_l import RougeL
from ragauge.metrics.text.rouge_lsum import RougeLsum
from ragauge.metrics.text.rouge_n import RougeN
from ragauge.metrics.text.ter import Ter
from ragauge.metrics.text.token_f1 import TokenF1
from ragauge.metrics.text.wer import Wer
from ragauge.metrics.text.wil import Wil

__all__ = [
    "F1", "Abstention", "AbstentionAccuracy", "AbstentionF1", "AlphaNdcg", "AnswerCorrectness", "AnswerLanguage",
    "AnswerRelevancy", "BertScore", "Bleu", "Bpref", "Cer", "Cg", "Chrf", "CitationF1", "CitationPrecision",
    "CitationRecall", "Column", "Comet", "CompressionRatio", "ContainsAnswer", "ContextPrecision", "ContextRecall",
    "ContextRelevancy", "ContextUtilization", "Dcg", "DistinctN", "EditSimilarity", "Err", "ErrIa", "ExactMatch",
    "ExtractiveCoverage", "ExtractiveDensity", "FunctionMetric", "Gleu", "GmMap", "Groundedness", "HitRate", "Idcg",
    "InfAp", "Iprec", "JsonMatch", "Judged", "JudgedAnswerCorrectness", "JudgedAnswerRating", "JudgedAnswerRelevancy",
    "JudgedCitationRecall", "JudgedContextEntityRecall", "JudgedContextPrecision", "JudgedContextRating",
    "JudgedContextRecall", "JudgedContextRelevancy", "JudgedContextUtilization", "JudgedFactualCorrectness",
    "JudgedFaithfulness", "JudgedGroundednessRating", "JudgedNoiseSensitivity", "JudgedNuggetAll",
    "JudgedPassageRelevance", "JudgedPreference", "JudgedRubric", "LengthRatio", "Map", "Mer", "Meteor", "Mrr", "Ndcg",
    "Nerr", "NuggetAll", "Precision", "RPrecision", "Rbp", "RbpResidual", "Recall", "RougeL", "RougeLsum", "RougeN",
    "SemanticSimilarity", "SpanIou", "StRecall", "Ter", "TokenF1", "ToolCallF1", "Wer", "Wil",
]  # fmt: skip
