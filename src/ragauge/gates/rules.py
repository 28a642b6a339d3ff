"""The rules of a gate, from the command line and from a settings file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ragauge.core.messages import Message
from ragauge.errors import OptionError, UsageError, alternatives
from ragauge.gates.configuration import Configuration, with_table
from ragauge.metrics.other_names import in_our_words

_SIGNS: Mapping[str, str] = {"--min": ">", "--max": "<", "--max-drop": "<"}
"""What may stand before the ``=`` of each option: ``ndcg@10 >= 0.42`` says the same as ``ndcg@10=0.42``."""


def limits(texts: Iterable[str], option: str) -> dict[str, float]:
    """Return the limit of each metric from texts such as ``ndcg@10=0.42``; UsageError where there is no number.

    The last ``=`` separates the two. Before it may stand the sign that the option means, as in ``ndcg@10 >= 0.42``.

    >>> limits(["ndcg@10=0.42", "column:name=latency=2"], "--max")
    {'ndcg@10': 0.42, 'column:name=latency': 2.0}
    >>> limits(["ndcg_cut_10 >= .42"], "--min")
    {'ndcg_cut_10': 0.42}
    """
    by_metric = {}
    for text in texts:
        metric, equals, limit = text.rpartition("=")
        metric = metric.strip().removesuffix(_SIGNS[option]).rstrip()
        try:
            by_metric[metric] = float(limit)
        except ValueError:
            equals = ""
        if not equals or not metric or metric.endswith(("<", ">")):
            raise UsageError(
                "RG-GATE-003 {option} takes METRIC=NUMBER, as in {option} ndcg@10=0.42; got {text!r}", option, text
            )
    return by_metric


def check_reachable(option: str, limits: Mapping[str, float], range_of: Callable[[str], tuple[float, float]]) -> None:
    """Raise OptionError where no score of a metric is beyond a limit, or all are: it says nothing of a run.

    >>> check_reachable("min", {"mrr": -4}, lambda metric: (0, 1))
    Traceback (most recent call last):
    ragauge.errors.OptionError: option 'min' of the gate for mrr must be from 0 to 1, the range of the metric; got -4
    """
    for metric, limit in limits.items():
        low, high = range_of(metric)
        least, most = (0, high - low) if option == "max_drop" else (low, high)
        if not least <= limit <= most:
            share = limit / 100
            percent = Message(" ({limit:g} % is {share:g})", limit, share) if most == 1 and 0 < share <= 1 else ""
            allowed = Message("from {low:g} to {high:g}, the range of the metric{percent}", least, most, percent)
            raise OptionError.value(f"the gate for {metric}", option, allowed, limit)


def overridden(settings: Mapping[str, float], options: Mapping[str, float]) -> dict[str, float]:
    """Return the limits of both, where ``options`` win, also where they name a metric as another library does.

    >>> overridden({"ndcg@10": 0.42, "mrr": 0.3}, {"ndcg_cut_10": 0.5})
    {'mrr': 0.3, 'ndcg_cut_10': 0.5}
    """
    named = {in_our_words(metric) or metric for metric in options}
    kept = {metric: limit for metric, limit in settings.items() if (in_our_words(metric) or metric) not in named}
    return kept | dict(options)


def share(value: Any, option: str) -> float:
    """Return a share, from a number from 0 to 1 or from text such as ``1%``; OptionError where it is neither.

    >>> share("1%", "max_failed"), share("0.01", "max_failed"), share(0.01, "max_failed")
    (0.01, 0.01, 0.01)
    """
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= 1:
        raise OptionError.value("the gate", option, "a share from 0 to 1, or as in 1%", value)
    return number


_LIMITS = ("min", "max", "max-drop")
_KINDS: Mapping[str, tuple[type, ...]] = {
    "baseline": (str,),
    "confident": (bool,),
    "min-scored": (int,),
    "max-failed": (str, int, float),
    "min-coverage": (str, int, float),
    "on": (str,),
}
KEYS = (*_LIMITS, *_KINDS)
"""The keys of [gate]."""


def gate_settings(folder: Path, file: Path | None = None) -> dict[str, Any]:
    """Return the arguments of `ragauge.gate` that ``file`` sets, or else ragauge.toml or pyproject.toml of ``folder``.

    A baseline is relative to the folder of its file. A file that is missing, is not TOML, or has a key or value that a
    gate does not take raises UsageError.
    """
    settings = with_table("gate", folder, file)
    return {} if settings is None else _checked(settings)


def _checked(settings: Configuration) -> dict[str, Any]:
    settings.check_keys("gate", KEYS)
    return {
        key.replace("-", "_"): _limits(key, value, settings) if key in _LIMITS else _value(key, value, settings)
        for key, value in settings.section("gate").items()
    }


def _limits(key: str, value: Any, settings: Configuration) -> dict[str, float]:
    numbers = isinstance(value, dict) and all(type(limit) in (int, float) for limit in value.values())
    if not numbers:
        where = settings.where("gate", key)
        raise OptionError.value(
            where, key, Message('a table of numbers, as in [gate.{key}] "ndcg@10" = 0.42', key), value
        )
    return dict(value)


def _value(key: str, value: Any, settings: Configuration) -> Any:
    if not isinstance(value, _KINDS[key]) or (isinstance(value, bool) and key != "confident"):
        kinds = alternatives(kind.__name__ for kind in _KINDS[key])
        raise OptionError.value(settings.where("gate", key), key, Message("of type {kinds}", kinds), value)
    if key in ("max-failed", "min-coverage"):
        return share(value, key)
    return settings.path.parent / str(value) if key == "baseline" else value
