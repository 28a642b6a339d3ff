"""Objects of other libraries as plain values: models, dataclasses, named tuples, and documents with a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import chain
from pathlib import PurePath
from types import MemberDescriptorType
from typing import Any
from uuid import UUID

_EXPORTS = ("_asdict", "model_dump", "to_dict", "toDict", "to_json")
"""Methods that write an object as a dict, or its JSON: of named tuples, pydantic, Haystack and others, DSPy, OTel."""
_REPORT = "detailed_report"
"""A method of Haystack's EvaluationRunResult, which has no other that tells it and exports nothing else."""
TEXT_NAMES = ("page_content", "content", "text")
"""Attributes that hold the text of a document: of LangChain, of Haystack, of LlamaIndex."""
PASSAGE_TEXTS = (
    *("text", "content", "page_content", "context", "passage", "chunk"),
    *("chunk_text", "passage_text", "snippet", "body"),
)
"""Keys that hold the text of a passage: of RAGChecker, TruLens, LangChain, LlamaIndex, Haystack, mlflow, deepeval."""
_ID = ("id", "id_", "node_id", "doc_id")
_METADATA_ID = ("id", "doc_id", "document_id")
"""Keys of metadata that hold the id of a document; ``source`` is often a file of many."""
_ANSWERS = ("answer", "response")
"""Attributes of an answer that hold its text."""
_ROWS = ("samples", "test_cases", "goldens", "examples")
"""Attributes that hold the rows of a data set: of ragas, of deepeval (its cases, else its goldens), of LlamaIndex."""
_TABLES = frozenset({"pandas", "polars", "pyarrow", "numpy", "ragauge", "builtins", "datetime", "decimal", "torch"})
"""Packages whose objects are read in other ways, or are values themselves."""
_TO_LIST = ("to_list", "to_pylist", "tolist")
"""Methods that write a column as a list: of pandas and Polars, of pyarrow, of the other arrays."""
_OF_PYTHON = frozenset({"builtins", "collections", "itertools", "array"})
"""Modules of Python whose iterables are lists, unless they are texts or mappings: ranges, generators, keys of dicts."""
_NO_LISTS = (str, bytes, bytearray, memoryview, list, tuple, set, frozenset, Mapping)
_DEEPEST = 64
"""Levels of objects within objects."""


def text_within(value: Any) -> Any:
    """Return the text of an answer that is an object: the only one of its keys that names a text; else the object.

    Of a list of messages, as TRL has them, it is that of the assistant's last; of parts of a message and of a list of
    one text, theirs.

    >>> (
    ...     text_within({"content": "Nine.", "role": "assistant"}),
    ...     text_within([{"content": [{"type": "text", "text": "Nine."}], "role": "assistant"}]),
    ...     text_within(["Nine."]),
    ...     text_within({"text": "a", "answer": "b"}),
    ...     text_within(9),
    ... )
    ('Nine.', 'Nine.', 'Nine.', {'text': 'a', 'answer': 'b'}, 9)
    """
    if isinstance(value, list | tuple):
        objects = [one for one in value if isinstance(one, Mapping)]
        by_assistant = [one for one in objects if (one.get("role") or one.get("type")) in ("assistant", "ai")]
        parts = _text_of_parts(value) if objects or len(value) == 1 else None
        value = by_assistant[-1] if by_assistant else value if parts is None else parts
    if not isinstance(value, Mapping):
        return value
    named = {name: value.get(name) for name in (*_ANSWERS, *TEXT_NAMES)}
    # Of texts in a list, only a message's content is one text.
    said = [
        _text_of_parts(one) if isinstance(one, list) and (name == "content" or len(one) == 1) else one
        for name, one in named.items()
    ]
    texts = [one for one in said if isinstance(one, str)]
    return texts[0] if len(texts) == 1 else value


def _text_of_parts(parts: Sequence[Any]) -> str | None:
    """Return the joined texts of the parts of a message; None where there are none, or anything else is among them."""
    kinds = [one.get("type") if isinstance(one, Mapping) else "text" if isinstance(one, str) else None for one in parts]
    if None in kinds or "text" not in kinds:
        return None
    texts = [one if isinstance(one, str) else one.get("text") for one in parts]
    return "".join([text for text in texts if isinstance(text, str)])


def as_mapping(value: Any) -> Mapping[str, Any] | None:
    """Return an object's fields by name, not converted further; None where it has none to read.

    An object is a mapping, a named tuple, a model of pydantic, a dataclass, or has a method ``to_dict``.

    >>> from dataclasses import make_dataclass
    >>> as_mapping(make_dataclass("Case", ["input", "actual_output"])("Who?", "Anna."))
    {'input': 'Who?', 'actual_output': 'Anna.'}
    """
    if isinstance(value, Mapping):
        return value
    if not is_convertible(type(value)):
        return None
    names = getattr(type(value), "model_fields", None)
    if isinstance(names, Mapping):
        # Its own fields and not model_dump(), which loses what subclasses add and warns of other types.
        return {name: getattr(value, name, None) for name in names} | (getattr(value, "model_extra", None) or {})
    own = [field.name for field in fields(value)] if is_dataclass(value) else []
    public = [name for name in own if not name.startswith("_")]
    export = next((getattr(value, name) for name in _EXPORTS if hasattr(value, name)), None)
    if public and (len(public) == len(own) or export is None):
        return {name: getattr(value, name, None) for name in public}
    exported = vars(value) if hasattr(value, _REPORT) else export() if export is not None else None
    exported = json.loads(exported) if isinstance(exported, str) else exported
    return exported if isinstance(exported, Mapping) else None


def own_fields(value: Any) -> Mapping[str, Any] | None:
    """Return the fields of a row: what `as_mapping` returns, or the public attributes of an object of any other class.

    Where it has none of its own they are its slots and properties. Objects within the fields are not taken apart: they
    may be clients that hold keys.

    >>> from types import SimpleNamespace
    >>> own_fields(SimpleNamespace(question="Who?", answer="Anna.", _client=3))
    {'question': 'Who?', 'answer': 'Anna.'}
    """
    exported = as_mapping(value)
    if exported is not None or not is_convertible(type(value)):
        return exported
    own = [name for name in getattr(value, "__dict__", {}) if not name.startswith("_")]
    return {name: getattr(value, name, None) for name in own or _described(type(value))} or None


def _described(kind: type) -> list[str]:
    """Return the public slots and properties of a class, those of its bases first."""
    each = chain.from_iterable(vars(base).items() for base in reversed(kind.__mro__))
    return [name for name, one in each if isinstance(one, property | MemberDescriptorType) and name[0] != "_"]


def rows_within(value: Any) -> Sequence[Any] | None:
    """Return the rows of an object that is not a table: the samples of a data set, or the object as one row.

    None where it has no fields that can be read.
    """
    if isinstance(value, Mapping) or not is_convertible(type(value)):
        return None
    lists = (getattr(value, name, None) for name in _ROWS)
    rows = next((one for one in lists if isinstance(one, list) and one), None)
    return rows if rows is not None else None if as_mapping(value) is None else [value]


def as_passage(value: Any) -> Mapping[str, Any] | None:
    """Return a document's text, id and score; None for an object without a text.

    The text is its attribute ``page_content``, ``content`` or ``text``. A node with a score (LlamaIndex) has it within.
    """
    if isinstance(value, Mapping):
        return value
    if not is_convertible(type(value)):
        return None
    node = getattr(value, "node", value)
    text = next((one for name in TEXT_NAMES if isinstance(one := getattr(node, name, None), str)), None)
    if text is None:
        return as_mapping(value)
    names = (getattr(node, name, None) for name in _ID)
    # Ids of another type belong to the object and not to the document.
    name = next((one for one in names if isinstance(one, str | int | UUID)), None)
    score = getattr(value, "score", None)
    beside: dict[str, Any] = {
        "id": None if name is None else str(name),
        "score": score if isinstance(score, int | float) else None,
    }
    within = None if name is not None else metadata_id(node)
    beside["metadata"] = {"id": str(within)} if isinstance(within, str | int | UUID) else None
    return {"text": text} | {key: one for key, one in beside.items() if one is not None}


def metadata_id(document: Any) -> Any:
    """Return the id that the metadata of a document have, as those of LangChain; None where they have none.

    >>> metadata_id({"page_content": "Tea.", "metadata": {"doc_id": "d1"}})
    'd1'
    """
    is_mapping = isinstance(document, Mapping)
    metadata = document.get("metadata") if is_mapping else getattr(document, "metadata", None)
    if not isinstance(metadata, Mapping):
        return None
    return next((one for name in _METADATA_ID if (one := metadata.get(name)) is not None), None)


def is_convertible(kind: type) -> bool:
    """Return whether objects of type ``kind`` may have fields that can be read."""
    if issubclass(kind, UUID | Enum):
        return True
    if issubclass(kind, str | bytes | int | float | list | dict | set | type):
        return False
    return kind.__module__.partition(".")[0] not in _TABLES


def _is_list_like(kind: type) -> bool:
    """Return whether objects of type ``kind`` are columns or iterables that mean a list; lists themselves are not."""
    package = kind.__module__.partition(".")[0]
    if package in _TABLES - {"builtins", "numpy", "ragauge"}:
        return any(hasattr(kind, name) for name in _TO_LIST)
    if package not in _TABLES and hasattr(kind, "__array__") and hasattr(kind, "tolist"):
        return True
    return package in _OF_PYTHON and issubclass(kind, Iterable) and not issubclass(kind, _NO_LISTS)


def _listed(value: Any) -> Any:
    """Return the items of a column or an iterable; a number for an array without axes."""
    to_list = next((getattr(value, name) for name in _TO_LIST if hasattr(value, name)), None)
    return list(value) if to_list is None else to_list()


def plain_values(values: Sequence[Any]) -> Sequence[Any]:
    """Return the fields of a column with their objects as plain values; the same list where there are none.

    >>> from dataclasses import make_dataclass
    >>> plain_values([[make_dataclass("Document", ["page_content"])("Tea.")], None])
    [[{'text': 'Tea.'}], None]
    """
    return [plain_value(one) for one in values] if _holds_objects(values) else values


def _holds_objects(values: Sequence[Any]) -> bool:
    """Return whether an object that can be converted is among ``values``, or within their lists and dicts."""
    level: list[Any] = list(values)
    for _ in range(_DEEPEST):
        kinds = set(map(type, level))
        if any(is_convertible(kind) or _is_list_like(kind) for kind in kinds):
            return True
        if not kinds & {list, tuple, dict}:
            return False
        lists = [one for one in level if type(one) is list or type(one) is tuple]
        level = [
            *chain.from_iterable(lists),
            *chain.from_iterable([one.values() for one in level if type(one) is dict]),
        ]
    return False


def plain_value(value: Any, within: frozenset[int] = frozenset()) -> Any:
    """Return ``value`` with all objects within as dicts, documents with the key ``text``, and what means a list as one.

    Other values stay as they are.

    ``within``: identities of the objects that hold it, since runs refer to their parents; such a reference is null.

    >>> from uuid import UUID
    >>> plain_value({"id": UUID(int=1), "score": 0.5})
    {'id': '00000000-0000-0000-0000-000000000001', 'score': 0.5}
    """
    if isinstance(value, UUID | Enum | PurePath):
        return value.value if isinstance(value, Enum) else str(value)
    value = _listed(value) if _is_list_like(type(value)) else value
    if isinstance(value, list | tuple) and not hasattr(value, "_asdict"):
        return [plain_value(one, within) for one in value]
    if not isinstance(value, Mapping) and not is_convertible(type(value)):
        return value
    content = as_passage(value) if is_document(value) else as_mapping(value)
    if content is None:
        # An object of somebody's own class: a message of a chat, an answer, a document, or none of them.
        is_answer = any(isinstance(getattr(value, name, None), str) for name in _ANSWERS)
        content = own_fields(value) if is_answer or hasattr(value, "role") else as_passage(value)
    if id(value) in within or len(within) > _DEEPEST:
        return None
    if content is None:
        return value
    return {str(name): plain_value(one, within | {id(value)}) for name, one in content.items()}


def is_document(value: Any) -> bool:
    """Return whether an object is a document, or a node with a score, and no message of a chat."""
    if hasattr(value, "page_content") or (hasattr(value, "node") and hasattr(value, "score")):
        return True
    described = hasattr(value, "metadata") or hasattr(value, "meta")
    has_text = any(isinstance(getattr(value, name, None), str) for name in TEXT_NAMES)
    return described and has_text and not hasattr(value, "role")
