"""Files without a suffix, plain or compressed: the format is detected."""

from __future__ import annotations

import gzip

from hypothesis import strategies as st

from tests.fuzz.making import damaged
from tests.fuzz.targets import csv, json, jsonl
from tests.fuzz.targets._reading import read_file

_PLAIN = st.one_of(csv.STRATEGY, json.STRATEGY, jsonl.STRATEGY, st.binary(max_size=100))
STRATEGY = st.one_of(_PLAIN, damaged(_PLAIN.map(lambda data: gzip.compress(data, mtime=0))))


def target(data: bytes) -> None:
    """Read ``data`` as what it looks like."""
    read_file("data.gz" if data[:2] == b"\x1f\x8b" else "data", data)
