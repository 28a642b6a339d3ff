"""Sentences as sentencex finds them."""

from __future__ import annotations

from collections.abc import Iterator

from ragauge.extras import require


def spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of ``text`` begin and end.

    Raises:
        MissingExtraError: sentencex is not installed.
    """
    require("sentences by backend=sentencex", "sent", "sentencex")
    import sentencex

    at = 0
    for sentence in sentencex.segment(language, text):
        bare = sentence.strip()
        if bare:
            at = text.index(bare, at)
            yield at, at + len(bare)
            at += len(bare)
