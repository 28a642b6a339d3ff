"""A server on this machine that answers as OpenAI's does and notes each request: what a library asks of an LLM.

    python benchmarks/canned_judge.py

Prints its address, and serves until it is interrupted. A reply has the form that was asked for, by
``response_format``, as a tool, or as a JSON schema in the prompt; all its texts and verdicts say yes. A request that
has the word ``UNREADABLE`` gets a reply that no program can read.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

UNREADABLE = "Qalandar"
# promptfoo reads the first words as the statements of the answer, and the others as the verdict on them.
TEXT = "The shop opens at nine. Final verdict for each statement in order: Yes."


@dataclass(frozen=True)
class Request:
    """What was sent: characters of all messages, and the options that decide whether the reply is the same again."""

    characters: int
    temperature: float | None
    seed: int | None


@dataclass
class Notes:
    """The address of the server, and its requests so far."""

    url: str
    requests: list[Request] = field(default_factory=list)


@contextmanager
def judge() -> Iterator[Notes]:
    """Serve while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    notes = Notes(f"http://127.0.0.1:{server.server_address[1]}/v1")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = "\n".join(text_of(message["content"]) for message in asked["messages"])
            notes.requests.append(Request(len(text), asked.get("temperature"), asked.get("seed")))
            body = json.dumps(completion(asked, text)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server.RequestHandlerClass = Handler
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield notes
    finally:
        server.shutdown()
        server.server_close()


def text_of(content: Any) -> str:
    """Return the text of a message, which is a text or a list of parts."""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


def completion(asked: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the reply as OpenAI's servers write it."""
    message: dict[str, Any] = {"role": "assistant", "content": "I cannot say."}
    if UNREADABLE not in text:
        schema = schema_of(asked, text)
        message["content"] = TEXT if schema is None else json.dumps(instance(schema, schema))
        if asked.get("tools"):
            called = {"name": asked["tools"][0]["function"]["name"], "arguments": message["content"]}
            message |= {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": called}]}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": asked.get("model", "canned"),
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": len(text) // 4, "completion_tokens": 10, "total_tokens": len(text) // 4 + 10},
    }


def schema_of(asked: Mapping[str, Any], text: str) -> dict[str, Any] | None:
    """Return the JSON schema of the reply that is asked for, None for plain text."""
    form = (asked.get("response_format") or {}).get("json_schema")
    if form:
        return dict(form["schema"])
    if asked.get("tools"):
        return dict(asked["tools"][0]["function"]["parameters"])
    _, found, after = text.partition("JSON Schema:")
    return dict(json.JSONDecoder().raw_decode(after[after.index("{") :])[0]) if found else None


def instance(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return the smallest value of a schema: the first of several, one item in a list, 1 for a number."""
    if "$ref" in schema:
        return instance(root[schema["$ref"].split("/")[1]][schema["$ref"].split("/")[2]], root)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return instance(schema[several][0], root)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "object":
        return {name: instance(one, root) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema.get("items", {}), root)]
    return {"integer": 1, "number": 1, "boolean": True, "null": None}.get(str(kind), "The shop opens at nine.")


def main() -> None:
    with judge() as notes:
        print(notes.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
