"""The question, the answer and the documents in what a step of an application was given and returned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_WORDS = {
    "question": "question query user_input input user_query query_str prompt messages text",
    "answer": "answer response output result completion generated_text text content replies choices generations "
    "message messages data answers",
    "references": "answer expected_response expected_output reference ground_truth output expected",
    "documents": "documents docs context contexts source_documents source_nodes retrieved_documents nodes passages "
    "chunks results",
    "contexts": "contexts retrieved_contexts context documents docs passages chunks",
}
_KEYS = {part: words.split() for part, words in _WORDS.items()}
"""Keys of each part, in the order in which they are looked for."""
CONTEXTS = _KEYS["contexts"]
"""Names under which people put passages beside a question."""
_USERS = frozenset({"user", "human"})
_PARTS = ("text", "input_text", "output_text")
_MOST_LEVELS = 8


def unwritten(value: Any) -> Any:
    """Return what a JSON text of an object or a list holds, and any other value as it is.

    >>> unwritten('{"a": 1}'), unwritten("plain"), unwritten("[not JSON]")
    ({'a': 1}, 'plain', '[not JSON]')
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def first_of(values: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the value of the first of ``names`` that has one; None where none has.

    >>> first_of({"query": None, "input": "Who?"}, ("query", "input"))
    'Who?'
    """
    return next((values[name] for name in names if values.get(name) is not None), None)


def question_of(value: Any) -> str | None:
    """Return the question among inputs: a text, the last message of the user, or what a key as ``question`` holds.

    >>> question_of({"messages": [{"role": "user", "content": "Who?"}]}), question_of({"query": "Who?", "k": 3})
    ('Who?', 'Who?')
    """
    return _text_of(value, _KEYS["question"], of_user=True, level=0)


def answer_of(value: Any) -> str | None:
    """Return the answer among outputs: a text, the last message, or what a key as ``answer`` holds.

    >>> answer_of({"choices": [{"message": {"role": "assistant", "content": "Anna."}}]})
    'Anna.'
    """
    return _text_of(value, _KEYS["answer"], of_user=False, level=0)


def references_of(value: Any) -> list[str] | None:
    """Return the right answers: a text, a list of texts, or what a key as ``answer`` holds."""
    value = unwritten(value)
    if isinstance(value, Mapping):
        value = _named_or_only(value, _KEYS["references"])
    texts = [value] if isinstance(value, str | int | float) and not isinstance(value, bool) else value
    if isinstance(texts, Sequence) and texts and all(isinstance(one, str | int | float) for one in texts):
        return [str(one) for one in texts]
    return None


def documents_of(value: Any) -> list[Any] | None:
    """Return the documents among outputs: a list of them, or what a key as ``documents`` holds.

    >>> documents_of({"documents": [{"page_content": "Tea."}]}), documents_of("Tea.")
    ([{'page_content': 'Tea.'}], None)
    """
    value = unwritten(value)
    if isinstance(value, Mapping):
        value = unwritten(_named_or_only(value, _KEYS["documents"]))
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return None
    documents = [unwritten(one) for one in value]
    return documents if all(isinstance(one, str | Mapping) for one in documents) else None


def passages_of(held: Any) -> list[Any] | None:
    """Return the passages that a field holds: one text, or what `documents_of` returns."""
    return documents_of([held] if isinstance(held, str) else held)


def _named_or_only(values: Mapping[str, Any], names: Iterable[str]) -> Any:
    named = first_of(values, names)
    return next(iter(values.values())) if named is None and len(values) == 1 else named


def _text_of(value: Any, names: Sequence[str], *, of_user: bool, level: int) -> str | None:
    value = unwritten(value)
    if isinstance(value, str) or value is None or level > _MOST_LEVELS:
        return value if isinstance(value, str) else None
    if isinstance(value, Mapping):
        within = _named(value, names)
    elif isinstance(value, Sequence) and value:
        within = _of_messages(value, of_user=of_user)
    else:
        return None
    return _text_of(within, names, of_user=of_user, level=level + 1)


def _named(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    # A dump of LangChain names a class and has its fields within; a message may hold its text in parts.
    inner = _undumped(value)
    if "content" in inner or "parts" in inner:
        return inner.get("content", inner.get("parts"))
    return _named_or_only(inner, names)


def _undumped(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return value["kwargs"] if "lc" in value and isinstance(value.get("kwargs"), Mapping) else value


def _of_messages(value: Sequence[Any], *, of_user: bool) -> Any:
    """Return the message that counts of a list: the user's last, or the last; of parts of one text, all."""
    objects = [one for one in value if isinstance(one, Mapping)]
    parts = [one.get("text", one.get("content")) for one in objects if one.get("type") in _PARTS and "role" not in one]
    if len(parts) == len(value) and all(isinstance(one, str) for one in parts):
        return "\n".join(parts)
    if not of_user:
        # Of several completions for one prompt the first is what the application went on with.
        is_list_of_choices = isinstance(value[0], Mapping) and "role" not in value[0] and "type" not in value[0]
        return value[0] if is_list_of_choices or isinstance(value[0], str | list) else value[-1]
    spoken = [(inner.get("role") or inner.get("type"), one) for one in objects for inner in [_undumped(one)]]
    by_user = [one for role, one in spoken if role in _USERS]
    return by_user[-1] if by_user else value[0] if isinstance(value[0], list) else None
