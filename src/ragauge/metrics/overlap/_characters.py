"""Answers and references as lists of characters."""

from __future__ import annotations

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


def compared_characters(batch: Batch, case: Case, *, whitespace: bool) -> Compared:
    """Return the characters of answers and references, numbered anew, with or without white space."""

    def make() -> Compared:
        parts = [_characters(_texts(batch, name), case, whitespace=whitespace) for name in ("answer", "references")]
        known = np.zeros(_CODE_POINTS, dtype=bool)
        for part in parts:
            known[part.values] = True
        numbers = np.cumsum(known.astype(np.int64)) - 1
        answers, references = (Ragged(numbers[part.values], part.offsets) for part in parts)
        return Compared(answers, references, owners(batch, "references"))

    return batch.derived(("characters", case, whitespace), make)


def _texts(batch: Batch, column: str) -> pa.Array:
    import pyarrow as pa

    return flat(batch, column).cast(pa.large_string()).fill_null("")


def _characters(texts: pa.Array, case: Case, *, whitespace: bool) -> Ragged:
    """Return the code points of each text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if case != "keep":
        texts = pa.array(map(CASES[case], texts.to_pylist()), pa.large_string())
    points = np.frombuffer("".join(texts.to_pylist()).encode("utf-32-le"), dtype=np.uint32)
    codes = Ragged.from_lengths(points, pc.utf8_length(texts).to_numpy(zero_copy_only=False))
    return codes if whitespace else _without_spaces(codes)


def _without_spaces(codes: Ragged) -> Ragged:
    kept = ~_IS_SPACE[np.minimum(codes.values, len(_IS_SPACE) - 1)] | (codes.values >= len(_IS_SPACE))
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept.astype(np.int64), out=before[1:])
    return Ragged(codes.values[np.flatnonzero(kept)], before[codes.offsets])
