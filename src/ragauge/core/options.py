"""Options: the fields of a frozen dataclass, checked and converted when it is built.

A field's annotation has all that its check needs: ``Literal`` lists the choices, ``Annotated[int, Range(1, 100)]``
bounds a number, and a protocol (`Tokenizer`, `Embedder` ...) asks for an ingredient or the text of one. A function in
``Annotated`` converts the value, or raises ValueError; messages give a text at its end as what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, MISSING, Field, dataclass, fields
from functools import cache, wraps
from inspect import get_annotations, isfunction
from numbers import Integral, Real
from operator import attrgetter
from os import PathLike, fspath
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ragauge.core.messages import Joined, Message
from ragauge.core.spec import EXAMPLES, PROTOCOLS, MakeIngredient, quoted, read, write
from ragauge.errors import OptionError, UsageError, alternatives, excerpt, worded

Built = TypeVar("Built")
Class = TypeVar("Class", bound=type)
_owners: dict[type, str] = {}


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that an option takes: ``Annotated[float, Range(0, 1, above=True)]`` is above 0 and up to 1.

    Args:
        low: the lowest.
        high: the highest.
        above: ``low`` itself is not allowed.
        below: ``high`` itself is not allowed.
        infinite: infinities are allowed.
    """

    low: float = -math.inf
    high: float = math.inf
    _: KW_ONLY
    above: bool = False
    below: bool = False
    infinite: bool = False

    def __contains__(self, value: float) -> bool:
        if math.isinf(value):
            return self.infinite
        above = value > self.low if self.above else value >= self.low
        return above and (value < self.high if self.below else value <= self.high)

    def words(self, kind: str) -> str:
        """Return which numbers of a ``kind`` are in the range, as in 'a number above 0 and up to 1'."""
        low, high = write(float(self.low)), write(float(self.high))
        if self.low == -math.inf and self.high == math.inf:
            return Message(kind)
        if self.low == -math.inf:
            return Message(kind + (" below {high}" if self.below else " up to {high}"), high)
        first = "above {low}" if self.above else "of at least {low}"
        if self.high == math.inf:
            return Message(f"{kind} {first}", low)
        both = first + " and up to {high}" if self.above or self.below else "from {low} to {high}"
        return Message(f"{kind} {'between {low} and {high}' if self.above and self.below else both}", low, high)


@dataclass(frozen=True, slots=True)
class Text:
    """A text that must not be empty, and what it is: ``Annotated[str, Text("the folder of a model")]``."""

    meaning: str

    def __contains__(self, value: str) -> bool:
        return bool(value)


Cutoff: TypeAlias = Annotated[int, Range(1, 1_000_000)] | None
"""The last rank that counts; None: all do."""
Order: TypeAlias = Annotated[int, Range(1, 100)]
"""The length of an n-gram."""
Beta: TypeAlias = Annotated[float, Range(0, 1000, above=True)]
"""How many times as much recall weighs as precision."""
BatchSize: TypeAlias = Annotated[int, Range(1, 65_536)]
"""Texts per call of a model."""


def _no_ingredient(_: str, text: Any) -> Any:
    raise ValueError(text)


def checked(owner: str, ingredient: MakeIngredient = _no_ingredient) -> Callable[[Class], Class]:
    """Return a class decorator that checks and converts the options of a dataclass before they are stored.

    ``owner``: the name of the class in messages. ``ingredient`` makes the tokenizer of ``tokenizer="zh"``.
    """

    def decorate(cls: Class) -> Class:
        original = cls.__init__  # type: ignore[misc]  # the class's own, as dataclass wrote it

        @wraps(original)
        def __init__(self: object, *positional: object, **named: object) -> None:  # noqa: N807
            original(self, **_arguments(cls, owner, ingredient, positional, named))

        cls.__init__ = __init__  # type: ignore[misc]
        _owners[cls] = owner
        return cls

    return decorate


def checked_value(owner: str, option: str, value: Any, hint: Any, ingredient: MakeIngredient = _no_ingredient) -> Any:
    """Return ``value`` as an option of type ``hint`` stores it; OptionError, by ``owner``, where it is of another."""
    try:
        return _converted(value, hint, ingredient)
    except (ValueError, OverflowError):
        lacks = [lacking(value, one) for one in PROTOCOLS if one in (hint, *get_args(hint))]
        raise OptionError.value(owner, option, Joined([describe(hint, spec=False), *lacks], ""), value) from None


def check(instance: object, option: str, allowed: str, *, holds: bool) -> None:
    """Raise OptionError unless ``holds``: for what one annotation cannot have, such as which options go together."""
    if not holds:
        owner = next((_owners[cls] for cls in type(instance).__mro__ if cls in _owners), type(instance).__name__)
        value = getattr(instance, option)
        # An ingredient is shown as its spec, because users of specs do not know the repr of its object.
        raise OptionError.value(owner, option, allowed, write(value) if hasattr(value, "signature") else value)


def check_path(owner: str, option: str, allowed: str, value: object) -> None:
    """Raise OptionError with what is ``allowed`` unless ``value`` is a path."""
    if not isinstance(value, str | PathLike):
        raise OptionError.value(owner, option, allowed, value)


def build(
    cls: type[Built],
    options: Mapping[str, str],
    owner: str,
    ingredient: MakeIngredient,
    shared: Mapping[str, Any] = MappingProxyType({}),
) -> Built:
    """Make the frozen dataclass ``cls`` of ``options``, name -> text; OptionError, by ``owner``, for a wrong one.

    ``shared``: name -> value of options that are taken where ``cls`` has them and ``options`` does not name them.
    """
    allowed = [field.name for field in option_fields(cls)]
    values = {}
    for key, text in options.items():
        if key not in allowed:
            raise _unknown(cls, owner, key, allowed, text)
        hint = option_hints(cast("Any", cls))[key]
        try:
            values[key] = read(text, hint, ingredient)
            if isinstance(values[key], tuple):  # so that the error is in the words of a spec
                _converted(values[key], hint, ingredient)
        except ValueError:
            raise OptionError.value(owner, key, describe(hint), text) from None
    if shared and hasattr(cls, "not_shared"):
        # Which options are left alone depends on the others; without the shared ones these may be wrong.
        with suppress(UsageError):
            allowed = [key for key in allowed if key not in getattr(cls(**values), "not_shared", ())]
    return cls(**{key: value for key, value in shared.items() if key in allowed} | values)


def option_fields(cls: type) -> list[Field[Any]]:
    """Return the fields of ``cls`` that are options: those that ``metadata={"option": False}`` does not except."""
    return [field for field in fields(cls) if field.init and field.metadata.get("option", True)]


@cache
def option_hints(cls: Any) -> dict[str, Any]:
    """Return the types of the fields of a class, with their ranges; UsageError for a type not imported at run time."""
    try:
        return get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise UsageError(
            "RG-CORE-019 the types of the options of {kind} cannot be read: {reason}; import them at run time",
            cls.__name__,
            excerpt(str(error)),
        ) from error


def option_texts(instance: object, *, all_of_them: bool = False) -> dict[str, str]:
    """Write the options that differ from their defaults, or all but those of ``metadata={"later": True}``, by name.

    A default that depends on other options is what ``metadata={"implied": ...}`` returns for the instance.
    """
    texts = {}
    for field in sorted(option_fields(type(instance)), key=attrgetter("name")):
        value, implied = getattr(instance, field.name), field.metadata.get("implied")
        default = implied(instance) if implied else default_of(field)
        if (all_of_them and not field.metadata.get("later")) or value != default:
            texts[field.name] = write(value, signed=all_of_them)
    return texts


def default_of(field: Field[Any]) -> object:
    """Return the default value of ``field``, or ``MISSING``."""
    return field.default_factory() if field.default_factory is not MISSING else field.default


def describe(hint: Any, *, spec: bool = True) -> str:
    """Return in words which values an option of type ``hint`` takes: in the text of a ``spec``, or in Python.

    >>> describe(Literal["zero", "skip"]), describe(Annotated[int, Range(1, 9)] | None)
    ('zero or skip', 'a whole number from 1 to 9 or none')
    """
    if hint in PROTOCOLS:
        return Message(f"{'an' if PROTOCOLS[hint][0] in 'aeiou' else 'a'} {PROTOCOLS[hint]}")
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        limit = arguments[-1]
        is_range = isinstance(limit, Range)
        return limit.words(describe(arguments[0])) if is_range else worded(str(getattr(limit, "meaning", limit)))
    if origin is Literal:
        return alternatives(map(write, arguments))
    if origin in (Union, UnionType):
        return alternatives(describe(choice, spec=spec) for choice in arguments)
    if origin is tuple:
        items = ["..." if one is ... else describe(one, spec=spec) for one in arguments]
        return _describe_items(arguments[0]) if spec else Message("a tuple ({items})", Joined(items))
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", NoneType: "none"}
    return worded(words[hint]) if hint in words else str(getattr(hint, "__name__", hint))


def _describe_items(hint: Any) -> str:
    if get_origin(hint) is not tuple:
        return Message("{values} (several joined by '/')", describe(hint))
    first, *others = get_args(hint)
    if first in PROTOCOLS:
        return Message("pairs {kind}:number joined by '/', each {values}", PROTOCOLS[first], describe(others[0]))
    each = Message(", each {values}", describe(first)) if get_origin(first) is Annotated else ""
    return Message("pairs a:b joined by '/'{each}", each)


def _arguments(
    cls: Any, owner: str, ingredient: MakeIngredient, positional: tuple[object, ...], named: dict[str, object]
) -> dict[str, object]:
    """Return the arguments of a call of ``cls`` by name, options checked and converted."""
    options = {field.name: field for field in option_fields(cls)}
    names = [field.name for field in fields(cls) if field.init]
    for name, value in named.items():
        if name not in names:
            raise _unknown(cls, owner, name, list(options), quoted(str(value)))
    unnamed = [field.name for field in fields(cls) if field.init and not field.kw_only]
    arguments = dict(zip(unnamed, positional, strict=False)) | named
    if len(arguments) < len(positional) + len(named):
        raise TypeError(_too_many(cls, unnamed, list(options)))
    for name, field in options.items():
        hint = option_hints(cls)[name]
        if name in arguments:
            arguments[name] = checked_value(owner, name, arguments[name], hint, ingredient)
        elif default_of(field) is MISSING:
            shown = Message("{allowed}, as in {name}={example!r}", describe(hint), name, EXAMPLES.get(hint))
            raise OptionError.missing(owner, name, shown if hint in EXAMPLES else describe(hint))
    return arguments


def _unknown(cls: Any, owner: str, option: str, allowed: Sequence[str], text: str) -> OptionError:
    if others := getattr(cls, "of_others", {}).get(option):
        template = "RG-JUDGE-070 {owner} has no option {option!r}: no metric without an LLM is like it; take {others}"
        return OptionError(template, owner, option, others)
    if meant := getattr(cls, "renamed", {}).get(option, "").replace("...", text):
        return OptionError("RG-CORE-018 {owner} has no option {option!r}; write {meant}", owner, option, meant)
    return OptionError.unknown(owner, option, allowed)


def _too_many(cls: type, unnamed: Sequence[str], options: Sequence[str]) -> str:
    if unnamed:
        return f"{cls.__name__} takes only {', '.join(unnamed)} without a name, and each option once"
    own = [name for name in options if name in get_annotations(cls)] or options
    example = f", as in {cls.__name__}({'k' if 'k' in options else own[0]}=...)" if own else "; it has none"
    return f"{cls.__name__} takes its options by name{example}"


def _converted(value: Any, hint: Any, ingredient: MakeIngredient) -> Any:
    """Return ``value`` as an option of type ``hint`` stores it; ValueError where it is not of that type."""
    if hint in PROTOCOLS:
        return _ingredient(value, hint, ingredient)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _limited(value, arguments[0], arguments[1], ingredient)
    if origin is Literal:
        for choice in arguments:
            if type(value) is type(choice) and value == choice:
                return choice
    elif origin in (Union, UnionType):
        for choice in arguments:
            with suppress(ValueError, OverflowError):
                return _converted(value, choice, ingredient)
    elif origin is tuple:
        # Of any length where the last hint is `...`, but not empty.
        if isinstance(value, list | tuple) and value:
            each = [arguments[0]] * len(value) if arguments[-1] is ... else arguments
            return tuple([_converted(item, one, ingredient) for item, one in zip(value, each, strict=True)])
    else:
        return _limited(value, hint, Range(), ingredient) if hint is float else _scalar(value, hint)
    raise ValueError(value)


def _limited(value: Any, hint: Any, limit: Any, ingredient: MakeIngredient) -> Any:
    """Return ``value`` as an ``Annotated`` option stores it: converted by ``limit``, within it, or only described."""
    if isfunction(limit):
        return limit(value)
    converted = _scalar(value, hint) if isinstance(hint, type) else _converted(value, hint, ingredient)
    if not isinstance(limit, str) and converted not in limit:
        raise ValueError(value)
    return converted


def _ingredient(value: Any, protocol: type, ingredient: MakeIngredient) -> Any:
    """Return ``value``, which follows ``protocol``, or the ingredient of that text or function.

    Members are looked up in the class, so that no signature is computed here: it may have to read a model.
    """
    if isinstance(value, str) or (not isinstance(value, type) and lacking(value, protocol)):
        value = ingredient(PROTOCOLS[protocol], value)
    if isinstance(value, type) or lacking(value, protocol):
        raise ValueError(value)
    return value


def lacking(value: Any, protocol: type) -> str:
    """Return in words which members of ``protocol`` an object lacks; nothing for a class, which lacks its instance."""
    there = {*dir(type(value)), *getattr(value, "__dict__", {})}
    absent = [name for name in vars(protocol) if not name.startswith("_") and name not in there]
    return f", with {' and '.join(absent)}" if absent and not isinstance(value, type) else ""


def _scalar(value: Any, hint: Any) -> Any:
    """Return ``value`` as Python's own type, so that numbers of numpy and paths are taken too."""
    if hint is object:
        return value
    if isinstance(value, bool) or hint in (bool, NoneType):
        fits = type(value) is hint
    elif hint in (int, float):
        fits = isinstance(value, Integral if hint is int else Real)
        value = hint(value) if fits else value
    elif hint is str:
        value = fspath(value) if isinstance(value, PathLike) else value
        fits = isinstance(value, str)
    else:
        kind = get_origin(hint) or hint
        fits = not isinstance(kind, type) or isinstance(value, kind)
    if not fits or (isinstance(value, float) and math.isnan(value)):
        raise ValueError(value)
    return value
