"""What the options of retrieval metrics may be."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, get_origin, get_type_hints

from ragauge.errors import OptionError
from ragauge.options import describe
from ragauge.signature import name_of

if TYPE_CHECKING:
    from ragauge.metrics.retrieval._ranked import Ranked


def check_options(metric: Ranked) -> None:
    """Raise OptionError unless every choice, the level and the cutoff of ``metric`` are among those allowed."""
    hints = _hints(cast("Any", type(metric)))
    for field in fields(metric):
        _check_choice(metric, field.name, hints[field.name])
    if not metric.level > 0:
        raise OptionError.value(_owner(metric), "level", "a grade above 0", metric.level)
    _check_cutoff(metric, getattr(metric, "k", None))


def check_number(metric: Ranked, option: str, allowed: str, *, holds: bool) -> None:
    """Raise OptionError, saying which values are ``allowed``, unless the condition ``holds``."""
    if not holds:
        raise OptionError.value(_owner(metric), option, allowed, getattr(metric, option))


def check_no_mean(metric: Ranked, why: str) -> None:
    """Raise OptionError where ties are to be averaged over and ``metric`` has no such form."""
    if metric.ties == "mean":
        raise OptionError.value(_owner(metric), "ties", f"docid-desc or docid-asc or input, since {why}", metric.ties)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _owner(metric: Ranked) -> str:
    return name_of(metric)  # type: ignore[arg-type]


def _check_choice(metric: Ranked, name: str, hint: Any) -> None:
    value = getattr(metric, name)
    if get_origin(hint) is Literal and value not in get_args(hint):
        raise OptionError.value(_owner(metric), name, describe(hint), value)


def _check_cutoff(metric: Ranked, k: object) -> None:
    if k is not None and (not isinstance(k, int) or isinstance(k, bool) or k < 1):
        raise OptionError.value(_owner(metric), "k", "a whole number of at least 1", k)
    if k is not None and k >= 1 << 63:
        raise OptionError.value(_owner(metric), "k", "less than 2^63; leave it out for no cutoff", k)
