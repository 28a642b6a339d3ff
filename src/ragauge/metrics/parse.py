"""Metrics by their text: ``ndcg@10:gain=exp``, a label before it, names of elsewhere, and metrics in files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ragauge.core.loading import is_in_code
from ragauge.core.messages import Message
from ragauge.core.names import HOMES
from ragauge.core.options import build
from ragauge.core.protocol import Metric
from ragauge.core.registry import lookup, make_ingredient, options_of
from ragauge.core.spec import parse_spec
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.metrics.other_names import in_our_words, refuse_absent, without_brackets


def parse(text: str, shared: Mapping[str, Any] = MappingProxyType({})) -> Metric:
    """Return the metric that the spec ``text`` names; ``shared`` as in `parse_all`.

    Raises:
        UsageError: the text is not a spec, the name or an option is unknown, a value is not allowed.

    >>> str(parse("ndcg@10:gain=exp"))
    'ndcg@10:gain=exp'
    """
    metrics = parse_all(text, shared)
    if len(metrics) != 1:
        raise UsageError("RG-EVAL-020 {text!r} stands for {n} metrics; give one here", text, len(metrics))
    return next(iter(metrics.values()))


def parse_all(text: str, shared: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Metric]:
    """Return the metrics that the spec ``text`` names, each by its own spec as it was written.

    ``shared``: values of options, for the metrics that have such an option and whose spec does not name it.

    >>> list(parse_all("ndcg@1,3:gain=exp"))
    ['ndcg@1:gain=exp', 'ndcg@3:gain=exp']
    >>> str(parse_all("ndcg:matcher=exact", {"matcher": "edit"})["ndcg:matcher=exact"])
    'ndcg:matcher=exact'

    A label before ``=`` is the name under which results show a metric. A name of another library means
    ours (`ragauge.metrics.other_names`), and ``PATH.py:NAME`` or ``MODULE:NAME`` a metric in a file or module.

    >>> list(parse_all("time=column:name=latency")), list(parse_all("ndcg_cut_10")), list(parse_all("RBP(p=0.5)"))
    (['time'], ['ndcg@10'], ['rbp:p=0.5'])
    """
    if not isinstance(text, str):
        raise UsageError("RG-EVAL-021 a metric must be written as text, such as 'ndcg@10'; got {text!r}", text)
    text = without_brackets(text)
    label, equals, labelled = text.partition("=")
    if equals and not set(label) & set("@:["):
        return _labelled(label.strip(), labelled, shared)
    # `bleu:order` is a mistake in a spec, and no module.
    if is_in_code(text) and ("metric", text.partition(":")[0].strip()) not in HOMES:
        from ragauge.metrics.function import metric_in_code

        return {text.strip(): metric_in_code(text.strip())}
    spec = parse_spec(text)
    try:
        lookup("metric", spec.name)
    except UnknownNameError:
        ours = in_our_words(text)
        if ours in (None, text.strip()):
            refuse_absent(text)
            # The table lists the name, but nothing registers it any more.
            raise
        return parse_all(ours, shared)
    _, colon, options = text.strip().partition(":")
    several = [parse_spec(f"{spec.name}@{at}{colon}{options}") for at in spec.at] if len(spec.at) > 1 else [spec]
    metrics: dict[str, Any] = {}
    for one in several:
        entry = lookup("metric", one.name)
        if entry.instance is None:
            own = options_of(entry, one)
            metrics[one.text.strip()] = build(entry.cls, own, one.name, make_ingredient, shared)
        elif one.at or one.options:
            raise OptionError.unknown(one.name, next(iter(one.options), "@"), [])
        else:
            metrics[one.text.strip()] = entry.instance
    return metrics


def _labelled(label: str, text: str, shared: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metric that ``text`` names under its label; UsageError where it names several."""
    inner, equals, _ = text.partition("=")
    labelled_again = bool(equals) and not set(inner) & set("@:[")
    metrics = {} if labelled_again else parse_all(text, shared)
    if not label or len(metrics) != 1:
        several = Message("has two labels") if labelled_again else Message("stands for {n} metrics", len(metrics))
        what = several if label else Message("has no label before '='")
        raise UsageError(
            "RG-EVAL-022 {value!r} {what}; give one label to one metric, as in time=column:name=latency",
            f"{label}={text}",
            what,
        )
    return {label: next(iter(metrics.values()))}
