"""An embedder that looks up what it has encoded before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ragauge.embedders._dense import DenseVectors
from ragauge.embedders.store import Store, key_of
from ragauge.errors import DataError
from ragauge.ingredients import Embedder, Role, Vectors

# Texts between two writes: what a killed process loses at most.
_CHUNK = 1024

Vector = npt.NDArray[np.float32]


@dataclass
class _Known:
    """Vectors by key, why there is none, and in how many windows a text was read where these were several."""

    vectors: dict[bytes, Vector] = field(default_factory=dict)
    failures: dict[bytes, str] = field(default_factory=dict)
    windows: dict[bytes, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Cached:
    """Encodes with ``embedder`` what ``store`` does not have, a thousand texts at a time, and keeps it there.

    Vectors that failed are not kept: the next run asks again. An embedder whose vectors cost less to make than to keep,
    such as ``lexical``, is not cached.
    """

    embedder: Embedder
    store: Store

    @property
    def signature(self) -> str:
        """The embedder's own: a cache changes no number."""
        return self.embedder.signature

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one vector per text.

        Raises:
            DataError: the embedder gave vectors of another length before.
        """
        if not getattr(self.embedder, "kept", True):
            return self.embedder.encode(texts, role)
        keys = [key_of(self.signature, role_of(self.embedder, role), text) for text in texts]
        distinct = dict(zip(keys, texts, strict=True))
        known = _Known(self.store.find([*distinct]), windows=self.store.windows([*distinct]))
        self._encode_absent({key: text for key, text in distinct.items() if key not in known.vectors}, role, known)
        return _arranged(keys, known)

    def _encode_absent(self, absent: dict[bytes, str], role: Role, known: _Known) -> None:
        """Encode and keep ``absent``, and add it to ``known``."""
        for done, chunk in _chunks([*absent]):
            made = _dense(self.embedder.encode([absent[key] for key in chunk], role))
            new = {key: made.values[place] for place, key in enumerate(chunk) if place not in made.failures}
            windows = {chunk[place]: count for place, count in made.windowed.items() if chunk[place] in new}
            self._check(known.vectors.values(), new.values())
            self.store.put(new.items(), windows)
            known.vectors.update(new)
            known.windows.update(windows)
            known.failures.update({chunk[place]: why for place, why in made.failures.items()})
            self.store.progress(done, len(absent))

    def _check(self, before: Iterable[Vector], now: Iterable[Vector]) -> None:
        lengths = {len(vector) for vector in before}
        new = {len(vector) for vector in now} - lengths
        if lengths and new:
            message = (
                f"{self.embedder} gave vectors of {min(lengths)} numbers before, and now of {min(new)}: they cannot be "
                "compared; it is another model by now, so score again, without an --embedding-cache of the old one"
            )
            raise DataError(message)


def role_of(embedder: Embedder, role: Role) -> str:
    """Return ``role`` where it changes a vector, else nothing."""
    return "" if getattr(embedder, "symmetric", False) else role


def _chunks(keys: list[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield runs of keys, and how many there were until the end of each."""
    for first in range(0, len(keys), _CHUNK):
        yield min(first + _CHUNK, len(keys)), keys[first : first + _CHUNK]


def _dense(vectors: Vectors) -> DenseVectors:
    if not isinstance(vectors, DenseVectors):
        message = f"a cached embedder must give DenseVectors; it gave {type(vectors).__name__}: set kept = False on it"
        raise TypeError(message)
    return vectors


def _arranged(keys: Sequence[bytes], known: _Known) -> DenseVectors:
    """Put the vectors in the order of ``keys``."""
    width = max((len(vector) for vector in known.vectors.values()), default=1)
    if any(len(vector) != width for vector in known.vectors.values()):
        message = "the embedding cache holds vectors of different lengths for one embedder; remove it"
        raise DataError(message)
    values = np.zeros((len(keys), width), dtype=np.float32)
    for place, key in enumerate(keys):
        values[place] = known.vectors.get(key, 0.0)
    return DenseVectors(values, _by_place(keys, known.failures), _by_place(keys, known.windows))


def _by_place(keys: Sequence[bytes], known: Mapping[bytes, Any]) -> dict[int, Any]:
    return {place: known[key] for place, key in enumerate(keys) if key in known} if known else {}
