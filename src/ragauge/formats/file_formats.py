"""File formats: which one a file has, by its name, its suffix or its first bytes; other packages add theirs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, TypeVar

import pyarrow as pa

from ragauge.core.messages import Argument, Message
from ragauge.core.names import load_all, place_of
from ragauge.errors import DataError, OptionError, RagaugeError, UnknownNameError, UsageError, excerpt
from ragauge.formats import csv, tables
from ragauge.formats.column_names import known_name
from ragauge.formats.encodings import READ_AS
from ragauge.formats.folders import files_of, joined, opened_folder
from ragauge.formats.frames import opened_table
from ragauge.formats.json import line_chunks, opened_json
from ragauge.formats.opening import Opened, opened
from ragauge.formats.source import Chunk, Source
from ragauge.formats.tables import from_batches, from_rows

Reader: TypeAlias = "Callable[[BinaryIO], Iterable[Mapping[str, Any]] | Iterable[pa.RecordBatch | pa.Table]]"
"""A function from the decompressed bytes of a file to its rows, or to Arrow batches."""

AnyReader = TypeVar("AnyReader", bound=Reader)
_NAME_IT = Message("If you know the format, name it, as in {format}", Argument("format", "csv"))
_ZIP = b"PK\x03\x04"
_TEXTS = frozenset({"jsonl", "json", "csv", "tsv"})
_WORKBOOKS = frozenset({".xls", ".xlsb", ".ods", ".numbers"})


def register_format(name: str, *, suffixes: Iterable[str] = ()) -> Callable[[AnyReader], AnyReader]:
    """Register a file format: the decorated function reads it.

    The function takes a binary stream, decompressed, to be read from the front, and returns an iterable of rows
    (dicts column -> value) or of Arrow record batches or tables. Columns are then recognised, converted and checked as
    those of every other format.

    Args:
        name: what ``format=`` selects.
        suffixes: ends of file names that select it too, such as ``.toml``; each may be followed by ``.gz`` or ``.zst``.

    Raises:
        UsageError: ``suffixes`` is one text, a suffix does not begin with a full stop, or another format has the name
            or the suffix.

    A package that is installed adds formats by the entry point ``ragauge.formats``, which names a module to import.
    """
    if isinstance(suffixes, str):
        template = "RG-DATA-129 suffixes of file format {name!r} must be a tuple; write suffixes=({suffix!r},)"
        raise UsageError(template, name, suffixes)

    def decorate(read: AnyReader) -> AnyReader:
        _add(Format(name, tuple(suffixes), lambda file: Source(file.name, _chunks(read, file, name)), read))
        return read

    return decorate


@contextmanager
def opened_source(source: Any, format: str | None = None, encoding: str | None = None) -> Iterator[Source]:  # noqa: A002
    """Open a file, those of a pattern such as ``parts/*.parquet``, standard input for ``-``, or data in memory.

    Errors as of `ragauge.formats.read`.
    """
    if not isinstance(source, str | PathLike):
        for option, value in (("format", format), ("encoding", encoding)):
            if value is not None:
                raise OptionError(
                    "RG-DATA-015 {argument} has no effect on data in memory; leave it out", Argument(option, value)
                )
        yield tables.opened_object(source)
        return
    several = files_of(source)
    if several:
        yield joined(str(source), (opened_source(file, format, encoding) for file in several))
        return
    chosen = None if format is None else _named(format)
    folder = opened_folder(Path(source)) if os.path.isdir(source) else None  # noqa: PTH112 - no name of a file is refused
    if folder is not None:
        yield folder
        return
    with opened(str(source) if source == "-" else str(Path(source)), encoding) as file:
        chosen = chosen or _detected(file)
        if file.head.startswith(_ZIP) and chosen.name in _TEXTS:
            raise DataError(
                "RG-DATA-013 {name}: is a ZIP archive; name it .xlsx if it is a workbook, and unpack it if not",
                file.name,
            )
        found = chosen.open(file)
        if file.encoding is not None:
            note = Message(READ_AS, file.encoding)
            found = replace(found, chunks=chain([Chunk({}, (), notes=[note])], found.chunks))
        yield found


@dataclass(frozen=True, slots=True)
class Format:
    """A file format; ``read`` is the function that was registered, None for a built-in format."""

    name: str
    suffixes: tuple[str, ...]
    open: Callable[[Opened], Source]
    read: Reader | None = None


def _add(new: Format) -> None:
    odd = next((suffix for suffix in new.suffixes if not suffix.startswith(".") or suffix != suffix.lower()), None)
    if odd is not None:
        template = (
            "RG-DATA-062 suffixes of file format {name!r} must be in lower case and begin with a full stop; got {odd!r}"
        )
        raise UsageError(template, new.name, odd)
    for other in _formats.values():
        same = other.read is not None and new.read is not None and _origin(other.read) == _origin(new.read)
        shared = sorted({new.name, *new.suffixes} & {other.name, *other.suffixes})
        if shared and not same:
            places = [f" ({place_of(one.read)})" if one.read else "" for one in (other, new)]
            claims = f"{other.name!r}{places[0]} and {new.name!r}{places[1]}"
            raise UsageError(
                "RG-DATA-063 two file formats claim {name}: {claims}. Rename one of them.", shared[0], claims
            )
    _formats[new.name] = new


def _origin(read: Reader) -> tuple[str | None, str | None]:
    return getattr(read, "__module__", None), getattr(read, "__qualname__", None)


def _chunks(read: Reader, file: Opened, name: str) -> Iterator[Chunk]:
    """Return what a registered function reads, its errors as DataError."""
    try:
        items = _iterated(read(file.stream), name)
        first = next(items, None)
        whole = items if first is None else chain([first], items)
        if isinstance(first, pa.RecordBatch | pa.Table):
            batches = (one.to_batches() if isinstance(one, pa.Table) else [one] for one in whole)
            yield from from_batches(chain.from_iterable(batches), file.name)
        else:
            yield from from_rows(whole)
    except (RagaugeError, OSError, EOFError):
        raise
    except Exception as error:
        template = "RG-DATA-014 {name}: format {name2!r} cannot read it: {kind}: {reason}; correct the file"
        raise DataError(template, file.name, name, type(error).__name__, excerpt(str(error))) from error


def _iterated(found: Any, name: str) -> Iterator[Any]:
    if found is None:
        raise UsageError("RG-DATA-128 the reader of file format {name!r} must yield rows; it returned None", name)
    return iter(found)


def _delimited(delimiter: str | None) -> Callable[[Opened], Source]:
    return lambda file: opened_table(file, delimiter)


def _sheet(file: Opened, name: str = "") -> Source:
    from ragauge.formats import workbook

    return Source(file.name, workbook.chunks(file, name), written=True)


def _logs(file: Opened) -> Source:
    """Open the log of an evaluation by Inspect."""
    from ragauge.formats.sources.inspect_ai import logged

    return Source(file.name, from_rows(logged(file)))


_formats: dict[str, Format] = {
    one.name: one
    for one in (
        Format(
            "jsonl",
            (".jsonl", ".ndjson"),
            lambda file: Source(file.name, line_chunks(file.stream), unit="line", lines=file.path),
        ),
        Format("json", (".json",), opened_json),
        Format("csv", (".csv",), _delimited(None)),
        Format("tsv", (".tsv",), _delimited("\t")),
        Format("parquet", (".parquet", ".pq"), lambda file: Source(file.name, tables.parquet(file))),
        Format("xlsx", (".xlsx", ".xlsm"), _sheet),
        Format("eval", (".eval",), _logs),
        Format("arrow", (".arrow", ".feather", ".ipc", ".arrows"), lambda file: Source(file.name, tables.arrow(file))),
    )
}


def _named(name: str) -> Format:
    """Return the format of that ``name``; that of workbooks may have a sheet behind it, as in ``xlsx:Answers``."""
    book, _, sheet = name.partition(":")
    if book == "xlsx" and sheet:
        return replace(_formats[book], open=lambda file: _sheet(file, sheet))
    if name not in _formats:
        load_all("format")
    if name not in _formats:
        raise UnknownNameError.of("file format", name, _formats)
    return _formats[name]


def _detected(file: Opened) -> Format:
    """Return the format of a file; first bytes that can be of one format only come before the suffix."""
    if file.head.startswith(tables.PARQUET):
        return _formats["parquet"]
    if file.head.startswith(tables.ARROW):
        return _formats["arrow"]
    if file.suffix and not [one for one in _formats.values() if file.suffix in one.suffixes]:
        load_all("format")
    known = next(iter([one for one in _formats.values() if file.suffix in one.suffixes]), None)
    lines_or_unknown = known is None or known.name == "jsonl"
    text = file.head.lstrip()
    if (lines_or_unknown and text.startswith(b"[")) or (known is None and text.startswith(b"{")):
        return _formats["json"]
    chosen = known or _with_known_column(file.head)
    if chosen is None:
        raise DataError(_unknown(file))
    return chosen


def _with_known_column(head: bytes) -> Format | None:
    """Return csv where the first line has the name of a known column."""
    lines = head.decode(errors="replace").lstrip().split("\n")
    headers = lines[0].rstrip("\r").split(csv.guessed_delimiter(lines))
    return _formats["csv"] if any(known_name(header.strip('"')) for header in headers) else None


def _unknown(file: Opened) -> str:
    if file.suffix in _WORKBOOKS:
        return Message(
            "RG-DATA-124 {name}: is a workbook in a form that is not read; save it as .xlsx, or the sheet as CSV UTF-8 "
            "(in Excel: File > Save As)",
            file.name,
        )
    if file.name == "<stdin>":
        template = "RG-DATA-125 {name}: must be JSON Lines or JSON; got something that starts with {head!r}. {advice}"
        return Message(template, file.name, file.head[:20], _NAME_IT)
    suffixes = ", ".join(sorted(chain.from_iterable(one.suffixes for one in _formats.values())))
    ends = Message("the name ends in {suffix}", file.suffix) if file.suffix else Message("the name has no suffix")
    return Message(
        "RG-DATA-126 {name}: {ends}, and the content shows no known file format; give a file with the suffix "
        "{suffixes}, each also with .gz or .zst. {advice}. TREC runs and judgements are read as {run} and {qrels}",
        file.name,
        ends,
        suffixes,
        _NAME_IT,
        Argument("run", "FILE"),
        Argument("qrels", "FILE"),
    )
