"""``function``: a function of the user's own that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ragauge.core.functions import OfFunction
from ragauge.core.ingredients import Role
from ragauge.core.messages import Counted
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import UsageError, excerpt

_OF_QUESTION = {"embed_documents": "embed_query", "get_text_embedding_batch": "get_query_embedding"}
"""Method for passages -> that of the same object for one question."""


@ingredient("embedder", "function")
@dataclass(frozen=True)
class FunctionEmbedder(OfFunction, EmbedderBase):
    """A function that takes a list of texts and returns an array with one row for each.

    ``embedder=app.py:embed`` and ``embedder=app:embed`` mean ``function[name=app.py:embed]``, and from Python the
    function itself is enough. So is an object with ``encode`` (as of sentence-transformers), ``embed_documents`` (as of
    LangChain) or ``get_text_embedding_batch`` (as of LlamaIndex) that says which model it is; questions are encoded by
    its method for questions, where it has one.

    >>> letters = FunctionEmbedder(lambda texts: [[text.count(one) for one in "abc"] for text in texts])
    >>> letters.encode(["a cab", "b"], "passage").values.tolist()
    [[2.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    """

    methods: ClassVar[Mapping[str, str]] = dict.fromkeys(("embed_documents", "get_text_embedding_batch", "encode"), "")

    of_questions: Callable[..., Any] | None = field(default=None, repr=False, metadata={"option": False})

    def _take(self, value: Any, method: str) -> None:
        super()._take(value, method)
        if method in _OF_QUESTION:
            object.__setattr__(self, "of_questions", getattr(value, _OF_QUESTION[method], None))

    @property
    def symmetric(self) -> bool:
        """Whether both roles give the same vectors."""
        return self.of_questions is None

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:
        """Return one vector per text."""
        if role == "query" and self.of_questions is not None:
            each = replace(self, function=self.of_questions)
            returned = [each.called(text) for text in texts]
        else:
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
