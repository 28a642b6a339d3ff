"""Runs and judgements with a row for each query and document: of PyTerrier, ir_measures, ir_datasets and MTEB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow, to_numpy, whole
from ragauge.core.ragged import FloatArray
from ragauge.errors import DataError
from ragauge.formats.convert import is_text
from ragauge.formats.fields import each, identifier, kind_of, number
from ragauge.formats.objects import as_mapping
from ragauge.formats.source import Chunk, Problem
from ragauge.formats.tables import opened_object
from ragauge.formats.trec_lines import TrecLines

_QUERY = ("query_id", "qid", "query-id", "q_id", "topic_id")
_DOCUMENT = ("doc_id", "docno", "corpus-id", "corpus_id", "docid", "document_id", "did")
_SCORE = ("score", "similarity", "sim")
_GRADE = ("relevance", "label", "score", "rel", "grade")
_FORMS = "a path, a dict query -> document -> number, or rows with a query, a document and a number each"


def run_of_pairs(source: Any) -> pa.Table:
    """Return a run, a row a query, from a table or from objects with a query, a document and a score each.

    Columns or attributes are named as by PyTerrier (``qid``, ``docno``, ``score``), ir_measures and ir_datasets
    (``query_id``, ``doc_id``, ``score``) or MTEB (``query-id``, ``corpus-id``); a ranx Run is read too.

    Raises:
        DataError: it has no such columns, or an id or a score is wrong.

    >>> run_of_pairs([{"qid": "q1", "docno": "d1", "score": 0.5}]).to_pylist()
    [{'id': 'q1', 'retrieved': ['d1'], 'retrieved_scores': [0.5]}]
    """
    return _lines(source, "run", _SCORE).as_run()


def qrels_of_pairs(source: Any) -> pa.Table:
    """Return judgements, a row a query, as `run_of_pairs` does; the number is ``relevance``, ``label`` or ``score``.

    >>> qrels_of_pairs([{"query-id": 1, "corpus-id": 7, "score": 2}]).to_pylist()
    [{'id': '1', 'relevance': [{'id': '7', 'grade': 2.0}]}]
    """
    return _lines(source, "qrels", _GRADE).as_qrels()


def as_scores(source: Any) -> Mapping[str, Any] | None:
    """Return the dict query -> document -> number of a Run or Qrels of ranx; None for anything else."""
    if hasattr(source, "to_dict") and type(source).__module__.partition(".")[0] == "ranx":
        scores: Mapping[str, Any] = source.to_dict()
        return scores
    return None


def _lines(source: Any, name: str, number_names: Sequence[str]) -> TrecLines:
    queries: list[pa.Array] = []
    documents: list[pa.Array] = []
    values: list[FloatArray] = []
    problems: list[Problem] = []
    for chunk in _chunks(source, name):
        query, document, scored = (_column(chunk.columns, names, name) for names in (_QUERY, _DOCUMENT, number_names))
        for kind, ids, kept in (("the query", query, queries), ("the document", document, documents)):
            array, wrong = _ids(ids, kind)
            kept.append(array)
            problems += [Problem(chunk.places[row], what) for row, what in wrong]
        numbers, wrong = _numbers(scored)
        values.append(numbers)
        problems += [Problem(chunk.places[row], what) for row, what in wrong]
    if problems:
        raise DataError.of(name, [f"row {one.place}: {one.what}" for one in sorted(problems, key=itemgetter(0))])
    if not queries:
        raise DataError("RG-DATA-042 {name}: has no rows; give at least one", name)
    joined_queries, joined_documents = (whole(pa.chunked_array(one)) for one in (queries, documents))
    return TrecLines.of(joined_queries, joined_documents, np.concatenate(values)).together()


def _chunks(source: Any, name: str) -> Iterator[Chunk]:
    if isinstance(source, str | bytes) or not (isinstance(source, Iterable) or hasattr(source, "__arrow_c_stream__")):
        raise DataError("RG-DATA-043 {name}: must be {forms}; got {kind}", name, _FORMS, kind_of(source))
    rows = source
    if not (hasattr(source, "__arrow_c_stream__") or hasattr(source, "with_format")):
        rows = [as_mapping(one) for one in source]
        if None in rows:
            raise DataError("RG-DATA-043 {name}: must be {forms}; got {kind}", name, _FORMS, kind_of(source))
    yield from (chunk for chunk in opened_object(rows).chunks if chunk.places)


def _column(columns: Mapping[str, Any], names: Sequence[str], name: str) -> Any:
    named = next((one for one in names if one in columns), None)
    if named is None:
        raise DataError(
            "RG-DATA-044 {name}: must be {forms}; it has {columns}, and none of {names}",
            name,
            _FORMS,
            ", ".join(columns),
            ", ".join(names),
        )
    return columns[named]


def _ids(values: Any, kind: str) -> tuple[pa.Array, list[Problem]]:
    """Return ids as texts, (n,), and the rows that have none."""
    if isinstance(values, pa.Array) and is_text(values.type) and not values.null_count:
        decoded = values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values
        return decoded.cast(pa.string()), []
    converted, problems = each(values, kind, _identifier)
    return to_arrow(converted, pa.string()), problems or _nulls(converted, kind)


def _identifier(value: object) -> str:
    # pandas writes whole numbers as fractions where others are missing.
    whole_number = int(value) if isinstance(value, float) and value.is_integer() else value
    return identifier(whole_number)


def _numbers(values: Any) -> tuple[FloatArray, list[Problem]]:
    """Return scores or grades, (n,), and the rows that have none."""
    if isinstance(values, pa.Array) and (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        numbers: FloatArray = to_numpy(values.cast(pa.float64(), safe=False)).astype(np.float64)
        if not values.null_count and np.isfinite(numbers).all():
            return numbers, []
    converted, problems = each(values, "the number", number)
    return np.array(converted, dtype=np.float64), problems or _nulls(converted, "the number")


def _nulls(values: Sequence[Any], kind: str) -> list[Problem]:
    return [Problem(row, f"{kind} must not be null") for row, one in enumerate(values) if one is None]
