"""An embedder that looks up what it has encoded before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragauge.embedders._dense import DenseVectors
from ragauge.embedders.store import Store, key_of
from ragauge.errors import DataError
from ragauge.ingredients import Embedder, Role, Vectors

# Texts between two writes: what a killed process loses at most.
_CHUNK = 1024


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
        """Return one vector per text."""
        if not getattr(self.embedder, "kept", True):
            return self.embedder.encode(texts, role)
        keys = [key_of(self.signature, role_of(self.embedder, role), text) for text in texts]
        known = self.store.find(keys)
        absent = dict(zip(keys, texts, strict=True))
        absent = {key: text for key, text in absent.items() if key not in known}
        failures, windowed = self._encode_absent(absent, role, known)
        return _arranged(keys, known, failures, windowed)

    def _encode_absent(
        self, absent: dict[bytes, str], role: Role, known: dict[bytes, npt.NDArray[np.float32]]
    ) -> tuple[dict[bytes, str], int]:
        """Encode and keep ``absent``, add it to ``known``; return what failed and how many were long."""
        failures: dict[bytes, str] = {}
        windowed, keys = 0, list(absent)
        for first in range(0, len(keys), _CHUNK):
            chunk = keys[first : first + _CHUNK]
            made = _dense(self.embedder.encode([absent[key] for key in chunk], role))
            failures.update({chunk[place]: why for place, why in made.failures.items()})
            new = {key: made.values[place] for place, key in enumerate(chunk) if place not in made.failures}
            self.store.put(new.items())
            known.update(new)
            windowed += made.windowed
            self.store.progress(first + len(chunk), len(keys))
        return failures, windowed


def role_of(embedder: Embedder, role: Role) -> str:
    """Return ``role`` where it changes a vector, else nothing."""
    return "" if getattr(embedder, "symmetric", False) else role


def _dense(vectors: Vectors) -> DenseVectors:
    if not isinstance(vectors, DenseVectors):
        message = f"a cached embedder must give DenseVectors; it gave {type(vectors).__name__}: set kept = False on it"
        raise TypeError(message)
    return vectors


def _arranged(
    keys: Sequence[bytes], known: dict[bytes, npt.NDArray[np.float32]], failures: dict[bytes, str], windowed: int
) -> DenseVectors:
    """Put the vectors in the order of ``keys``."""
    width = max((len(vector) for vector in known.values()), default=1)
    if any(len(vector) != width for vector in known.values()):
        message = "the embedding cache holds vectors of different lengths for one embedder; remove it"
        raise DataError(message)
    values = np.zeros((len(keys), width), dtype=np.float32)
    for place, key in enumerate(keys):
        values[place] = known.get(key, 0.0)
    lost = {place: failures[key] for place, key in enumerate(keys) if key in failures}
    return DenseVectors(values, lost, windowed)
