"""Bodies in pieces: what each event holds, and where it ends."""

from __future__ import annotations

from ragauge.endpoints.streams import events


def test_events_and_lines() -> None:
    body = b'event: a\ndata: {"x":\ndata: 1}\n\n{"y": 2}\ndata: [DONE]\n\n'
    assert list(events(body)) == [(31, '{"x":\n1}'), (40, '{"y": 2}')]
