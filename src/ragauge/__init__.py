"""ragauge measures RAG systems and generated text: exact, offline, in any language.

Every public name is listed in ``__all__`` and imported when it is first used, so that ``import ragauge`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragauge._version import __version__

if TYPE_CHECKING:
    from ragauge.comparison.compare import compare
    from ragauge.comparison.comparison import Comparison
    from ragauge.core.protocol import Metric
    from ragauge.core.registry import parse, register
    from ragauge.core.sample import Sample
    from ragauge.errors import DataError, NothingScoredError, RagaugeError, UsageError
    from ragauge.evaluation.evaluate import evaluate, score
    from ragauge.evaluation.evaluator import Evaluator
    from ragauge.gates.check import gate
    from ragauge.gates.gate import Gate
    from ragauge.metrics.function import metric
    from ragauge.reports.report import report
    from ragauge.results.result import Result
    from ragauge.results.score import Score
    from ragauge.results.storage import load
    from ragauge.validation.validate import validate
    from ragauge.validation.validation import Validation

_HOMES = {
    "Comparison": "ragauge.comparison.comparison",
    "DataError": "ragauge.errors",
    "Evaluator": "ragauge.evaluation.evaluator",
    "Gate": "ragauge.gates.gate",
    "Metric": "ragauge.core.protocol",
    "NothingScoredError": "ragauge.errors",
    "RagaugeError": "ragauge.errors",
    "Result": "ragauge.results.result",
    "Sample": "ragauge.core.sample",
    "Score": "ragauge.results.score",
    "UsageError": "ragauge.errors",
    "Validation": "ragauge.validation.validation",
    "compare": "ragauge.comparison.compare",
    "evaluate": "ragauge.evaluation.evaluate",
    "gate": "ragauge.gates.check",
    "load": "ragauge.results.storage",
    "metric": "ragauge.metrics.function",
    "parse": "ragauge.core.registry",
    "register": "ragauge.core.registry",
    "report": "ragauge.reports.report",
    "score": "ragauge.evaluation.evaluate",
    "validate": "ragauge.validation.validate",
}

# Packages to use by name, as in ragauge.tokenizers.get("zh").
_PACKAGES = frozenset({"embedders", "formats", "matchers", "metrics", "sentences", "support", "tokenizers"})

__all__ = [
    "Comparison",
    "DataError",
    "Evaluator",
    "Gate",
    "Metric",
    "NothingScoredError",
    "RagaugeError",
    "Result",
    "Sample",
    "Score",
    "UsageError",
    "Validation",
    "__version__",
    "compare",
    "evaluate",
    "gate",
    "load",
    "metric",
    "parse",
    "register",
    "report",
    "score",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"ragauge.{name}")
    if name not in _HOMES:
        message = f"module 'ragauge' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
