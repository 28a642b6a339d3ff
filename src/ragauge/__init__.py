"""ragauge measures RAG systems and generated text: exact, offline, in any language.

Every public name is listed in ``__all__`` and imported when it is first used, so that ``import ragauge`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragauge._version import __version__

if TYPE_CHECKING:
    from ragauge.api import evaluate, score
    from ragauge.comparing.comparison import Comparison
    from ragauge.comparing.running import compare
    from ragauge.errors import DataError, NothingScoredError, RagaugeError, UsageError
    from ragauge.evaluator import Evaluator
    from ragauge.functional import metric
    from ragauge.gating.deciding import gate
    from ragauge.gating.gated import Gate
    from ragauge.protocol import Metric
    from ragauge.registry import parse, register
    from ragauge.reporting.making import report
    from ragauge.result import Result
    from ragauge.sample import Sample
    from ragauge.saved import load
    from ragauge.scored import Score
    from ragauge.validating.running import validate
    from ragauge.validating.validation import Validation

_HOMES = {
    "Comparison": "ragauge.comparing.comparison",
    "DataError": "ragauge.errors",
    "Evaluator": "ragauge.evaluator",
    "Gate": "ragauge.gating.gated",
    "Metric": "ragauge.protocol",
    "NothingScoredError": "ragauge.errors",
    "RagaugeError": "ragauge.errors",
    "Result": "ragauge.result",
    "Sample": "ragauge.sample",
    "Score": "ragauge.scored",
    "UsageError": "ragauge.errors",
    "Validation": "ragauge.validating.validation",
    "compare": "ragauge.comparing.running",
    "evaluate": "ragauge.api",
    "gate": "ragauge.gating.deciding",
    "load": "ragauge.saved",
    "metric": "ragauge.functional",
    "parse": "ragauge.registry",
    "register": "ragauge.registry",
    "report": "ragauge.reporting.making",
    "score": "ragauge.api",
    "validate": "ragauge.validating.running",
}

# Packages to use by name, as in ragauge.tokenizers.get("zh").
_PACKAGES = frozenset(
    {"embedders", "formats", "matchers", "metrics", "notebooks", "sentences", "tokenizers", "verdicts"}
)

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
