"""The compiled part of ragauge. ``ragauge.core.native`` calls it; its functions take buffers and are not for users."""

from __future__ import annotations

from ragauge_native._kernel import (
    ABI,
    characters,
    dict_ranks,
    dots,
    holders,
    lines,
    matches,
    near,
    script_ngrams,
    shared,
    subsequences,
    sums,
    tokens,
)

__all__ = [
    "ABI",
    "__version__",
    "characters",
    "dict_ranks",
    "dots",
    "holders",
    "lines",
    "matches",
    "near",
    "script_ngrams",
    "shared",
    "subsequences",
    "sums",
    "tokens",
]

__version__ = "0.1.0"
