"""``checks.py:polite``: a metric in a file of the user's own."""

from __future__ import annotations

from typing import Any

from ragauge.core.loading import loaded
from ragauge.core.protocol import Metric
from ragauge.errors import UsageError
from ragauge.metrics.function import metric


def metric_in_file(text: str) -> Metric:
    """Return the metric that ``text`` names, ``PATH.py:NAME``: a metric object or class, or a function of one sample.

    A function is the mean of what it returns for each sample, as `ragauge.metric` says; one that is not decorated
    needs no columns.

    Raises:
        UsageError: the file is not found or cannot be imported, or what it holds under the name is not a metric.
    """
    value: Any = loaded(text, "metrics", "-m checks.py:function")
    if isinstance(value, type) and hasattr(value, "measure"):
        value = value()
    if hasattr(value, "measure"):
        return value  # type: ignore[no-any-return]
    if not callable(value):
        raise UsageError(
            "RG-METRIC-003 {text} must be a function of one sample, or a metric; got {value!r}", text, value
        )
    function: Any = metric(value)
    return function  # type: ignore[no-any-return]
