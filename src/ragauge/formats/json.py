"""JSON documents and JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.errors import DataError
from ragauge.formats.fields import kind_of
from ragauge.formats.json_text import DECODER, Window, not_json
from ragauge.formats.opening import BLOCK, LONGEST, Lines, Opened, ahead, blocks
from ragauge.formats.source import Chunk, Problem, Source, of_rows
from ragauge.formats.sources import export_of
from ragauge.formats.tables import exported, from_document, from_rows

_Scan: TypeAlias = Callable[[str, int], tuple[Any, int]]
_SCAN: _Scan = DECODER.scan_once  # type: ignore[attr-defined]
_SCAN_LAST: _Scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
"""Of a key that comes twice it keeps the last value. It is fast, because no function of Python sees each object."""
_KEY_END = lazy_pattern(r'"[ \t\n\r]*:')
_OTLP = lazy_pattern(r'\{\s*"resourceSpans"\s*:')
"""The beginning of what OpenTelemetry exports: it is read a span at a time, so it may be larger than memory."""
_OTLP_PATH = ("resourceSpans", "scopeSpans", "spans")


def line_chunks(stream: BinaryIO, size: int = BLOCK) -> Iterator[Chunk]:
    r"""Read JSON Lines; blank lines are skipped, and lines that cannot be read are problems.

    >>> import io
    >>> [chunk] = line_chunks(io.BytesIO(b'{"question": "Who?"}\n\n{"question": \n'))
    >>> chunk.columns, chunk.places
    ({'question': ['Who?']}, range(1, 2))
    >>> chunk.problems[0]
    Problem(place=3, what='not JSON: the end of the text at column 14; check that the file is whole')
    """
    chunks = map(parsed_rows, blocks(stream, size))
    first = next(chunks, None)
    export = export_of(first.rows[0]) if first is not None and first.rows else None
    every = chunks if first is None else chain([first], chunks)
    if export is None:
        yield from (of_rows(one.rows, one.places, one.problems) for one in every)
        return
    problems: list[Problem] = []
    yield from exported(export, _without_problems(every, problems))
    yield Chunk({}, (), problems)


def _without_problems(chunks: Iterable[ParsedRows], problems: list[Problem]) -> Iterator[dict[str, Any]]:
    for one in chunks:
        problems += one.problems
        yield from one.rows


class ParsedRows(NamedTuple):
    """Rows, the number of the line of each, and lines that are not rows."""

    rows: list[dict[str, Any]]
    places: Sequence[int]
    problems: list[Problem]


def parsed_rows(block: Lines) -> ParsedRows:
    """Return the rows of some lines of JSON Lines, and the lines that are none."""
    rows: list[dict[str, Any]] = []
    places: list[int] = []
    problems = list(block.problems)
    for number, line in enumerate(block.lines, block.first):
        try:
            row = _parsed(line)
        except (ValueError, RecursionError) as error:
            if line and not line.isspace():
                problems.append(Problem(number, _not_a_row(line, error)))
            continue
        if type(row) is dict:
            rows.append(row)
            places.append(number)
        else:
            problems.append(
                Problem(number, Message("RG-DATA-098 a row must be a JSON object {{...}}; got {kind}", kind_of(row)))
            )
    return ParsedRows(rows, _compact(places), problems)


def _parsed(line: str) -> Any:
    """Parse as `DECODER` does, which calls a function for each object; a row that has no object in it needs none."""
    try:
        if line.find("{", 1) < 0:
            row, end = _SCAN_LAST(line, 0)
            # Each key has a colon after it: with as many colons as keys, or ends of keys, none came twice.
            is_row = end == len(line) and type(row) is dict
            if is_row and (len(row) == line.count(":") or len(row) == len(_KEY_END.findall(line))):
                return row
        row, end = _SCAN(line, 0)
    except StopIteration:
        return DECODER.decode(line)
    return row if end == len(line) else DECODER.decode(line)


def _not_a_row(line: str, error: Exception) -> str:
    if line.strip() in {"{", "["}:
        return Message(
            "RG-DATA-099 not JSON: the row goes on in the next line; write one row a line, or name the file .json"
        )
    return not_json(error)


def _compact(places: list[int]) -> Sequence[int]:
    """Return a range where the numbers have no gap, as in most files: it takes no memory."""
    if places and places[-1] - places[0] == len(places) - 1:
        return range(places[0], places[-1] + 1)
    return places


def opened_json(file: Opened) -> Source:
    """Open a document; or JSON Lines under the name of JSON: its first line is a row, and there are more."""
    line = file.stream.readline(LONGEST)
    while line and not line.strip():
        line = file.stream.readline(LONGEST)
    rest = file.stream.read(1 << 16)
    stream = ahead(line + rest, file.stream)
    if line.endswith(b"\n") and rest.strip() and _is_row(line):
        return Source(file.name, line_chunks(stream), unit="line")
    return Source(file.name, document_chunks(stream, file.name))


def _is_row(line: bytes) -> bool:
    text = line.strip()
    if not text.startswith(b"{") or text == b"{":
        return False
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        # A row that is broken, rather than the start of a document, ends like a row.
        return text.endswith(b"}")


def document_chunks(stream: BinaryIO, name: str, size: int = BLOCK) -> Iterator[Chunk]:
    """Read a JSON document; a list is read a part at a time, so it may be larger than memory."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        yield from _chunks(text, name, size)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise DataError(
            "RG-DATA-023 {name}: not UTF-8: it has a byte 0x{byte:02x}; save the file as UTF-8", name, byte
        ) from None


def whole_document(file: Opened) -> Any:
    """Return what a file of JSON holds, read whole; DataError where it is not JSON in UTF-8."""
    try:
        return DECODER.decode(file.whole().to_pybytes().decode())
    except UnicodeDecodeError as error:
        raise DataError(
            "RG-CLI-040 {name}: not UTF-8 at byte {start}; save the file as UTF-8", file.name, error.start + 1
        ) from None
    except (ValueError, RecursionError) as error:
        raise DataError("RG-DATA-024 {name}: {reason}", file.name, not_json(error)) from None


def _chunks(text: io.TextIOWrapper, name: str, size: int) -> Iterator[Chunk]:
    window = Window(text, size, name)
    if window.skip_space() == "[":
        yield from from_rows(window.items())
    elif _OTLP.match(window.buffer, window.start):
        from ragauge.formats.sources.spans import SPANS

        yield from exported(SPANS, window.items_within(_OTLP_PATH))
    else:
        document, more = window.first_object() or (window.rest(), False)
        rows = chain([document], window.objects_after())
        yield from from_rows(rows) if more else of_document(document, name)


def of_document(document: object, name: str) -> Iterator[Chunk]:
    """Return the rows of a parsed document that is not a list: rows within it, its columns, or itself as one row."""
    if not isinstance(document, dict):
        raise DataError("RG-DATA-022 {name}: must be a list of rows or an object; got {kind}", name, kind_of(document))
    yield from from_document(document, name)
