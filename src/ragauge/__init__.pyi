# Written by `python -m tests.new`.
from ragauge import embedders, formats, judges, metrics, sentences, testsets, tokenizers
from ragauge._version import __version__
from ragauge.comparison.compare import compare
from ragauge.comparison.comparison import Comparison
from ragauge.comparison.history import history
from ragauge.comparison.past_runs import History
from ragauge.comparison.repeats import Repeats, repeats
from ragauge.comparison.risk_coverage import RiskCoverage, risk_coverage
from ragauge.core.batch import Batch, Dataset
from ragauge.core.ingredients import (
    Embedder,
    Judge,
    Matcher,
    RelevanceModel,
    Role,
    SupportModel,
    Tokenizer,
    Vectors,
    Vocabulary,
)
from ragauge.core.protocol import Average, Detailed, Direction, Explained, Metric, Needs, Noted, Stage, evidence
from ragauge.core.ragged import Ragged
from ragauge.core.registry import ingredient, register
from ragauge.core.sample import Sample
from ragauge.core.statistics import Rows, Statistics, Status, Totals
from ragauge.core.texts import Segments, TextVectors
from ragauge.embedders.dense import DenseVectors
from ragauge.engines.evaluate import evaluate, score
from ragauge.errors import (
    ColumnError,
    DataError,
    MissingExtraError,
    NothingScoredError,
    OptionError,
    RagaugeError,
    UnknownNameError,
    UsageError,
)
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.exclude import exclude
from ragauge.evaluation.partial import Partial
from ragauge.evaluation.summarize import Inference
from ragauge.formats.file_formats import register_format
from ragauge.gates.check import gate
from ragauge.gates.gate import Gate
from ragauge.grounding import matchers, relevance, support
from ragauge.metrics.function import metric
from ragauge.metrics.parse import parse
from ragauge.reports.report import report
from ragauge.results.result import Result, load
from ragauge.results.score import Score
from ragauge.systems.http import HttpSystem
from ragauge.validation.judgements import JudgementComparison, judgements
from ragauge.validation.validate import validate
from ragauge.validation.validation import Validation
from ragauge.writers.writer import FinishedRun, Writer, Written, export

__all__ = [
    "Average", "Batch", "ColumnError", "Comparison", "DataError", "Dataset", "DenseVectors", "Detailed", "Direction",
    "Embedder", "Evaluator", "Explained", "FinishedRun", "Gate", "History", "HttpSystem", "Inference", "Judge",
    "JudgementComparison", "Matcher", "Metric", "MissingExtraError", "Needs", "Noted", "NothingScoredError",
    "OptionError", "Partial", "RagaugeError", "Ragged", "RelevanceModel", "Repeats", "Result", "RiskCoverage", "Role",
    "Rows", "Sample", "Score", "Segments", "Stage", "Statistics", "Status", "SupportModel", "TextVectors", "Tokenizer",
    "Totals", "UnknownNameError", "UsageError", "Validation", "Vectors", "Vocabulary", "Writer", "Written",
    "__version__", "compare", "embedders", "evaluate", "evidence", "exclude", "export", "formats", "gate", "history",
    "ingredient", "judgements", "judges", "load", "matchers", "metric", "metrics", "parse", "register",
    "register_format", "relevance", "repeats", "report", "risk_coverage", "score", "sentences", "support", "testsets",
    "tokenizers", "validate",
]  # fmt: skip
