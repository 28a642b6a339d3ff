"""What a class must have before it gets a name: the members of its kind, and options that a spec can hold."""

from __future__ import annotations

from dataclasses import fields
from inspect import isfunction
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from ragauge.core.names import place_of
from ragauge.core.options import option_fields, option_hints
from ragauge.core.protocol import check_members
from ragauge.core.spec import PROTOCOLS
from ragauge.errors import UsageError

_MEMBERS = {
    "metric": ("average", "needs", "stage", "direction", "range", "revision", "measure", "score"),
    "writer": ("write",),
    **{kind: tuple(name for name in vars(one) if not name.startswith("_")) for one, kind in PROTOCOLS.items()},
}
"""Kind -> the members that its classes have."""


def check_class(kind: str, cls: type) -> None:
    """Raise UsageError where a frozen dataclass cannot be one of ``kind``: its file, its line, and what to write."""
    if kind == "metric":
        check_metric(cls)
    else:
        _check_has_members(kind, cls)
        if isfunction(getattr(cls, "signature", None)):
            template = "RG-CORE-035 {cls}: signature must be a property; put @property above it"
            raise UsageError(template, place_of(cls))
    _check_options(cls)


def check_metric(metric: Any) -> None:
    """Raise UsageError where a metric, or the class of one, both of a dataclass, lacks a member or has a wrong one."""
    _check_has_members("metric", metric)
    check_members(repr(metric), metric)
    _check_needs(metric)


def _check_has_members(kind: str, owner: Any) -> None:
    # A field without a default is no attribute of the class.
    members = {*dir(owner), *[field.name for field in fields(owner)]}
    absent = [name for name in _MEMBERS[kind] if name not in members]
    if absent:
        template = "RG-CORE-021 {cls}: a {kind} must have {members}; got no {absent}. Write what is missing."
        names = ", ".join(_MEMBERS[kind]), " and no ".join(absent)
        raise UsageError(template, place_of(owner if isinstance(owner, type) else type(owner)), kind, *names)


def _check_needs(owner: Any) -> None:
    needs = getattr(owner, "needs", property())
    if hasattr(needs, "__get__"):  # known in an instance alone
        return
    if not (isinstance(needs, tuple) and needs and all(type(one) is tuple for one in needs)):
        raise UsageError(
            "RG-CORE-022 needs of {cls!r} must hold tuples of columns, as in (('answer',),); got {needs!r}",
            owner,
            needs,
        )


def _check_options(cls: type) -> None:
    try:
        hints = option_hints(cast("Any", cls))
    except UsageError:
        return  # A type is imported later; the option is checked when the class is built.
    for one in option_fields(cls):
        if not has_text(hints[one.name]):
            template = (
                "RG-CORE-036 {cls}: option {name!r} must be a text, a number, True or False, a choice (Literal), an "
                "ingredient, or a tuple of them; got the type {type}"
            )
            raise UsageError(template, place_of(cls), one.name, hints[one.name])


def has_text(hint: Any) -> bool:
    """Return whether values of type ``hint`` can be written in a spec and read from one.

    >>> has_text(tuple[int, ...] | None), has_text(complex)
    (True, False)
    """
    if hint in PROTOCOLS or hint in (str, int, float, bool, NoneType, ...):
        return True
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return isfunction(arguments[1]) or has_text(arguments[0])
    return origin is Literal or (origin in (Union, UnionType, tuple) and all(map(has_text, arguments)))
