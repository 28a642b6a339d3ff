"""The vectors of a batch's texts: each distinct text is encoded once for all metrics and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ragauge.core.arrow import to_arrow, to_numpy
from ragauge.core.ingredients import Embedder, Role, Vectors
from ragauge.core.ragged import FloatArray, IntArray, Ragged
from ragauge.errors import UsageError

NO_VECTOR = "the embedder gave no vector"


class VectorSpace:
    """All vectors that one embedder made, by number; a text is added when its number is first asked for.

    >>> from ragauge.embedders import get
    >>> space = VectorSpace(get("lexical"))
    >>> question = space.numbers(["who sings"], "query")
    >>> passages = space.numbers(["she sings", "rain", "rain"], "passage")
    >>> question, passages
    (array([0]), array([1, 2, 2]))
    >>> space.cosine(question[[0, 0]], passages[:2]).round(2)
    array([0.52, 0.  ])
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.vectors: Vectors | None = None
        """None before any text was encoded."""
        self._numbers: dict[tuple[str, str], int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, texts: Sequence[str], role: Role) -> IntArray:
        """Return the number of the vector of each of n texts; new texts are encoded.

        Args:
            texts: n strings.
            role: ``query`` for questions, ``passage`` for what may answer them; for two texts of one kind, the same.

        Raises:
            UsageError: the embedder returned something else than vectors.
        """
        import pyarrow as pa

        encoded = to_arrow(texts, pa.large_string()).dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        key = role_key(self.embedder, role)
        new = [text for text in distinct if (key, text) not in self._numbers]
        if new or self.vectors is None:
            self._add(self.embedder.encode(new, role))
            self._numbers.update({(key, text): number for number, text in enumerate(new, len(self._numbers))})
        numbers = np.fromiter((self._numbers[key, text] for text in distinct), np.int64, len(distinct))
        return np.asarray(numbers[to_numpy(encoded.indices).astype(np.int64)])

    def cosine(self, left: IntArray, right: IntArray) -> FloatArray:
        """Return the cosine of the vectors numbered ``left[i]`` and ``right[i]``, (p,); NaN where one failed."""
        return np.zeros(0) if self.vectors is None else self.vectors.cosine(left, right)

    @property
    def failures(self) -> Mapping[int, str]:
        """Why there is no vector, by number."""
        return getattr(self.vectors, "failures", MappingProxyType({}))

    @property
    def windowed(self) -> Mapping[int, int] | None:
        """How many windows the model read each long text in, by number; None where texts are always read whole."""
        return getattr(self.vectors, "windowed", None)

    def _add(self, vectors: object) -> None:
        if not isinstance(vectors, Vectors):
            message = (
                f"encode of the embedder {self.embedder} must return vectors; got {type(vectors).__name__}. "
                "Return ragauge.DenseVectors(array), array of shape (texts, dimensions)."
            )
            raise UsageError(message)
        self.vectors = vectors if self.vectors is None else self.vectors.joined(vectors)


@dataclass(frozen=True, eq=False)
class TextVectors:
    """The vectors of n samples' texts.

    Shapes: ``numbers``: n lists of numbers of vectors in ``space``, which all columns of a batch share.
    """

    space: VectorSpace
    numbers: Ragged

    def cosines(self, others: TextVectors) -> list[FloatArray]:
        """Return for each sample the cosine of each of its texts with each of its texts in ``others``.

        Returns:
            n arrays of shape (texts of this sample, texts of it in ``others``); NaN where a vector failed.
        """
        matrices = []
        for left, right in zip(self.numbers.to_lists(), others.numbers.to_lists(), strict=True):
            flat = self.space.cosine(np.repeat(np.array(left, np.int64), len(right)), np.tile(right, len(left)))
            matrices.append(flat.reshape(len(left), len(right)))
        return matrices


def role_key(embedder: Embedder, role: Role) -> str:
    """Return ``role`` where it changes a vector, else an empty string."""
    return "" if getattr(embedder, "symmetric", False) else role
