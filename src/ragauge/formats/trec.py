"""Lines of runs and judgements, in the formats of TREC and BEIR."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_arrow
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Counted, Message, codes_in
from ragauge.errors import DataError, at, worded
from ragauge.formats.encodings import NOT_UTF_8
from ragauge.formats.opening import Opened, blocks
from ragauge.formats.source import Problem
from ragauge.formats.trec_lines import LineLayout, TrecLines, plain_lines

_HEAD = 1 << 17
"""Bytes in which the first line is looked for."""
_BEIR_HEADERS = (b"query-id", b"query_id", b"qid")
_BLANKS = lazy_pattern(r"[ \t]+")
_WRONG_COUNT = "RG-DATA-118"
"""The code of a line with too many or too few fields."""
_APART = (
    "{wanted}, with blanks or tabs between them. As CSV, begin with a line of names: query_id,doc_id,score for a run, "
    "query_id,doc_id,relevance for judgements"
)
_NUMBER = lazy_pattern(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


RUN = LineLayout("a TREC run", ("query", "Q0", "document", "rank", "score", "tag"), number=4, more=True)
QRELS = LineLayout("TREC judgements", ("query", "0", "document", "grade"), number=3)
SUBTOPICS = LineLayout("TREC judgements", ("query", "document", "of", "grade"), number=3)
"""Lines of `QRELS`, read for the subtopic, their second field, instead of the document."""
BEIR_QRELS = LineLayout("BEIR judgements", ("query", "document", "grade"), number=2, header=True)


def read_lines(file: Opened, layout: LineLayout) -> TrecLines:
    """Read the lines of a file, those of each query together; a DataError lists all that are wrong."""
    stream = from_start(file)
    head = stream.read(_HEAD)
    if layout is QRELS and head.lstrip(b"\r\n").lower().startswith(_BEIR_HEADERS):
        layout = BEIR_QRELS
    lines = plain_lines(stream, layout, _delimiter(head))
    return (lines or line_by_line(stream, layout, file.name)).together()


def has_subtopics(file: Opened) -> bool:
    """Return whether the second field differs among the first lines of TREC judgements: then it is a subtopic."""
    head = from_start(file).read(_HEAD)
    lines = head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1]
    plain = plain_lines(BytesIO(lines), SUBTOPICS, _delimiter(lines))
    if plain is not None:
        return int(pc.count_distinct(plain.documents).as_py()) > 1
    fields = [line.split() for line in lines.split(b"\n") if not line.startswith(b"#")]
    return len({one[1] for one in fields if len(one) == len(QRELS.fields)}) > 1


def _delimiter(head: bytes) -> bytes:
    """Return what is between fields: a tab where the first line has one, else a blank."""
    return b"\t" if b"\t" in head.lstrip(b"\r\n").partition(b"\n")[0] else b" "


def from_start(file: Opened) -> BinaryIO:
    """Return the bytes of a file from the first on."""
    stream = pa.BufferReader(file.whole()) if file.path is None else file.stream
    stream.seek(0)
    return stream


def line_by_line(stream: BinaryIO, layout: LineLayout, name: str) -> TrecLines:
    """Read lines with any blanks between fields; empty lines and those that start with ``#`` are skipped.

    Where a line has enough tabs, tabs alone separate its fields, and ids may contain blanks.
    """
    queries, documents, numbers = [], [], []
    problems: list[Problem] = []
    for place, line, undecoded in _data_lines(stream, header=layout.header):
        fields = _fields(line, layout)
        problem = undecoded or _problem(fields, layout)
        if problem:
            problems.append(Problem(place, problem))
        else:
            queries.append(fields[0])
            documents.append(fields[layout.document])
            numbers.append(float(fields[layout.number]))
    fields_of_line = " ".join(layout.fields)
    form = f"line of {layout.name} is: {fields_of_line}"
    if problems:
        lines, codes = [at("line", *one) for one in problems], {code for _, what in problems for code in codes_in(what)}
        if not queries and len(problems) > 1 and codes == {_WRONG_COUNT}:
            wanted = f"No line has the fields of {layout.name}: {fields_of_line}"
            apart = any(mark in problems[0].what for mark in ",;")
            raise DataError.of(name, lines[:1], advice=Message(_APART, Message(wanted)) if apart else wanted)
        raise DataError.of(name, lines, advice="Save the file as UTF-8" if NOT_UTF_8 in codes else f"A {form}")
    if not queries:
        raise DataError("RG-DATA-059 {name}: holds no data; a {form}", name, form)
    return TrecLines.of(to_arrow(queries), to_arrow(documents), np.array(numbers))


def _data_lines(stream: BinaryIO, *, header: bool) -> Iterator[tuple[int, str, str]]:
    """Yield the number and text of each line of data, and the reason why it could not be decoded, if any.

    A line ends at a carriage return too, as in files of old Macs.
    """
    stream.seek(0)
    more = 0
    for block in blocks(stream):
        undecoded = dict(block.problems)
        for place, whole_line in enumerate(block.lines, block.first):
            lines = whole_line.rstrip("\r").split("\r")
            for number, line in enumerate(lines, place + more):
                text = line.strip(" \t")
                if place in undecoded or (text and not text.startswith("#")):
                    if not header:
                        yield number, line, undecoded.get(place, "")
                    header = False
            more += len(lines) - 1


def _fields(line: str, layout: LineLayout) -> list[str]:
    by_tab = [field.strip(" ") for field in line.split("\t")]
    wanted = len(layout.fields)
    if len(by_tab) == wanted or (layout.more and len(by_tab) > wanted):
        return by_tab
    return _BLANKS.split(line.strip(" \t"), maxsplit=wanted - 1 if layout.more else 0)


def _problem(fields: list[str], layout: LineLayout) -> str:
    """Return a clause about wrong fields of one line; the empty text if they are right."""
    wanted = len(layout.fields)
    if len(fields) < wanted or (len(fields) > wanted and not layout.more):
        template = "RG-DATA-118 {fields} instead of {n}: {line!r}"
        return Message(template, Counted(len(fields), "field"), wanted, " ".join(fields))
    number = fields[layout.number]
    if not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        return Message(
            "RG-DATA-119 {kind} {number!r} is not a finite number", worded(layout.fields[layout.number]), number
        )
    empty = next((kind for kind, place in (("query", 0), ("document", layout.document)) if not fields[place]), None)
    return "" if empty is None else Message("RG-DATA-120 the {kind} is empty", worded(empty))
