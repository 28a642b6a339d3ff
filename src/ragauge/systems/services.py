"""Dify and FastGPT, known by their addresses and replies: what they are sent, and where their replies have passages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ragauge.systems.objects import as_number

QUESTION = "{question}"
QUOTES = "quoteList"
"""The list under which FastGPT has what it retrieved; each item has a question ``q`` and its answer ``a``."""
_DEEPEST = 4
"""Levels of steps within steps of a flow of FastGPT, as those of a tool."""


class Service(NamedTuple):
    """What a service is sent. ``path``: the end of its address. ``pieces``: of an answer in its stream."""

    name: str
    path: str
    body: Mapping[str, Any]
    pieces: str = ""


_OF_USER = {"response_mode": "streaming", "user": "ragauge"}
"""Agents of Dify reply as a stream only, and every application does so."""
DIFY = Service("Dify", "/chat-messages", {"inputs": {}, "query": QUESTION, **_OF_USER}, "answer")
SERVICES = (
    DIFY,
    Service("Dify", "/completion-messages", {"inputs": {"query": QUESTION}, **_OF_USER}, "answer"),
    Service(
        "FastGPT",
        "/api/v1/chat/completions",
        {"stream": False, "detail": True, "messages": [{"role": "user", "content": QUESTION}]},
    ),
)
_OPEN_CHAT = "openrouter.ai"
"""A server whose address ends as FastGPT's does, and which wants a model."""


def service_at(url: str) -> Service | None:
    """Return the service that an address is of; None where its end is not known.

    >>> service_at("http://localhost/v1/chat-messages").name, service_at("http://localhost/chat")
    ('Dify', None)
    """
    server = urlsplit(url)
    if (server.hostname or "").endswith(_OPEN_CHAT):
        return None
    return next((one for one in SERVICES if server.path.rstrip("/").endswith(one.path)), None)


def is_of_dify(body: str) -> bool:
    """Return whether a refusal is one that Dify writes: a code of a parameter, and the status beside it.

    >>> is_of_dify('{"code": "invalid_param", "message": "Arg user must be provided.", "status": 400}')
    True
    """
    try:
        said = json.loads(body)
        return bool(said["code"] == "invalid_param" and said["status"] and said["message"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def with_quotes(output: Mapping[str, Any]) -> Mapping[str, Any]:
    r"""Return a reply of FastGPT with what all steps of its flow have retrieved under `QUOTES`; any other as it is.

    A passage is the question of an item, and its answer on the next line, as the model gets them. An item that several
    steps name counts once.

    >>> with_quotes({"responseData": [{"quoteList": [{"id": "8099", "q": "主人公是谁？", "a": "铃芽。"}]}]})[QUOTES]
    [{'text': '主人公是谁？\n铃芽。', 'id': '8099'}]
    """
    every = list(_quotes([output], _DEEPEST))
    if not every:
        return output
    scores = [as_number(one.get("score")) for one in every]
    are_scored = all(isinstance(score, float | int) for score in scores)
    passages: dict[tuple[str, str], dict[str, Any]] = {}
    for one, score in zip(every, scores, strict=True):
        text = "\n".join(part for part in (one["q"], one.get("a")) if isinstance(part, str) and part)
        named = {"id": str(one["id"])} if one.get("id") else {}
        passage = {"text": text, **named, **({"score": score} if are_scored else {})}
        passages.setdefault((named.get("id", ""), text), passage)
    return {**output, QUOTES: list(passages.values())}


def _quotes(steps: list[Any], depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the items that steps of a flow, and the steps within them, have retrieved."""
    for step in steps if depth else ():
        if not isinstance(step, Mapping):
            continue
        for name, value in step.items():
            if name == QUOTES and isinstance(value, list):
                yield from (one for one in value if isinstance(one, Mapping) and isinstance(one.get("q"), str))
            elif isinstance(value, list):
                yield from _quotes(value, depth - 1)
