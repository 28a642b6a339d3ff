"""Runs and relevance judgements, in the formats of TREC and BEIR and as JSON."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.errors import DataError
from ragauge.formats.fields import DECODER, kind_of, not_json, texts_of
from ragauge.formats.opening import blocks, opened
from ragauge.formats.trec_lines import LineLayout, TrecLines, plain_lines

_BEIR_HEADERS = (b"query-id", b"query_id", b"qid")
_HEAD = 1 << 17
"""Bytes in which the first line is looked for."""
_BLANKS = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read_run(path: str | PathLike[str]) -> pa.Table:
    """Read the documents that a system retrieved, one row a query, in order of first appearance.

    A line is ``query Q0 document rank score tag``, as trec_eval reads it: with blanks or tabs between the fields, rank
    and tag ignored. Or JSON, where the name ends in ``.json``: query -> document -> score. Either may be compressed
    (``.gz``, ``.zst``). The columns are ``id`` string, ``retrieved`` list<string> in the order of the file, and
    ``retrieved_scores`` list<double>. A DataError lists all lines that are wrong.
    """
    return _read(path, _RUN).as_run()


def read_qrels(path: str | PathLike[str]) -> pa.Table:
    """Read relevance judgements, one row a query, in order of first appearance.

    A line is ``query 0 document grade``, or, under a header that begins with ``query-id``, BEIR's
    ``query document grade``. Grades may be fractions or negative. JSON, compression and errors are as in `read_run`.
    The columns are ``id`` string, ``relevance`` list<struct<id: string, grade: double>>.
    """
    return _read(path, _QRELS).as_qrels()


_RUN = LineLayout("a TREC run", ("query", "Q0", "document", "rank", "score", "tag"), number=4, more=True)
_QRELS = LineLayout("TREC judgements", ("query", "0", "document", "grade"), number=3)
_BEIR_QRELS = LineLayout("BEIR judgements", ("query", "document", "grade"), number=2, header=True)


def _read(path: str | PathLike[str], layout: LineLayout) -> TrecLines:
    with opened(fspath(path)) as file:
        if file.suffix == ".json":
            return _from_json(file.whole().to_pybytes(), layout, file.name)
        stream = pa.BufferReader(file.whole()) if file.path is None else file.stream
        first = _first_line(stream)
        if layout is _QRELS and first.lower().startswith(_BEIR_HEADERS):
            layout = _BEIR_QRELS
        lines = plain_lines(stream, layout, b"\t" if b"\t" in first else b" ")
        return (lines or _line_by_line(stream, layout, file.name)).together()


def _first_line(stream: BinaryIO) -> bytes:
    """Return the first line that is not empty, without its end."""
    stream.seek(0)
    return stream.read(_HEAD).lstrip(b"\r\n").partition(b"\n")[0].removesuffix(b"\r")


def _line_by_line(stream: BinaryIO, layout: LineLayout, name: str) -> TrecLines:
    """Read lines with any blanks between fields; empty lines and those that start with ``#`` are skipped.

    Where a line has enough tabs, tabs alone separate its fields, and ids may contain blanks.
    """
    queries, documents, numbers, problems = [], [], [], []
    for place, line, undecoded in _data_lines(stream, header=layout.header):
        fields = _fields(line, layout)
        problem = undecoded or _problem(fields, layout)
        if problem:
            problems.append(f"line {place}: {problem}")
        else:
            queries.append(fields[0])
            documents.append(fields[layout.document])
            numbers.append(float(fields[layout.number]))
    form = f"line of {layout.name} is: {' '.join(layout.fields)}"
    if problems:
        unreadable = any("not UTF-8" in one for one in problems)
        if not queries and len(problems) > 1 and all(" fields instead of " in one for one in problems):
            raise DataError.of(name, problems[:1], advice=f"No {form}")
        raise DataError.of(name, problems, advice="Save the file as UTF-8" if unreadable else f"A {form}")
    if not queries:
        raise DataError("RG-DATA-059 {name}: holds no data; a {form}", name, form)
    return TrecLines.of(to_arrow(queries), to_arrow(documents), np.array(numbers))


def _data_lines(stream: BinaryIO, *, header: bool) -> Iterator[tuple[int, str, str]]:
    """Yield the number and text of each line of data, and the reason why it could not be decoded, if any."""
    stream.seek(0)
    for block in blocks(stream):
        undecoded = dict(block.problems)
        for place, line in enumerate(block.lines, block.first):
            text = line.strip(" \t\r")
            if place in undecoded or (text and not text.startswith("#")):
                if not header:
                    yield place, line, undecoded.get(place, "")
                header = False


def _fields(line: str, layout: LineLayout) -> list[str]:
    by_tab = [field.strip(" \r") for field in line.split("\t")]
    wanted = len(layout.fields)
    if len(by_tab) == wanted or (layout.more and len(by_tab) > wanted):
        return by_tab
    return _BLANKS.split(line.strip(" \t\r"), maxsplit=wanted - 1 if layout.more else 0)


def _problem(fields: list[str], layout: LineLayout) -> str:
    """Return a clause about wrong fields of one line; the empty text if they are right."""
    wanted = len(layout.fields)
    if len(fields) < wanted or (len(fields) > wanted and not layout.more):
        return f"{len(fields)} fields instead of {wanted}: {' '.join(fields)!r}"
    number = fields[layout.number]
    if not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        return f"{layout.fields[layout.number]} {number!r} is not a finite number"
    empty = next((kind for kind, place in (("query", 0), ("document", layout.document)) if not fields[place]), None)
    return "" if empty is None else f"the {empty} is empty"


def _from_json(content: bytes, layout: LineLayout, name: str) -> TrecLines:
    """Read ``{"query": {"document": number}}``; a query may have no documents."""
    queries, kind = _parsed(content, name), layout.fields[layout.number]
    problems = [] if isinstance(queries, dict) else ["is not an object query -> object document -> number"]
    for query, documents in queries.items() if isinstance(queries, dict) else ():
        problems.extend(_entry_problems(query, documents, kind))
    if problems:
        raise DataError.of(name, problems, advice=f'Write {{"query": {{"document": {kind}}}}}')
    pairs = [pair for documents in queries.values() for pair in documents.items()]
    return TrecLines(
        queries=texts_of(list(queries), name),
        lengths=np.array([len(documents) for documents in queries.values()], dtype=np.int64),
        documents=texts_of([document for document, _ in pairs], name),
        numbers=np.array([number for _, number in pairs], dtype=np.float64),
    )


def _parsed(content: bytes, name: str) -> Any:
    try:
        return DECODER.decode(content.decode())
    except UnicodeDecodeError as error:
        raise DataError(
            "RG-CLI-040 {name}: not UTF-8 at byte {start}; save the file as UTF-8", name, error.start + 1
        ) from None
    except (ValueError, RecursionError) as error:
        raise DataError("RG-DATA-024 {name}: {reason}", name, not_json(error)) from None


def _entry_problems(query: str, documents: object, kind: str) -> list[str]:
    if not isinstance(documents, dict):
        return [f"query {query!r}: {_shown(documents)} is not an object document -> {kind}"]
    return [
        f"query {query!r}, document {document!r}: {kind} {_shown(number)} is not a finite number"
        for document, number in documents.items()
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= sys.float_info.max
    ]


def _shown(value: object) -> str:
    """Return a scalar in full, and any other value by its kind."""
    return kind_of(value) if isinstance(value, list | dict) else repr(value)
