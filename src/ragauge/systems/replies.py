"""Replies as outputs: JSON in a text, and responses over HTTP and streams that a function of the user returns."""

from __future__ import annotations

import inspect
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ragauge.core.lazy import lazy_pattern
from ragauge.endpoints.streams import events
from ragauge.errors import excerpt
from ragauge.formats.column_names import BY_VALUES, folded, known_name
from ragauge.formats.fields import kind_of
from ragauge.formats.json_text import DECODER
from ragauge.formats.opening import LONGEST
from ragauge.systems.objects import Allowance, BadOutputError, by_class_name, message_text, plain
from ragauge.systems.paths import OWN_NAMES, is_at, nested_names, shallowest, value_at

if TYPE_CHECKING:
    from ragauge.endpoints.connections import HttpAnswer

STREAMS = frozenset({"text/event-stream", "application/x-ndjson", "application/jsonl"})
"""Content types of replies that come in pieces."""
_PIECES = (
    "token", "delta", "content", "text", "answer", "response", "completion", "chunk", "output", "reply",
)  # fmt: skip
"""Names under which the events of a stream have the pieces of an answer."""
_FENCED = lazy_pattern(r"\s*```(?:json)?\s*([{\[].*[}\]])\s*```\s*", re.DOTALL | re.IGNORECASE)
"""A text that is one block of code, as models write JSON."""
_ENVELOPES = frozenset({"choices", "data", "message", "messages", "output", "outputs", "response", "result"})
"""Names under which a reply that was not unpacked has the answer deeper."""
_OF_STREAM = ("data:", "event:", "id:", "retry:", ":", "{")
_OF_PAGE = ("<!doctype html", "<html")


def unwrapped(output: Any) -> tuple[Any, bool]:
    """Return an output without the response or the text that it is written in, and whether a text held it.

    Of a response over HTTP that is its JSON, its text or its stream. A text may be an object of JSON with an answer, a
    list of one such, either in a fence of Markdown, a stream, or any of these as a text of JSON. Any other output is
    returned as it is, with False.

    Raises:
        BadOutputError: the text is a page of HTML.

    >>> unwrapped('{"answer": "Anna", "contexts": []}'), unwrapped('{"name": "Anna"}')
    (({'answer': 'Anna', 'contexts': []}, True), ('{"name": "Anna"}', False))
    """
    content = response_content(output)
    output = output if content is None else content
    text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
    if not isinstance(text, str) or len(text) > LONGEST:
        return output, False
    if text.lstrip()[:20].lower().startswith(_OF_PAGE):
        way = "ask the address that answers with JSON, or return the page under answer to have it scored"
        raise BadOutputError(f"the system returned a page of HTML, {excerpt(text)}; {way}")
    written = _written(text)
    return (output, False) if written is None else (written, True)


def _written(text: str) -> Any:
    """Return the output that a text of JSON or of a stream holds; None for any other text."""
    fenced = _FENCED.fullmatch(text)
    text = (fenced[1] if fenced else text).strip()
    if not text.startswith((*_OF_STREAM, "[", '"')):
        return None
    try:
        value = DECODER.decode(text)
    except (ValueError, RecursionError):
        return written_stream(text)
    if isinstance(value, str):
        # One in quotes alone may be a quotation.
        return _written(value) or (value if "\\" in text else None)
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    return value if isinstance(value, Mapping) and _has_answer(value) else None


def written_stream(text: str) -> dict[str, Any] | None:
    r"""Return the output that a text of events holds, each an object of JSON; None for any other text.

    >>> written_stream('data: {"delta": "An"}\n\ndata: {"delta": "na"}')
    {'answer': 'Anna'}
    """
    body = text.strip().encode("utf-8", "replace")
    if not all(line.startswith(_OF_STREAM) for line in body.decode().splitlines() if line):
        return None
    if not all(isinstance(_parsed(one), Mapping) for _, one in events(body)):
        return None
    with suppress(BadOutputError):
        return streamed(_answered(body))
    return None


def _has_answer(value: Mapping[str, Any]) -> bool:
    """Return whether an object has one answer, or an answer and passages; where no answer is on top, further down."""
    has_passages = not {known_name(name) for name in value}.isdisjoint(("contexts", "retrieved")) or any(
        folded(name) in BY_VALUES for name in value
    )
    answers = [one for name, one in value.items() if known_name(name) == "answer"]
    answers = answers or [one for name, one in value.items() if folded(name) in OWN_NAMES["answer"]]
    is_one = len(answers) == 1 and isinstance(answers[0], str | int | float) and not isinstance(answers[0], bool)
    if is_one or (answers and has_passages):
        return True
    with suppress(BadOutputError):
        return nested_names(value, {}).get("answer", "").partition(".")[0] in _ENVELOPES
    return False


def kind_of_body(headers: Mapping[str, Any]) -> str:
    """Return the content type that headers name, without its parameters.

    >>> kind_of_body({"content-type": "Text/Event-Stream; charset=utf-8"}), kind_of_body({})
    ('text/event-stream', '')
    """
    named = next((str(value) for name, value in headers.items() if name.lower() == "content-type"), "")
    return named.partition(";")[0].strip().lower()


def response_content(value: Any) -> str | Mapping[str, Any] | list[Any] | None:
    """Return the JSON, the text or the joined stream of a response of httpx or requests; None for anything else.

    An object that has every attribute, as a mock, has none of these. Raises the error of the response, or
    BadOutputError where its status is one of failure and it has none.
    """
    if not (hasattr(value, "raise_for_status") and hasattr(value, "json")):
        return None
    try:
        value.raise_for_status()
    except RuntimeError as error:
        if hasattr(error, "response"):
            raise
        # One of httpx that was made by hand has no request, and refuses to tell.
        if value.status_code >= 400:
            raise BadOutputError(f"the system returned a response of status {value.status_code}") from None
    kind = kind_of_body(value.headers)
    if kind in STREAMS:
        body = value.read() if hasattr(value, "read") else value.content
        return streamed(_answered(body, value.status_code, value.headers))
    content = value.json() if "json" in kind else value.text
    return content if isinstance(content, str | Mapping | list) else None


async def collected(parts: AsyncIterator[Any], left: Allowance) -> list[Any]:
    """Return what a stream gives, as long as an answer may be."""
    pieces: list[Any] = []
    async for one in parts:
        left.take(1, len(one) if isinstance(one, str) else 0)
        pieces.append(one)
    return pieces


def of_stream(parts: Iterable[Any], left: Allowance) -> Mapping[str, Any]:
    """Return the output that a stream gives of texts, of messages with a text each, or of events as servers send.

    >>> of_stream(({"delta": one} for one in ("An", "na")), Allowance())
    {'answer': 'Anna'}
    """
    pieces: list[Any] = []
    for one in parts:
        text = one if isinstance(one, str) else message_text(one)
        piece = plain(one, by_class_name, left) if text is None else text
        if not isinstance(piece, Mapping) and text is None:
            raise BadOutputError(f"the system yielded {kind_of(one)}, which is not a text; yield texts")
        left.take(1, len(piece))
        pieces.append(piece)
    if not pieces and not inspect.isgenerator(parts):
        raise BadOutputError("the system returned a stream of nothing; return a text")
    if all(isinstance(one, str) for one in pieces):
        return {"answer": "".join(pieces)}
    lines = "\n".join([json.dumps(one if isinstance(one, Mapping) else {"text": one}) for one in pieces])
    return streamed(_answered(lines.encode()))


def _answered(body: bytes, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})) -> HttpAnswer:
    # The module imports urllib3, which nobody needs who only scores.
    from ragauge.endpoints.connections import HttpAnswer

    return HttpAnswer(status, headers, body)


def streamed(answer: HttpAnswer, path: str = "") -> dict[str, Any]:
    """Return the output that a stream holds: its pieces joined, the other fields of its events, and the time.

    Where each piece repeats the one before and goes on, the last is the answer.

    Args:
        answer: the reply; ``arrivals`` say when its bytes came.
        path: of the pieces; empty: where most events have a text under a name such as ``delta`` or ``content``.

    Raises:
        BadOutputError: no event has a piece.
    """
    others: dict[str, Any] = {}
    pieces: list[str] = []
    first: float | None = None
    parsed = [(end, text, _parsed(text)) for end, text in events(answer.body)]
    path = path or _path_of_pieces([event for *_, event in parsed if isinstance(event, Mapping)])
    for end, text, event in parsed:
        piece: Any = text if event is None else event
        if isinstance(event, Mapping):
            piece = value_at(event, path) if path and is_at(event, path) else None
            others |= {str(name): one for name, one in event.items() if one is not None}
        elif isinstance(event, list):
            others["events"] = event
        if isinstance(piece, str) and piece:
            first = _arrival(answer, end) if first is None else first
            pieces.append(piece)
    if not pieces:
        keys = f" (its events have {', '.join(map(str, others))})" if others else ""
        raise BadOutputError(f"the stream has no text of an answer{keys}; map its place, as in answer=data.text")
    repeats = len(pieces) > 1 and all(later.startswith(one) and later != one for one, later in pairwise(pieces))
    others.pop(path.partition(".")[0], None)
    joined = pieces[-1] if repeats else "".join(pieces)
    return {**others, "answer": joined, **({} if first is None else {"time_to_first_token": first})}


def _parsed(text: str) -> Any:
    """Return the JSON of an event, an object, a list of objects or a text; None where it is a text as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    are_objects = isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value)
    return value if are_objects or isinstance(value, Mapping | str) else None


def _path_of_pieces(events: Iterable[Mapping[str, Any]]) -> str:
    """Return where most events have a piece, as a step of a workflow may have a text too; of several the shallowest."""
    counts = Counter(filter(None, map(_path_of_piece, events)))
    return min(counts, key=lambda path: (-counts[path], path.count(".")), default="")


def _path_of_piece(event: Mapping[str, Any]) -> str:
    found = shallowest(
        event, lambda place: place.name in _PIECES and isinstance(place.value, str) and place.value != ""
    )
    return min(found, key=lambda place: _PIECES.index(place.name)).path if found else ""


def _arrival(answer: HttpAnswer, end: int) -> float | None:
    """Return the seconds from the request to the first ``end`` bytes of the body."""
    return next((seconds for seconds, count in answer.arrivals if count >= end), None)
