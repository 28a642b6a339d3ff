"""The compiled part of ragauge. ``ragauge.core.native`` calls it; its functions take buffers and are not for users."""

from __future__ import annotations

from ragauge_native._kernel import ABI, characters, shared, subsequences, sums, tokens

__all__ = ["ABI", "__version__", "characters", "shared", "subsequences", "sums", "tokens"]

__version__ = "0.1.0"
