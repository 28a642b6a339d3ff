"""JSON Lines as samples."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.making import ROWS, VALUES, as_json, damaged
from tests.fuzz.targets._reading import read_file

STRATEGY = damaged(st.lists(st.one_of(ROWS, ROWS, VALUES).map(as_json), max_size=5).map(b"\n".join))


def target(data: bytes) -> None:
    """Read ``data`` as JSON Lines."""
    read_file("data.jsonl", data)
