"""The whole system: a question in, an answer out, with the passages that it rests on."""

from dataclasses import dataclass
from typing import Any

from rag.chunking import Chunk
from rag.corpus import Passage
from rag.generating import Generator
from rag.reranking import Scorer
from rag.searching import Index


@dataclass(frozen=True)
class Rag:
    """Search chunks, re-rank them, hand their passages to the generator.

    Small chunks are found more precisely; whole passages are read with more understanding. A passage is at the rank
    of its best chunk, so that judgements of passages hold whatever the chunks are.
    """

    index: Index
    generator: Generator
    reranker: Scorer | None = None
    candidates: int = 20
    """Chunks that the index hands to the re-ranker."""
    kept: int = 5
    """Passages that the generator reads."""

    def __call__(self, question: str) -> dict[str, Any]:
        """Answer a question; the keys are the columns that ragauge reads."""
        best: dict[Passage, float] = {}
        for chunk, score in self._ranked(question):
            best.setdefault(chunk.passage, score)
        found = list(best)[: self.kept]
        contexts = [passage.titled for passage in found]
        return {
            "answer": self.generator(question, contexts),
            "contexts": contexts,
            "retrieved": [passage.id for passage in found],
            "retrieved_scores": [best[passage] for passage in found],
        }

    def _ranked(self, question: str) -> list[tuple[Chunk, float]]:
        found = self.index.search(question, self.candidates)
        if self.reranker is None:
            return found
        chunks = [chunk for chunk, _ in found]
        scores = self.reranker(question, [chunk.text for chunk in chunks])
        return sorted(zip(chunks, scores, strict=True), key=lambda pair: -pair[1])
