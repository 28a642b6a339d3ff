"""Metrics of the user's own: a plain function, and ``checks.py:polite``, a metric in a file or module."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, ClassVar, Literal, SupportsIndex, TypeAlias, overload

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.loading import loaded
from ragauge.core.names import place_of
from ragauge.core.protocol import Direction, Metric, Needs, Stage, check_members, failures
from ragauge.core.ragged import FloatArray
from ragauge.core.registrable import check_metric
from ragauge.core.registry import register_instance
from ragauge.core.sample import Sample
from ragauge.core.statistics import Rows, Statistics, Status, ratio
from ragauge.errors import OptionError, RagaugeError, UsageError, excerpt, is_interrupt
from ragauge.metrics._read_sample import named, samples_of

Function: TypeAlias = Callable[[Sample], float | None]


@dataclass(frozen=True)
class FunctionMetric:
    """The mean of what a function returns for each sample.

    A sample for which it returns None is ``undefined``; one for which it raises is ``failed``, with the reason.
    """

    name: str = field(metadata={"option": False})
    function: Function = field(repr=False, metadata={"option": False})
    needs: Needs
    range: tuple[float, float]
    direction: Direction
    stage: Stage
    average: Literal["samples"] = "samples"
    revision: int = field(default=1, metadata={"option": False})
    sources: Mapping[str, str] = field(
        default_factory=dict, repr=False, compare=False, kw_only=True, metadata={"option": False}
    )
    """Known column -> its name in the data."""
    undefined: ClassVar[str] = "skip"

    def __post_init__(self) -> None:
        name, columns = self.name, self.needs[0]
        if not callable(self.function):
            allowed = "a function of one sample, and options by name, as in @metric(needs=('answer',))"
            raise OptionError.value("@metric", "function", allowed, self.function)
        if not name or set(name) & set("@:,") or name != name.strip():
            raise OptionError.value("@metric", "name", "a name without '@', ':' and ','", name)
        if not isinstance(columns, tuple) or not all(isinstance(column, str) for column in columns):
            raise OptionError.value("@metric", "needs", "a tuple of names of columns, as in ('answer',)", columns)
        check_members("@metric", self)
        if self.average != "samples":
            raise OptionError.value("@metric", "average", "samples", self.average)

    @property
    def __wrapped__(self) -> Function:
        """The function, where `inspect` looks for whose docstring it is."""
        return self.function

    def __call__(self, sample: Sample) -> float | None:
        """Call the function itself."""
        return self.function(sample)

    def __str__(self) -> str:
        return self.name

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Pickle a decorated function by its place, where this metric has taken the function's name."""
        module, name = self.function.__module__, self.function.__qualname__
        if getattr(getattr(sys.modules.get(module), name, None), "function", None) is self.function:
            return _attribute, (module, name, self.sources)
        return super().__reduce_ex__(protocol)

    def measure(self, batch: Batch) -> Rows:
        """Call the function on each sample that has what it needs."""
        values, states, reasons = np.zeros(len(batch)), np.full(len(batch), Status.MISSING, np.uint8), {}
        there = ~batch.absent(*self.needs[0]) & ~failures(batch)[0]
        for place, sample in enumerate(samples_of(batch, self.sources)):
            if not there[place]:
                continue
            try:
                value = _number(self.function(sample))
            except BaseException as error:
                if is_interrupt(error):
                    raise
                states[place], reasons[place] = Status.FAILED, excerpt(named(error, sample))
                continue
            states[place] = Status.UNDEFINED if value is None else Status.OK
            values[place] = value or 0.0
        return Rows.of({"value": values, "count": np.ones(len(batch), np.int64)}, status=states, reasons=reasons)

    def score(self, totals: Statistics) -> FloatArray:
        """Return the mean."""
        return ratio(totals["value"], totals["count"])


def _attribute(module: str, name: str, sources: Mapping[str, str]) -> Any:
    found = getattr(import_module(module), name)
    return replace(found, sources=sources) if sources else found


@overload
def metric(function: Function, /) -> FunctionMetric: ...
@overload
def metric(
    *,
    name: str | None = None,
    needs: tuple[str, ...] = ...,
    range: tuple[float, float] = ...,
    direction: Direction = ...,
    stage: Stage = ...,
    revision: int = ...,
) -> Callable[[Function], FunctionMetric]: ...


def metric(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    needs: tuple[str, ...] = (),
    range: tuple[float, float] = (-np.inf, np.inf),  # noqa: A002 - the term of the field
    direction: Direction = "higher",
    stage: Stage = "generation",
    revision: int = 1,
) -> FunctionMetric | Callable[[Function], FunctionMetric]:
    """Make a metric of ``f(sample) -> float | None`` and register it by name.

    Args:
        function: the function, where the decorator is used without arguments.
        name: what it is called; by default the function's name with hyphens.
        needs: columns without which it cannot run; rows with null there are ``missing``.
        range: lowest and highest value, for bounds.
        direction: whether ``higher`` or ``lower`` is better.
        stage: where results show it.
        revision: raise it when the function's numbers change; what it does is not in the signature.

    Raises:
        OptionError: the name cannot be part of a spec, or an option has a value that it does not take.

    >>> @metric(needs=("answer",))
    ... def answer_length(sample: Sample) -> float:
    ...     return len(sample.answer)
    >>> str(answer_length)
    'answer-length'
    """

    def decorate(function: Function) -> FunctionMetric:
        _check_parameters(function)
        called = name or getattr(function, "__name__", "function").replace("_", "-")
        columns: Any = tuple(needs) if isinstance(needs, list) else needs
        ends: Any = tuple(range) if isinstance(range, list) else range
        metric = FunctionMetric(called, function, (columns,), ends, direction, stage, revision=revision)
        register_instance(called, metric)
        return metric

    return decorate if function is None else decorate(function)


def _check_parameters(function: object) -> None:
    """Raise UsageError for a function that cannot be called with a sample alone."""
    try:
        signature = inspect.signature(function)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return
    try:
        signature.bind(None)
    except TypeError:
        template = (
            "RG-METRIC-017 {name}{parameters}: a metric takes one sample, as in def {name}(sample), and reads "
            "sample.answer and its other columns"
        )
        raise UsageError(template, getattr(function, "__name__", "function"), str(signature)) from None


def of_function(value: Any) -> Any:
    """Return the metric of a function of a sample; anything else, such as a metric or its spec, as it is."""
    is_function = callable(value) and not isinstance(value, type) and not hasattr(value, "measure")
    return metric(value) if is_function else value


def metric_in_code(text: str) -> Metric:
    """Return the metric that ``PATH.py:NAME`` or ``MODULE:NAME`` names: an object, a class, or a function of a sample.

    A function is the mean of what it returns for each sample, as `ragauge.metric` says; one that is not decorated
    needs no columns.

    Raises:
        UsageError: the file or module is not found or cannot be imported, or what it holds there is not a metric.
    """
    value: Any = loaded(text, "metrics", "-m checks.py:function")
    if hasattr(value, "measure"):
        return _checked_metric(value)
    if not callable(value):
        raise UsageError(
            "RG-METRIC-003 {text} must be a function of one sample, or a metric; got {value!r}", text, value
        )
    return metric(value)


def _checked_metric(value: Any) -> Metric:
    """Return a metric, or one of a class of metrics; UsageError with the file and line of a class that is not one."""
    is_class = isinstance(value, type)
    cls = value if is_class else type(value)
    if not hasattr(cls, "__dataclass_fields__"):
        template = "RG-METRIC-014 {cls}: a metric must be a dataclass; put @dataclass(frozen=True) above the class"
        raise UsageError(template, place_of(cls))
    check_metric(value)
    try:
        made: Metric = value() if is_class else value
    except RagaugeError:
        raise
    except Exception as error:
        template = (
            "RG-METRIC-015 {cls}: {name}() raises {excerpt}. Give each field a default, or name an object of the class."
        )
        raise UsageError(template, place_of(cls), cls.__name__, excerpt(error)) from error
    return made


def _number(value: object) -> float | None:
    """Check what a function returned; NaN is None."""
    if value is None:
        return None
    if inspect.iscoroutine(value):
        value.close()
        raise TypeError("a metric is a plain function: write def, not async def; asyncio.run(...) calls what is async")
    if not isinstance(value, int | float | np.number | np.bool_):
        raise TypeError(f"a metric must return a number or None; got {type(value).__name__}")
    number = float(value)
    if np.isinf(number):
        raise ValueError("a metric must return a finite number or None; got an infinity")
    return None if np.isnan(number) else number
