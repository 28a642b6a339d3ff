"""The vectors that the metrics of a run ask for: each distinct text encoded once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from ragauge.core.batch import Batch, Dataset
from ragauge.core.ingredients import Embedder, Role, Vectors
from ragauge.core.ragged import FloatArray, IntArray
from ragauge.embedders.dense import NO_WINDOWS, DenseVectors, joined_dense
from ragauge.embedders.sparse import SparseVectors, joined_sparse
from ragauge.embedders.store import Cached, Passing, Store, open_store, role_of

if TYPE_CHECKING:
    import pyarrow as pa

STORE = "embedding store"
"""Under this key a batch is given the `ragauge.embedders.store.Store` of the run: ``batch.given(STORE, store)``."""


class Space:
    """All vectors made by one embedder for one batch, numbered: texts are added when they are asked for.

    >>> from ragauge.embedders import get
    >>> space = Space(get("lexical"))
    >>> questions, passages = (
    ...     space.places(["who sings"], "query"),
    ...     space.places(["she sings", "rain", "rain"], "passage"),
    ... )
    >>> questions, passages
    (array([0]), array([1, 2, 2]))
    >>> space.cosine(questions[[0, 0]], passages[:2]).round(2)
    array([0.52, 0.  ])
    """

    def __init__(self, embedder: Embedder, store: Store | None = None) -> None:
        self.embedder = embedder
        self._source: Embedder = embedder if store is None else Cached(embedder, store)
        self._places: dict[tuple[str, str], int] = {}
        self._vectors: DenseVectors | SparseVectors | None = None

    def __len__(self) -> int:
        return len(self._places)

    def places(self, texts: pa.Array | Sequence[str], role: Role) -> IntArray:
        """Return the number of the vector of each of n texts, none of them null; new texts are encoded.

        Args:
            texts: n strings.
            role: ``query`` for questions, ``passage`` for what may answer them; for two texts of one kind, the same.
        """
        distinct, inverse = _distinct(texts)
        keyed = role_of(self.embedder, role)
        new = [text for text in distinct if (keyed, text) not in self._places]
        if new or self._vectors is None:
            self._add(self._source.encode(new, role))
            self._places.update({(keyed, text): place for place, text in enumerate(new, len(self._places))})
        numbers = np.fromiter((self._places[keyed, text] for text in distinct), np.int64, len(distinct))
        return np.asarray(numbers[inverse])

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the cosine of the vectors numbered ``left[i]`` and ``right[i]``; NaN where one of them failed."""
        return np.zeros(0) if self._vectors is None else self._vectors.cosine(left, right)

    @property
    def vectors(self) -> DenseVectors | SparseVectors | None:
        """The vectors, by number; None before any text was asked for."""
        return self._vectors

    @property
    def failures(self) -> dict[int, str]:
        """Why there is no vector, by number."""
        return dict(self._vectors.failures) if isinstance(self._vectors, DenseVectors) else {}

    @property
    def windowed(self) -> Mapping[int, int]:
        """In how many windows a text was read that is longer than the model reads at once, by number."""
        return self._vectors.windowed if isinstance(self._vectors, DenseVectors) else NO_WINDOWS

    def _add(self, made: Vectors) -> None:
        if isinstance(made, DenseVectors):
            before = [self._vectors] if self._vectors is not None else []
            self._vectors = joined_dense([*cast("list[DenseVectors]", before), made])
        elif isinstance(made, SparseVectors):
            before = [self._vectors] if self._vectors is not None else []
            self._vectors = joined_sparse([*cast("list[SparseVectors]", before), made])
        else:
            message = f"an embedder must give DenseVectors or SparseVectors; it gave {type(made).__name__}"
            raise TypeError(message)


def stored(data: Dataset, directory: Path | str | None) -> Dataset:
    """Return ``data`` with batches that share a store of vectors, in ``directory`` or in a temporary file.

    A text that occurs in several batches, or in a later pass through the data, is then encoded once. The temporary file
    goes with what is returned.
    """
    kept = None if directory is not None else Passing()

    def batches() -> Iterator[Batch]:
        with open_store(directory) if kept is None else nullcontext(kept.store) as store:
            for batch in data.batches():
                yield batch.given(STORE, store)

    return replace(data, batches=batches)


def space_of(batch: Batch, embedder: Embedder) -> Space:
    """Return the vectors of ``embedder`` for ``batch``, the same for all metrics that ask."""
    store = batch.derived(STORE, lambda: cast("Store | None", None))
    return batch.derived(("vectors", embedder.signature), lambda: Space(embedder, store))


def _distinct(texts: pa.Array | Sequence[str]) -> tuple[list[str], IntArray]:
    """Return the distinct texts in the order of first appearance, and which of them each text is."""
    import pyarrow as pa

    array = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string())
    encoded = array.cast(pa.large_string()).dictionary_encode()
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices, dtype=np.int64)
