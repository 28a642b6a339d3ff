"""Runs and judgements line by line: any blanks, comments, and every bad line reported."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import pyarrow as pa

from ragauge.errors import DataError
from ragauge.formats._lines import blocks
from ragauge.formats._trec_columns import Columns

if TYPE_CHECKING:
    from ragauge.formats._trec_columns import Layout

_BLANKS = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def line_by_line(stream: BinaryIO, layout: Layout, name: str) -> Columns:
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
    return Columns.of(pa.array(queries), pa.array(documents), np.array(numbers))


def _lines(stream: BinaryIO, *, header: bool) -> Iterator[tuple[int, str, str]]:
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
