"""Metrics by what they compare: ``from ragauge.metrics import Bleu, Ndcg``, imported when they are first used.

Type checkers read ``__init__.pyi``, which ``python -m tests.new`` writes.
"""

from __future__ import annotations

from ragauge.core.lazy import lazy_names
from ragauge.core.names import LISTED, lazy_classes


def _new() -> dict[str, str]:
    from ragauge.core.names import registrations

    return lazy_classes("metric", registrations())


_HOMES = {**lazy_classes("metric", LISTED), "ragauge.metrics.function": "FunctionMetric"}

__all__ = tuple(sorted(" ".join(_HOMES.values()).split()))
__getattr__ = lazy_names(__name__, _HOMES, unlisted=_new)


def __dir__() -> tuple[str, ...]:
    return __all__
