"""ragauge measures RAG systems and generated text: exact, offline, in any language.

Every public name is in ``__all__``, and imported when it is first used, so that ``import ragauge`` is quick. Type
checkers read ``__init__.pyi``, which ``python -m tests.new`` writes.
"""

from __future__ import annotations

from ragauge._version import __version__ as __version__
from ragauge.core.lazy import lazy_names

_HOMES = {
    "ragauge.comparison.compare": "compare",
    "ragauge.comparison.comparison": "Comparison",
    "ragauge.comparison.history": "history",
    "ragauge.comparison.past_runs": "History",
    "ragauge.comparison.repeats": "Repeats repeats",
    "ragauge.comparison.risk_coverage": "RiskCoverage risk_coverage",
    "ragauge.core.batch": "Batch Dataset",
    "ragauge.core.ingredients": "Embedder Judge Matcher RelevanceModel Role SupportModel Tokenizer Vectors Vocabulary",
    "ragauge.core.protocol": "Average Detailed Direction Explained Metric Needs Noted Stage evidence",
    "ragauge.core.ragged": "Ragged",
    "ragauge.core.registry": "ingredient register",
    "ragauge.core.sample": "Sample",
    "ragauge.core.statistics": "Rows Statistics Status Totals",
    "ragauge.core.texts": "Segments TextVectors",
    "ragauge.embedders.dense": "DenseVectors",
    "ragauge.errors": "ColumnError DataError MissingExtraError NothingScoredError OptionError "
    "RagaugeError UnknownNameError UsageError",
    "ragauge.engines.evaluate": "evaluate score",
    "ragauge.evaluation.evaluator": "Evaluator",
    "ragauge.evaluation.exclude": "exclude",
    "ragauge.evaluation.partial": "Partial",
    "ragauge.evaluation.summarize": "Inference",
    "ragauge.formats.file_formats": "register_format",
    "ragauge.gates.check": "gate",
    "ragauge.gates.gate": "Gate",
    "ragauge.grounding": "matchers relevance support",
    "ragauge.metrics.function": "metric",
    "ragauge.metrics.parse": "parse",
    "ragauge.reports.report": "report",
    "ragauge.results.result": "Result load",
    "ragauge.results.score": "Score",
    "ragauge.systems.http": "HttpSystem",
    "ragauge.validation.judgements": "JudgementComparison judgements",
    "ragauge.validation.validate": "validate",
    "ragauge.validation.validation": "Validation",
    "ragauge.writers.writer": "FinishedRun Writer Written export",
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


__all__ = tuple(sorted(["__version__", *" ".join(_HOMES.values()).split(), *_SUBPACKAGES]))
__getattr__ = lazy_names(__name__, _HOMES, _SUBPACKAGES)


def __dir__() -> tuple[str, ...]:
    return __all__
