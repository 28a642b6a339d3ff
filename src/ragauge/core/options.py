"""Options as text: the fields of a frozen dataclass, read from and written to a spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ragauge.core.ingredients import Embedder, Matcher, SupportModel, Tokenizer
from ragauge.core.spec import quoted, unquoted
from ragauge.errors import OptionError

Built = TypeVar("Built")

KINDS: Mapping[type, str] = {Tokenizer: "tokenizer", Matcher: "matcher", Embedder: "embedder", SupportModel: "support"}


def build(cls: type[Built], options: Mapping[str, str], owner: str, ingredient: Callable[[str, str], Any]) -> Built:
    """Make ``cls`` from options as text.

    Args:
        cls: a frozen dataclass.
        options: field name -> text.
        owner: what the user calls it, for messages.
        ingredient: looks up an ingredient by (kind, text).

    Raises:
        OptionError: there is no such option, or the value is not allowed.
    """
    allowed = {field.name: field for field in option_fields(cls)}
    hints = _hints(cast("Any", cls))
    values = {}
    for key, text in options.items():
        if key not in allowed:
            raise OptionError.unknown(owner, key, list(allowed))
        try:
            values[key] = _read(text, hints[key], ingredient)
        except ValueError:
            raise OptionError.value(owner, key, describe(hints[key]), text) from None
    return cls(**values)


def option_fields(cls: type) -> list[Field[Any]]:
    """Return the fields of ``cls`` that are options: those that ``metadata={"option": False}`` does not except."""
    return [field for field in fields(cls) if field.init and field.metadata.get("option", True)]


def option_texts(instance: object, *, all_of_them: bool = False) -> dict[str, str]:
    """Write the options of ``instance`` that differ from their defaults, or all, sorted by name."""
    texts = {}
    for field in sorted(option_fields(type(instance)), key=lambda field: field.name):
        value = getattr(instance, field.name)
        if all_of_them or value != default_of(field):
            texts[field.name] = write(value, signed=all_of_them)
    return texts


def default_of(field: Field[Any]) -> object:
    """Return the default value of ``field``, or ``MISSING``."""
    return field.default_factory() if field.default_factory is not MISSING else field.default


def describe(hint: Any) -> str:
    """Say in words what an option of type ``hint`` takes.

    >>> describe(Literal["zero", "skip"])
    'zero or skip'
    """
    if hint in KINDS:
        return f"{'an' if KINDS[hint][0] in 'aeiou' else 'a'} {KINDS[hint]}"
    if get_origin(hint) is Literal:
        return " or ".join(map(write, get_args(hint)))
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(describe(choice) for choice in get_args(hint))
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        return "pairs a:b joined by '/'" if get_origin(inner) is tuple else f"{describe(inner)}, more joined by '/'"
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", NoneType: "none"}
    return words.get(hint) or str(getattr(hint, "__name__", hint))


def write(value: object, *, signed: bool = False) -> str:
    """Write an option's value as it stands in a spec, or with ``signed`` as it stands in a signature."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple):
        return "/".join(_write_item(item) for item in value)
    if isinstance(value, str):
        return quoted(value)
    return str(value.signature) if signed and hasattr(value, "signature") else str(value)


def _write_item(item: object) -> str:
    return ":".join(write(part) for part in item) if isinstance(item, tuple) else write(item)


def _read(text: str, hint: Any, ingredient: Callable[[str, str], Any]) -> Any:
    """Convert ``text``; ValueError where it is not of type ``hint``."""
    if hint in KINDS:
        return ingredient(KINDS[hint], text)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _choice(unquoted(text), arguments)
    if origin in (Union, UnionType):
        return _first_that_reads(text, arguments, ingredient)
    if origin is tuple:
        return _tuple(unquoted(text), arguments, ingredient)
    return _scalar(unquoted(text), hint)


def _choice(text: str, choices: tuple[Any, ...]) -> Any:
    by_text = {write(choice): choice for choice in choices}
    if text not in by_text:
        raise ValueError(text)
    return by_text[text]


def _first_that_reads(text: str, hints: tuple[Any, ...], ingredient: Callable[[str, str], Any]) -> Any:
    for hint in hints:
        try:
            return _read(text, hint, ingredient)
        except ValueError:
            continue
    raise ValueError(text)


def _tuple(text: str, arguments: tuple[Any, ...], ingredient: Callable[[str, str], Any]) -> tuple[Any, ...]:
    inner = arguments[0]
    if get_origin(inner) is not tuple:
        return tuple(_read(item, inner, ingredient) for item in text.split("/"))
    pairs = [item.split(":") for item in text.split("/")]
    hints = get_args(inner)
    return tuple(tuple(_read(part, hint, ingredient) for part, hint in zip(pair, hints, strict=True)) for pair in pairs)


def _scalar(text: str, hint: Any) -> Any:
    if hint is NoneType:
        if text != "none":
            raise ValueError(text)
        return None
    if hint is bool:
        if text not in ("true", "false"):
            raise ValueError(text)
        return text == "true"
    return hint(text)


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)
