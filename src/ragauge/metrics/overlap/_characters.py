"""Answers and references as lists of characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ragauge.batch import Batch
from ragauge.metrics.overlap._tokens import Compared, flat, owners
from ragauge.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa

Case: TypeAlias = Literal["keep", "lower", "fold"]
CASES: Mapping[str, Callable[[str], str]] = MappingProxyType({"keep": str, "lower": str.lower, "fold": str.casefold})

# The highest character that `str.isspace` knows is U+3000.
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3001)])
_CODE_POINTS = 0x110000


def compared_characters(batch: Batch, case: Case, *, whitespace: bool, nfkc: bool) -> Compared:
    """Return the characters of answers and references, numbered anew, with or without white space."""

    def make() -> Compared:
        texts = (cased(_texts(batch, name).to_pylist(), case, nfkc=nfkc) for name in ("answer", "references"))
        parts = [_characters(part, whitespace=whitespace) for part in texts]
        known = np.zeros(_CODE_POINTS, dtype=bool)
        for part in parts:
            known[part.values] = True
        numbers = np.cumsum(known.astype(np.int64)) - 1
        answers, references = (Ragged(numbers[part.values], part.offsets) for part in parts)
        return Compared(answers, references, owners(batch, "references"))

    return batch.derived(("characters", case, whitespace, nfkc), make)


def cased(texts: list[str], case: Case, *, nfkc: bool) -> list[str]:
    """Return ``texts`` under ``case``; with ``nfkc``, one spelling for what looks the same.

    >>> cased(["Cafe\N{COMBINING ACUTE ACCENT}", "ＡＢ"], "lower", nfkc=True)
    ['café', 'ab']
    """
    if nfkc and not unicodedata.is_normalized("NFKC", "".join(texts)):
        texts = [unicodedata.normalize("NFKC", text) for text in texts]
    return texts if case == "keep" else [CASES[case](text) for text in texts]


def _texts(batch: Batch, column: str) -> pa.Array:
    import pyarrow as pa

    return flat(batch, column).cast(pa.large_string()).fill_null("")


def _characters(texts: list[str], *, whitespace: bool) -> Ragged:
    """Return the code points of each text."""
    points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    codes = Ragged.from_lengths(points, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    return codes if whitespace else _without_spaces(codes)


def _without_spaces(codes: Ragged) -> Ragged:
    kept = ~_IS_SPACE[np.minimum(codes.values, len(_IS_SPACE) - 1)] | (codes.values >= len(_IS_SPACE))
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept.astype(np.int64), out=before[1:])
    return Ragged(codes.values[np.flatnonzero(kept)], before[codes.offsets])
