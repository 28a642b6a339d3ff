"""``function``: a function of the user's own that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragauge.core.functions import OfFunction
from ragauge.core.ingredients import Role
from ragauge.core.messages import Counted
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import UsageError, excerpt


@ingredient("embedder", "function")
@dataclass(frozen=True)
class FunctionEmbedder(OfFunction, EmbedderBase):
    """A function that takes a list of texts and returns an array with one row for each.

    ``embedder=app.py:embed`` and ``embedder=app:embed`` mean ``function[name=app.py:embed]``, and from Python the
    function itself is enough.

    >>> letters = FunctionEmbedder(lambda texts: [[text.count(one) for one in "abc"] for text in texts])
    >>> letters.encode(["a cab", "b"], "passage").values.tolist()
    [[2.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    """

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:  # noqa: ARG002 - part of the protocol
        """Return one vector per text."""
        returned = self.called(list(texts))
        try:
            vectors = np.asarray(returned, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise UsageError(
                "RG-EMB-015 {name} must return an array of numbers, a row for each text: {error}",
                self.name,
                excerpt(error),
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise UsageError(
                "RG-EMB-016 {name} must return an array of shape (texts, dimensions) for {texts}; got {shape}",
                self.name,
                Counted(len(texts), "text"),
                vectors.shape,
            )
        return DenseVectors(vectors)
