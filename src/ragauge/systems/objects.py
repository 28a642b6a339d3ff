"""Objects of frameworks and their parts as values of JSON types, told by their attributes: none is imported."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any

from ragauge.formats.objects import TEXT_NAMES, as_mapping, as_passage

_DEEPEST = 16
"""Levels of objects in objects; deeper ones are left out, because objects may hold each other in a circle."""


class NoValueError(ValueError):
    """A value has no form in JSON; the message is the name of its class."""


def by_class_name(value: object) -> str:
    """Return what stands for an object that has no form in JSON, where nothing but its presence is of interest."""
    return f"<{type(value).__name__}>"


def refused(value: object) -> str:
    """Raise NoValueError, where an object that has no form in JSON must not become a text."""
    raise NoValueError(f"a {type(value).__name__}")


def plain(value: Any, otherwise: Callable[[object], str], depth: int = 0) -> Any:
    """Return a value of JSON types; ``otherwise`` makes one of an object that has none, or is nested too deeply.

    >>> plain({"scores": (1, float("nan")), "kind": object()}, by_class_name)
    {'scores': [1, None], 'kind': '<object>'}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if depth >= _DEEPEST:
        return otherwise(value)
    if isinstance(value, Mapping):
        return {str(name): plain(one, otherwise, depth + 1) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one, otherwise, depth + 1) for one in value]
    inner = _simpler(value)
    return otherwise(value) if inner is None else plain(inner, otherwise, depth + 1)


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


def document_parts(value: Any) -> Mapping[str, Any] | None:
    """Return text, id and score of a document of LangChain, LlamaIndex or Haystack; None for anything else."""
    if isinstance(value, str | Mapping) or hasattr(value, "role") or hasattr(value, "response_metadata"):
        return None
    passage = as_passage(value)
    texts = [getattr(getattr(value, "node", value), name, None) for name in TEXT_NAMES]
    return passage if any(isinstance(text, str) for text in texts) else None


def message_text(value: Any) -> str | None:
    """Return the text of a message of a chat model; None for anything else."""
    if isinstance(value, str | Mapping) or not (hasattr(value, "role") or hasattr(value, "response_metadata")):
        return None
    content = getattr(value, "content", None)
    if isinstance(content, list):
        parts = [one.get("text") if isinstance(one, Mapping) else one for one in content]
        return "".join(one for one in parts if isinstance(one, str))
    return content if isinstance(content, str) else getattr(value, "text", None)
