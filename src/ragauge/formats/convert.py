"""Columns of a source as the columns that ragauge knows, with their types; all other columns are kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow, to_numpy
from ragauge.core.hashing import HashArray, hash_strings
from ragauge.core.messages import Message
from ragauge.core.ragged import listed
from ragauge.core.sample import SCHEMA, Kind
from ragauge.formats import documents, fields
from ragauge.formats.column_names import RELEVANT_IDS, folded
from ragauge.formats.inferred import Inferred, Understood, are_numbered_ids, graded_labels, of_numbers, without_gaps
from ragauge.formats.json_text import TOO_LONG
from ragauge.formats.orders_within import of_orders
from ragauge.formats.single_texts import texts_as_lists
from ragauge.formats.source import JUDGEMENTS, NUMBERS, TEXT, TEXTS, UNFIT, Chunk, Problem, Values
from ragauge.formats.splitting import COLUMNS_OF_IDS, IDS, lists_of
from ragauge.formats.written_lists import are_lists_of_texts, are_written_lists, hold_lists_of_ids, with_bare_lists

TYPES = {"text": TEXT, "texts": TEXTS, "numbers": NUMBERS, "judgements": JUDGEMENTS}
# `retrieved` and its scores come before the columns that imply them.
_ORDER = (
    *("id", "question", "answer", "language", "references"),
    *("retrieved", "retrieved_scores", "contexts", "reference_contexts", "relevance"),
)
NO_ID = hash_strings([""])[0]
"""The hash of an id that is not there."""
_LISTS = ("retrieved", "relevance", "contexts", "reference_contexts")
"""Columns of lists in which one text is none."""


class Converted(NamedTuple):
    """Rows as Arrow columns by their known names, known columns first.

    ``types``: of the columns, the narrowest of a column of CSV. ``ids``: the hash of each row's id, (n,). ``problems``:
    what is wrong with rows; the fields are null. ``inferred``: fields that were understood otherwise than written.
    """

    columns: dict[str, pa.Array]
    types: dict[str, pa.DataType]
    ids: HashArray
    places: Sequence[int]
    problems: Sequence[Problem]
    inferred: Inferred


def converted(
    chunk: Chunk, sources: Mapping[str, str], *, written: bool, split: Mapping[str, str], of_ids: bool = False
) -> Converted:
    """Return the rows of ``chunk`` with all its columns.

    ``sources``: column -> its name in the source. ``written``: fields are texts as CSV files have them. ``split``:
    column of texts -> the separator between the texts of a field. ``of_ids``: `relevance` lists ids, also as numbers.
    """
    by_name: dict[str, pa.Array] = {}
    problems: list[Problem] = []
    understood: dict[Understood, int] = {}
    for name in [one for one in _ORDER if sources.get(one) in chunk.columns]:
        source = sources[name]
        column = name if name == source else f"{name} (from {source})"
        ids_only = name == "relevance" and (of_ids or folded(source.rpartition(".")[2]) in RELEVANT_IDS)
        values = lists_of(name, fields.with_none(chunk.columns[source]), split, ids_only=ids_only)
        as_csv = written or (name in _LISTS and are_written_lists(values, objects=name == "relevance"))
        as_csv = as_csv or (name in IDS and hold_lists_of_ids(values))
        as_csv = as_csv or (name == "references" and are_lists_of_texts(values, by_name.get("answer")))
        values = with_bare_lists(values) if as_csv and name in ("retrieved", "relevance") else values
        if as_csv and SCHEMA[name] != "text" and (name in COLUMNS_OF_IDS or name not in split):
            values, wrong = fields.each(values, column, partial(_parsed, kind=SCHEMA[name]))
            problems += wrong
        arrays, wrong = _understood(name, values, column, by_name, understood, ids_only=ids_only)
        problems += wrong
        for filled, array in arrays.items():
            # A column's own values win over those that another column implies.
            both = (array, by_name.get(filled)) if filled == name else (by_name.get(filled), array)
            by_name[filled] = pc.coalesce(*both) if filled in by_name else array
    if "retrieved_scores" in by_name:
        problems += documents.score_problems(by_name["retrieved_scores"], by_name.get("retrieved"))
    columns = {name: by_name[name] for name in SCHEMA if name in by_name}
    for name, source in sources.items():
        if name not in SCHEMA and source in chunk.columns:
            values = lists_of(name, fields.with_none(chunk.columns[source]), split, ids_only=False)
            try:
                columns[name] = to_arrow(values, TEXT) if written and name not in split else inferred(values)
            except _NOT_JSON:
                texts, wrong = fields.each(values, name, _json_text)
                columns[name] = to_arrow(texts, TEXT)
                problems += wrong
    types = {
        name: narrowest(one) if written and name not in {*SCHEMA, *split} else one.type for name, one in columns.items()
    }
    ids = hash_strings(columns["id"]) if "id" in columns else np.full(len(chunk.places), NO_ID)
    understood |= {**of_numbers(chunk.columns, sources), **of_orders(chunk.columns, sources)}
    placed = [Problem(chunk.places[row], what) for row, what in problems]
    return Converted(columns, types, ids, chunk.places, placed, understood)


def _understood(
    name: str,
    values: Values,
    column: str,
    before: Mapping[str, pa.Array],
    understood: dict[Understood, int],
    *,
    ids_only: bool,
) -> documents.Columns:
    """Convert the fields as `known_column` does, also those that are meant otherwise than they are written."""
    retrieved = before.get("retrieved")
    values = texts_as_lists(name, values, column, understood)
    if name == "relevance" and not ids_only and retrieved is not None:
        ids_only = are_numbered_ids(values, retrieved, column, understood)
    if name == "relevance" and not ids_only:
        values, wrong = graded_labels(values, before, column, understood)
        if wrong:
            return {}, wrong
    converted_columns = known_column(name, values, column, retrieved, ids_only=ids_only)
    if converted_columns[1] and name in IDS:
        kept = without_gaps(values, column, understood, ids_only=ids_only or name == "retrieved")
        return known_column(name, kept, column, retrieved, ids_only=ids_only)
    return converted_columns


def known_column(
    name: str, values: Values, column: str, retrieved: pa.Array | None = None, *, ids_only: bool = False
) -> documents.Columns:
    """Convert the n fields of the known column ``name`` to it and to the columns that it implies.

    ``column``: its name in messages. ``retrieved``: n lists of ids, as they are known so far. ``ids_only``: it lists
    ids of relevant documents, so that a number is an id and no grade.
    """
    array = None if ids_only else _at_once(values, TYPES[SCHEMA[name]])
    if array is not None:
        return {name: array}, []
    if name == "relevance":
        return documents.judgements(values, column, retrieved, ids_only=ids_only)
    if name == "retrieved":
        return documents.rankings(values, column)
    if name in ("contexts", "reference_contexts"):
        columns, problems = documents.passages(values, column, retrieved)
        return (columns if name == "contexts" else {name: columns["contexts"]}), problems
    single = _at_once(values, TEXT) if name == "references" else None
    if single is not None:
        present = to_numpy(single.is_valid())
        return {name: listed(single.drop_null(), present, ~present)}, []
    one_by_one, problems = fields.each(values, column, _CONVERT[name])
    return {name: to_arrow(one_by_one, TYPES[SCHEMA[name]])}, problems


def _parsed(value: Any, kind: Kind) -> Any:
    return fields.parsed(value, kind) if isinstance(value, str) else value


def _references(value: object) -> list[str]:
    several = [documents.texts_within(one) for one in (fields.items(value) if fields.is_list(value) else [value])]
    if fields.is_list(value) or fields.is_list(several[0]):
        each = chain.from_iterable([fields.items(one) if fields.is_list(one) else [one] for one in several])
        return fields.listed(list(each), "texts", fields.answer)
    return [fields.answer(value)]


_CONVERT: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "id": fields.identifier,
        "question": fields.question,
        "answer": fields.answer,
        "language": fields.text,
        "references": _references,
        "retrieved_scores": partial(fields.listed, of="numbers", convert=fields.number),
    }
)


def _at_once(values: Values, kind: pa.DataType) -> pa.Array | None:
    """Return ``values`` as ``kind`` without a step per value; None where one is wrong, or has another form."""
    try:
        if isinstance(values, pa.Array):
            array = _from_arrow(values, kind)
        elif kind == JUDGEMENTS:
            array = fields.from_objects(values) if set(map(type, values)) <= {dict, type(None)} else None
        else:
            array = to_arrow(values, kind, strict=True)
    except UNFIT:
        return None
    if array is None or kind == TEXT:
        return array
    items = pc.list_flatten(array)
    parts = items.flatten() if kind == JUDGEMENTS else [items]
    finite = kind != JUDGEMENTS or pc.all(pc.is_finite(parts[1])).as_py() is not False
    return array if finite and not sum([part.null_count for part in parts]) else None


def _from_arrow(values: pa.Array, kind: pa.DataType) -> pa.Array | None:
    if values.null_count == len(values):
        return pa.nulls(len(values), kind)
    if values.type == kind:
        return values
    if kind == TEXT:
        plain = values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values
        return plain.cast(TEXT) if is_text(values.type) else None
    if pa.types.is_map(values.type) and kind == JUDGEMENTS:
        return _from_maps(values)
    lists = pa.types.is_list(values.type) or pa.types.is_large_list(values.type)
    if not lists and not (pa.types.is_fixed_size_list(values.type) and kind != JUDGEMENTS):
        return None
    item = values.type.value_type
    if kind == TEXTS:
        fits = is_text(item)
    elif kind == NUMBERS:
        fits = pa.types.is_floating(item) or pa.types.is_integer(item) or pa.types.is_null(item)
    else:
        fits = pa.types.is_struct(item) and {field.name for field in item} == {"id", "grade"}
    return values.cast(kind) if fits else None


def _from_maps(maps: pa.MapArray) -> pa.Array | None:
    """Return maps id -> grade as judgements; None where an id is not a text, or is twice in a map."""
    numbers = pa.types.is_floating(maps.type.item_type) or pa.types.is_integer(maps.type.item_type)
    if not is_text(maps.type.key_type) or not numbers:
        return None
    judged = maps.cast(JUDGEMENTS)
    ids = judged.flatten().field("id").dictionary_encode()
    pairs = to_numpy(pc.list_parent_indices(judged)).astype(np.int64) * len(ids.dictionary) + to_numpy(ids.indices)
    return judged if len(np.unique(pairs)) == len(pairs) else None


_TEXT_TYPES = frozenset({TEXT, pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.null()})


def is_text(kind: pa.DataType) -> bool:
    """Return whether values of this Arrow type are texts, in any of Arrow's layouts."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return kind in _TEXT_TYPES


_MOST_KEYS = 64
"""Keys of objects: each becomes an Arrow column, which suits records and is ruinous for maps with ids as keys."""
_MOST_KEYS_WITHIN = 1024
_SCALARS = frozenset({str, int, float, bool, type(None)})
_DEEPEST = 16
"""Levels of lists and objects; deeper ones become JSON, because each level is a level of recursion."""


def inferred(values: Values) -> pa.Array:
    """Return ``values`` as the type that Arrow infers; values of several kinds become JSON text.

    >>> inferred([1, 2.5]).type, inferred([1, "a"]).to_pylist()
    (DataType(double), ['1', 'a'])
    """
    if isinstance(values, pa.Array):
        array = values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values
        return array.cast(TEXT) if array.type in {pa.large_string(), pa.string_view()} else array
    try:
        array = to_arrow(values) if _is_record_like(values) and not _mixes_truth(values) else None
    except UNFIT:
        array = None
    return as_json(values) if array is None or not storable(array.type) else array


def _is_record_like(values: Iterable[Any]) -> bool:
    """Return whether objects have few keys and few levels; each level is looked at as a whole."""
    if set(map(type, values)) <= _SCALARS:
        return True
    level, most = [value for value in values if isinstance(value, dict | list)], _MOST_KEYS
    for _ in range(_DEEPEST):
        objects = [value for value in level if isinstance(value, dict)]
        if len(set(chain.from_iterable(objects))) > most:
            return False
        inner = chain.from_iterable([value.values() if isinstance(value, dict) else value for value in level])
        level, most = [value for value in inner if isinstance(value, dict | list)], _MOST_KEYS_WITHIN
        if not level:
            return True
    return False


def _mixes_truth(values: Iterable[Any]) -> bool:
    """Return whether booleans are mixed with numbers: Arrow reads them as numbers or not by the order of the values."""
    kinds = set(map(type, values))
    if bool in kinds and kinds & {int, float}:
        return True
    nested = [value for value in values if isinstance(value, list)] if list in kinds else []
    objects = [value for value in values if isinstance(value, dict)] if dict in kinds else []
    names = set(chain.from_iterable(objects))
    within = ([one.get(name) for one in objects] for name in names)
    return any(map(_mixes_truth, [list(chain.from_iterable(nested)), *within])) if nested or names else False


def storable(kind: pa.DataType) -> bool:
    """Return whether Parquet can hold the type: it has no object without keys."""
    return not pa.types.is_struct(kind) or 0 < kind.num_fields <= _MOST_KEYS


def as_json(values: Values) -> pa.Array:
    """Return texts as they are and everything else as JSON text."""
    return to_arrow([None if one is None else _text_or_json(one) for one in fields.plain(values)], TEXT)


_NOT_JSON = (TypeError, ValueError, RecursionError)


def _text_or_json(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text.encode("utf-8", "backslashreplace").decode()


def _json_text(value: object) -> str:
    try:
        return _text_or_json(value)
    except _NOT_JSON:
        why = Message("nested too deeply, has a key that is not text, or is {number}", TOO_LONG)
        raise fields.BadFieldError("RG-DATA-084 cannot be written as JSON: it is {why}; leave it out", why) from None


def narrowest(texts: pa.Array) -> pa.DataType:
    """Return the type that all ``texts`` of a CSV column can be read as: int64, double, bool, else string.

    Digits after a leading zero are a code and no number. An empty text is null.

    >>> [str(narrowest(pa.array(texts))) for texts in (["1", ""], ["1.5", "2"], ["true"], ["007"], [""])]
    ['int64', 'double', 'bool', 'string', 'null']
    """
    filled = nulls_for_empty(texts).drop_null()
    if len(filled) == 0:
        return pa.null()
    if pc.any(pc.match_substring_regex(filled, r"^[-+]?0\d")).as_py():
        return TEXT
    for kind in (pa.int64(), pa.float64(), pa.bool_()):
        try:
            filled.cast(kind)
        except pa.ArrowInvalid:
            continue
        return kind
    return TEXT


def nulls_for_empty(values: pa.Array) -> pa.Array:
    """Return the texts with null for empty ones: outside the known columns an empty field means nothing."""
    return pc.if_else(pc.equal(values, scalar("", TEXT)), scalar(None, TEXT), values)
