"""What the options of semantic metrics may be."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from ragauge.errors import OptionError
from ragauge.options import describe
from ragauge.signature import name_of


def owner(metric: object) -> str:
    """Return the name of ``metric``."""
    return name_of(cast("Any", metric))


def check_choices(metric: object) -> None:
    """Raise OptionError unless every choice is among those allowed."""
    hints = _hints(cast("Any", type(metric)))
    for option in fields(cast("Any", metric)):
        hint, value = hints[option.name], getattr(metric, option.name)
        if get_origin(hint) is Literal and value not in get_args(hint):
            raise OptionError.value(owner(metric), option.name, describe(hint), value)


def check(metric: object, option: str, allowed: str, *, holds: bool) -> None:
    """Raise OptionError, saying which values are ``allowed``, unless the condition ``holds``."""
    if not holds:
        raise OptionError.value(owner(metric), option, allowed, getattr(metric, option))


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)
