"""Sentences by the library sentencex."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragauge.core.lazy import lazy_pattern
from ragauge.core.loading import require
from ragauge.errors import DataError

_SHOWN = 40
# Code points that sentencex gets at a time, to the last line break, because its time can grow with their square.
_LONGEST = 20_000
_PIECE = lazy_pattern(rf".{{{_LONGEST // 2},{_LONGEST - 1}}}\n|.{{1,{_LONGEST}}}", re.DOTALL)


def spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where sentences begin and end; MissingExtraError without sentencex, DataError where it fails on a text."""
    require("sentences by backend=sentencex", "sent", "sentencex")
    at = 0
    pieces = [text] if len(text) <= _LONGEST else _PIECE.findall(text)
    for bare in [sentence.strip() for piece in pieces for sentence in _segments(piece, language)]:
        if bare:
            at = text.index(bare, at)
            yield at, at + len(bare)
            at += len(bare)


def _segments(text: str, language: str) -> list[str]:
    import sentencex

    try:
        return list(sentencex.segment(language, text))
    except BaseException as error:
        # A panic of its Rust code is not an Exception; 1.0.32 panics on "J\u3000.".
        if type(error).__name__ != "PanicException":
            raise
        raise DataError(
            "RG-TOKEN-004 sentences by backend=sentencex: sentencex failed on {text!r}; use backend=rules",
            text[:_SHOWN],
        ) from None
