"""Columns about documents: `relevance`, `retrieved` and `contexts`, in the forms in which tools write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import filled, to_arrow, to_numpy
from ragauge.core.messages import Argument, Counted, Joined, Message
from ragauge.formats import fields
from ragauge.formats.fields import kind_of
from ragauge.formats.json_text import shortened
from ragauge.formats.objects import PASSAGE_TEXTS, metadata_id
from ragauge.formats.source import NUMBERS, TEXTS, UNFIT, Problem, Values
from ragauge.formats.sources.payloads import first_of
from ragauge.formats.splitting import OF_IDS, SEPARATORS
from ragauge.formats.written_lists import A_NUMBER

Columns: TypeAlias = "tuple[dict[str, pa.Array], list[Problem]]"
"""Known columns, with null for a wrong field; and the problems by row index."""

_ID = ("id", "doc_id", "document_id", "docid", "corpus-id")
_GRADE = ("grade", "relevance", "score", "rel", "relevant", "is_relevant")
_NUMBER = int | float
_FORMS = (_NUMBER, Mapping)
"""Types of items in a list of judgements, beside ids that are texts."""
_AS_FLOAT = "{text}, a text: write {number} without quotes, in Python float(...)"
_NOT_ONE_EACH = (
    "RG-DATA-093 {column} has {grades}, but retrieved has {ids}; give one grade for each; if these are ids, name the "
    "column relevant_ids"
)


class _GradesByRank(list[float]):
    """Grades of the retrieved documents, in rank order."""


def judgements(values: Values, column: str, retrieved: pa.Array | None, *, ids_only: bool) -> Columns:
    """Convert a column of judgements to `relevance`, and to `retrieved` where grades name documents by their rank.

    A field is an object id -> grade; a list of objects or pairs with id and grade; one id or a list, each of grade 1;
    or a list of grades, one for each retrieved document in rank order, whose ids are then ``"1"``, ``"2"`` ... if the
    row has no ``retrieved``. ``ids_only``: a number is the id of a relevant document and no grade.
    """
    judged: list[Any]
    judged, problems = fields.each(values, column, _ids if ids_only else _judgements)
    columns = {}
    if any(isinstance(one, _GradesByRank) for one in judged):
        ids: list[Any] = [None] * len(judged) if retrieved is None else retrieved.to_pylist()
        for row, one in enumerate(judged):
            if isinstance(one, _GradesByRank):
                ids[row] = [str(rank) for rank in range(1, len(one) + 1)] if ids[row] is None else ids[row]
                judged[row] = dict(zip(ids[row], one, strict=False))
                if len(ids[row]) != len(one):
                    counts = Counted(len(one), "grade"), Counted(len(ids[row]), "id")
                    problems.append(Problem(row, Message(_NOT_ONE_EACH, column, *counts)))
        columns["retrieved"] = to_arrow(ids, TEXTS)
    return {"relevance": fields.from_objects(judged), **columns}, problems


def _ids(value: object) -> dict[str, float]:
    value = _in_order(value)
    one = [value] if isinstance(value, str) or fields.is_number(value) else value
    if isinstance(one, Mapping):
        return dict(_judgements(one))
    if fields.is_list(one) and any(isinstance(each, Mapping) or _is_scored(each) for each in fields.items(one)):
        return dict(_judgements([_relevant(each) for each in fields.items(one)]))
    return dict.fromkeys(fields.listed(one, "ids", fields.identifier), 1.0)


def _relevant(value: object) -> object:
    """Return an object with a grade: a document that is only named is relevant; a number could be its grade."""
    if not isinstance(value, Mapping):
        return value
    has_number = any(isinstance(one, _NUMBER) for key, one in value.items() if key not in _ID)
    return value if has_number else {**value, _GRADE[0]: 1.0}


def _in_order(value: object) -> object:
    """Return a set as a list: which documents are relevant has no order."""
    return sorted(value, key=str) if isinstance(value, set | frozenset) else value


def _judgements(value: object) -> Mapping[str, float]:
    value = _in_order(value)
    if isinstance(value, Mapping):
        return {fields.identifier(name): _grade(grade) for name, grade in value.items()}
    if isinstance(value, str):
        return {fields.identifier(value): 1.0}
    if not fields.is_list(value):
        raise fields.BadFieldError(
            "RG-DATA-085 must be an object id -> grade, a list of ids, or a list of grades; got {kind}", kind_of(value)
        )
    listed = fields.items(value)
    forms = {next((kind for kind in _FORMS if isinstance(one, kind)), None): one for one in listed}
    if len(forms) > 1:
        kinds = Joined([kind_of(one) for one in forms.values()], " and ")
        template = "RG-DATA-086 must list ids, grades, or objects with id and grade, of one kind; got {kinds}"
        raise fields.BadFieldError(template, kinds)
    if _NUMBER in forms:
        return _GradesByRank(fields.listed(listed, "grades", _grade))  # type: ignore[return-value]
    return _distinct(fields.listed(listed, "judgements", _judgement))


def _grade(value: object) -> float:
    try:
        return fields.number(value)
    except fields.BadFieldError:
        raise fields.BadFieldError("RG-DATA-087 must have a finite number as grade; got {got}", _shown(value)) from None


def _score(name: object, value: object) -> float:
    try:
        return fields.number(value)
    except fields.BadFieldError:
        template = "RG-DATA-127 must have a finite number as score of {document}; got {got}"
        raise fields.BadFieldError(template, shortened(str(name)), _shown(value)) from None


def _shown(value: object) -> str:
    if not isinstance(value, str):
        return kind_of(value)
    return (
        Message(_AS_FLOAT, shortened(value), value.strip()) if A_NUMBER.fullmatch(value.strip()) else shortened(value)
    )


def _judgement(value: object) -> tuple[str, float]:
    pair = list(fields.items(value)) if fields.is_list(value) else []
    if len(pair) == 2 and isinstance(pair[0], str | int) and isinstance(pair[1], _NUMBER):
        return fields.identifier(pair[0]), _grade(pair[1])
    if not isinstance(value, Mapping):
        return fields.identifier(value), 1.0
    name = next((value[key] for key in _ID if key in value), None)
    grade = next((value[key] for key in _GRADE if key in value), None)
    if name is None or grade is None:
        template = "RG-DATA-088 must be an object with id and grade; its keys are {keys}"
        raise fields.BadFieldError(template, ", ".join(map(str, value)))
    return fields.identifier(name), _grade(grade)


def _distinct(pairs: Sequence[tuple[str, float]]) -> dict[str, float]:
    grades: dict[str, float] = {}
    for name, grade in pairs:
        if grades.setdefault(name, grade) != grade:
            template = "RG-DATA-089 judges {name!r} twice, as {first:g} and as {second:g}"
            raise fields.BadFieldError(template, name, grades[name], grade)
    return grades


_RETRIEVED_ID = ("id", "doc_id", "document_id", "docid", "node_id")


def rankings(values: Values, column: str) -> Columns:
    """Convert a column of rankings to `retrieved`, and to `retrieved_scores` of rows that have them beside the ids.

    A field is a list of ids in rank order, an object id -> score, or a list of objects with id and score.
    """
    at_once = _scored_at_once(values)
    if at_once is not None:
        return at_once, []
    ranked, problems = fields.each(values, column, _ranking)
    columns = {"retrieved": to_arrow([None if row is None else row[0] for row in ranked], TEXTS)}
    scores = [None if row is None else row[1] for row in ranked]
    if any(one is not None for one in scores):
        columns["retrieved_scores"] = to_arrow(scores, NUMBERS)
    return columns, problems


def _scored_at_once(values: Values) -> dict[str, pa.Array] | None:
    """Return the columns of objects id -> score, without a step for each document; None where one is anything else."""
    if isinstance(values, pa.Array) or set(map(type, values)) != {dict}:
        return None
    try:
        ranked = [dict(sorted(one.items(), key=itemgetter(1), reverse=True)) for one in values]
        scored = fields.from_objects(ranked)
    except UNFIT:
        return None
    ids, scores = scored.flatten().flatten()
    if ids.null_count or pc.all(pc.is_finite(scores), skip_nulls=False).as_py() is False or scores.null_count:
        return None
    lists = {"retrieved": (TEXTS, ids), "retrieved_scores": (NUMBERS, scores)}
    return {
        name: pa.Array.from_buffers(kind, len(scored), scored.buffers()[:2], children=[flat])
        for name, (kind, flat) in lists.items()
    }


def _ranking(value: object) -> tuple[list[str], list[float] | None]:
    if isinstance(value, Mapping):
        scored = [(fields.identifier(name), _score(name, score)) for name, score in value.items()]
        return _unzipped(sorted(scored, key=lambda pair: -pair[1]))
    if fields.is_list(value) and any(isinstance(one, Mapping) or _is_scored(one) for one in fields.items(value)):
        return _unzipped(fields.listed(value, "ids", _document))
    if isinstance(value, str):
        raise fields.BadFieldError(
            "RG-DATA-134 must be a list of ids; got one text: write [id], or pass the separator of ids: {split}",
            Argument("split", {"retrieved": next((one for one in OF_IDS if one in value.strip()), ",")}),
        )
    return fields.listed(value, "ids", fields.identifier), None


def _unzipped(scored: list[tuple[str, float | None]] | list[tuple[str, float]]) -> tuple[list[str], Any]:
    scores = [score for _, score in scored]
    return [name for name, _ in scored], None if None in scores else scores


def _is_scored(value: object) -> bool:
    """Return whether a value is a pair of an id and its score."""
    pair = list(fields.items(value)) if fields.is_list(value) else []
    return len(pair) == 2 and isinstance(pair[0], str | int) and isinstance(pair[1], float)


def _document(value: Any) -> tuple[str, float | None]:
    if _is_scored(value):
        name, score = fields.items(value)
        return fields.identifier(name), fields.number(score)
    if not isinstance(value, Mapping):
        return fields.identifier(value), None
    name = next((value[key] for key in _RETRIEVED_ID if value.get(key) is not None), None)
    return fields.identifier(name), _score_within(value)


def _score_within(value: Mapping[str, Any]) -> float | None:
    """Return the score of a document; where it has a distance or a rank in its place, that with the other sign."""
    if value.get("score") is not None:
        return fields.number(value["score"])
    place = first_of(value, ("distance", "rank"))
    return -place if fields.is_number(place) else None


def score_problems(scores: pa.Array, ids: pa.Array | None) -> list[Problem]:
    """Return problems of `retrieved_scores` by row index: NaN, or another length than `retrieved`."""
    bad = pc.list_parent_indices(scores).filter(pc.is_nan(scores.flatten()))
    what = Message("RG-DATA-094 retrieved_scores must be finite numbers; got NaN")
    problems = [Problem(int(row), what) for row in np.unique(to_numpy(bad))]
    if ids is None:
        return problems
    left, right = pc.list_value_length(ids), pc.list_value_length(scores)
    for row in np.flatnonzero(to_numpy(filled(pc.not_equal(left, right), False))).tolist():  # noqa: FBT003
        counts = Counted(left[row].as_py(), "id"), Counted(right[row].as_py(), "score")
        template = "RG-DATA-095 retrieved has {ids}, but retrieved_scores has {scores}; give one for each"
        problems.append(Problem(row, Message(template, *counts)))
    return problems


_CONTEXT_ID = ("id", "doc_id", "document_id", "docid", "node_id", "id_", "chunk_id", "doc_uri")
_WITHIN = ("node", "document", "text_resource")
"""Keys that hold the passage: of LlamaIndex, of OpenInference, and of the text of a LlamaIndex node."""


class _Passage(NamedTuple):
    text: str
    id: str | None
    score: float | None
    by_metadata: bool = False


def passages(values: Values, column: str, retrieved: pa.Array | None) -> Columns:
    """Convert a column of passages to `contexts`; and to `retrieved` and its scores where all of a row have them.

    A field is a list of texts, of objects with a text, or of such lists (one per step), which are joined in order. An
    object with a text is one passage, and one with a list of texts is several.
    Beside ``retrieved`` the scores are left out: they are not of these ids.
    """
    converted, problems = fields.each(values, column, partial(_passages, column=column.partition(" ")[0]))
    texts = [None if row is None else [one.text for one in row] for row in converted]
    ids = [_all(_ids_of(row or ())) for row in converted]
    scores = [_all([one.score for one in row or ()]) for row in converted]
    columns = {"contexts": to_arrow(texts, TEXTS)}
    if any(one is not None for one in ids):
        columns["retrieved"] = to_arrow(ids, TEXTS)
    if retrieved is None and any(one is not None for one in scores):
        columns["retrieved_scores"] = to_arrow(scores, NUMBERS)
    return columns, problems


def _ids_of(row: Sequence[_Passage]) -> list[str | None]:
    """Return the ids of passages; none where metadata have one twice, that of a document with several parts."""
    ids = [one.id for one in row]
    are_of_parts = len({*ids}) < len(ids) and any(one.by_metadata for one in row)
    return [None] if are_of_parts else ids


def _all(parts: Sequence[Any]) -> Sequence[Any] | None:
    return parts if parts and None not in parts else None


def _passages(value: object, column: str) -> list[_Passage]:
    if isinstance(value, str):
        raise fields.BadFieldError(
            "RG-DATA-090 must be a list of passages; got one text: write [text], with one item for each passage, or "
            "pass their separator: {split}",
            Argument("split", {column: next((one for one in SEPARATORS if one in value), "|||")}),
        )
    is_one = isinstance(value, Mapping) and isinstance(first_of(value, PASSAGE_TEXTS), str)
    value = [value] if is_one else texts_within(value)
    nested = fields.listed(value, "passages", partial(_passage, column=column))
    return [passage for step in nested for passage in step]


def _passage(value: object, column: str) -> list[_Passage]:
    if isinstance(value, str | bytes) or fields.is_number(value):
        return [_Passage(fields.text_or_number(value), None, None)]
    if fields.is_list(value):
        pair = list(fields.items(value))
        # As LangChain's searches with scores return them, some of which are distances.
        is_scored = len(pair) == 2 and isinstance(pair[0], Mapping | str) and isinstance(pair[1], float)
        return _passages(pair[:1] if is_scored else value, column)
    if isinstance(value, Mapping):
        return [_from_object(value)]
    raise fields.BadFieldError("RG-DATA-091 must be a text or an object with a text; got {kind}", kind_of(value))


def _from_object(value: Mapping[str, Any]) -> _Passage:
    # The id of a LangChain dump is the name of its class; that of the document is within.
    parts = value["kwargs"] if isinstance(value.get("kwargs"), Mapping) else value
    for key in _WITHIN:
        within = parts.get(key)
        parts = {**parts, **within} if isinstance(within, Mapping) else parts
    text = first_of(parts, PASSAGE_TEXTS)
    if text is None:
        raise fields.BadFieldError(
            "RG-DATA-092 has no text: its keys are {keys}; use one of {names}",
            ", ".join(map(str, value)),
            ", ".join(PASSAGE_TEXTS),
        )
    name = first_of(parts, _CONTEXT_ID)
    within = metadata_id(parts) if name is None else None
    named = within if name is None else name
    identifier = None if named is None else fields.identifier(named)
    return _Passage(fields.text(text), identifier, _score_within(parts), within is not None)


def texts_within(value: object) -> object:
    """Return the list of texts in an object, as SQuAD has them with the places where they are; else the value.

    >>> texts_within({"text": ["Anna"], "answer_start": [3]}), texts_within({"text": "Anna"})
    (['Anna'], {'text': 'Anna'})
    """
    within = value.get("text") if isinstance(value, Mapping) else None
    return within if fields.is_list(within) else value
