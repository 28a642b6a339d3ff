"""Bodies of answers as servers write them: in pieces, or with an error in place of a reply."""

from __future__ import annotations

import json
import re
from typing import Any

from ragauge.core.lazy import lazy_pattern
from ragauge.endpoints.streams import events

_STREAM = lazy_pattern(rb"\s*(data|event|id|retry)?:")
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")
# Errors of reading JSON of another form.
_OTHER_FORM = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
# The status of an error that names none, by its words; any other is that of a request that cannot be read.
_STATUSES = (
    (429, re.compile(r"rate.?limit|too many requests|quota", re.IGNORECASE)),
    (503, re.compile(r"overloaded|unavailable|capacity|time[d-]? ?out|try again", re.IGNORECASE)),
)
_NOT_READ = 400


def joined(body: bytes) -> bytes:
    r"""Return the whole answer that the events of a stream are pieces of, as JSON; any other body as it is.

    Some servers and proxies stream although nobody asked them to.

    >>> joined(b'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: [DONE]\n\n')
    b'{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}'
    """
    if not _STREAM.match(body):
        return body
    try:
        return json.dumps(_whole([json.loads(text) for _, text in events(body)])).encode()
    except _OTHER_FORM:
        return body


def _whole(chunks: list[Any]) -> dict[str, Any]:
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"message": message, "finish_reason": "stop"}
    arguments = ""
    tokens: list[Any] = []
    others: dict[str, Any] = {}
    for chunk in chunks:
        others |= {name: chunk[name] for name in ("usage", "error") if chunk.get(name)}
        for part in (chunk.get("choices") or ())[:1]:
            delta = part.get("delta") or part.get("message") or {}
            for name in _TEXTS:
                if delta.get(name):
                    message[name] = message.get(name, "") + delta[name]
            for call in delta.get("tool_calls") or ():
                arguments += call["function"].get("arguments") or ""
            tokens += (part.get("logprobs") or {}).get("content") or []
            choice["finish_reason"] = part.get("finish_reason") or choice["finish_reason"]
    if arguments:
        message["tool_calls"] = [{"function": {"arguments": arguments}}]
    return {"choices": [choice | ({"logprobs": {"content": tokens}} if tokens else {})], **others}


def status_in(body: bytes) -> int | None:
    """Return the status of the error that an answer holds in place of a reply; None where it holds none.

    >>> status_in(b'{"error": {"message": "Rate limit exceeded", "code": 429}}')
    429
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
    if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)):
        return int(code)
    text = json.dumps(error)
    return next((status for status, words in _STATUSES if words.search(text)), _NOT_READ)
