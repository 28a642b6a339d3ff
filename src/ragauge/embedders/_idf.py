"""How rare each n-gram is: tables of inverse document frequencies, made from a corpus and kept in a file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragauge.embedders._ngrams import features
from ragauge.embedders._scripts import folded
from ragauge.errors import DataError

_MAGIC = b"ragauge idf 1\n"
_BITS = 22
_SHIFT = np.uint32(32 - _BITS)
# An idf is kept in steps of 1/16: 255 steps reach to one text in eight million.
_STEP = 1 / 16
_BATCH = 4096


@dataclass(frozen=True, eq=False)
class Idf:
    """A table of idf in sixteenths, by the first 22 bits of an n-gram's hash.

    Args:
        levels: (2^22,) uint8, never 0.
        made_of: what it was made from, for people.
    """

    levels: npt.NDArray[np.uint8]
    made_of: Mapping[str, Any] = field(default_factory=dict)

    def of(self, keys: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
        """Look up n-grams by their 32-bit hashes."""
        return np.asarray(self.levels[keys >> _SHIFT])

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits of the SHA-256 of the table."""
        return sha256(self.levels.tobytes()).hexdigest()[:8]

    def save(self, path: Path) -> None:
        """Write the table to ``path``."""
        head = json.dumps(self.made_of, ensure_ascii=False, sort_keys=True).encode()
        path.write_bytes(_MAGIC + head + b"\n" + zlib.compress(self.levels.tobytes(), 9))


def fit(corpora: Mapping[str, Iterable[str]], *, most: int | None = None) -> Idf:
    """Count in how many texts each n-gram stands.

    An n-gram is as common as in that of the ``corpora`` (languages, say) where it is most common, so that a language
    with few texts, or one that shares a script with many, keeps its own frequent words.

    Args:
        corpora: name -> texts.
        most: keep only so many of the most common n-grams; the others count as never seen.

    Raises:
        DataError: there is no text.
    """
    share = np.zeros(1 << _BITS, dtype=np.float64)
    sizes = {}
    for name, texts in corpora.items():
        counts, sizes[name] = _counts(texts)
        np.maximum(share, counts / max(sizes[name], 1), out=share)
    size = max(sizes.values(), default=0)
    if size == 0:
        message = "there is no text to fit an IDF table to"
        raise DataError(message)
    if most is not None and np.count_nonzero(share) > most:
        share[share < np.partition(share, -most)[-most]] = 0.0
    return Idf(_levels(share, size), {"texts": sizes})


def _levels(share: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.uint8]:
    """Turn shares of texts into levels of idf; what was never seen counts as if in half a text."""
    idf = -np.log(np.maximum(share, 0.5 / size))
    return np.clip(np.rint(idf / _STEP), 1, 255).astype(np.uint8)


def _counts(texts: Iterable[str]) -> tuple[npt.NDArray[np.int64], int]:
    """Count the texts that each n-gram stands in, and the texts."""
    counts, size = np.zeros(1 << _BITS, dtype=np.int64), 0
    for batch in _batches(texts):
        buckets = (features(folded(batch)).keys >> _SHIFT).astype(np.int64)
        counts += np.bincount(buckets, minlength=len(counts))
        size += len(batch)
    return counts, size


def _batches(texts: Iterable[str]) -> Iterator[Sequence[str]]:
    rest = iter(texts)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def load(path: Path | str) -> Idf:
    """Read a table that `Idf.save` wrote.

    Raises:
        DataError: the file is not found, or is not such a table.
    """
    try:
        return _parsed(Path(path).read_bytes())
    except (OSError, ValueError, zlib.error) as error:
        message = f"cannot read the IDF table {str(path)!r} ({error}); make one with: ragauge fit-idf DATA -o FILE"
        raise DataError(message) from None


@cache
def shipped() -> Idf:
    """Return the table that is part of the package."""
    return _parsed(files("ragauge.embedders").joinpath("lexical.idf").read_bytes())


def _parsed(data: bytes) -> Idf:
    magic, head, packed = data[: len(_MAGIC)], *data[len(_MAGIC) :].split(b"\n", 1)
    if magic != _MAGIC:
        message = "it does not begin as one"
        raise ValueError(message)
    levels = np.frombuffer(zlib.decompress(packed), dtype=np.uint8)
    if len(levels) != 1 << _BITS or not levels.all():
        message = "it is damaged"
        raise ValueError(message)
    return Idf(levels, json.loads(head))
