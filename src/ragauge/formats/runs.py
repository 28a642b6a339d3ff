"""Runs and judgements as tables with a row a query: from files, dicts, and tables or objects with a row a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from os import PathLike, fspath
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow, to_numpy, whole
from ragauge.core.messages import Message
from ragauge.core.ragged import FloatArray, listed
from ragauge.errors import DataError, at, worded
from ragauge.formats.column_names import folded
from ragauge.formats.convert import is_text, known_column
from ragauge.formats.csv import chunks as csv_chunks
from ragauge.formats.documents import Columns
from ragauge.formats.fields import each, identifier, kind_of, number, plain, texts_of
from ragauge.formats.json import whole_document
from ragauge.formats.objects import as_mapping
from ragauge.formats.opening import Opened, opened
from ragauge.formats.source import NUMBERS, Chunk, Problem
from ragauge.formats.tables import opened_object
from ragauge.formats.trec import QRELS, RUN, SUBTOPICS, from_start, has_subtopics, read_lines
from ragauge.formats.trec_lines import LineLayout, TrecLines
from ragauge.formats.written_lists import A_NUMBER

_QUERY = ("query_id", "qid", "query-id", "q_id", "topic_id")
_DOCUMENT = ("doc_id", "docno", "corpus-id", "corpus_id", "docid", "document_id", "did")
_SCORE = ("score", "similarity", "sim")
_SUBTOPIC = ("subtopic_id", "subtopic", "iteration")
_GRADE = ("relevance", "label", "score", "rel", "grade")
_FORMS = "a path, a dict query -> document -> number, or rows with a query, a document and a number each"


def read_run(source: Any) -> pa.Table:
    """Read the documents that a system retrieved, one row a query, in order of first appearance.

    Args:
        source: a path, a dict query -> document -> score or query -> ids in rank order, or a table or objects with a
            query, a document and a score each. In a file a line is ``query Q0 document rank score tag``, as trec_eval
            reads it: with blanks or tabs between the fields, rank and tag ignored. Or it is JSON as such a dict, where
            the name ends in ``.json``. Either may be compressed (``.gz``, ``.zst``). Columns or attributes are named as
            by PyTerrier (``qid``, ``docno``, ``score``), ir_measures and ir_datasets (``query_id``, ``doc_id``,
            ``score``) or MTEB (``query-id``, ``corpus-id``). A file of CSV or TSV may have these columns, too.

    Returns:
        Columns ``id`` string, ``retrieved`` list<string>, in the order of a file of lines and by score from a dict,
        and ``retrieved_scores`` list<double>.

    Raises:
        DataError: a line, an id or a score is wrong; it lists all.

    >>> read_run([{"qid": "q1", "docno": "d1", "score": 0.5}]).to_pylist()
    [{'id': 'q1', 'retrieved': ['d1'], 'retrieved_scores': [0.5]}]
    """
    found, name = _loaded(source, "run", RUN, _SCORE)
    if isinstance(found, TrecLines):
        return found.as_run()
    return _as_table(found, name, lambda: run_columns(list(found.values())))


def read_qrels(source: Any) -> pa.Table:
    """Read relevance judgements, one row a query, in order of first appearance.

    They come in the forms of `read_run`; in a file a line is ``query 0 document grade``, or, under a header that begins
    with ``query-id``, BEIR's ``query document grade``. Grades may be fractions or negative; in tables they are named
    ``relevance``, ``label`` or ``score``. The columns are ``id`` string, ``relevance`` list<struct<id: string, grade:
    double>>. Where the second field of the lines differs, or a column ``subtopic_id``, ``subtopic`` or ``iteration``
    does, it names the subtopic that a judgement is for: these are kept in a column ``subtopics``
    list<struct<id: string, subtopic: string, grade: double>>, and a document's own grade is the highest of its grades.

    >>> read_qrels([{"query-id": 1, "corpus-id": 7, "score": 2}]).to_pylist()
    [{'id': '1', 'relevance': [{'id': '7', 'grade': 2.0}]}]
    """
    found, name = _loaded(source, "qrels", QRELS, _GRADE)
    if isinstance(found, TrecLines):
        return found.as_qrels() if found.subtopics is None else _by_subtopic(found, found.subtopics)
    return _as_table(found, name, lambda: known_column("relevance", list(found.values()), "the judgements"))


def _by_subtopic(lines: TrecLines, subtopics: pa.Array) -> pa.Table:
    """Return the columns of judgements, and for each document of a query one line: the first of its highest grade."""
    names, rows = lines.documents.dictionary_encode(), np.repeat(np.arange(len(lines.queries)), lines.lengths)
    order = np.argsort(-lines.numbers, kind="stable")
    keys = (rows * len(names.dictionary) + to_numpy(names.indices))[order]
    kept = np.sort(order[np.unique(keys, return_index=True)[1]])
    lengths = np.bincount(rows[kept], minlength=len(lines.queries))
    highest = TrecLines(lines.queries, lengths, lines.documents.take(to_arrow(kept)), lines.numbers[kept])
    parts = [lines.documents, subtopics, to_arrow(lines.numbers)]
    judged = listed(pa.StructArray.from_arrays(parts, ["id", "subtopic", "grade"]), lines.lengths)
    return highest.as_qrels().append_column("subtopics", judged)


def _loaded(source: Any, name: str, layout: LineLayout, numbers: Sequence[str]) -> tuple[Any, str]:
    """Return the lines of ``source``, or the dict that it is or holds, and its name."""
    if isinstance(source, Mapping):
        return source, f"{name} (dict)"
    if not isinstance(source, str | PathLike):
        return _lines(_chunks(source, name), name, numbers), name
    with opened(fspath(source)) as file:
        if file.suffix == ".json":
            return whole_document(file), file.name
        table = _table_in(file, numbers)
        if table is not None:
            return _lines(table, file.name, numbers), file.name
        lines = read_lines(file, layout)
        if layout is QRELS and has_subtopics(file):
            lines = replace(lines, subtopics=read_lines(file, SUBTOPICS).documents)
        return lines, file.name


def run_columns(rows: list[Any]) -> Columns:
    """Return the columns of dicts document -> score, or of lists of ids, and what is wrong with them."""
    columns, problems = known_column("retrieved", rows, "the run")
    return {"retrieved_scores": pa.nulls(len(rows), NUMBERS), **columns}, problems


def _as_table(scores: Any, name: str, convert: Callable[[], Columns]) -> pa.Table:
    if not isinstance(scores, Mapping):
        kind = kind_of(scores)
        template = "RG-DATA-121 {name}: must be an object query -> document -> number; got {kind}"
        raise DataError(template, name, kind)
    columns, problems = convert()
    if problems:
        queries = list(scores)
        raise DataError.of(name, [Message("query {query!r}: {what}", queries[row], what) for row, what in problems])
    return pa.table({"id": query_ids(scores, name), **columns})


def query_ids(scores: Mapping[Any, Any], name: str) -> pa.Array:
    """Return the keys as Arrow texts; DataError if one is not a text."""
    if not all(issubclass(kind, str) for kind in set(map(type, scores))):
        other = next(query for query in scores if not isinstance(query, str))
        raise DataError(
            "RG-DATA-050 {name} (dict): query ids must be text; got {kind}",
            name.removesuffix(" (dict)"),
            kind_of(other),
        )
    return texts_of(list(scores), name)


def as_scores(source: Any) -> Any:
    """Return the dict query -> document -> number of a Run or Qrels of ranx; anything else as it is."""
    is_of_ranx = hasattr(source, "to_dict") and type(source).__module__.partition(".")[0] == "ranx"
    return source.to_dict() if is_of_ranx else source


def _table_in(file: Opened, numbers: Sequence[str]) -> Iterator[Chunk] | None:
    """Return the rows of a table whose header names a query, a document and a number; None for lines of TREC, BEIR."""
    header = file.head.partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    separator = next((one for one in ",;\t" if one in header), None)
    names = {folded(one.strip("\"'")): one for one in header.split(separator)}
    sought = [next((one for one in known if folded(one) in names), None) for known in (_QUERY, _DOCUMENT, numbers)]
    is_of_beir = separator == "\t" and numbers is _GRADE and len(names) == 3
    if separator is None or None in sought or is_of_beir:
        return None
    known = {folded(one): one for one in (*sought, *_SUBTOPIC) if one}
    return (
        replace(chunk, columns={known.get(folded(name), name): values for name, values in chunk.columns.items()})
        for chunk in csv_chunks(from_start(file), file.name, separator)
        if chunk.places or chunk.problems
    )


def _lines(chunks: Iterable[Chunk], name: str, number_names: Sequence[str]) -> TrecLines:
    queries: list[pa.Array] = []
    documents: list[pa.Array] = []
    values: list[FloatArray] = []
    subtopics: list[pa.Array] = []
    problems: list[Problem] = []
    for chunk in chunks:
        problems += chunk.problems
        query, document, scored = (_column(chunk.columns, names, name) for names in (_QUERY, _DOCUMENT, number_names))
        for kind, ids, kept in (("the query", query, queries), ("the document", document, documents)):
            array, wrong = _ids(ids, kind)
            kept.append(array)
            problems += [Problem(chunk.places[row], what) for row, what in wrong]
        subtopic = next((chunk.columns[one] for one in _SUBTOPIC if one in chunk.columns), None)
        if number_names is _GRADE and subtopic is not None:
            array, wrong = _ids(subtopic, "the subtopic")
            subtopics.append(array)
            problems += [Problem(chunk.places[row], what) for row, what in wrong]
        numbers, wrong = _numbers(scored)
        values.append(numbers)
        problems += [Problem(chunk.places[row], what) for row, what in wrong]
    if problems:
        raise DataError.of(name, [at("row", *one) for one in sorted(problems, key=itemgetter(0))])
    if not queries:
        raise DataError("RG-DATA-042 {name}: has no rows; give at least one", name)
    joined_queries, joined_documents = (whole(pa.chunked_array(one)) for one in (queries, documents))
    numbers = np.concatenate(values)
    lines = TrecLines.of(joined_queries, joined_documents, numbers).together()
    named = whole(pa.chunked_array(subtopics, pa.string()))
    if len(named) != len(numbers) or len(named.unique()) < 2:
        return lines
    return replace(lines, subtopics=TrecLines.of(joined_queries, named, numbers).together().documents)


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
        template = "RG-DATA-044 {name}: must be {forms}; it has {columns}, and none of {names}"
        raise DataError(template, name, _FORMS, ", ".join(columns), ", ".join(names))
    return columns[named]


def _ids(values: Any, kind: str) -> tuple[pa.Array, list[Problem]]:
    """Return ids as texts, (n,), and the rows that have none."""
    if isinstance(values, pa.Array) and is_text(values.type) and not values.null_count:
        decoded = values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values
        return decoded.cast(pa.string()), []
    # pandas writes whole numbers as fractions where others are missing.
    plain_ids = [int(one) if isinstance(one, float) and one.is_integer() else one for one in plain(values)]
    converted, problems = each(plain_ids, kind, identifier)
    return to_arrow(converted, pa.string()), problems or _nulls(converted, kind)


def _numbers(values: Any) -> tuple[FloatArray, list[Problem]]:
    """Return scores or grades, (n,), and the rows that have none."""
    if isinstance(values, pa.Array) and (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        numbers: FloatArray = to_numpy(values.cast(pa.float64(), safe=False)).astype(np.float64)
        if not values.null_count and np.isfinite(numbers).all():
            return numbers, []
    as_numbers = [
        float(one) if isinstance(one, str) and A_NUMBER.fullmatch(one.strip()) else one for one in plain(values)
    ]
    converted, problems = each(as_numbers, "the number", number)
    return np.array(converted, dtype=np.float64), problems or _nulls(converted, "the number")


def _nulls(values: Sequence[Any], kind: str) -> list[Problem]:
    what = Message("RG-DATA-117 {kind} must not be null", worded(kind))
    return [Problem(row, what) for row, one in enumerate(values) if one is None]
