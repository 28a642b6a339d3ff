"""Embedding: texts to unit vectors, whose dot product is their cosine."""

from typing import Protocol

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer

Vectors = npt.NDArray[np.float32]


class Embedding(Protocol):
    """Anything that turns n texts into an (n, dimensions) array of unit vectors."""

    def __call__(self, texts: list[str]) -> Vectors:
        """Embed texts."""
        ...


class LatentSemantic:
    """Character n-grams, hashed, weighed by rarity and reduced to few dimensions by a singular value decomposition.

    It knows no words and needs no model, so it works in every language, offline; it learns from the chunks themselves.
    """

    def __init__(self, texts: list[str], dimensions: int = 64) -> None:
        """Learn rarities and dimensions from ``texts``."""
        ngrams = HashingVectorizer(
            analyzer="char_wb", ngram_range=(2, 4), n_features=2**16, alternate_sign=False, norm=None
        )
        reduced = TruncatedSVD(min(dimensions, len(texts) - 1), random_state=0)
        self._steps: Pipeline = make_pipeline(ngrams, TfidfTransformer(sublinear_tf=True), reduced, Normalizer())
        self._steps.fit(texts)

    def __call__(self, texts: list[str]) -> Vectors:
        """Embed texts; one that shares no n-gram with the learnt ones gets the zero vector."""
        return np.ascontiguousarray(self._steps.transform(texts), dtype=np.float32)


class SentenceModel:
    """A model of sentence-transformers, by name or path."""

    def __init__(self, name: str) -> None:
        """Load the model; a name is downloaded the first time."""
        from sentence_transformers import SentenceTransformer

        self._model = SentenceTransformer(name)

    def __call__(self, texts: list[str]) -> Vectors:
        """Embed texts."""
        return np.asarray(self._model.encode(texts, normalize_embeddings=True), dtype=np.float32)
