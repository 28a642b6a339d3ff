"""Chunks: what is embedded and searched."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rag.corpus import Passage
from ragauge.sentences import sentences


@dataclass(frozen=True)
class Chunk:
    """A few sentences of a passage, with its title, so that a chunk says what it is about."""

    passage: Passage
    text: str


def chunks(passages: Iterable[Passage], size: int = 2, overlap: int = 1) -> Iterator[Chunk]:
    """Cut passages into windows of ``size`` sentences that share ``overlap`` sentences with the next."""
    for passage in passages:
        parts = sentences(passage.text)
        for start in range(0, max(1, len(parts) - overlap), size - overlap):
            yield Chunk(passage, f"{passage.title}. {' '.join(parts[start : start + size])}")
