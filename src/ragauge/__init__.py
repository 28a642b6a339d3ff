"""ragauge measures RAG systems and generated text: exact, offline, in any language.

Every public name is listed in ``__all__`` and imported when it is first used, so that ``import ragauge`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ragauge._version import __version__

if TYPE_CHECKING:
    from ragauge.errors import DataError, NothingScoredError, RagaugeError, UsageError
    from ragauge.metric import Metric
    from ragauge.registry import parse
    from ragauge.sample import Sample

_HOMES = {
    "DataError": "ragauge.errors",
    "Metric": "ragauge.metric",
    "NothingScoredError": "ragauge.errors",
    "RagaugeError": "ragauge.errors",
    "Sample": "ragauge.sample",
    "UsageError": "ragauge.errors",
    "parse": "ragauge.registry",
}

__all__ = [
    "DataError",
    "Metric",
    "NothingScoredError",
    "RagaugeError",
    "Sample",
    "UsageError",
    "__version__",
    "parse",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'ragauge' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
