"""From the text of a reply to a value that follows a JSON Schema."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from ragauge.core.lazy import lazy_pattern

_TAG = lazy_pattern(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
# Above it some whole numbers are not floats.
_WHOLE_BELOW = 2**53
# Digits of a whole number that a float can be: the largest float is 1.8e308.
_MOST_DIGITS = 308
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
    "null": type(None),
}  # fmt: skip
# A text is searched for JSON from so many places at most, so that braces without end take no quadratic time.
_MOST_STARTS = 100
_SHOWN = 60
# Characters that may surround a label in a token.
_AROUND_LABEL = ' \t\r\n":,}]'


class NotJson(ValueError):  # noqa: N818 - it never leaves the room
    """A text has no JSON."""


class _Contradiction(NotJson):
    """An object gives one key two values."""


def read_json(text: str, schema: Mapping[str, Any] | None = None, *, alone: bool = False) -> Any:
    r"""Return the value of a reply: JSON alone, in a fence of Markdown, after thoughts, or with words around it.

    Of several objects or lists the last one counts, because models think before they conclude. A lone surrogate, which
    no file can hold, becomes U+FFFD. A whole number that is written as ``2.0`` becomes 2, and so does one that is
    written as a text of digits, of any script, where ``schema`` wants an integer.

    Args:
        text: the text of the reply.
        schema: what the value should follow; values of another type, or without any of its properties, do not count
            where there is one that has some. None: all count.
        alone: take JSON alone, in a fence or after thoughts, but with no words around it.

    Raises:
        NotJson: there is no such value.

    >>> read_json('Here it is:\n```json\n{"score": 1}\n```')
    {'score': 1}
    >>> read_json('It is {"score": 2.0}, as [1] says.', {"type": "object"})
    {'score': 2}
    >>> read_json('{"score": "２"}', {"properties": {"score": {"type": "integer"}}})
    {'score': 2}
    """
    rest, wanted = without_thoughts(text), schema or {}
    for whole in (text, rest, _without_fence(rest)):
        try:
            return _with_integers(_loaded(whole), wanted)
        except _Contradiction:
            raise
        except ValueError:
            continue
    values = [] if alone else list(_values_in(rest))
    if not values:
        raise NotJson("the reply is not JSON")
    meant = next((value for value in reversed(values) if _is_meant(value, wanted)), values[-1])
    return _with_integers(meant, wanted)


def _with_integers(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a value with numbers in place of texts of digits, where ``schema`` wants integers."""
    if schema and isinstance(value, dict):
        parts: Mapping[str, Any] = schema.get("properties", {})
        return {key: _with_integers(one, parts.get(key, {})) for key, one in value.items()}
    if schema and isinstance(value, list):
        return [_with_integers(one, schema.get("items", {})) for one in value]
    digits = value.strip() if isinstance(value, str) and schema.get("type") == "integer" else ""
    return _whole(digits) if digits.isdecimal() else value


def without_thoughts(text: str) -> str:
    """Return a reply without the text between tags such as ``<think>``.

    Thoughts without an end extend to the end of the text; those without a beginning start with the text, because some
    models have the first tag in their prompt.

    >>> without_thoughts("<think>a</think>b<think>c"), without_thoughts("a</think>b")
    ('b', 'b')
    """
    kept: list[str] = []
    place, thinking = 0, False
    for tag in _TAG.finditer(text):
        if tag[1] and not thinking:
            kept.clear()
        elif not thinking:
            kept.append(text[place : tag.start()])
        thinking, place = not tag[1], tag.end()
    return "".join([*kept, "" if thinking else text[place:]])


def _without_fence(text: str) -> str:
    """Return the text in a fence of Markdown that is the whole text; any other text as it is."""
    fenced = text.strip()
    if not (fenced.startswith("```") and fenced.endswith("```") and "\n" in fenced):
        return text
    return fenced.partition("\n")[2].removesuffix("```")


def _is_meant(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value has the type of ``schema`` and, of an object, some of its properties."""
    if not _is_kind(value, schema.get("type", ())) and "type" in schema:
        return False
    names: Mapping[str, Any] = schema.get("properties", {})
    return not isinstance(value, dict) or not names or any(name in value for name in names)


def _values_in(text: str) -> Iterator[Any]:
    """Yield the objects and lists in ``text``, which may have words between them."""
    place = 0
    for _ in range(_MOST_STARTS):
        start = min((at for at in (text.find("{", place), text.find("[", place)) if at >= 0), default=-1)
        if start < 0:
            return
        try:
            value, place = _DECODER.raw_decode(text, start)
            yield _clean(value)
        except (ValueError, RecursionError):
            place = start + 1


def _loaded(text: str) -> Any:
    try:
        return _clean(_DECODER.decode(text))
    except RecursionError:
        raise NotJson("the reply is nested too deeply") from None


def _whole(written: str) -> int | float:
    """Return a whole number; one above all floats is infinite, as in ``1e999``, so that no schema takes it."""
    return int(written) if len(written) < _MOST_DIGITS else float(written)


def _number(written: str) -> int | float:
    """Return a number; whole ones, which JSON Schema counts as integers however they are written, as such."""
    number = float(written)
    return int(number) if abs(number) < _WHOLE_BELOW and number.is_integer() else number


def _no_constant(name: str) -> Any:
    raise NotJson(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, one in pairs:
        if value.setdefault(key, one) != one:
            raise _Contradiction(f"the reply gives {_short(key)} two values")
    return value


_DECODER = json.JSONDecoder(
    parse_constant=_no_constant, parse_float=_number, parse_int=_whole, object_pairs_hook=_object
)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def problem(value: Any, schema: Mapping[str, Any], place: str = "the reply") -> str | None:  # noqa: PLR0911 - a kind each
    """Return how ``value`` departs from ``schema``; None where it follows it.

    >>> problem({"score": 7}, {"type": "object", "properties": {"score": {"type": "integer", "maximum": 5}}})
    'score must be at most 5; got 7'
    >>> problem({}, {"type": "object", "required": ["score"]})
    'score is missing'
    """
    kind = schema.get("type")
    if kind is not None and not _is_kind(value, kind):
        return f"{place} must be of type {kind}; got {_short(value)}"
    if "enum" in schema and not any(type(value) is type(one) and value == one for one in schema["enum"]):
        return f"{place} must be one of {', '.join(map(_short, schema['enum']))}; got {_short(value)}"
    if isinstance(value, dict):
        return _problem_of_object(value, schema, place)
    if isinstance(value, list):
        return _problem_of_list(value, schema, place)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            return f"{place} must be a finite number; got {_short(value)}"
        if value < schema.get("minimum", -math.inf):
            return f"{place} must be at least {schema['minimum']}; got {_short(value)}"
        if value > schema.get("maximum", math.inf):
            return f"{place} must be at most {schema['maximum']}; got {_short(value)}"
    return None


def _problem_of_object(value: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> str | None:
    prefix = "" if place == "the reply" else f"{place}."
    for name in schema.get("required", ()):
        if name not in value:
            return f"{prefix}{name} is missing"
    parts: Mapping[str, Any] = schema.get("properties", {})
    problems = (problem(value[name], part, f"{prefix}{name}") for name, part in parts.items() if name in value)
    return next(filter(None, problems), None)


def _problem_of_list(value: Sequence[Any], schema: Mapping[str, Any], place: str) -> str | None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    if not least <= len(value) <= most:
        wanted = least if least == most else f"at least {least}" if len(value) < least else f"at most {most}"
        return f"{place} must have {wanted} items; got {len(value)}"
    items = schema.get("items", {})
    problems = (problem(item, items, f"{place}[{number}]") for number, item in enumerate(value))
    return next(filter(None, problems), None)


def _is_kind(value: Any, kind: str | Sequence[str]) -> bool:
    if not isinstance(kind, str):
        return any(_is_kind(value, one) for one in kind)
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS.get(kind, object))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def label_probabilities(
    tokens: Sequence[Mapping[str, Any]], key: str, labels: Sequence[str]
) -> dict[str, float] | None:
    """Return the probability of each label as the value of ``key``, adding to 1.

    ``tokens``: those of the reply, each with ``token`` and ``top_logprobs``, as OpenAI's protocol has them. None where
    the probabilities are unknown: the value is not a label, or not one token (``10`` may be ``1`` and ``0``), or it is
    not among the alternatives, or the reply gives ``key`` different values, or one alternative may be the beginning of
    another label.

    >>> tops = [{"token": "4", "logprob": -0.1}, {"token": "5", "logprob": -2.4}, {"token": "x", "logprob": -9}]
    >>> tokens = [{"token": '{"score":'}, {"token": " 4", "top_logprobs": tops}, {"token": "}"}]
    >>> {label: round(share, 2) for label, share in label_probabilities(tokens, "score", ["3", "4", "5"]).items()}
    {'3': 0.0, '4': 0.91, '5': 0.09}
    """
    texts = [str(token.get("token", "")) for token in tokens]
    # The value ends before a comma, a bracket, a quote or a space; a reply may also be cut off within it.
    written = list(re.finditer(rf'"{re.escape(key)}"\s*:\s*"?([^\s",}}\]]+)(?=[\s",}}\]])', "".join(texts)))
    if len({match[1] for match in written}) != 1:
        return None
    (begin, end), ends = written[-1].span(1), list(accumulate(map(len, texts)))
    first, last = bisect_right(ends, begin), bisect_left(ends, end)
    if first != last:
        return None
    return _shares(tokens[first].get("top_logprobs") or (), written[-1][1], labels)


def _shares(alternatives: Sequence[Mapping[str, Any]], written: str, labels: Sequence[str]) -> dict[str, float] | None:
    weights = dict.fromkeys(labels, 0.0)
    for one in alternatives:
        label = str(one.get("token", "")).strip(_AROUND_LABEL)
        if label in weights:
            weights[label] += _probability(one.get("logprob", -math.inf))
    likely = {label for label, weight in weights.items() if weight > 0}
    total = sum(weights.values())
    if not math.isfinite(total) or written not in likely or any(_may_go_on(label, labels, likely) for label in likely):
        return None
    return {label: weight / total for label, weight in weights.items()}


def _probability(logprob: Any) -> float:
    """Return the probability of which this is the logarithm; NaN where it is none."""
    usable = isinstance(logprob, int | float) and not isinstance(logprob, bool)
    return math.exp(min(max(logprob, -1e9), 0.0)) if usable else math.nan


def _may_go_on(label: str, labels: Sequence[str], likely: set[str]) -> bool:
    """Return whether a token ``label`` may begin a longer label, which is then not one token."""
    longer = {one for one in labels if one.startswith(label) and one != label}
    return bool(longer) and not longer & likely
