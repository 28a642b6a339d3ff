"""Columns that are a known one only together, or in part: numbered passages, a task's texts, a chat, JSON texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from ragauge import languages
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument
from ragauge.formats.column_names import folded, known_name, suggests_passages, unnested
from ragauge.formats.dataset_rows import of_data_set, of_examples, of_payloads
from ragauge.formats.exported_tables import of_tables
from ragauge.formats.fields import is_list, is_missing, items, plain
from ragauge.formats.inferred import Inferred, Understood
from ragauge.formats.proposals import meanings
from ragauge.formats.recognised_ids import are_names
from ragauge.formats.source import Chunk, Values
from ragauge.formats.sources.payloads import answer_of, question_of, unwritten

_NAMES = languages.table("columns")
_NUMBERED: Mapping[str, str] = {
    folded(name): known for known, names in _NAMES["numbered"].items() for name in names.split()
}
"""Header before a number -> the known column whose items such columns hold."""
_BY_FIELDS = frozenset({"doc", "document"})
"""Of these, numbered or not, the fields decide whether they are passages: they may be ids or names of files."""
_TASKS: Sequence[Mapping[str, Sequence[str]]] = [
    {known: [folded(name) for name in names.split()] for known, names in task.items()}
    for task in _NAMES["tasks"].values()
]
CHATS = frozenset(map(folded, _NAMES["chats"]["messages"].split()))
"""Names of columns of lists of messages."""
_EARLIER_TURNS = "RG-NOTE-332 {column}: the last turn of each conversation is scored, {count} not; {turns} scores each"
PASSAGES_WITHIN = "RG-NOTE-333 {column}: {count} passages in messages, which are read with {turns} only"
_BACKWARDS = lazy_pattern(r"(\d{1,3})[\W_]*(.*)", re.DOTALL)
"""A name and the number at its end, read from its end, so that a long name takes linear time."""
_ROLES = {"human": "user", "gpt": "assistant", "ai": "assistant", "bot": "assistant", "model": "assistant"}


class _Made(NamedTuple):
    """A column that is made of those of a source. ``origin``: their names."""

    values: list[Any]
    origin: str
    inferred: Inferred = MappingProxyType({})


_Find: TypeAlias = Callable[[Mapping[str, Values]], dict[str, _Made]]


def shaped(chunk: Chunk, wanted: Iterable[str], *, written: bool) -> Chunk:
    """Return ``chunk`` with objects unnested, and with known columns in place of those that together are one.

    ``wanted``: names that the user gave, which stay. ``written``: fields are texts as in CSV files.

    >>> row = {"question": ["Who?"], "context_1": ["Anna."], "context_2": [None]}
    >>> shaped(Chunk(row, [1]), [], written=False).columns
    {'question': ['Who?'], 'contexts': [['Anna.']]}
    """
    names = set(wanted)
    if not any(name.startswith("outputs.") for name in names):
        chunk = _with_found(chunk, _of_examples, names, written=written)
    chunk = _with_joined(unnested(chunk, names), names, written=written)
    for find in (_of_payloads, _of_tables, _of_data_set, _numbered, _of_task, _of_chat):
        chunk = _with_found(chunk, find, names, written=written)
    return chunk


def _with_found(chunk: Chunk, find: _Find, wanted: set[str], *, written: bool) -> Chunk:
    """Return ``chunk`` with the known columns that ``find`` makes of those that the user does not name."""
    free = {name: values for name, values in chunk.columns.items() if name not in wanted}
    found = find(free)
    if not found:
        return chunk
    taken = {name for one in found.values() for name in one.origin.split(", ")}
    there = {known_name(name) for name in chunk.columns if name not in taken}
    made = {known: one for known, one in found.items() if known not in there}
    if not made:
        return chunk
    used = {name for one in made.values() for name in one.origin.split(", ")}
    return _with(chunk, made, used, written=written)


def _with_joined(chunk: Chunk, wanted: Iterable[str], *, written: bool) -> Chunk:
    """Return ``chunk`` with one column for each name that is a list of names, as ``hit A, hit B``: a list of fields."""
    for name in wanted:
        parts = name.split(", ")
        if name not in chunk.columns and len(parts) > 1 and chunk.columns.keys() >= set(parts):
            rows = zip(*[plain(chunk.columns[part]) for part in parts], strict=True)
            chunk = _with(chunk, {name: _Made([_there(row) for row in rows], name)}, set(parts), written=written)
    return chunk


def _there(row: Iterable[Any]) -> list[Any] | None:
    return [one for one in row if not is_missing(one) and one != ""] or None


def _of_payloads(columns: Mapping[str, Values]) -> dict[str, _Made]:
    return {known: _Made(*one) for known, one in of_payloads(columns).items()}


def _of_examples(columns: Mapping[str, Values]) -> dict[str, _Made]:
    return {known: _Made(*one) for known, one in of_examples(columns).items()}


def _of_tables(columns: Mapping[str, Values]) -> dict[str, _Made]:
    return {known: _Made(*one) for known, one in of_tables(columns).items()}


def _of_data_set(columns: Mapping[str, Values]) -> dict[str, _Made]:
    return {known: _Made(*one) for known, one in of_data_set(columns).items()}


def _with(chunk: Chunk, made: Mapping[str, _Made], used: set[str], *, written: bool) -> Chunk:
    kept = {name: values for name, values in chunk.columns.items() if name not in used}
    new = {known: _written(one.values) if written else one.values for known, one in made.items()}
    origins = {known: one.origin for known, one in made.items()}
    inferred = dict(chain(chunk.inferred.items(), *(one.inferred.items() for one in made.values())))
    return replace(chunk, columns=kept | new, origins={**chunk.origins, **origins}, inferred=inferred)


def _written(values: Sequence[Any]) -> list[Any]:
    return [json.dumps(one, ensure_ascii=False) if isinstance(one, list) else one for one in values]


def _numbered(columns: Mapping[str, Values]) -> dict[str, _Made]:
    """Return lists of what numbered columns hold, from 0 or 1 on, empty fields left out; null where all are empty."""
    parts = [(name, _BACKWARDS.match(folded(name)[::-1])) for name in columns]
    found = [(match[2][::-1], int(match[1][::-1]), name) for name, match in parts if match]
    # A header that comes twice is context and context.1 to pandas.
    again = {name.rpartition(".")[0] for name in columns if name.endswith(".1")}
    found += [(folded(name), 0, name) for name in again & columns.keys()]
    bases = {base for base in {one[0] for one in found} if base in _NUMBERED or suggests_passages(base)}
    numbered = sorted([one for one in found if one[0] in bases])
    made: dict[str, _Made] = {}
    for base, group in groupby(numbered, key=lambda one: one[0]):
        _, numbers, names = zip(*group, strict=True)
        if len(numbers) > 1 and numbers[0] in (0, 1) and numbers[1] == numbers[0] + 1:
            whole = numbers[-1] - numbers[0] == len(numbers) - 1
            rows = zip(*[plain(columns[name]) for name in names], strict=True)
            lists = [_there(row) for row in rows]
            are_passages = bool(meanings({base: lists}, written=False))
            known = _NUMBERED.get(base, "contexts")
            are_ids = base in _BY_FIELDS and whole and not are_passages and are_names(lists)
            known = "retrieved" if are_ids else known
            # Numbers with a gap may be cutoffs, but not those of passages.
            if (
                are_passages
                or are_ids
                or ((whole or known == "contexts") and base in _NUMBERED and base not in _BY_FIELDS)
            ):
                known = "contexts" if are_passages and known == "retrieved" else known
                if base in _NUMBERED or known not in made:
                    made[known] = _Made(lists, ", ".join(names))
    return made


def _of_task(columns: Mapping[str, Values]) -> dict[str, _Made]:
    """Return the columns of a summary or a translation, where all of them are there and no others of their meaning."""
    names = {folded(name): name for name in columns}
    for task in _TASKS:
        found = {known: next((names[one] for one in some if one in names), None) for known, some in task.items()}
        if None in found.values():
            continue
        others = {known_name(name) for name in columns if name not in found.values()}
        source = found.get("contexts")
        if source is not None and are_names(plain(columns[source])):
            continue
        if "question" in found and not CHATS.isdisjoint(names):
            # The messages hold the question.
            continue
        if others.isdisjoint(task):
            return {
                known: _Made(_listed(plain(columns[name])) if known == "contexts" else list(plain(columns[name])), name)
                for known, name in found.items()
                if name is not None and known_name(name) != known
            }
    return {}


def _listed(values: Sequence[Any]) -> list[Any]:
    return [[one] if isinstance(one, str) else one for one in values]


def _of_chat(columns: Mapping[str, Values]) -> dict[str, _Made]:
    """Return the last answer of the assistant in each list of messages, and the question of the user before it."""
    for name in [one for one in columns if folded(one) in CHATS]:
        chats = [None if is_missing(one) else messages_of(unwritten(one)) for one in plain(columns[name])]
        if any(chats) and [] not in chats:
            answered = [None if one is None else _until_answer(one) for one in chats]
            made = {
                "question": [question_of(one or chat) for one, chat in zip(answered, chats, strict=True)],
                "answer": [answer_of(one) if one else None for one in answered],
            }
            left = _left_out(name, [one for one in chats if one])
            return {known: _Made(values, name, left) for known, values in made.items() if any(values)}
    return {}


def _left_out(name: str, chats: Iterable[Sequence[Mapping[str, Any]]]) -> Inferred:
    """Return how many turns before the last conversations have, and how many conversations have passages within."""
    earlier = passages = 0
    for chat in chats:
        earlier += max(sum(one["role"] == "user" for one in _until_answer(chat)) - 1, 0)
        passages += any(
            (one["role"] in ("tool", "function") and one["content"]) or "contexts" in map(known_name, one["beside"])
            for one in chat
        )
    turns = Argument("turns", value=True)
    return {
        Understood(_EARLIER_TURNS, name, ("earlier turn is", "earlier turns are"), turns): earlier,
        Understood(PASSAGES_WITHIN, name, ("conversation has", "conversations have"), turns): passages,
    }


def messages_of(value: Any) -> list[dict[str, Any]]:
    """Return messages with ``role``, ``content`` and ``beside``, all fields; none where the value is not a chat.

    >>> messages_of([{"from": "human", "value": "Tea?"}])
    [{'role': 'user', 'content': 'Tea?', 'beside': {'from': 'human', 'value': 'Tea?'}}]
    """
    if not is_list(value) or not all(isinstance(one, Mapping) for one in items(value)):
        return []
    said = [(one.get("role") or one.get("from") or one.get("type"), one) for one in items(value)]
    messages = [
        {"role": _ROLES.get(str(role), role), "content": one.get("content", one.get("value")), "beside": one}
        for role, one in said
    ]
    return messages if any(one["role"] in ("user", "assistant") for one in messages) else []


def _until_answer(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the messages up to the last of the assistant that has a text."""
    ends = [place for place, one in enumerate(messages, 1) if one["role"] == "assistant" and one["content"]]
    return messages[: ends[-1]] if ends else []
