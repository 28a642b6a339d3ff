"""An embedder: texts are similar whose letters are; put the call of your model in place of `_vector`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import ragauge


@ragauge.ingredient("embedder", "letters")
@dataclass(frozen=True)
class Letters:
    """Counts the characters of a text.

    Args:
        dimensions: the length of the vectors; characters share a place where there are more of them.
    """

    dimensions: int = 512

    @property
    def signature(self) -> str:
        """Name whatever changes a vector: the options, and a revision of the code or of the model."""
        return f"letters[dimensions={self.dimensions},revision=1]"

    def encode(self, texts: Sequence[str], role: ragauge.Role) -> ragauge.DenseVectors:  # noqa: ARG002 - part of the protocol
        """Return one vector per text; ``role`` is for models that tell questions from passages."""
        return ragauge.DenseVectors(np.array([self._vector(text) for text in texts], dtype=np.float32))

    def _vector(self, text: str) -> np.ndarray:
        places = [ord(letter) % self.dimensions for letter in text.lower() if not letter.isspace()]
        return np.bincount(places, minlength=self.dimensions)
