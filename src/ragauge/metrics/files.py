"""``checks.py:polite``: a metric in a file of the user's own."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from ragauge.core.protocol import Metric
from ragauge.errors import UnknownNameError, UsageError
from ragauge.metrics.function import FunctionMetric, metric


def metric_in_file(text: str) -> Metric:
    """Return the metric that ``text`` names, ``PATH.py:NAME``: a metric object or class, or a function of one sample.

    A function is the mean of what it returns for each sample, as `ragauge.metric` says; one that is not decorated
    needs no columns.

    Raises:
        UsageError: the file is not found or cannot be imported, or what it holds under the name is no metric.
    """
    path, _, name = text.rpartition(":")
    held = vars(_module(Path(path)))
    if name not in held:
        public = [one for one, value in held.items() if not one.startswith("_") and callable(value)]
        raise UnknownNameError.of(f"metric in {path}:", name, public)
    value: Any = held[name]
    if isinstance(value, type) and hasattr(value, "measure"):
        value = value()
    if hasattr(value, "measure"):
        return value  # type: ignore[no-any-return]
    if not callable(value):
        raise UsageError(f"{text} must be a function of one sample, or a metric; got {value!r}")
    return _metric_of(value)


def _metric_of(function: Any) -> FunctionMetric:
    return metric(function)


def _module(path: Path) -> Any:
    """Import a file once, by its whole path; its folder can be imported from, as that of a script can."""
    name = f"ragauge metrics of {path.resolve()}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path) if path.is_file() else None
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: file not found; a metric in a file is written as -m checks.py:function")
    module = module_from_spec(spec)
    folder = str(path.parent.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UsageError(f"{path}: cannot be imported: {type(error).__name__}: {error}; correct the file") from error
    return module
