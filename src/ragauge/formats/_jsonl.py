"""JSON Lines: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from ragauge.formats._chunk import Chunk, Problem, of_rows
from ragauge.formats._lines import BLOCK, Lines, blocks
from ragauge.formats._words import kind_of

_SCAN: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def chunks(stream: BinaryIO, size: int = BLOCK) -> Iterator[Chunk]:
    r"""Read JSON Lines; blank lines are skipped, and lines that cannot be read are problems.

    >>> import io
    >>> [chunk] = chunks(io.BytesIO(b'{"question": "Who?"}\n\n{"question": \n'))
    >>> chunk.columns, chunk.places
    ({'question': ['Who?']}, range(1, 2))
    >>> chunk.problems[0]
    Problem(place=3, what='not JSON: Expecting value at column 14')
    """
    for block in blocks(stream, size):
        yield _chunk(block)


def _chunk(block: Lines) -> Chunk:
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
            problems.append(Problem(number, f"a row must be a JSON object {{...}}; got {kind_of(row)}"))
    return of_rows(rows, _compact(places), problems)


def _parsed(line: str) -> Any:
    """Parse as `json.loads`, which looks for white space with a regular expression before and after each row."""
    try:
        row, end = _SCAN(line, 0)
    except StopIteration:
        return json.loads(line)
    return row if end == len(line) else json.loads(line)


def _not_a_row(line: str, error: Exception) -> str:
    if line.strip() in {"{", "["}:
        return "not JSON: the row goes on in the next line; write one row a line, or name the file .json"
    return not_json(error)


def not_json(error: Exception) -> str:
    """Say in one line why a text is not JSON."""
    if isinstance(error, json.JSONDecodeError):
        where = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        return f"not JSON: {error.msg.removesuffix(' at')} at {where}"
    if isinstance(error, RecursionError):
        return "not JSON that can be read: nested too deeply"
    return f"not JSON that can be read: {error}"


def _compact(places: list[int]) -> Sequence[int]:
    """A range takes no memory, and most files have no gaps."""
    if places and places[-1] - places[0] == len(places) - 1:
        return range(places[0], places[-1] + 1)
    return places
