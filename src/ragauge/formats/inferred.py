"""Fields that are understood otherwise than they are written: numbers as texts, labels as grades, lists with gaps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.messages import Counted, Message
from ragauge.formats.fields import is_list, is_missing, is_number, items, plain
from ragauge.formats.grade_words import grades_of_words
from ragauge.formats.source import Problem, Values


class Understood(NamedTuple):
    """How fields of a column were understood: the ``template`` of a note, and ``words`` for one field and for more."""

    template: str
    column: str
    words: tuple[str, str]
    example: str = ""


Inferred: TypeAlias = Mapping[Understood, int]
"""How fields were understood -> their number."""
_TAKES_NUMBERS = ("question", "answer", "references", "contexts", "reference_contexts")
_AS_TEXT = "RG-NOTE-005 {name}: {count}, read as text"
_GAPS = (
    "RG-NOTE-120 {column}: {fields} with items that are null or NaN, which were left out; a rank is that among the "
    "other items"
)
_LABELS = (
    "RG-NOTE-121 {column}: {fields} of texts such as {example!r} were read as grades of the retrieved documents, in "
    "their order; if they are ids, name the column relevant_ids"
)
_WORDS = "RG-NOTE-272 {column}: {fields} with words such as {example!r} were read with their grades"
_IDS = (
    "RG-NOTE-230 {column}: {fields} of whole numbers such as {example} were read as ids of relevant documents, as "
    "those of retrieved are whole numbers; if they are grades, write objects id -> grade"
)
_UNKNOWN = (
    "RG-DATA-242 has {words}, one for each retrieved document; grades of these words are not known: in pandas "
    "frame[column] = frame[column].map(lambda labels: [{numbers}[one] for one in labels]), with a number for each in "
    "place of GRADE, 0 for what is not relevant"
)
_FIELDS = ("field", "fields")
_LOOKED_AT = 100
_MOST_WORDS = 10
"""More different words are no labels."""
_HIGHEST_GRADE = 4
"""Of the collections of TREC; a higher number that is also an id of its row is taken for one."""
_GRADES = {str(grade): float(grade) for grade in range(10)} | {
    word: float(word.lower() == "true") for word in ("true", "false", "True", "False")
}
"""Texts that are grades where no document is called so."""


def notes_on(inferred: Inferred) -> list[Message]:
    """Return a note for each way in which fields were understood otherwise than written.

    >>> notes_on(of_numbers({"answer": ["a", 1991]}, {}))
    ['answer: 1 field is a number, read as text']
    """
    return [
        Message(one.template, one.column, Counted(count, *one.words), *([one.example] if one.example else []))
        for one, count in inferred.items()
        if count
    ]


def of_numbers(columns: Mapping[str, Values], sources: Mapping[str, str]) -> Inferred:
    """Return the numbers in columns of texts, which are read as texts.

    ``sources``: known column -> its name among ``columns``.
    """
    words = ("field is a number", "fields are numbers")
    return {
        Understood(_AS_TEXT, name, words): _numbers_among(columns.get(sources.get(name, name), ()))
        for name in _TAKES_NUMBERS
    }


def _numbers_among(values: Values) -> int:
    """Return how many fields are a number, or a list that holds one.

    >>> _numbers_among(["a", 1991, None, ["b", 2.5], True])
    2
    """
    if isinstance(values, pa.Array):
        kind = values.type
        nested = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
        item = kind.value_type if nested else kind
        if not (pa.types.is_integer(item) or pa.types.is_floating(item)):
            return 0
    each = plain(values)
    if set(map(type, each)) <= {list, str, type(None)}:
        within = chain.from_iterable([one for one in each if type(one) is list])
        if set(map(type, within)) <= {str, dict, type(None)}:
            return 0
    return sum(any(map(is_number, items(one) if is_list(one) else [one])) for one in each)


def without_gaps(values: Values, column: str, understood: dict[Understood, int], *, ids_only: bool) -> list[Any]:
    """Return fields of ids without items that are missing, and count the fields that had some in ``understood``.

    In a list of numbers that are no ids (not ``ids_only``) an item is the grade of a rank, and stays.

    >>> without_gaps([["d1", None], None, [1, None]], "gold", {}, ids_only=False)
    [['d1'], None, [1, None]]
    """
    kept: list[Any] = []
    changed = 0
    for field in plain(values):
        given = items(field) if is_list(field) else []
        there = [one for one in given if not is_missing(one)]
        dropped = len(there) < len(given) and (ids_only or not any(map(is_number, there)))
        kept.append(there if dropped else field)
        changed += dropped
    understood[Understood(_GAPS, column, _FIELDS)] = changed
    return kept


def graded_labels(
    values: Values, before: Mapping[str, pa.Array], column: str, understood: dict[Understood, int]
) -> tuple[Values, list[Problem]]:
    """Return `grades_of_labels` of documents or passages among the columns ``before``, and a problem of unknown labels.

    >>> graded_labels([["yes"]], {"contexts": pa.array([["Tea."]])}, "label", {})
    ([[1.0]], [])
    """
    values = grades_of_objects(values, column, understood)
    documents = before.get("retrieved", before.get("contexts"))
    if documents is None:
        return values, []
    values = grades_of_labels(values, documents, column, understood)
    unknown = unknown_labels(values, documents)
    return values, [] if unknown is None else [Problem(0, Message("{column} {what}", column, unknown))]


def grades_of_objects(values: Values, column: str, understood: dict[Understood, int]) -> Values:
    """Return objects id -> word, such as yes and no in any language, or a digit as text, with grades, and count them.

    All fields stay where one has another form, or a word is not known.

    >>> grades_of_objects([{"d1": "yes", "d2": "no"}, None], "relevance", {})
    [{'d1': 1.0, 'd2': 0.0}, None]
    """
    each = plain(values)
    objects = [one for one in each if isinstance(one, Mapping)]
    given = list(chain.from_iterable(one.values() for one in objects))
    others = len(each) - len(objects) - sum(one is None for one in each)
    if others or not _are_texts(given):
        return values
    words = dict.fromkeys(given)
    grades = _GRADES if words.keys() <= _GRADES.keys() else grades_of_words(words)
    if grades is None:
        return values
    understood[Understood(_WORDS, column, _FIELDS, next(iter(words)))] = len(objects)
    return [one if one is None else {name: grades[word] for name, word in one.items()} for one in each]


def grades_of_labels(values: Values, retrieved: pa.Array, column: str, understood: dict[Understood, int]) -> Values:
    """Return lists of texts such as "0" and "1" as grades, where each has one for each retrieved id, and count them.

    Where a list is another one, or an id is such a text, all fields stay. So are words such as yes and no, in any
    language, whose lists may have another length.

    >>> grades_of_labels([["0", "1"], None], pa.array([["d1", "d2"], ["d3"]]), "label", {})
    [[0.0, 1.0], None]
    >>> grades_of_labels([["ja", "nein"], None], pa.array([["d1", "d2"], ["d3"]]), "label", {})
    [[1.0, 0.0], None]
    """
    each = plain(values)
    first = next((one for one in each if one is not None), None)
    given = _without_nulls(first)
    if not _are_texts(given) or not ({*given} <= _GRADES.keys() or grades_of_words(given)):
        return values
    there = [(one, ids) for one, ids in zip(each, retrieved.to_pylist(), strict=True) if one is not None]
    if not all(_are_texts(_without_nulls(one)) for one, _ in there):
        return values
    words = dict.fromkeys(chain.from_iterable(_without_nulls(one) for one, _ in there))
    are_digits = words.keys() <= _GRADES.keys()
    grades = _GRADES if are_digits else grades_of_words(words)
    if grades is None or not all(grades.keys().isdisjoint(ids or ()) for _, ids in there):
        return values
    if are_digits and any(len(one) != len(ids or ()) for one, ids in there):
        return values
    understood[Understood(_LABELS, column, _FIELDS, str(items(first)[0]))] = len(there)
    return [None if one is None else [grades.get(label) for label in items(one)] for one in each]


def unknown_labels(values: Values, retrieved: pa.Array) -> Message | None:
    """Return what is wrong where lists of texts are grades and no ids, but not of words that are known.

    Such lists have one text for each retrieved id, and one has a text twice; a few texts come again in all of them.

    >>> unknown_labels([["A", "B", "B"], ["A"]], pa.array([["d1", "d2", "d3"], ["d4"]])).partition(";")[0]
    "has 'A', 'B', one for each retrieved document"
    >>> unknown_labels([["d1", "d1"]], pa.array([["d1", "d2"]]))
    """
    pairs = zip(plain(values[:_LOOKED_AT]), retrieved[:_LOOKED_AT].to_pylist(), strict=True)
    there = [(items(one), ids) for one, ids in pairs if _are_texts(one)]
    words = dict.fromkeys(chain.from_iterable(one for one, _ in there))
    if len(words) > _MOST_WORDS or all(len({*one}) == len(one) for one, _ in there):
        return None
    if any(len(one) != len(ids or ()) or not words.keys().isdisjoint(ids) for one, ids in there):
        return None
    numbers = ", ".join([f"{word!r}: GRADE" for word in words])
    return Message(_UNKNOWN, ", ".join(map(repr, words)), f"{{{numbers}}}")


def _without_nulls(field: Any) -> list[Any]:
    return [one for one in items(field) if one is not None] if is_list(field) else []


def _are_texts(field: Any) -> bool:
    return is_list(field) and len(field) > 0 and all(isinstance(one, str) for one in items(field))


def are_numbered_ids(values: Values, retrieved: pa.Array, column: str, understood: dict[Understood, int]) -> bool:
    """Return whether whole numbers are ids of relevant documents and not grades by rank, and count their fields.

    They are where the ids of ``retrieved`` are whole numbers too, no field has a number twice, and one has another
    length than its ranking, or a number above 4 and one of the ids beside it.

    >>> retrieved = pa.array([["1", "2", "3"], ["4", "5", "6"]])
    >>> are_numbered_ids([[2, 5, 9], [7, 8, 9]], retrieved, "relevant", {})
    True
    >>> are_numbered_ids([[2, 1, 0], [3, 0, 1]], retrieved, "relevant", {})
    False
    """
    judged = [
        (_numbers(one), ids) for one, ids in zip(plain(values), retrieved.to_pylist(), strict=True) if one is not None
    ]
    if not judged or not all(numbers and len(set(numbers)) == len(numbers) for numbers, _ in judged):
        return False
    if not pc.all(pc.utf8_is_digit(retrieved.flatten())).as_py():
        return False
    rows = [(numbers, ids) for numbers, ids in judged if ids]
    of_other_length = any(len(numbers) != len(ids) for numbers, ids in rows)
    highest = max((int(number) for numbers, _ in rows for number in numbers), default=0)
    if not of_other_length and (
        highest <= _HIGHEST_GRADE or all(set(ids).isdisjoint(numbers) for numbers, ids in rows)
    ):
        return False
    understood[Understood(_IDS, column, _FIELDS, judged[0][0][0])] = len(judged)
    return True


def _numbers(field: Any) -> list[str]:
    """Return the whole numbers of a field as texts, also such as 7.0; none where anything in it is something else."""
    given = items(field) if is_list(field) else [field]
    texts = [str(int(one)) for one in given if type(one) in (int, float) and one >= 0 and one == one // 1]
    return texts if len(texts) == len(given) else []
