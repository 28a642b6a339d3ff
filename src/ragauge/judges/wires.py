"""Protocols of chat beside OpenAI's: requests and answers of OpenAI's form are written, and read, in theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

# OpenAI's words for why a reply ended, by those of Anthropic.
_FINISHES = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "refusal": "content_filter"}
_VERSION = "2023-06-01"


@dataclass(frozen=True)
class Wire:
    """A protocol: the end of its addresses, how a request of OpenAI's form is written, and how its answer is read.

    ``key_header``, ``scheme``: where the API key is sent. ``headers``: further ones that the protocol asks for.
    ``lacks``: what it has no field for, as `ragauge.judges.dialect.LADDER` names it.
    """

    path: str
    written: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    read: Callable[[Any], Any] = lambda document: document
    key_header: str = "Authorization"
    scheme: str = "Bearer"
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    lacks: frozenset[str] = frozenset()


def _for_ollama(payload: Mapping[str, Any]) -> dict[str, Any]:
    names = {"temperature": "temperature", "seed": "seed", "max_tokens": "num_predict"}
    options = {own: payload[name] for name, own in names.items() if name in payload}
    kept = {name: payload[name] for name in ("model", "messages", "logprobs", "top_logprobs") if name in payload}
    form = payload.get("response_format", {})
    schema = form.get("json_schema", {}).get("schema") or ("json" if form else None)
    return {**kept, "stream": False, "options": options, **({"format": schema} if schema else {})}


def _of_ollama(document: Any) -> Any:
    message = document["message"]
    choice = {
        "message": {
            "content": message.get("content"),
            "reasoning": message.get("thinking"),
            "tool_calls": message.get("tool_calls"),
        },
        "finish_reason": document.get("done_reason"),
        "logprobs": {"content": document.get("logprobs")},
    }
    usage = {"prompt_tokens": document.get("prompt_eval_count"), "completion_tokens": document.get("eval_count")}
    return {"choices": [choice], "usage": usage}


def _for_anthropic(payload: Mapping[str, Any]) -> dict[str, Any]:
    system = "\n\n".join([one["content"] for one in payload["messages"] if one["role"] == "system"])
    others = [one for one in payload["messages"] if one["role"] != "system"]
    kept = {name: payload[name] for name in ("model", "temperature") if name in payload}
    schema = payload.get("response_format", {}).get("json_schema", {}).get("schema")
    form = {"output_config": {"format": {"type": "json_schema", "schema": schema}}} if schema else {}
    most = payload.get("max_tokens", payload.get("max_completion_tokens"))
    return {**kept, "max_tokens": most, "messages": others, **({"system": system} if system else {}), **form}


def _of_anthropic(document: Any) -> Any:
    texts = "".join([str(part.get("text") or "") for part in document["content"] if part.get("type") == "text"])
    calls = [{"function": {"arguments": part.get("input")}} for part in document["content"] if "input" in part]
    finish = str(document.get("stop_reason") or "stop")
    usage = document.get("usage") or {}
    # Those read from or written to the cache of prompts are counted apart.
    kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    sent = [usage[kind] for kind in kinds if isinstance(usage.get(kind), int)]
    return {
        "choices": [
            {"message": {"content": texts, "tool_calls": calls}, "finish_reason": _FINISHES.get(finish, finish)}
        ],
        "usage": {"prompt_tokens": sum(sent), "completion_tokens": usage.get("output_tokens")},
    }


OPENAI = Wire("/chat/completions")
_OTHERS = (
    Wire("/api/chat", _for_ollama, _of_ollama),
    Wire(
        "/v1/messages",
        _for_anthropic,
        _of_anthropic,
        key_header="x-api-key",
        scheme="",
        headers={"anthropic-version": _VERSION},
        lacks=frozenset({"json_object", "seed", "logprobs"}),
    ),
)


def wire_of(url: str) -> Wire:
    """Return the protocol of an address by its end; OpenAI's for any other.

    >>> wire_of("http://localhost:11434/api/chat/").path, wire_of("http://localhost:11434/v1").path
    ('/api/chat', '/chat/completions')
    """
    return next((wire for wire in _OTHERS if url.rstrip("/").endswith(wire.path)), OPENAI)
