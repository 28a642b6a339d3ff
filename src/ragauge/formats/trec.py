"""Runs and relevance judgements in the formats of TREC and BEIR."""

from __future__ import annotations

import io
from os import PathLike, fspath
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragauge.errors import DataError
from ragauge.formats.opening import opened
from ragauge.formats.trec_columns import Columns, first_line, single_spaced
from ragauge.formats.trec_json import from_json
from ragauge.formats.trec_layout import BEIR_QRELS, QRELS, RUN, Layout
from ragauge.formats.trec_lines import line_by_line
from ragauge.ragged import Ragged

if TYPE_CHECKING:
    from ragauge.ragged import IntArray

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


def read_beir_qrels(path: str | PathLike[str]) -> pa.Table:
    """Read relevance judgements as BEIR has them: a header, then ``query document grade``; see `read_qrels`."""
    return _relevance(_read(path, BEIR_QRELS))


def join(run: pa.Table, qrels: pa.Table) -> tuple[pa.Table, dict[str, int]]:
    """Put what was retrieved for each judged query beside its judgements.

    Args:
        run: as `read_run` returns it.
        qrels: as `read_qrels` returns it.

    Returns:
        One row a judged query, in the order of ``qrels``: ``id``, ``retrieved``, ``retrieved_scores``,
        ``relevance``, and ``in_run``, false where the run lacks the query, which then retrieved nothing. And how
        many queries are missing from the run (``missing_queries``) or have no judgements
        (``unjudged_queries``) and are left out. Nothing is copied where both have the same order.
    """
    rows = pc.index_in(qrels["id"], value_set=run["id"])
    in_run = pc.is_valid(rows).combine_chunks()
    present = in_run.to_numpy(zero_copy_only=False)
    used = rows.drop_null().to_numpy().astype(np.int64)
    table = pa.table(
        {
            "id": qrels["id"],
            "retrieved": _spread(run["retrieved"], used, present),
            "retrieved_scores": _spread(run["retrieved_scores"], used, present),
            "relevance": qrels["relevance"],
            "in_run": in_run,
        }
    )
    return table, {"missing_queries": int((~present).sum()), "unjudged_queries": len(run) - len(used)}


def _spread(column: pa.ChunkedArray, used: IntArray, present: np.ndarray) -> pa.Array:
    """Return the lists at ``used`` as the rows that are ``present``; the others are empty."""
    lists = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    start = int(used[0]) if len(used) else 0
    adjoining = np.array_equal(used, np.arange(start, start + len(used)))
    lists = lists.slice(start, len(used)) if adjoining else lists.take(pa.array(used))
    lengths = np.zeros(len(present), dtype=np.int64)
    lengths[present] = pc.list_value_length(lists).to_numpy()
    offsets = Ragged.from_lengths(np.empty(0), lengths).offsets
    kind = pa.LargeListArray if pa.types.is_large_list(lists.type) else pa.ListArray
    width = np.int64 if pa.types.is_large_list(lists.type) else np.int32
    return kind.from_arrays(offsets.astype(width), lists.flatten())


def _relevance(columns: Columns) -> pa.Table:
    judgements = pa.StructArray.from_arrays([columns.documents, pa.array(columns.numbers)], ["id", "grade"])
    return pa.table({"id": columns.queries, "relevance": columns.lists(judgements)})


def _read(path: str | PathLike[str], layout: Layout) -> Columns:
    with opened(fspath(path)) as source:
        if source.suffix == ".json":
            return from_json(source.stream.read(), layout, source.name)
        stream = source.stream if source.seekable else io.BytesIO(source.stream.read())
        layout = _with_header(stream, layout, source.name)
        columns = single_spaced(stream, layout) or line_by_line(stream, layout, source.name)
        return columns.together()


def _with_header(stream: BinaryIO, layout: Layout, name: str) -> Layout:
    headed = first_line(stream).lower().startswith(_BEIR_HEADERS)
    if layout is BEIR_QRELS and not headed:
        raise DataError(f"{name}: the first line is not a header; BEIR's is: query-id corpus-id score")
    return BEIR_QRELS if layout is QRELS and headed else layout
