"""Strategies that targets share: hostile texts and values, damaged bytes, files in a folder that goes at the end."""

from __future__ import annotations

import atexit
import json
import re
import shutil
import tempfile
from pathlib import Path
from random import Random
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

# To write over a file on a disk can take longer than to read it.
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - one folder of a random name in it

_folder: list[Path] = []


def folder() -> Path:
    """Return a folder of this process."""
    if not _folder:
        _folder.append(Path(tempfile.mkdtemp(prefix="fuzz-", dir=IN_MEMORY)))
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


def damaged(whole: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Draw bytes of ``whole`` that are cut, repeated, or have some of their bytes changed."""
    return st.builds(lambda data, seed: mutated(data, Random(seed), data), whole, st.integers(0, 2**32))  # noqa: S311


def mutated(data: bytes, random: Random, other: bytes) -> bytes:
    """Return ``data`` with up to four changes, some of which take a piece of ``other``.

    Drawing each change by Hypothesis took four times as long as most targets take.
    """
    changed = bytearray(data)
    for _ in range(random.randrange(5)):
        if not changed:
            break
        place = random.randrange(len(changed))
        _CHANGES[random.randrange(len(_CHANGES))](changed, place, random, other)
    return bytes(changed)


def grown(data: bytes, random: Random) -> bytes:
    """Return ``data`` with a piece repeated to 16 kB or up to 1 MB, because only length shows what is not linear."""
    if not data:
        return data
    length = int(2 ** random.uniform(14, 20))
    start = random.randrange(len(data))
    piece = data[start : start + random.choice([1, 2, 5, 20, len(data)])]
    return data[:start] + piece * (length // len(piece)) + data[start:]


def _byte(data: bytearray, place: int, random: Random, _other: bytes) -> None:
    data[place] = random.randrange(256)


def _cut(data: bytearray, place: int, random: Random, _other: bytes) -> None:
    del data[place : place + random.choice([1, 8, len(data)])]


def _insert(data: bytearray, place: int, random: Random, _other: bytes) -> None:
    data[place:place] = random.randbytes(random.randint(1, 8))


def _repeat(data: bytearray, place: int, random: Random, _other: bytes) -> None:
    data[place:place] = data[place : place + 20] * random.choice([1, 3, 300])


def _number(data: bytearray, place: int, random: Random, _other: bytes) -> None:
    data[place : place + 4] = random.choice([b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\xff\xff\xff\x7f"])


def _word(data: bytearray, place: int, random: Random, _other: bytes) -> None:
    """Replace what is between two marks."""
    found = _WORD.search(data, place)
    if found is not None:
        data[found.start() : found.end()] = random.choice(_HOSTILE)


def _splice(data: bytearray, place: int, random: Random, other: bytes) -> None:
    start = random.randrange(len(other) or 1)
    data[place : place + random.choice([0, 1, 40])] = other[start : start + random.choice([1, 8, 40, len(other)])]


_WORD = re.compile(rb"[^\s,;:=\[\]{}\"'|]+")
_HOSTILE = [
    *(b"NaN", b"null", b"true", b"1e999", b"-0.0", b"-1", b"9" * 400, b"0x10", b"\xff", b"\x00", b"\xed\xa0\x80"),
    *(b"", b'"', b"'", b"[", b"]", b"{", b"}", b"\n", b"\r", b"\xef\xbb\xbf", b"[" * 2000, b'{"a":' * 2000, b'""'),
    *(
        "中文".encode(),
        "ก็".encode(),
        "é\u0301".encode(),
        "\u202e\u2066".encode(),
        "\U0001f468\u200d\U0001f469".encode(),
    ),
]
_CHANGES = [_byte, _byte, _byte, _cut, _insert, _repeat, _number, _word, _word, _splice]
