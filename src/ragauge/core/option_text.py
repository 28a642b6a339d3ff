"""The text of option values: as they stand in a spec, and as they stand in a signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from ragauge.core.ingredients import Embedder, Matcher, SupportModel, Tokenizer
from ragauge.core.spec import quoted, unquoted

MakeIngredient: TypeAlias = Callable[[str, str], Any]
"""Makes an ingredient from its kind and its text."""

KINDS: Mapping[type, str] = MappingProxyType(
    {Tokenizer: "tokenizer", Matcher: "matcher", Embedder: "embedder", SupportModel: "support"}
)
"""The protocol of each kind of ingredient."""


_NO_TEXT: Any = object.__str__


def write(value: object, *, signed: bool = False) -> str:
    """Return an option's value as it stands in a spec, or with ``signed`` as it stands in a signature.

    An ingredient that is not registered has no text of its own, so its signature stands in the spec too.
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple):
        return "/".join(_write_item(item) for item in value)
    if isinstance(value, str):
        return quoted(value)
    return _write_ingredient(value, signed=signed)


def _write_ingredient(value: Any, *, signed: bool) -> str:
    if not hasattr(value, "signature"):
        return str(value)
    if signed:
        return str(value.signature)
    has_text = type(value).__str__ is not _NO_TEXT
    return str(value) if has_text else quoted(str(value.signature))


def _write_item(item: object) -> str:
    return ":".join(write(part) for part in item) if isinstance(item, tuple) else write(item)


def read(text: str, hint: Any, ingredient: MakeIngredient) -> Any:
    """Return the value of type ``hint`` that ``text`` stands for; its range is checked when the class is built.

    Raises:
        ValueError: there is no such value.
    """
    if hint in KINDS:
        return ingredient(KINDS[hint], text)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return read(text, arguments[0], ingredient)
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


def _first_that_reads(text: str, hints: tuple[Any, ...], ingredient: MakeIngredient) -> Any:
    for hint in hints:
        try:
            return read(text, hint, ingredient)
        except ValueError:
            continue
    raise ValueError(text)


def _tuple(text: str, arguments: tuple[Any, ...], ingredient: MakeIngredient) -> tuple[Any, ...]:
    inner = arguments[0]
    if get_origin(inner) is not tuple:
        return tuple(read(item, inner, ingredient) for item in text.split("/"))
    pairs = [item.split(":") for item in text.split("/")]
    hints = get_args(inner)
    return tuple(tuple(read(part, hint, ingredient) for part, hint in zip(pair, hints, strict=True)) for pair in pairs)


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
