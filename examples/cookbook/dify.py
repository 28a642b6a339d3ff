"""Stand in for an application of Dify: reply to POST /v1/chat-messages as its documentation says.

    python examples/cookbook/dify.py 8080

It finds the three passages that share most pairs of characters with the query, and answers with the first sentence of
the best. Any key that begins with app- will do.
"""

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

PASSAGES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "corpora/faq/zh/passages.jsonl").read_text(encoding="utf-8").splitlines()
]
PRICE = 0.000002


def resources(query: str) -> list[dict[str, Any]]:
    """Return what was retrieved, best first."""
    asked = set(pairwise(query))
    shared = {one["id"]: len(asked & set(pairwise(one["text"]))) / len(asked) for one in PASSAGES}
    found = sorted(PASSAGES, key=lambda one: -shared[one["id"]])[:3]
    return [
        {
            "position": place,
            "dataset_name": "FAQ",
            "document_id": one["id"],
            "document_name": one["title"],
            "segment_id": f"{one['id']}-segment-1",
            "score": shared[one["id"]],
            "content": one["text"],
        }
        for place, one in enumerate(found, 1)
    ]


def reply(query: str) -> dict[str, Any]:
    """Return the reply of a blocking request."""
    found = resources(query)
    answer = found[0]["content"].partition("。")[0] + "。"
    prompt, completion = sum(len(one["content"]) for one in found), len(answer)
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "total_price": f"{(prompt + completion) * PRICE:.7f}",
        "currency": "USD",
    }
    metadata = {"usage": usage, "retriever_resources": found}
    return {"event": "message", "message_id": "m-1", "mode": "chat", "answer": answer, "metadata": metadata}


def events(query: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a streaming request: pieces of the answer, and what was retrieved at the end."""
    whole = reply(query)
    for piece in whole["answer"]:
        yield {"event": "message", "message_id": "m-1", "answer": piece}
    yield {"event": "message_end", "message_id": "m-1", "metadata": whole["metadata"]}


class Dify(BaseHTTPRequestHandler):
    """Answers requests of an application's users."""

    def do_POST(self) -> None:
        """Reply to one question."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.headers.get("Authorization", "").startswith("Bearer app-"):
            self.send(401, "application/json", json.dumps({"code": "unauthorized", "status": 401}))
        elif asked["response_mode"] == "blocking":
            self.send(200, "application/json", json.dumps(reply(asked["query"]), ensure_ascii=False))
        else:
            lines = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events(asked["query"])]
            self.send(200, "text/event-stream", "".join(lines))

    def send(self, status: int, kind: str, text: str) -> None:
        """Send a text."""
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Dify).serve_forever()
