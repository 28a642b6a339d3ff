"""Runs and relevance judgements in the formats of TREC and BEIR."""

from __future__ import annotations

import io
from os import PathLike, fspath
from typing import BinaryIO

import pyarrow as pa

from ragauge.formats._json_run import from_json
from ragauge.formats._opening import opened
from ragauge.formats._trec_columns import BEIR_QRELS, QRELS, RUN, Columns, Layout
from ragauge.formats._trec_fast import first_line, single_spaced
from ragauge.formats._trec_lines import line_by_line

_BEIR_HEADERS = (b"query-id", b"query_id", b"qid")


def read_run(path: str | PathLike[str]) -> pa.Table:
    """Read the documents that a system retrieved, one row a query, in order of first appearance.

    A line is ``query Q0 document rank score tag``, as trec_eval reads it: blanks or tabs, the rank and the tag
    are not looked at. Or JSON, where the name ends in ``.json``: query -> document -> score. Either may be
    compressed (``.gz``, ``.zst``).

    Returns:
        Columns ``id`` string, ``retrieved`` list<string> in the order of the file, ``retrieved_scores``
        list<double> beside it.

    Raises:
        DataError: the file cannot be read, or some lines are wrong; the message lists them all.
    """
    columns = _read(path, RUN)
    return pa.table(
        {
            "id": columns.queries,
            "retrieved": columns.lists(columns.documents),
            "retrieved_scores": columns.lists(pa.array(columns.numbers)),
        }
    )


def read_qrels(path: str | PathLike[str]) -> pa.Table:
    """Read relevance judgements, one row a query, in order of first appearance.

    A line is ``query 0 document grade``, or, under a header that begins with ``query-id``, BEIR's
    ``query document grade``. Grades may be fractions or negative. JSON and compression are as in `read_run`.

    Returns:
        Columns ``id`` string, ``relevance`` list<struct<id: string, grade: double>>.

    Raises:
        DataError: the file cannot be read, or some lines are wrong; the message lists them all.
    """
    return _relevance(_read(path, QRELS))


def _relevance(columns: Columns) -> pa.Table:
    judgements = pa.StructArray.from_arrays([columns.documents, pa.array(columns.numbers)], ["id", "grade"])
    return pa.table({"id": columns.queries, "relevance": columns.lists(judgements)})


def _read(path: str | PathLike[str], layout: Layout) -> Columns:
    with opened(fspath(path)) as source:
        if source.suffix == ".json":
            return from_json(source.stream.read(), layout, source.name)
        stream = source.stream if source.seekable else io.BytesIO(source.stream.read())
        layout = _with_header(stream, layout)
        columns = single_spaced(stream, layout) or line_by_line(stream, layout, source.name)
        return columns.together()


def _with_header(stream: BinaryIO, layout: Layout) -> Layout:
    """Take judgements under BEIR's header for what they are."""
    headed = first_line(stream).lower().startswith(_BEIR_HEADERS)
    return BEIR_QRELS if layout is QRELS and headed else layout
