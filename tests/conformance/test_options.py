"""Every option of every metric and ingredient refuses what it does not take, in Python and in a spec alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import MISSING
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from ragauge.core.function_names import name_of_function
from ragauge.core.names import KINDS
from ragauge.core.options import Range, default_of, option_fields, option_hints
from ragauge.core.registry import Entry, entries, make_ingredient
from ragauge.core.spec import PROTOCOLS, write
from ragauge.errors import MissingExtraError, OptionError, UnknownNameError, UsageError
from ragauge.metrics.parse import parse
from tests.metrics.judged.toys import NEEDED as OF_JUDGED

NEEDED: dict[str, dict[str, Any]] = {
    "column": {"name": "latency"},
    "bertscore": {"model": "m"},
    "comet": {"model": "m"},
    "chat": {"url": "http://localhost", "model": "m"},
    "decisions": {"url": "http://localhost", "model": "m"},
    "http": {"url": "http://localhost", "model": "m"},
    "jury": {"judges": tuple(make_ingredient("judge", f"chat[url=http://localhost,model={one}]") for one in "ab")},
    "nli": {"model": "m"},
    "reranker": {"model": "m"},
    "static": {"path": "folder"},
    "function": {"name": name_of_function(str.split, "builtins:str.split")},
    "vectors": {"path": "file"},
}
"""What cannot be left out."""
JUDGE = make_ingredient("judge", "chat[url=http://localhost:1,model=m]")
NEEDED |= {
    name: {"judge": JUDGE, **OF_JUDGED.get(name, {})}
    for name, entry in entries("metric").items()
    if entry.cls.__module__.startswith("ragauge.metrics.judged.")
}
ANYTHING: list[Any] = [object(), object, b"x", 1j, {}, set(), [], (), ((),), ("x", "y"), "", math.nan, 10**400]


def named_entries() -> Iterator[Entry]:
    for kind in KINDS:
        if kind != "format":
            yield from (entry for entry in entries(kind).values() if entry.alias_of is None and not entry.fixed)


def every_option(check: Callable[[Entry, str], None]) -> Callable[[Entry], None]:
    """Make a test for each metric and ingredient that goes through its options; the failure names the option."""

    @every_entry
    def test(entry: Entry) -> None:
        for field in option_fields(entry.cls):
            try:
                check(entry, field.name)
            except (AssertionError, pytest.fail.Exception) as error:
                error.add_note(f"option: {field.name}")
                raise

    return test


every_entry = pytest.mark.parametrize(
    "entry",
    [entry for entry in named_entries() if entry.instance is None],
    ids=lambda entry: f"{entry.kind} {entry.name}",
)


def leaves(hint: Any) -> Iterator[Any]:
    """Go through the types of which a value must be one."""
    if get_origin(hint) in (Union, UnionType):
        for inner in get_args(hint):
            yield from leaves(inner)
    else:
        yield hint


def takes(hint: Any, value: object) -> bool:
    """Whether an option of type ``hint`` takes ``value``, written down a second time and in another way."""
    return any(_takes(leaf, value) for leaf in leaves(hint))


def _takes(leaf: Any, value: Any) -> bool:
    origin, arguments = get_origin(leaf), get_args(leaf)
    if origin is Annotated:
        base, marker = arguments
        fits = _is_number(value) if base is float else _takes(base, value)
        return (
            fits
            and (isinstance(value, str) or abs(value) < 2**63 or value in (math.inf, -math.inf))
            and value in marker
        )
    if origin is Literal:
        return any(value is choice or (isinstance(value, str) and value == choice) for choice in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and bool(value) and _takes_items(arguments, value)
    if leaf is float:
        return _is_number(value) and abs(value) < 10**300
    if leaf is int:
        return isinstance(value, int) and not isinstance(value, bool)
    of_kind = {kind: kind for kind in PROTOCOLS} if not isinstance(value, type) else {}
    return isinstance(value, {NoneType: type(None), bool: bool, str: str, **of_kind}.get(leaf, ()))


def _takes_items(hints: tuple[Any, ...], value: tuple[Any, ...]) -> bool:
    each = (hints[0],) * len(value) if hints[-1] is ... else hints
    return len(each) == len(value) and all(map(takes, each, value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def bad_values(hint: Any) -> list[Any]:
    """Return values of the wrong type, unknown choices and numbers out of range."""
    candidates = [*ANYTHING, math.inf, -math.inf, -1, 0, 1, -0.5, 0.5, 1.5, "nan", "lowwer", "4", True, False, None]
    for leaf in leaves(hint):
        marker = get_args(leaf)[1] if get_origin(leaf) is Annotated else None
        if isinstance(marker, Range):
            candidates += [marker.low - 1, marker.high + 1]
    return [value for value in candidates if not takes(hint, value)]


def refused(make: Callable[[], object], value: object) -> None:
    try:
        made = make()
    except (OptionError, UnknownNameError):
        return
    pytest.fail(f"{value!r} was taken: {made}")


@every_option
def test_python_refuses_what_an_option_does_not_take(entry: Entry, option: str) -> None:
    hint = option_hints(entry.cls)[option]
    rest = {name: value for name, value in NEEDED.get(entry.name, {}).items() if name != option}
    for value in bad_values(hint):
        if isinstance(value, str) and not PROTOCOLS.keys().isdisjoint(leaves(hint)):
            with pytest.raises(UsageError):
                entry.cls(**{option: value}, **rest)
        else:
            refused(lambda value=value: entry.cls(**{option: value}, **rest), value)  # type: ignore[misc]


@every_option
def test_a_spec_refuses_what_an_option_does_not_take(entry: Entry, option: str) -> None:
    hint = option_hints(entry.cls)[option]
    texts = ["nan", "inf", "-inf", "lowwer", "-1", "0", "1.5", "1e999", "1/x", "1/-.5/.5", '""']
    for text in texts:
        if not _reads(hint, text):
            refused(lambda text=text: made_from(entry, option, text), text)  # type: ignore[misc]


def _reads(hint: Any, text: str) -> bool:
    """Whether ``text`` is a value of ``hint``."""
    values: list[Any] = [text.strip('"'), None if text == "none" else text]
    for number in (int, float):
        try:
            values.append(number(text))
            values.append((number(text),))
        except ValueError:
            continue
    return any(takes(hint, value) for value in values if value is not None)


def made_from(entry: Entry, option: str, text: str) -> object:
    """Make the metric or ingredient from its text."""
    needed = {name: write(value) for name, value in NEEDED.get(entry.name, {}).items()}
    inside = ",".join(f"{key}={value}" for key, value in {**needed, option: text}.items())
    if entry.kind == "metric":
        return parse(f"{entry.name}:{inside}")
    return make_ingredient(entry.kind, f"{entry.name}[{inside}]")


@every_option
def test_a_default_is_a_value_that_the_option_takes(entry: Entry, option: str) -> None:
    field = next(field for field in option_fields(entry.cls) if field.name == option)
    hint = option_hints(entry.cls)[option]
    default = NEEDED[entry.name][option] if option in NEEDED.get(entry.name, {}) else default_of(field)
    if default is MISSING or "implied" in field.metadata:
        # Other options decide it; or it must be given, and only NEEDED says what:
        # test_python_refuses_what_an_option_does_not_take covers the rest.
        return
    assert any(leaf in PROTOCOLS for leaf in leaves(hint)) or takes(hint, default)
    try:
        made = entry.cls(**{**NEEDED.get(entry.name, {}), option: default})
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert getattr(made, option) == default


@every_entry
def test_an_unknown_option_is_named(entry: Entry) -> None:
    with pytest.raises(OptionError, match="has no option 'no_such_option'"):
        entry.cls(no_such_option=1)
    with pytest.raises(OptionError, match="has no option 'no_such_option'"):
        made_from(entry, "no_such_option", "1")


@every_option
def test_options_of_metrics_are_given_by_name_and_do_not_change(entry: Entry, option: str) -> None:
    if entry.kind != "metric":
        return
    made = entry.cls(**NEEDED.get(entry.name, {}))
    with pytest.raises(TypeError, match="takes its options by name"):
        entry.cls(getattr(made, option))
    with pytest.raises(AttributeError):
        setattr(made, option, getattr(made, option))
