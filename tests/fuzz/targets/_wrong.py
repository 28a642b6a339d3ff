"""A target with defects, for tests of the fuzzer itself."""

from __future__ import annotations

import os
import time

from hypothesis import strategies as st

STRATEGY = st.just(b"hang")


def target(data: bytes) -> None:
    """Hang or end the process, as ``data`` says."""
    if data == b"hang":
        time.sleep(1000)
    if data == b"end":
        os.abort()
