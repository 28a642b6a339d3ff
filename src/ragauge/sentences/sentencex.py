"""Sentences as sentencex finds them."""

from __future__ import annotations

from collections.abc import Iterator

from ragauge.core.extras import require
from ragauge.errors import DataError

_SHOWN = 40


def spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of ``text`` begin and end.

    Raises:
        MissingExtraError: sentencex is not installed.
        DataError: sentencex breaks down at the text.
    """
    require("sentences by backend=sentencex", "sent", "sentencex")
    at = 0
    for sentence in _segments(text, language):
        bare = sentence.strip()
        if bare:
            at = text.index(bare, at)
            yield at, at + len(bare)
            at += len(bare)


def _segments(text: str, language: str) -> list[str]:
    import sentencex

    try:
        return list(sentencex.segment(language, text))
    except BaseException as error:
        # What its Rust raises where it panics, as 1.0.32 does on "J\u3000.", is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        message = f"sentences by backend=sentencex: sentencex broke down at {text[:_SHOWN]!r}; use backend=rules"
        raise DataError(message) from None
