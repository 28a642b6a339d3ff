"""``rouge-score``: lower-case ASCII letters and digits, nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragauge.registry import ingredient
from ragauge.tokenizers._chunks import ChunkTokenizer

_words = re.compile("[a-z0-9]+").findall


@ingredient("tokenizer", "rouge-score")
@dataclass(frozen=True)
class RougeScore(ChunkTokenizer):
    """Runs of ASCII letters and digits after `str.lower`, as in rouge-score 0.1.2 (``tokenize.py``).

    Every other character is a gap, so that a text in Chinese, Russian or Greek has no tokens: use it only to repeat
    numbers that rouge-score gave. Stems come afterwards, see `Forms`.

    >>> RougeScore().tokens("Don't stop, café!")
    ['don', 't', 'stop', 'caf']
    """

    def cut(self, chunks: Sequence[str]) -> list[list[str]]:
        """Find the runs in each chunk."""
        return [[low] if (low := chunk.lower()).isalnum() and low.isascii() else _words(low) for chunk in chunks]
