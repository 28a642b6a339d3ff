"""Which reader takes a file: by its name, else by its first bytes."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from contextlib import contextmanager

from ragauge.errors import DataError
from ragauge.formats import csv, tables
from ragauge.formats.column_names import known_name
from ragauge.formats.json import document_chunks, line_chunks
from ragauge.formats.opening import Opened, ahead, opened
from ragauge.formats.source import Source

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
}

_WORKBOOKS = frozenset({".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"})


@contextmanager
def opened_path(path: str) -> Iterator[Source]:
    """Open a file, or standard input for ``-``.

    Raises:
        DataError: it cannot be opened, or is of no kind that is known.
    """
    with opened(path) as file:
        yield _source(file, _kind(file))


def _source(file: Opened, kind: str) -> Source:
    if kind == "parquet":
        return Source(file.name, tables.parquet(file.stream, seekable=file.seekable))
    if kind == "arrow":
        return Source(file.name, tables.arrow(file.stream, file.head, seekable=file.seekable))
    if kind == "json":
        return _json(file)
    if kind in {"csv", "tsv"}:
        delimiter = "\t" if kind == "tsv" else None
        return Source(file.name, csv.chunks(file.stream, file.name, delimiter), unit="line", written=True)
    return Source(file.name, line_chunks(file.stream), unit="line")


def _kind(file: Opened) -> str:
    """Return the kind of a file; what its first bytes say for certain comes first."""
    if file.head.startswith(tables.PARQUET):
        return "parquet"
    if file.head.startswith(tables.ARROW):
        return "arrow"
    known = _SUFFIXES.get(file.suffix)
    text = file.head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"[") and known in {None, "jsonl"}:
        return "json"
    if known is None and text.startswith(b"{"):
        return "json"
    kind = known or _with_known_column(file.head)
    if kind is None:
        raise DataError(_unknown(file))
    return kind


def _with_known_column(head: bytes) -> str | None:
    """Return csv or tsv where the first line has the name of a known column."""
    line = head.partition(b"\n")[0].decode("utf-8-sig", "replace").rstrip("\r")
    for kind, delimiter in (("tsv", "\t"), ("csv", ",")):
        names = [name.strip('"') for name in line.split(delimiter)]
        if any(known_name(name) for name in names):
            return kind
    return None


def _unknown(file: Opened) -> str:
    if file.suffix in _WORKBOOKS:
        return (
            f"{file.name}: is a workbook, which is not read; save the sheet as CSV UTF-8 (in Excel: File > Save As), "
            f"or in Python: ragauge.evaluate(pandas.read_excel({file.name!r}))"
        )
    kinds = ", ".join(sorted(_SUFFIXES))
    ends = f"the name ends in {file.suffix}" if file.suffix else "the name has no suffix"
    if file.name == "<stdin>":
        return f"{file.name}: must be JSON Lines or JSON; got something that starts with {file.head[:20]!r}"
    return (
        f"{file.name}: {ends}, and the content is no kind that is known; give one of {kinds}, each also with .gz or "
        ".zst. Runs and judgements of TREC go to --run and --qrels"
    )


def _json(file: Opened) -> Source:
    """Tell JSON Lines under the name of JSON from one document: its first line is a row, and there are more."""
    line = file.stream.readline().removeprefix(codecs.BOM_UTF8)
    while line and not line.strip():
        line = file.stream.readline()
    rest = file.stream.read(1 << 16)
    stream = ahead(line + rest, file.stream)
    if rest.strip() and _is_row(line):
        return Source(file.name, line_chunks(stream), unit="line")
    return Source(file.name, document_chunks(stream, file.name))


def _is_row(line: bytes) -> bool:
    text = line.strip()
    if not text.startswith(b"{") or text == b"{":
        return False
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        # A row that is broken, rather than the start of a document, ends like a row.
        return text.endswith(b"}")
