"""Ingredients that a call names once for all its metrics: an embedder, a model of support, a matcher, a judge ..."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, cast

from ragauge.core.messages import Argument, Joined, Message
from ragauge.core.names import HOMES
from ragauge.core.options import default_of, option_fields
from ragauge.core.protocol import Metric, name_of
from ragauge.core.registry import lookup, make_ingredient
from ragauge.core.spec import write
from ragauge.errors import UnknownNameError, UsageError


def shared_ingredient(kind: str, value: object) -> object:
    """Return the ingredient of a text, made once for all metrics; an object as it is.

    ``kind``: ``embedder``, ``support``, ``relevance``, ``matcher`` or ``judge``. UnknownNameError where there is no
    ingredient of that name.
    """
    if not isinstance(value, str):
        return value
    try:
        return make_ingredient(kind, value)
    except UnknownNameError:
        # The option may have words of its own; each metric checks them.
        if kind not in ("support", "relevance"):
            raise
        return None if (kind, value) == ("relevance", "none") else value


def with_shared(metric: Metric, shared: Mapping[str, Any]) -> Metric:
    """Return a metric object with the ``shared`` ingredients in place of those options that have their defaults."""
    if isinstance(metric, type) or not is_dataclass(metric):
        return metric
    options: Any = metric
    defaults = {field.name: default_of(field) for field in option_fields(type(metric))}
    for name in getattr(metric, "not_shared", ()):
        defaults.pop(name, None)
    open_options = {
        name: value for name, value in shared.items() if name in defaults and getattr(options, name) == defaults[name]
    }
    return cast("Metric", replace(options, **open_options)) if open_options else metric


def takes(metric: object, name: str) -> bool:
    """Return whether ``metric`` has the option ``name``, and uses it beside its other options."""
    return hasattr(metric, name) and name not in getattr(metric, "not_shared", ())


def notes_on_untaken(metrics: Iterable[Metric], shared: Mapping[str, Any], *, named: bool) -> list[str]:
    """Return a note for each of the ``shared`` ingredients that none of ``metrics`` has taken.

    Raises:
        UsageError: there is such a one, and the user ``named`` the metrics.
    """
    every: list[Any] = list(metrics)
    sentences: list[str] = []
    for name, value in shared.items():
        having = [metric for metric in every if hasattr(metric, name)]
        if not any(getattr(metric, name) == value for metric in having):
            why = Message("each metric names its own {name}", name) if having else _no_option(name, every)
            if having and not any(takes(metric, name) for metric in having):
                why = Message("with their other options the metrics here do not use {name}", name)
            sentences.append(Message("{given} has no effect: {why}", Argument(name, write(value)), why))
    if sentences and named:
        raise UsageError("RG-EVAL-004 {sentences}; leave it out", Joined(sentences, "; "))
    return sentences


def _no_option(name: str, metrics: Iterable[Metric]) -> str:
    """Return in words that no metric has the option ``name``; of a judge also which metrics ask one in their place."""
    if name != "judge":
        return Message("no metric here has the option {name}", name)
    twins = [f"judged-{name_of(metric)}" for metric in metrics]
    entries = [lookup("metric", one) for one in twins if ("metric", one) in HOMES]
    names = dict.fromkeys(entry.alias_of or entry.name for entry in entries)
    asking = f"{' and '.join(names)} {'do' if len(names) > 1 else 'does'}" if names else "those named judged-... do"
    return f"no metric here asks a language model; {asking}"
