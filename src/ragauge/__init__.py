"""ragauge measures RAG systems and generated text: exact, offline, in any language.

Every public name is in ``__all__``, and imported when it is first used, so that ``import ragauge`` is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragauge._version import __version__
from ragauge.core.lazy import lazy_names

if TYPE_CHECKING:
    from ragauge import (
        embedders,
        formats,
        judges,
        metrics,
        sentences,
        testsets,
        tokenizers,
    )
    from ragauge.comparison.compare import compare
    from ragauge.comparison.comparison import Comparison
    from ragauge.comparison.history import history
    from ragauge.comparison.past_runs import History
    from ragauge.core.batch import Batch, Dataset
    from ragauge.core.evidence import evidence
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
    from ragauge.core.protocol import Average, Detailed, Direction, Explained, Metric, Needs, Noted, Stage
    from ragauge.core.ragged import Ragged
    from ragauge.core.registry import ingredient, parse, register
    from ragauge.core.sample import Sample
    from ragauge.core.statistics import Rows, Statistics, Status, Totals
    from ragauge.core.texts import Segments, TextVectors
    from ragauge.embedders.dense import DenseVectors
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
    from ragauge.evaluation.evaluate import evaluate, score
    from ragauge.evaluation.evaluator import Evaluator
    from ragauge.evaluation.partial import Partial
    from ragauge.evaluation.summarize import Inference
    from ragauge.formats.file_formats import register_format
    from ragauge.gates.check import gate
    from ragauge.gates.gate import Gate
    from ragauge.grounding import matchers, relevance, support
    from ragauge.metrics.function import metric
    from ragauge.reports.report import report
    from ragauge.results.result import Result, load
    from ragauge.results.score import Score
    from ragauge.validation.validate import validate
    from ragauge.validation.validation import Validation
    from ragauge.writers.export import export
    from ragauge.writers.writer import FinishedRun, Writer, Written

__all__ = [
    "Average", "Batch", "ColumnError", "Comparison", "DataError", "Dataset", "DenseVectors", "Detailed", "Direction",
    "Embedder", "Evaluator", "Explained", "FinishedRun", "Gate", "History", "Inference", "Judge", "Matcher", "Metric",
    "MissingExtraError", "Needs", "Noted", "NothingScoredError", "OptionError", "Partial", "RagaugeError", "Ragged",
    "RelevanceModel", "Result", "Role", "Rows", "Sample", "Score", "Segments", "Stage", "Statistics", "Status",
    "SupportModel", "TextVectors", "Tokenizer", "Totals", "UnknownNameError", "UsageError", "Validation", "Vectors",
    "Vocabulary", "Writer", "Written", "__version__", "compare", "embedders", "evaluate", "evidence", "export",
    "formats", "gate", "history", "ingredient", "judges", "load", "matchers", "metric", "metrics", "parse",
    "register", "register_format", "relevance", "report", "score", "sentences", "support", "testsets", "tokenizers",
    "validate",
]  # fmt: skip

_HOMES = {
    "ragauge.comparison.compare": "compare",
    "ragauge.comparison.comparison": "Comparison",
    "ragauge.comparison.history": "history",
    "ragauge.comparison.past_runs": "History",
    "ragauge.core.batch": "Batch Dataset",
    "ragauge.core.evidence": "evidence",
    "ragauge.core.ingredients": "Embedder Judge Matcher RelevanceModel Role SupportModel Tokenizer Vectors Vocabulary",
    "ragauge.core.protocol": "Average Detailed Direction Explained Metric Needs Noted Stage",
    "ragauge.core.ragged": "Ragged",
    "ragauge.core.registry": "ingredient parse register",
    "ragauge.core.sample": "Sample",
    "ragauge.core.statistics": "Rows Statistics Status Totals",
    "ragauge.core.texts": "Segments TextVectors",
    "ragauge.embedders.dense": "DenseVectors",
    "ragauge.errors": "ColumnError DataError MissingExtraError NothingScoredError OptionError "
    "RagaugeError UnknownNameError UsageError",
    "ragauge.evaluation.evaluate": "evaluate score",
    "ragauge.evaluation.evaluator": "Evaluator",
    "ragauge.evaluation.partial": "Partial",
    "ragauge.evaluation.summarize": "Inference",
    "ragauge.formats.file_formats": "register_format",
    "ragauge.gates.check": "gate",
    "ragauge.gates.gate": "Gate",
    "ragauge.grounding": "matchers relevance support",
    "ragauge.metrics.function": "metric",
    "ragauge.reports.report": "report",
    "ragauge.results.result": "Result load",
    "ragauge.results.score": "Score",
    "ragauge.validation.validate": "validate",
    "ragauge.validation.validation": "Validation",
    "ragauge.writers.export": "export",
    "ragauge.writers.writer": "FinishedRun Writer Written",
}
_SUBPACKAGES = (
    "embedders",
    "formats",
    "judges",
    "metrics",
    "sentences",
    "testsets",
    "tokenizers",
)

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _HOMES, _SUBPACKAGES)


def __dir__() -> list[str]:
    return __all__
