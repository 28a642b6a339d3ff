"""Strategies that targets share: hostile texts and values, damaged bytes, files in a folder that goes at the end."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

NAMES = ["question", "answer", "contexts", "references", "relevant", "retrieved", "id", "failure", "language", "x"]
TEXTS = st.one_of(
    st.text(max_size=30),
    st.text("aä中あ한ก\u0301\u200d\u202e\ufeff .。!?\n\r\t\0,\"'|[]{}", max_size=60),
    st.sampled_from(["", "NaN", "null", "1e999", "-0.0", "9007199254740993", "[1, 2]", "['a', 'b']", "=1+1", "none"]),
)
NUMBERS = st.one_of(
    st.integers(), st.floats(), st.sampled_from([10**400, -(2**63), 2**53 + 1, 1e308, float("nan"), -0.0])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.sampled_from(NAMES), TEXTS), inner, max_size=4)
    ),
    max_leaves=12,
)
ROWS = st.dictionaries(st.one_of(st.sampled_from(NAMES), TEXTS), VALUES, max_size=6)

_folder: list[Path] = []


def folder() -> Path:
    """Return a folder of this process."""
    if not _folder:
        _folder.append(Path(tempfile.mkdtemp(prefix="fuzz-")))
        atexit.register(shutil.rmtree, _folder[0], ignore_errors=True)
    return _folder[0]


def file(name: str, data: bytes) -> Path:
    """Write ``data`` to a file of that name."""
    path = folder() / name
    path.write_bytes(data)
    return path


def as_json(value: Any) -> bytes:
    """Return ``value`` as JSON, with lone surrogates and NaN as Python writes them."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


@st.composite
def damaged(draw: st.DrawFn, whole: st.SearchStrategy[bytes]) -> bytes:
    """Draw bytes of ``whole`` that are cut, repeated, or have some of their bytes changed."""
    data = bytearray(draw(whole))
    for _ in range(draw(st.integers(0, 4))):
        if not data:
            break
        place = draw(st.integers(0, len(data) - 1))
        change = draw(st.sampled_from(["byte", "byte", "byte", "cut", "insert", "repeat", "number"]))
        if change == "byte":
            data[place] = draw(st.integers(0, 255))
        elif change == "cut":
            del data[place : place + draw(st.sampled_from([1, 8, len(data)]))]
        elif change == "insert":
            data[place:place] = draw(st.binary(min_size=1, max_size=8))
        elif change == "repeat":
            data[place:place] = data[place : place + 20] * draw(st.sampled_from([1, 3, 300]))
        else:
            data[place : place + 4] = draw(st.sampled_from([b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\xff\xff\xff\x7f"]))
    return bytes(data)
