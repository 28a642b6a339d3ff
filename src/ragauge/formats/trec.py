"""Runs and relevance judgements, in the formats of TREC and as JSON."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Iterator
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.errors import DataError
from ragauge.formats.opening import Opened, blocks, opened
from ragauge.formats.trec_columns import BEIR_QRELS, QRELS, RUN, Columns, Layout, first_line, single_spaced

if TYPE_CHECKING:
    from ragauge.formats.trec_columns import Layout


def from_json(content: bytes, layout: Layout, name: str) -> Columns:
    """Read ``{"query": {"document": number}}``; a query may have no document.

    Raises:
        DataError: it is not JSON, not of that form, or a name is given twice; all bad entries are listed.
    """
    queries = _parsed_run(content, name)
    problems = [] if isinstance(queries, dict) else ["is not an object query -> object document -> number"]
    for query, documents in queries.items() if isinstance(queries, dict) else ():
        problems.extend(_problems(query, documents, layout.fields[layout.number]))
    if problems:
        raise DataError.of(name, problems, advice=f'Write {{"query": {{"document": {layout.fields[layout.number]}}}}}')
    flat = [(document, number) for documents in queries.values() for document, number in documents.items()]
    return Columns(
        queries=to_arrow(list(queries), pa.string()),
        lengths=np.array([len(documents) for documents in queries.values()], dtype=np.int64),
        documents=to_arrow([document for document, _ in flat], pa.string()),
        numbers=np.array([number for _, number in flat], dtype=np.float64),
    )


def _parsed_run(content: bytes, name: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_each_once)
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from None
    except ValueError as error:
        raise DataError(f"{name}: is not valid JSON: {error}") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{again!r} is given twice in one object; keep one")
    return found


def _problems(query: str, documents: object, kind: str) -> list[str]:
    if not isinstance(documents, dict):
        return [f"query {query!r}: {documents!r} is not an object document -> {kind}"]
    return [
        f"query {query!r}, document {document!r}: {kind} {number!r} is not a finite number"
        for document, number in documents.items()
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number)
    ]


_BLANKS = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def line_by_line(stream: pa.NativeFile, layout: Layout, name: str) -> Columns:
    """Read lines with fields parted by any blanks; empty lines and those that start with ``#`` are skipped.

    Where a line has tabs enough, tabs alone part its fields, and ids may hold blanks.

    Raises:
        DataError: some lines are not as ``layout`` says, or there is none; the message lists them all.
    """
    queries, documents, numbers, problems = [], [], [], []
    for place, line, undecoded in _lines(stream, header=layout.header):
        fields = _fields(line, layout)
        problem = undecoded or _problem(fields, layout)
        if problem:
            problems.append(f"line {place}: {problem}")
        else:
            queries.append(fields[0])
            documents.append(fields[layout.document])
            numbers.append(float(fields[layout.number]))
    if problems:
        raise DataError.of(name, problems, advice=f"A line of {layout.name} is: {layout.form}")
    if not queries:
        raise DataError(f"{name}: holds no data; a line of {layout.name} is: {layout.form}")
    return Columns.of(to_arrow(queries), to_arrow(documents), np.array(numbers))


def _lines(stream: pa.NativeFile, *, header: bool) -> Iterator[tuple[int, str, str]]:
    """Give the number and text of each line of data, and why it could not be decoded."""
    stream.seek(0)
    for block in blocks(stream):
        undecoded = dict(block.problems)
        for place, raw in enumerate(block.lines, block.first):
            text = raw.strip(" \t\r")
            if place in undecoded or (text and not text.startswith("#")):
                if not header:
                    yield place, raw, undecoded.get(place, "")
                header = False


def _fields(line: str, layout: Layout) -> list[str]:
    by_tab = [field.strip(" \r") for field in line.split("\t")]
    wanted = len(layout.fields)
    if len(by_tab) == wanted or (layout.more and len(by_tab) > wanted):
        return by_tab
    return _BLANKS.split(line.strip(" \t\r"), maxsplit=wanted - 1 if layout.more else 0)


def _problem(fields: list[str], layout: Layout) -> str:
    """Say what is wrong with the fields of one line; nothing if they are right."""
    wanted = len(layout.fields)
    if len(fields) < wanted or (len(fields) > wanted and not layout.more):
        return f"{len(fields)} fields instead of {wanted}: {' '.join(fields)!r}"
    number, kind = fields[layout.number], layout.fields[layout.number]
    if not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        return f"{kind} {number!r} is not a finite number"
    for kind, field in (("query", fields[0]), ("document", fields[layout.document])):
        if not field:
            return f"the {kind} is empty"
    return ""


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
            "retrieved_scores": columns.lists(to_arrow(columns.numbers)),
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
    judgements = pa.StructArray.from_arrays([columns.documents, to_arrow(columns.numbers)], ["id", "grade"])
    return pa.table({"id": columns.queries, "relevance": columns.lists(judgements)})


def _read(path: str | PathLike[str], layout: Layout) -> Columns:
    with opened(fspath(path)) as source:
        if source.suffix == ".json":
            return from_json(source.stream.read(), layout, source.name)
        with _native(source) as stream:
            layout = _with_header(stream, layout)
            columns = single_spaced(stream, layout) or line_by_line(stream, layout, source.name)
        return columns.together()


def _native(file: Opened) -> pa.NativeFile:
    """Return the bytes as a file of Arrow's own.

    Arrow's reader hands a file from thread to thread, and a thread that lets go of one of Python's while the
    interpreter ends aborts the process ("terminate called without an active exception").
    """
    if file.path is not None:
        return pa.OSFile(file.path)
    sink = pa.BufferOutputStream()
    shutil.copyfileobj(file.stream, sink)
    return pa.BufferReader(sink.getvalue())


def _with_header(stream: pa.NativeFile, layout: Layout) -> Layout:
    """Take judgements under BEIR's header for what they are."""
    headed = first_line(stream).lower().startswith(_BEIR_HEADERS)
    return BEIR_QRELS if layout is QRELS and headed else layout
