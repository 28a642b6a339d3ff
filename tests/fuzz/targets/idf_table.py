"""Files that ``ragauge fit-idf`` writes."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from ragauge.embedders.ngrams import fit, load
from tests.fuzz.making import damaged, file, folder


@cache
def _table() -> bytes:
    path = folder() / "whole.idf"
    fit({"x": ["a b", "b c"]}).save(path)
    return path.read_bytes()


STRATEGY = damaged(st.builds(_table))


def target(data: bytes) -> None:
    """Read a table of how rare n-grams are."""
    assert load(file("table.idf", data)).levels.all()
