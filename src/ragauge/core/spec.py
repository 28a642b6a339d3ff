"""The text form of metrics and ingredients: ``name[@value][:key=value,...]``.

An ingredient's own options are in brackets: ``bleu:order=2,tokenizer=zh[hmm=false]``. Lists are written with ``/``,
and pairs with ``:``, as in ``blend[parts=lexical:.5/use:.5]``.
Values with one of ``, = [ ]`` or white space are in double quotes; a quote inside is doubled.
``ndcg@1,3,5`` asks for three metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, Union, get_args, get_origin

from ragauge.core import ingredients
from ragauge.core.ingredients import Judge
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Joined, Message
from ragauge.core.names import KINDS
from ragauge.errors import UsageError, worded

_IN_BRACKETS = lazy_pattern(r"([^\[]+)\[(.*)\](@[^:]*|)")
_SPECIAL = lazy_pattern(r'[,=\[\]"\s]')
MakeIngredient: TypeAlias = Callable[[str, Any], Any]
"""Makes an ingredient from its kind and its text, or a function."""
PROTOCOLS: Mapping[type, str] = {
    getattr(ingredients, one.protocol): kind for kind, one in KINDS.items() if one.protocol
}
"""The protocol of each kind of ingredient."""
EXAMPLES: Mapping[type, str] = {Judge: "chat[url=http://localhost:11434/v1,model=qwen3]"}
"""Of the ingredients for which there is no default, how one is written."""


@dataclass(frozen=True, slots=True)
class Spec:
    """The parts of a spec, before its name is looked up.

    >>> spec = parse_spec("bleu:order=2,tokenizer=zh[hmm=false]")
    >>> spec.options["tokenizer"]
    'zh[hmm=false]'
    >>> parse_spec("ndcg@1,3").at
    ('1', '3')
    """

    text: str
    name: str
    at: tuple[str, ...]
    options: dict[str, str]


def parse_spec(text: str) -> Spec:
    """Parse the text form of a metric; UsageError where the text does not follow the grammar."""
    head, colon, tail = text.strip().partition(":")
    name, at, values = head.partition("@")
    if not name or (at and not values.strip()):
        _fail(text, "a name is missing" if not name else "nothing follows '@'")
    wanted = tuple([value.strip() for value in values.split(",")]) if at else ()
    if "[" in name:
        found = _IN_BRACKETS.fullmatch(text.strip())
        written = f"{found[1]}{found[3]}:{with_quotes(split_options(found[2], text))}" if found else "name:key=value"
        _fail(text, Message("a metric's options follow ':': {written}", written))
    if not all(wanted):
        _fail(text, "a value is missing beside ',' after '@'")
    return Spec(text, name.strip(), wanted, _options(tail, text) if colon else {})


def parse_ingredient(text: str) -> Spec:
    """Parse the text form of an ingredient, ``name`` or ``name[key=value,...]``.

    >>> parse_ingredient("st[model=a/b,batch=8]").options
    {'model': 'a/b', 'batch': '8'}
    """
    name, bracket, tail = text.strip().partition("[")
    if bracket and not tail.endswith("]"):
        _fail(text, "']' is missing at the end")
    if not name:
        _fail(text, "a name is missing")
    return Spec(text, name, (), _options(tail[:-1], text) if bracket else {})


def quoted(value: str) -> str:
    """Return ``value`` as a spec has it, in quotes where it needs them.

    >>> quoted("a, b")
    '"a, b"'
    """
    if value and not _SPECIAL.search(value):
        return value
    doubled = value.replace('"', '""')
    return f'"{doubled}"'


def unquoted(value: str) -> str:
    """Take off the quotes that `quoted` put on."""
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('""', '"')
    return value


def _options(text: str, whole: str) -> dict[str, str]:
    options: dict[str, str] = {}
    items = split_options(text, whole)
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            why = Message("{item!r} is not key=value", item.strip())
            quoted_whole = whole.replace(text, with_quotes(items))
            quote = Message("; a value with a comma is in double quotes: {written}", quoted_whole)
            _fail(whole, Joined([why, quote], "") if options and "=" not in item else why)
        if key.strip() in options:
            _fail(whole, Message("{key!r} is given twice", key.strip()))
        options[key.strip()] = value.strip()
    return options


def with_quotes(items: Sequence[str]) -> str:
    """Return options with those values in quotes that a comma cut.

    >>> with_quotes(["criteria=Polite", " short", "scale=5"])
    'criteria="Polite, short",scale=5'
    """
    whole: list[str] = []
    for item in items:
        if "=" in item or not whole:
            whole.append(item)
        else:
            key, equals, value = whole[-1].partition("=")
            whole[-1] = f"{key}{equals}{quoted(f'{unquoted(value)},{item}')}"
    return ",".join(whole)


def split_options(text: str, whole: str, at: str = ",") -> list[str]:
    """Split at each ``at`` that is outside quotes and brackets."""
    items, depth, inside, start = [], 0, False, 0
    for place, char in enumerate(text):
        if char == '"':
            inside = not inside
        elif not inside:
            depth += (char == "[") - (char == "]")
            if depth < 0:
                _fail(whole, "']' without '['")
            if char == at and depth == 0:
                items.append(text[start:place])
                start = place + 1
    if inside or depth:
        _fail(whole, "a quote is not closed" if inside else "']' is missing")
    return [*items, text[start:]]


def _fail(text: str, why: str) -> NoReturn:
    raise UsageError(
        "RG-CORE-026 cannot read {text!r}: {why}; with its options a metric is written as in ndcg@10:gain=exp",
        text,
        worded(why),
    )


def write(value: object, *, signed: bool = False) -> str:
    """Return an option's value as text of a spec, or with ``signed`` of a signature.

    An ingredient that is not registered has no text of its own, so a spec too has its signature.
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, tuple):
        pairs = [item if isinstance(item, tuple) else (item,) for item in value]
        return "/".join([":".join([write(one, signed=signed) for one in pair]) for pair in pairs])
    if isinstance(value, str):
        return quoted(value)
    own_text: Any = type(value).__str__
    if (own_text is not object.__str__ and not signed) or not hasattr(value, "signature"):
        return str(value)
    return str(value.signature) if signed else quoted(str(value.signature))


def read(text: str, hint: Any, ingredient: MakeIngredient) -> Any:
    """Return the value of type ``hint`` that ``text`` gives; ValueError if it gives none.

    Its range is checked when the class is built.
    """
    if hint in PROTOCOLS:
        if not text:
            raise ValueError(text)
        return ingredient(PROTOCOLS[hint], text)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return read(text, arguments[0], ingredient)
    if origin in (Union, UnionType):
        for choice in arguments:
            with suppress(ValueError):
                return read(text, choice, ingredient)
        raise ValueError(text)
    text = unquoted(text)
    if origin is tuple:
        return _tuple(text, arguments, ingredient)
    choices = {Literal: arguments, NoneType: (None,), bool: (True, False)}.get(origin or hint)
    if choices is None:
        return hint(text)
    by_text = {write(choice): choice for choice in choices}
    if text not in by_text:
        raise ValueError(text)
    return by_text[text]


def _tuple(text: str, arguments: tuple[Any, ...], ingredient: MakeIngredient) -> tuple[Any, ...]:
    inner = arguments[0]
    if get_origin(inner) is not tuple:
        return tuple([read(item, inner, ingredient) for item in split_options(text, text, "/")])
    pairs = [split_options(item, text, ":") for item in split_options(text, text, "/")]
    hints = get_args(inner)
    return tuple(tuple(read(part, hint, ingredient) for part, hint in zip(pair, hints, strict=True)) for pair in pairs)
