"""The sentence splitter: sentences are parts of the text, in order, and nothing but white space is between them."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import strategies as st

from ragauge.sentences import split
from tests.fuzz.making import TEXTS, damaged

_PIECES = st.one_of(
    TEXTS, st.sampled_from(["Mr. ", "e.g. ", "3.14", "U.S.A. ", "...", "。」", "?!", "1. ", "- ", "\n\n", "”"])
)
STRATEGY = damaged(st.lists(_PIECES, max_size=8).map(lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")))


def target(data: bytes) -> None:
    """Split a text."""
    text = data.decode("utf-8", "ignore")
    starts, ends = split(pa.array([text], pa.large_string()))
    before = 0
    for start, end in zip(starts.values.tolist(), ends.values.tolist(), strict=True):
        assert before <= start < end <= len(text)
        assert not text[before:start].strip()
        before = end
    assert not text[before:].strip()
