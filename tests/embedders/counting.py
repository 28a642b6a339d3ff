"""Embedders that tests look into."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ragauge.embedders._dense import DenseVectors


class Counting:
    """Counts how often it encodes each text; vectors hold the text's length and its first code point."""

    def __init__(self, name="counting", *, symmetric=True, failing=()):
        self.signature = name
        self.symmetric = symmetric
        self.failing = failing
        self.encoded = Counter()

    def encode(self, texts, role):
        self.encoded.update((role, text) for text in texts)
        values = [[len(text), ord(text[0]) if text else 0, role == "query" and not self.symmetric] for text in texts]
        lost = {place: "lost" for place, text in enumerate(texts) if text in self.failing}
        return DenseVectors(np.array(values, dtype=np.float32).reshape(-1, 3), lost)
