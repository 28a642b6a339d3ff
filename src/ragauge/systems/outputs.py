"""The output of a system for one question as the columns of a row; one without a clear meaning is an error.

Objects of frameworks are recognised by their attributes; no framework is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple

from ragauge.core.protocol import FAILURE
from ragauge.core.sample import SCHEMA, Sample
from ragauge.errors import ColumnError, excerpt
from ragauge.formats.column_names import folded, known_name, resolve
from ragauge.formats.convert import converted
from ragauge.formats.fields import kind_of
from ragauge.formats.objects import TEXT_NAMES, is_document, own_fields
from ragauge.formats.source import MOST_COLUMNS, of_rows
from ragauge.formats.sources import haystack
from ragauge.systems.measures import MEASURED, USAGE, is_measure, tokens_of, usage_of, with_measures
from ragauge.systems.objects import (
    Allowance,
    BadOutputError,
    as_number,
    by_class_name,
    document_parts,
    message_text,
    plain,
    response_parts,
    role_of,
    too_large,
)
from ragauge.systems.paths import (
    OWN_NAMES,
    check_mapped,
    error_in,
    has_failed,
    is_answer,
    is_at,
    key_hint,
    longest_text,
    nested_names,
    value_at,
    with_documents,
)
from ragauge.systems.replies import of_stream
from ragauge.systems.services import with_quotes

GIVEN = ("answer", "contexts", "retrieved", "retrieved_scores")
"""Known columns that a system gives."""
TASK = tuple(name for name in SCHEMA if name not in GIVEN)
"""Known columns that say what is wanted: a system cannot set them, since it would choose what it is scored by."""

_MUST = "return a text, a mapping with answer and contexts, or a Sample"
_NOT_ANSWERING = frozenset({"user", "human", "system", "developer", "tool", "function"})
"""Roles of messages that ask, or report to the model what it asked for."""
_COMPONENT = ("answers", "replies", "documents")


class SystemOutput(NamedTuple):
    """What was read of an output.

    ``columns``: known and other columns of JSON types. ``renamed``: known column -> another name that it has in the
    output.
    """

    columns: dict[str, Any]
    renamed: dict[str, str]


def read_output(
    output: object,
    mapping: Mapping[str, str] | None = None,
    split: Mapping[str, str] | None = None,
    left: Allowance | None = None,
) -> SystemOutput:
    """Return what a system returned as columns of JSON types, known ones under their own names.

    Args:
        output: a text, a number, a mapping, a `Sample`, (answer, passages), a list of documents, or an object of a
            framework: a message, a response with its source nodes, a data class.
        mapping: known column -> its name in the output, for names that are not recognised; a name that is mapped to
            itself is a column of its own, and the output needs no other.
        split: column of texts -> the separator between the texts, where one text holds them all.
        left: what reading may take; None: as much as one output may have.

    Raises:
        BadOutputError: the output has no clear meaning, as None has none, or is too large.

    >>> read_output({"answer": 42, "context": [{"page_content": "6 x 7 = 42"}]}).columns
    {'answer': '42', 'contexts': ['6 x 7 = 42']}
    """
    left = left or Allowance()
    pairs = islice(with_quotes(_fields(output, left)).items(), MOST_COLUMNS + 2)
    output_fields: Mapping[str, Any] = {str(name): value for name, value in pairs if name != FAILURE}
    if len(output_fields) > MOST_COLUMNS:
        raise too_large(f"more than {MOST_COLUMNS:,} fields")
    mapping = mapping or {}
    names = _known(output_fields, mapping)
    kept = {name for name, source in mapping.items() if name == source}
    said = error_in(output_fields)
    answered = output_fields.get(names.get("answer", ""))
    if said and answered in (None, "") and not (kept | {*names} - {"answer"}):
        raise BadOutputError(f"the system returned no answer but an error: {said}")
    if isinstance(answered, str) and has_failed(output_fields) and "answer" not in mapping:
        scored = f"to have its text scored, pass --map answer={names['answer']}, map= in Python"
        raise BadOutputError(f"the system says that it failed: {said or excerpt(answered)}; {scored}")
    own_fields_of = output_fields
    if not names:
        output_fields = _of_pipeline(output_fields, left)
        names = _known(output_fields, {name: name for name in kept})
    names = with_documents(names, output_fields, {*mapping, *kept})
    check_mapped({known: at for known, at in mapping.items() if known in GIVEN}, own_fields_of, output_fields)
    # Where the user maps the passages alone, the answer is still looked for.
    mapped = {} if "answer" in names else {known: at for known, at in names.items() if known in mapping}
    own = {known: at for known, at in names.items() if known not in mapped}
    nested = nested_names(output_fields, own)
    path = nested.get("answer", "")
    for end in (place for place, one in enumerate(path) if one == "."):
        if role_of(message := value_at(output_fields, path[:end])) in _NOT_ANSWERING:
            _check_speaker(message, _way_of_chat(output_fields, path, end))
    names |= {**nested, **mapped}
    values = {name: value_at(output_fields, source) for name, source in names.items() if name in GIVEN}
    known = {name: _known_value(name, value, left) for name, value in values.items()}
    used = {source if source in output_fields else source.partition(".")[0] for source in names.values()}
    others = [name for name in output_fields if name not in used and known_name(name) not in TASK]
    row = {name: plain(output_fields[name], by_class_name, left) for name in others}
    measured = {name: mapping[name] for name in MEASURED if name in mapping and is_at(output_fields, mapping[name])}
    own = {name: as_number(plain(value_at(output_fields, at), by_class_name, left)) for name, at in measured.items()}
    tokens = {**tokens_of({**row, **usage_of(output_fields, left)}), **own}
    others_there = {name: value for name, value in row.items() if not (tokens and name in USAGE)}
    try:
        columns = with_measures({**_converted(known, split or {}), **tokens, **others_there}, output_fields)
    except BadOutputError as error:
        raise BadOutputError(f"{error}{key_hint(names, known)}") from None
    if not names and kept.isdisjoint(output_fields):
        keys = f" (it has {', '.join(columns)})" if columns else ""
        place = longest_text(output_fields) or "KEY"
        way = f", or name the place of the answer: --map answer={place}, map= in Python" if keys else ""
        raise BadOutputError(f"the system returned {_named(output)} without an answer or passages{keys}; {_MUST}{way}")
    return SystemOutput(columns, {name: source for name, source in {**names, **measured}.items() if name != source})


def _fields(output: Any, left: Allowance) -> Mapping[Any, Any]:
    """Return the fields of an output by their names, as they are."""
    if isinstance(output, str | bytes | int | float | Decimal) and not isinstance(output, bool):
        return {"answer": output}
    if isinstance(output, Sample):
        own = {name: value for name, value in asdict(output).items() if value is not None}
        return {**own.pop("tags"), **own}
    if isinstance(output, Mapping):
        inner = {name: parts for name, value in output.items() if (parts := response_parts(value)) is not None}
        others = {name: value for name, value in output.items() if name not in inner}
        return {**others, **next(iter(inner.values()))} if len(inner) == 1 else output
    if isinstance(output, Iterator):
        return of_stream(output, left)
    if isinstance(output, list | tuple) and not hasattr(output, "_asdict"):
        return _listed(output)
    return _of_object(output)


def _listed(output: list[Any] | tuple[Any, ...]) -> Mapping[str, Any]:
    if isinstance(output, tuple) and len(output) == 2 and isinstance(output[1], list):
        answer, passages = output
        if isinstance(answer, str) or message_text(answer) is not None:
            return {"answer": answer, "contexts": passages}
    if output and all(isinstance(one, Mapping) and "generated_text" in one for one in output):
        # Of Hugging Face: the first of several candidates.
        first: Mapping[str, Any] = output[0]
        return first
    if output and all(map(_is_message, output)):
        # Of a chat: the last message is the answer.
        _check_speaker(output[-1], _MUST)
        return {"answer": output[-1]} if isinstance(output[-1], Mapping) else _of_object(output[-1])
    answers = [one for one in output if isinstance(one, Mapping) and any(known_name(key) == "answer" for key in one)]
    if len(output) == 1 and answers:
        return answers[0]
    if answers:
        raise BadOutputError(f"the system returned a list with {len(answers)} answers; return one of them")
    if all(isinstance(one, Mapping) or document_parts(one) is not None for one in output):
        # A retriever, which may find nothing.
        return {"contexts": list(output)}
    what = "a list of texts, which could be answers or passages" if output else "an empty tuple"
    what = what if all(isinstance(one, str) for one in output) else f"a {type(output).__name__} of {_kinds(output)}"
    raise BadOutputError(f"the system returned {what}; {_MUST}")


def _check_speaker(message: Any, way: str) -> None:
    """Raise BadOutputError for a message that answers nothing: its text must not become the answer in silence."""
    if role_of(message) in _NOT_ANSWERING:
        raise BadOutputError(f"the system returned messages, and the last is by the {role_of(message)}; {way}")


def _way_of_chat(output: Mapping[str, Any], path: str, end: int) -> str:
    """Return what to do where the message at ``path[:end]`` answers nothing: take the last text that one before has."""
    way, chat = "return the text of the answer", path[:end].rpartition(".")[0]
    messages: Any = value_at(output, chat) if chat else None
    for back in range(1, len(messages) + 1 if isinstance(messages, list | tuple) else 0):
        message, key = messages[-back], path[end + 1 :].partition(".")[0]
        text = message_text(message) if role_of(message) not in _NOT_ANSWERING and is_at(message, key) else None
        if isinstance(text, str) and text.strip():
            return f"{way}, or map it where it has this place in every reply: --map answer={chat}.-{back}.{key}"
    return way


def _is_message(value: Any) -> bool:
    if isinstance(value, Mapping):
        return "role" in value and "content" in value
    return not isinstance(value, str) and (hasattr(value, "role") or hasattr(value, "response_metadata"))


def _of_object(output: Any) -> Mapping[str, Any]:
    """Return the fields of an object of a framework, recognised by its attributes."""
    parts = response_parts(output)
    if parts is not None:
        return parts
    message = message_text(output)
    if message is not None:
        metadata = getattr(output, "response_metadata", None)
        of_message = metadata if isinstance(metadata, Mapping) else {}
        usage = getattr(output, "usage_metadata", None) or of_message.get("token_usage")
        return {"answer": message, **({"usage": usage} if usage else {})}
    parts = None if isinstance(output, type) else document_parts(output)
    if parts is not None and is_document(output):
        what = f"the system returned one {type(output).__name__}, which could be an answer or a passage"
        raise BadOutputError(f"{what}; {_MUST}")
    inner = None if isinstance(output, type) else own_fields(output)
    if inner is None and parts is None:
        raise BadOutputError(f"the system returned {_named(output)}; {_MUST}")
    # The text of an object may be a property, as that of many clients of models.
    inner = inner or {}
    return inner if parts is None or not inner.keys().isdisjoint(TEXT_NAMES) else {"text": parts["text"], **inner}


def _of_pipeline(output: Mapping[str, Any], left: Allowance) -> Mapping[str, Any]:
    """Return answer and passages of what a pipeline of Haystack returns by component; anything else as it is."""
    parts = {name: plain(value, by_class_name, left) for name, value in output.items()}
    components = [one for one in parts.values() if isinstance(one, Mapping) and not one.keys().isdisjoint(_COMPONENT)]
    # An object with an answer of its own beside its documents is what a server wraps its reply in.
    if not components or any(is_answer(str(name), one) for part in components for name, one in part.items()):
        return output
    return haystack.sample_of(parts, [])


def _known(output: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return known column -> its name in the output; `context` is what the system retrieved."""
    own = {known: name for known, name in mapping.items() if known in GIVEN and is_at(output, name)}
    kept = {name for name, source in mapping.items() if name == source}
    for known, aliases in OWN_NAMES.items():
        likely = [name for name in output if folded(name) in aliases and name not in kept]
        if len(likely) == 1 and known not in map(known_name, output) and likely[0] not in own.values():
            own.setdefault(known, likely[0])
    meant = [name for name in output if known_name(name) in GIVEN and (name in GIVEN or name not in kept)]
    names = [*meant, *(name for name in own.values() if name not in meant)]
    try:
        return {known: name for known, name in resolve(names, own).sources.items() if known in GIVEN}
    except ColumnError as error:
        raise BadOutputError(" ".join(str(error).split())) from None


def _known_value(name: str, value: Any, left: Allowance) -> Any:
    """Return the value of a known column as the reader of data takes it."""
    if value is None and name == "answer":
        raise BadOutputError(f"the system returned None as its answer; {_MUST}")
    if name == "answer":
        return _answer(value, left)
    if name == "contexts" and isinstance(value, str):
        return value
    simple = _strict(value, left)
    is_one = isinstance(simple, str) or (name == "contexts" and isinstance(simple, Mapping))
    return [simple] if is_one else simple


def _answer(value: Any, left: Allowance) -> Any:
    """Return an answer as text or number: also that of a message, of a document, and of a list of one text."""
    if isinstance(value, list | tuple) and len(value) == 1:
        return _answer(value[0], left)
    if isinstance(value, Iterator):
        return of_stream(value, left)["answer"]
    message = message_text(value)
    if message is not None:
        return message
    simple = _strict(value, left)
    texts = [simple[name] for name in TEXT_NAMES if simple.get(name) is not None] if isinstance(simple, Mapping) else []
    return texts[0] if len(texts) == 1 else simple


def _strict(value: Any, left: Allowance) -> Any:
    """Return a value of JSON types; BadOutputError for an object without one, which must not become a text."""
    return plain(value, _refused, left)


def _refused(value: object) -> str:
    raise BadOutputError(f"the system returned a {type(value).__name__} within its answer or passages; {_MUST}")


def _converted(known: Mapping[str, Any], split: Mapping[str, str]) -> dict[str, Any]:
    """Return known columns with the types of the data contract; BadOutputError where a value does not fit."""
    row = dict(known)
    if isinstance(row.get("contexts"), str) and "contexts" not in split:
        row["contexts"] = [row["contexts"]]
    if all(name in ("answer", "contexts") and _is_final(name, value) for name, value in row.items()):
        return row
    own_split = {name: separator for name, separator in split.items() if name in row}
    rows = converted(of_rows([row], (1,)), {name: name for name in row}, written=False, split=own_split)
    if rows.problems:
        raise BadOutputError(f"the system's {'; '.join(what for _, what in rows.problems)}")
    values = {name: array[0].as_py() for name, array in rows.columns.items()}
    return {name: value for name, value in values.items() if value is not None or name in row}


def _is_final(name: str, value: Any) -> bool:
    """Return whether an answer is a text, or contexts are a list of texts, of whole characters: most are."""
    texts = [value] if name == "answer" else value if isinstance(value, list) else [None]
    try:
        return all(isinstance(one, str) and one.encode() is not None for one in texts)
    except UnicodeEncodeError:
        return False


def are_columns(columns: Mapping[str, Any]) -> bool:
    """Return whether columns from a file of answers are such as `read_output` gives.

    >>> are_columns({"answer": "42", "cost": 0.5}), are_columns({"answer": ["4", "2"]}), are_columns({"cost": "free"})
    (True, False, False)
    """
    try:
        _converted({name: columns[name] for name in GIVEN if name in columns}, {})
    except BadOutputError:
        return False
    measures = [columns[name] for name in MEASURED if columns.get(name) is not None]
    return FAILURE not in columns and all(map(is_measure, measures))


def _named(value: object) -> str:
    return "None" if value is None else kind_of(value)


def _kinds(values: Iterable[object]) -> str:
    return ", ".join(sorted({type(one).__name__ for one in values}))
