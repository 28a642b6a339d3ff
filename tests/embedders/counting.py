"""Embedders that tests look into."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ragauge.embedders import get
from ragauge.embedders.dense import DenseVectors


def made(spec: str) -> Any:
    """Return the embedder of that name as what it is, not as the protocol has it."""
    return get(spec)


class Counting:
    """Counts how often it encodes each text; vectors hold the text's length and its first code point."""

    def __init__(self, name: Any = "counting", *, symmetric: Any = True, failing: Any = ()) -> None:
        self.signature = name
        self.symmetric = symmetric
        self.failing = failing
        self.encoded: Counter[tuple[str, str]] = Counter()

    def encode(self, texts: Any, role: Any) -> Any:
        self.encoded.update((role, text) for text in texts)
        values = [[len(text), ord(text[0]) if text else 0, role == "query" and not self.symmetric] for text in texts]
        lost = {place: "lost" for place, text in enumerate(texts) if text in self.failing}
        return DenseVectors(np.array(values, dtype=np.float32).reshape(-1, 3), lost)
