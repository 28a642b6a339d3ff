"""Objects of frameworks and their parts as values of JSON types, recognised by their attributes: none is imported."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from enum import Enum
from math import inf
from time import monotonic
from typing import Any

from ragauge.formats.objects import TEXT_NAMES, as_mapping, as_passage
from ragauge.formats.opening import LONGEST

_MOST_DIGITS = 4300
"""Digits of a whole number that Python writes (`sys.int_info.default_max_str_digits`)."""
_MOST_BITS = int(_MOST_DIGITS * math.log2(10))
_DEEPEST = 16
"""Levels of objects in objects; deeper ones are left out, because objects may hold each other in a circle."""
MOST_VALUES = 1_000_000
"""Values that one output may have. Objects that hold each other in a circle would have a number without end."""


class BadOutputError(ValueError):
    """A system returned neither an answer nor passages, or too much; the message says what it must return.

    ``returned``: that, as JSON types, where it is kept.
    """

    returned: Any = None


def too_large(what: str) -> BadOutputError:
    """Return the error of an output with more of something than one may have."""
    return BadOutputError(f"the system returned {what}. Return less.")


def _without_form(value: object) -> str:
    raise BadOutputError(by_class_name(value))


def with_returned(error: BadOutputError, output: object) -> BadOutputError:
    """Return the error of an output with that, if it is of JSON types and not too large.

    It may have been paid for, and is read again where the user says how.

    >>> with_returned(BadOutputError("no answer"), {"said": ("Tea.",)}).returned
    {'said': ['Tea.']}
    """
    with suppress(BadOutputError, ValueError):
        # Names of classes in place of objects would be read as texts.
        returned = plain(output, _without_form)
        error.returned = returned if len(json.dumps(returned, ensure_ascii=False)) <= LONGEST else None
    return error


class Allowance:
    """Values, characters and time that reading one output may take.

    Args:
        until: the time, as `time.monotonic` gives it, after which no value is read.
        late: makes the error that is raised then.
    """

    def __init__(self, until: float = inf, late: Callable[[], Exception] = TimeoutError) -> None:
        self._values, self._characters = MOST_VALUES, LONGEST
        self._until, self._late = until, late

    def take(self, values: int = 1, characters: int = 0) -> None:
        """Take what is read from what is left; BadOutputError where that is not enough."""
        self._values -= values
        self._characters -= characters
        if self._values < 0:
            raise too_large(f"more than {MOST_VALUES:,} values")
        if self._characters < 0:
            raise too_large(f"more than {LONGEST >> 20} MiB of text")
        if monotonic() > self._until:
            raise self._late()


def by_class_name(value: object) -> str:
    """Return the name of an object's class: a text for an object that has no form in JSON."""
    return f"<{type(value).__name__}>"


def plain(value: Any, otherwise: Callable[[object], str], left: Allowance | None = None, depth: int = 0) -> Any:
    """Return a value of JSON types; ``otherwise`` makes one of an object that has none, or is nested too deeply.

    Raises:
        BadOutputError: it has more values than are ``left``, or a number of too many digits.

    >>> plain({"scores": (1, float("nan")), "kind": object()}, by_class_name)
    {'scores': [1, None], 'kind': '<object>'}
    """
    left = left or Allowance()
    left.take(1, len(value) if isinstance(value, str | bytes) else 0)
    if isinstance(value, int) and int.bit_length(value) > _MOST_BITS:
        raise too_large(f"a number of more than {_MOST_DIGITS:,} digits")
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if depth >= _DEEPEST:
        return otherwise(value)
    if isinstance(value, Mapping):
        return {str(name): plain(one, otherwise, left, depth + 1) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one, otherwise, left, depth + 1) for one in value]
    size = getattr(value, "size", 0)  # of an array, before it becomes a list
    left.take(size if isinstance(size, int) else 0)
    inner = _simpler(value)
    return otherwise(value) if inner is None else plain(inner, otherwise, left, depth + 1)


def _simpler(value: Any) -> Any:
    """Return an object as lists, mappings, texts and numbers, one level down; None where it has no such form."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Enum):
        return value.value
    for name in ("tolist", "isoformat"):  # of numpy, and of dates
        if hasattr(value, name):
            return getattr(value, name)()
    return document_parts(value) or as_mapping(value)


def as_number(value: Any) -> Any:
    """Return the number that a text holds, as Dify writes a price; any other value as it is.

    >>> as_number("0.0012890"), as_number("free"), as_number(3)
    (0.001289, 'free', 3)
    """
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def document_parts(value: Any) -> Mapping[str, Any] | None:
    """Return text, id and score of a document of LangChain, LlamaIndex or Haystack; None for anything else."""
    if isinstance(value, str | Mapping) or hasattr(value, "role") or hasattr(value, "response_metadata"):
        return None
    passage = as_passage(value)
    texts = [getattr(getattr(value, "node", value), name, None) for name in TEXT_NAMES]
    return passage if any(isinstance(text, str) for text in texts) else None


def role_of(message: Any) -> str:
    """Return who a message of a chat is by."""
    if isinstance(message, Mapping):
        return str(message.get("role"))
    return str(getattr(message, "role", None) or getattr(message, "type", None))


def message_text(value: Any) -> str | None:
    """Return the text of a message of a chat model; None for anything else."""
    if isinstance(value, Mapping):
        content = value.get("content") if "role" in value else None
    elif isinstance(value, str) or not (hasattr(value, "role") or hasattr(value, "response_metadata")):
        return None
    else:
        content = getattr(value, "content", None)
    if isinstance(content, list):
        parts = [one.get("text") if isinstance(one, Mapping) else one for one in content]
        return "".join(one for one in parts if isinstance(one, str))
    return content if isinstance(content, str) else getattr(value, "text", None)


def response_parts(output: Any) -> Mapping[str, Any] | None:
    """Return answer and passages of a response of LlamaIndex or an answer of Haystack; None for anything else."""
    if hasattr(output, "source_nodes") and (hasattr(output, "response") or hasattr(output, "response_gen")):
        answer = getattr(output, "response", None)
        # One that is streamed has no text yet; that of a chat which is not refuses to be.
        if not answer and getattr(output, "is_dummy_stream", True):
            answer = getattr(output, "response_gen", answer)
        return {"answer": answer, "contexts": output.source_nodes}
    if hasattr(output, "data") and hasattr(output, "documents"):
        return {"answer": output.data, "contexts": output.documents}
    return None
