"""Bodies of answers as servers write them: in pieces, or with an error in place of a reply."""

from __future__ import annotations

import json
import re
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.endpoints.streams import events

_EVENT = lazy_pattern(rb"\s*(data|event|id|retry)?:")
# Each line of a stream of Ollama says whether it is the last one.
_LINE = lazy_pattern(rb'"done": ?(true|false)')
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning", "thinking")
# Errors of reading JSON of another form.
_OTHER_FORM = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
# The status of an error that names none, by its words; any other is that of a request that cannot be read.
_STATUSES = (
    (429, re.compile(r"rate.?limit|too many requests|quota", re.IGNORECASE)),
    (503, re.compile(r"overloaded|unavailable|capacity|time[d-]? ?out|try again", re.IGNORECASE)),
)
_NOT_READ = 400


class CutOffError(Exception):
    """A stream ends without its last event, so that a part of the reply may be lacking."""


def joined(body: bytes) -> bytes:
    r"""Return the whole answer that the events of a stream are pieces of, as JSON; any other body as it is.

    Some servers and proxies stream although nobody asked them to, each in its own protocol.

    Raises:
        CutOffError: the stream has no end.

    >>> joined(b'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: [DONE]\n\n')
    b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}'
    """
    if not (_EVENT.match(body) or _is_in_lines(body)):
        return body
    try:
        chunks = [json.loads(text) for _, text in events(body)]
        of_anthropic = any(str(chunk.get("type")).startswith("message_") for chunk in chunks)
        join = _of_anthropic if of_anthropic else _of_ollama if "done" in chunks[0] else _of_openai
        document, has_ended = join(chunks)
        for chunk in chunks:
            document |= {"error": chunk["error"]} if chunk.get("error") else {}
        whole = json.dumps(document).encode()
    except (*_OTHER_FORM, IndexError):
        return body
    if not (has_ended or "error" in document or body.rstrip().endswith(b"[DONE]")):
        raise CutOffError
    return whole


def _is_in_lines(body: bytes) -> bool:
    first, newline, _ = body.lstrip().partition(b"\n")
    return bool(newline and first.startswith(b"{") and _LINE.search(first))


def _of_openai(chunks: list[Any]) -> tuple[dict[str, Any], bool]:
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"message": message, "finish_reason": ""}
    arguments = ""
    tokens: list[Any] = []
    usage: dict[str, Any] = {}
    for chunk in chunks:
        usage |= {"usage": chunk["usage"]} if chunk.get("usage") else {}
        for part in (chunk.get("choices") or ())[:1]:
            delta = part.get("delta") or part.get("message") or {}
            _add_texts(message, delta)
            for call in delta.get("tool_calls") or ():
                arguments += call["function"].get("arguments") or ""
            tokens += (part.get("logprobs") or {}).get("content") or []
            choice["finish_reason"] = part.get("finish_reason") or choice["finish_reason"]
    if arguments:
        message["tool_calls"] = [{"function": {"arguments": arguments}}]
    has_ended = bool(choice["finish_reason"])
    choice["finish_reason"] = choice["finish_reason"] or "stop"
    return {"choices": [choice | ({"logprobs": {"content": tokens}} if tokens else {})], **usage}, has_ended


def _of_ollama(chunks: list[Any]) -> tuple[dict[str, Any], bool]:
    message: dict[str, Any] = {}
    tokens: list[Any] = []
    for chunk in chunks:
        part = chunk.get("message") or {}
        _add_texts(message, part)
        message |= {"tool_calls": part["tool_calls"]} if part.get("tool_calls") else {}
        tokens += chunk.get("logprobs") or []
    return {**chunks[-1], "message": message, "logprobs": tokens}, chunks[-1].get("done") is True


def _of_anthropic(chunks: list[Any]) -> tuple[dict[str, Any], bool]:
    parts: dict[int, dict[str, Any]] = {}
    document: dict[str, Any] = {"usage": {}}
    for chunk in chunks:
        part = parts.setdefault(chunk["index"], {}) if "index" in chunk else {}
        part |= chunk.get("content_block") or {}
        delta = chunk.get("delta") or {}
        document |= {"stop_reason": delta["stop_reason"]} if delta.get("stop_reason") else {}
        document["usage"] |= (chunk.get("message") or chunk).get("usage") or {}
        if "text" in delta:
            part["text"] = part.get("text", "") + delta["text"]
        if "partial_json" in delta:
            part["input"] = (part.get("input") or "") + delta["partial_json"]
    return {"content": list(parts.values()), **document}, chunks[-1].get("type") == "message_stop"


def _add_texts(message: dict[str, Any], delta: Any) -> None:
    """Add the texts of a piece of a message to those of the pieces before it."""
    for name in _TEXTS:
        if delta.get(name):
            message[name] = message.get(name, "") + delta[name]


def error_in(body: bytes) -> tuple[int, bytes] | None:
    """Return the error that an answer holds in place of a reply, its status and words; None where it holds none.

    >>> error_in(b'{"error": {"message": "Rate limit exceeded", "code": 429}}')
    (429, b'{"message": "Rate limit exceeded", "code": 429}')
    """
    if b'"error"' not in body:
        return None
    try:
        document = json.loads(body)
        error = document.get("error") or next((one.get("error") for one in document.get("choices") or ()), None)
        code = error.get("code") if isinstance(error, dict) else None
    except _OTHER_FORM:
        return None
    if not error:
        return None
    text = json.dumps(error, ensure_ascii=False)
    words = text.encode("utf-8", "replace")
    if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)):
        return int(code), words
    return next((status for status, of_status in _STATUSES if of_status.search(text)), _NOT_READ), words
