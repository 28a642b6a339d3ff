"""Notes and reasons of a saved run: beside each text its message, so that it is worded in other languages too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Packed, Phrase, is_of, packed, unpacked

TOKENISED = (
    "RG-NOTE-010 tokenizer auto for {metrics}: by script, the same for every language: characters of Chinese, Japanese "
    "and Thai, words of others; {lang} takes a language's own"
)
"""The note on tokenizers that were left open, which only readers of everything are shown."""

_PLAIN = lazy_pattern(r"(?:[^{}]|\{\{|\}\}|\{\w+(?:!r)?(?::[,.\dfg]{1,3})?\})*")
"""A template that reads no attribute and asks for no wide field; that of a file may be anybody's."""


def usual_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the notes without those that only readers of everything are shown."""
    return tuple([note for note in notes if not is_of(note, TOKENISED)])


def packed_notes(notes: Sequence[str]) -> dict[str, list[Packed]]:
    """Return ``messages``, an entry for each note: its message as JSON types, or None; nothing where none has one."""
    messages = [packed(note) if isinstance(note, Phrase) else None for note in notes]
    return {"messages": messages} if any(messages) else {}


def restored_notes(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the notes of what a manifest says of the data, as messages where it has them."""
    notes, messages = data["notes"], data.get("messages")
    if not isinstance(messages, list) or len(messages) != len(notes):
        return tuple(notes)
    return tuple(map(restored, notes, messages))


def restored(text: Any, value: Packed) -> Any:
    """Return the phrase that ``text`` was before `packed`; the text itself where the two do not belong together.

    ``value``: what `packed` returned, or the same as JSON.

    >>> from ragauge.core.messages import Counted, Face
    >>> restored("2 rows", packed(Counted(2, "row"))).wording(Face("zh")), restored("2 rows", None)
    ('2', '2 rows')
    """
    try:
        phrase = _decoder().decode(value if isinstance(value, str) else json.dumps(value))
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return text
    return phrase if isinstance(phrase, Phrase) and phrase == text else text


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(object_hook=_object)


def _object(value: dict[str, Any]) -> Any:
    """Return what an object of JSON is, whose own objects are unpacked; ValueError for a template of anybody's."""
    if value.get("") == "Message" and not (type(value["parts"][0]) is str and _is_plain_template(value["parts"][0])):
        raise ValueError("not a plain template")
    return unpacked(value)


@lru_cache(1024)
def _is_plain_template(template: str) -> bool:
    return _PLAIN.fullmatch(template) is not None
