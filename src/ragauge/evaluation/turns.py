"""Conversations: each turn becomes a sample, and passages of earlier turns count where a turn refers to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from os import PathLike
from typing import Any

import pyarrow as pa

from ragauge import languages
from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch, Dataset, concatenated
from ragauge.core.messages import Counted, Joined, Message
from ragauge.errors import ColumnError, DataError, UsageError, at
from ragauge.evaluation.kept_samples import Read
from ragauge.evaluation.request import CONVERSATION
from ragauge.formats.column_names import folded, known_name
from ragauge.formats.fields import is_list, is_missing, items, plain
from ragauge.formats.file_formats import opened_source
from ragauge.formats.shapes import CHATS, messages_of
from ragauge.formats.sources.payloads import unwritten
from ragauge.grounding.earlier import EARLIER

TURN = "turn"
"""The column that says which turn of its conversation a sample is."""
_NAMES: Mapping[str, frozenset[str]] = {
    name: frozenset(map(folded, names.split())) for name, names in languages.table("columns")["turns"].items()
}
_SILENT = "RG-ENG-055 {column} is empty; give the messages of the conversation, or leave the row out"
_WORDS, _CHARACTERS = 3, 6
"""Words of a question that says too little to stand alone, and the most characters of each, on average."""


def read_turns(read: Read, source: object, **reading: Any) -> Dataset:
    """Return the turns of conversations as samples, read by ``read``; errors as of it and of `named_turns`."""
    rows = turn_rows(source, reading.get("format"), reading.get("encoding"))
    if rows is source:
        return named_turns(read(source, **reading))
    data = read(rows, **{**reading, "format": None, "encoding": None})
    return named_turns(replace(data, source=str(source)) if isinstance(source, str | PathLike) else data)


def turn_rows(source: object, format: str | None = None, encoding: str | None = None) -> object:  # noqa: A002
    """Return data in which each row is a turn: lists of messages are taken apart, all other data stay as they are.

    A turn is what the user says and what the assistant answers to it. Its passages and judgements are fields of its
    messages (``contexts``, ``references``, ...), or the messages of tools between the two. Other columns of the row
    stay; of those that a metric reads, such as ``references``, the last turn has the value and the others null, because
    they are of the whole conversation.

    Raises:
        DataError: some rows have no messages, where others have.

    >>> said = [("user", "Who runs it?"), ("assistant", "Anna."), ("user", "Since when?"), ("assistant", "2001.")]
    >>> rows = turn_rows([{"id": "c", "messages": [{"role": role, "content": text} for role, text in said]}])
    >>> [(row["id"], row["turn"], row["question"], row["answer"]) for row in rows]
    [('c#1', 1, 'Who runs it?', 'Anna.'), ('c#2', 2, 'Since when?', '2001.')]
    """
    if is_list(source) and all(isinstance(one, str) for one in items(source)):
        return source
    made: list[dict[str, Any]] = []
    silent: list[Message] = []
    with opened_source(source, format, encoding) as opened:
        for chunk in opened.chunks:
            if chunk.problems:
                return source
            chats = next((name for name in chunk.columns if folded(name) in CHATS), None)
            if chats is None:
                return source
            for place, values in zip(chunk.places, zip(*map(plain, chunk.columns.values()), strict=True), strict=True):
                row = dict(zip(chunk.columns, values, strict=True))
                value = unwritten(row.pop(chats))
                said = messages_of(value)
                if said:
                    made += _turns(row, said, str(place))
                elif is_missing(value) or (is_list(value) and not len(value)):
                    silent.append(at(opened.unit, place, Message(_SILENT, chats)))
                else:
                    return source
    if made and silent:
        raise DataError.of(opened.name, silent)
    return made or source


def _turns(row: Mapping[str, Any], said: Sequence[Mapping[str, Any]], place: str) -> Iterator[dict[str, Any]]:
    """Yield the turns of one conversation."""
    name = next((row[one] for one in row if one == CONVERSATION or known_name(one) == "id"), None) or place
    turns: list[dict[str, Any]] = []
    before = ""
    for one in said:
        role, text = one["role"], one["content"]
        if role == "user":
            turns.append({"question": text})
        elif turns and role == "assistant" and text:
            # Messages in a row are one answer; what was said before a tool was called is none.
            goes_on = before == "assistant" and "answer" in turns[-1]
            turns[-1]["answer"] = f"{turns[-1]['answer']}\n{text}" if goes_on else text
        elif turns and role in ("tool", "function") and text:
            turns[-1].setdefault("contexts", []).append(text)
        before = role
        if turns:
            turns[-1] |= {known: own for key, own in one["beside"].items() if (known := known_name(key))}
    rest = {key: own for key, own in row.items() if known_name(key) is None}
    of_last = {known: row[key] for key in row if (known := known_name(key)) not in (None, "id", "question", "answer")}
    for number, turn in enumerate(turns, 1):
        last = of_last if number == len(turns) else dict.fromkeys(of_last)
        yield {**rest, **last, "id": f"{name}#{number}", CONVERSATION: str(name), TURN: number, "answer": None, **turn}


def named_turns(data: Dataset) -> Dataset:
    """Return ``data`` whose columns of conversations and turns are called `CONVERSATION` and `TURN`.

    Raises:
        ColumnError: no column says to which conversation a sample belongs.
    """
    names = {one: next((name for name in data.columns if folded(name) in some), None) for one, some in _NAMES.items()}
    if names[CONVERSATION] is None:
        raise ColumnError(
            "RG-ENG-050 {source} has no conversations, but the columns {columns}. Give lists of messages (a column "
            "messages), or rows with the columns conversation and turn",
            data.source,
            ", ".join(data.columns),
        )
    renamed = {old: new for new, old in names.items() if old not in (None, new)}

    def batches() -> Iterator[Batch]:
        for batch in data.batches():
            yield Batch(batch.table().rename_columns([renamed.get(name, name) for name in batch.names]))

    columns = tuple(renamed.get(name, name) for name in data.columns)
    mapping = {**data.mapping, **{new: data.mapping.get(old, old) for old, new in renamed.items()}}
    return replace(data, columns=columns, batches=batches, mapping=mapping)


def conversations(rows: Sequence[Mapping[str, Any]], source: str) -> list[list[int]]:
    """Return the places of the rows of each conversation, in the order of turns; a row without one is one alone.

    Raises:
        DataError: a turn is not a number, or is in its conversation twice.

    >>> conversations([{"conversation": "a", "turn": 2}, {"conversation": None}, {"conversation": "a", "turn": 1}], "x")
    [[2, 0], [1]]
    """
    found: dict[object, list[int]] = defaultdict(list)
    order: list[float] = []
    wrong: list[Message] = []
    there: set[tuple[str, float]] = set()
    for place, row in enumerate(rows):
        name = row[CONVERSATION]
        found[("alone", place) if is_missing(name) else str(name)].append(place)
        turn: Any = row.get(TURN)
        is_given = not (turn is None or is_missing(turn))
        try:
            order.append(float(turn if is_given else place))
        except (TypeError, ValueError):
            wrong.append(Message("RG-ENG-051 row {place}: the turn must be a number; got {turn!r}", place + 1, turn))
            continue
        if is_given and not is_missing(name) and (str(name), order[-1]) in there:
            wrong.append(Message("RG-ENG-054 row {place}: turn {turn} of {name} is there twice", place + 1, turn, name))
        there.add((str(name), order[-1]))
    if wrong:
        raise DataError.of(source, wrong)
    return [sorted(places, key=order.__getitem__) for places in found.values()]


def in_conversation(system: Any) -> Any:
    """Return a system that knows what was said before; UsageError where it has no way to."""
    from ragauge.systems.calling import TOLD, name_of, told_by
    from ragauge.systems.conversation import conversation_of

    if hasattr(system, "in_conversation"):
        system = system.in_conversation()
        knows = not {*TOLD, CONVERSATION}.isdisjoint(system.places)
    else:
        own = conversation_of(system)
        knows = bool(told_by(system)) or (own is not None and (own.reset is not None or bool(own.sessions)))
    if not knows:
        raise UsageError(
            "RG-ENG-052 {name} has no way to know what was said before: give a function with a second argument history "
            "(or messages), an object with reset() or sessions, or an address with {places} in its body",
            system.name if hasattr(system, "in_conversation") else name_of(system),
            Joined([f"{{{name}}}" for name in (*TOLD, CONVERSATION)], " or "),
        )
    return system


def with_earlier(data: Dataset) -> Dataset:
    """Return samples with the passages of earlier turns of their conversation, where their question refers to them.

    They are the column `ragauge.grounding.earlier.EARLIER`, which metrics of support read beside ``contexts``.
    """
    batch = concatenated(data.batches())
    table = batch.table()
    used = [name for name in (CONVERSATION, TURN, "question", "contexts") if name in table.column_names]
    rows = table.select(used).to_pylist()
    earlier: list[list[str]] = [[] for _ in rows]
    refers = referring([row.get("question") or "" for row in rows])
    for places in conversations(rows, data.source):
        passages: list[str] = []
        for place in places:
            if passages and refers[place]:
                earlier[place] = list(dict.fromkeys(passages))
            passages += rows[place].get("contexts") or []
    if EARLIER in table.column_names or "contexts" not in used:
        return data
    table = table.append_column(EARLIER, to_arrow(earlier, pa.list_(pa.string())))
    count = sum(map(bool, earlier))
    note = Message(
        "RG-NOTE-220 passages of earlier turns count too where a question refers to what was said before: in {turns}",
        Counted(count, "turn"),
    )
    size = max(map(len, data.batches()), default=1)

    def batches() -> Iterator[Batch]:
        return (Batch(table.slice(first, size)) for first in range(0, len(table), size))

    notes = (*data.notes, *([note] if count else []))
    return replace(data, columns=(*data.columns, EARLIER), batches=batches, notes=notes)


def referring(questions: Sequence[str]) -> list[bool]:
    """Return whether each question refers to what was said before it: by a word such as "it" or "那", or it is short.

    The words are of eleven languages (``languages/referring.toml``). A question in another, or in none that can be
    told, refers where it is short.

    >>> referring(["When does it close?", "那门票多少钱？", "When does the tea house in Suzhou close?"])
    [True, True, False]
    """
    from ragauge.grounding.support.units import languages_of

    found = []
    for question, language in zip(questions, languages_of(questions), strict=True):
        words = len(question.split())
        is_short = words <= _WORDS and len(question) <= _CHARACTERS * words
        pattern = _patterns().get(language)
        found.append(is_short or (pattern is not None and pattern.search(question.strip()) is not None))
    return found


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    tables = languages.table("referring")
    return {language: re.compile("|".join(own), re.IGNORECASE) for language, own in tables.items()}
