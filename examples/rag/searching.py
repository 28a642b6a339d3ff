"""The index: chunks by the cosine of their vectors with a question's, in FAISS."""

from collections.abc import Sequence

import faiss
import numpy as np

from rag.chunking import Chunk
from rag.embedding import Embedding


class Index:
    """All chunks in an exact FAISS index; for millions of them take one of its approximate kinds."""

    def __init__(self, chunks: Sequence[Chunk], embedding: Embedding) -> None:
        """Embed and index the chunks."""
        vectors = embedding([chunk.text for chunk in chunks])
        self._chunks, self._embedding = chunks, embedding
        self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)

    def search(self, question: str, count: int) -> list[tuple[Chunk, float]]:
        """Return the ``count`` nearest chunks with their cosines, nearest first."""
        cosines, places = self._index.search(self._embedding([question]), min(count, len(self._chunks)))
        found = zip(places[0].tolist(), np.asarray(cosines)[0].tolist(), strict=True)
        return [(self._chunks[place], cosine) for place, cosine in found]
