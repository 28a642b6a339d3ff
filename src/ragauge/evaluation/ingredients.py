"""Ingredients that a call names once for all its metrics: an embedder, a support model, a matcher."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, cast

from ragauge.core.options import default_of, option_fields
from ragauge.core.protocol import Metric
from ragauge.core.registry import make_ingredient
from ragauge.core.spec import KINDS, write
from ragauge.errors import OptionError, UsageError

_PROTOCOLS = {kind: protocol for protocol, kind in KINDS.items()}


def shared_ingredients(call: str, by_kind: Mapping[str, object]) -> dict[str, Any]:
    """Return ingredients by the name of the option that takes them; those that are None are left out.

    Args:
        call: the function that was called, for messages.
        by_kind: ``embedder``, ``support``, ``matcher`` -> the text of one, or the object.

    Raises:
        UsageError: there is no ingredient of that name, or the object is none of the kind.
    """
    shared: dict[str, Any] = {}
    for kind, value in by_kind.items():
        if isinstance(value, str):
            shared[kind] = make_ingredient(kind, value)
        elif value is not None:
            if isinstance(value, type) or not isinstance(value, _PROTOCOLS[kind]):
                raise OptionError.value(call, kind, f"the name of one, or an object that is a {kind}", value)
            shared[kind] = value
    return shared


def with_shared(metric: Metric, shared: Mapping[str, Any]) -> Metric:
    """Return a metric object with the ``shared`` ingredients in place of those options that have their defaults."""
    if isinstance(metric, type) or not is_dataclass(metric):
        return metric
    options: Any = metric
    defaults = {field.name: default_of(field) for field in option_fields(type(metric))}
    open_options = {
        name: value for name, value in shared.items() if name in defaults and getattr(options, name) == defaults[name]
    }
    return cast("Metric", replace(options, **open_options)) if open_options else metric


def notes_on_untaken(metrics: Iterable[Metric], shared: Mapping[str, Any], *, named: bool) -> list[str]:
    """Return a note for each of the ``shared`` ingredients that none of ``metrics`` has taken.

    Raises:
        UsageError: there is such a one, and the user ``named`` the metrics.
    """
    every: list[Any] = list(metrics)
    sentences = []
    for name, value in shared.items():
        if not any(getattr(metric, name, None) == value for metric in every):
            has_one = any(hasattr(metric, name) for metric in every)
            why = f"each metric names its own {name}" if has_one else f"no metric here has the option {name}"
            sentences.append(f"{name}={write(value)!r} has no effect: {why}")
    if sentences and named:
        raise UsageError(f"{'; '.join(sentences)}; leave it out")
    return sentences
