"""Bodies that servers send in pieces: server-sent events, and lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator


def events(body: bytes) -> Iterator[tuple[int, str]]:
    """Yield where each event of a stream ends, and its text: server-sent events, or lines of JSON."""
    data: list[str] = []
    end = 0
    for line in [*body.splitlines(keepends=True), b""]:
        end += len(line)
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text.startswith("data:"):
            data.append(text.removeprefix("data:").removeprefix(" "))
        elif text.startswith("{"):
            yield end, text
        elif not text and data:
            joined, data = "\n".join(data), []
            if joined.strip() != "[DONE]":
                yield end, joined
