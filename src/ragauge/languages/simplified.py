"""Traditional Chinese characters as simplified ones, so that both scripts compare as one."""

from __future__ import annotations

from functools import cache

from ragauge.languages import content


def simplified(text: str) -> str:
    """Return ``text`` with each traditional character as the simplified one that it alone becomes.

    One character for one, so that places in the text stay. What depends on the word (乾 as 干 or 乾) is not decided.

    Source: OpenCC 1.4.2, its configuration t2s, of each single character; see NOTICE.

    >>> simplified("臺灣的首都")
    '台湾的首都'
    """
    return text if _traditional().isdisjoint(text) else text.translate(_table())


@cache
def _table() -> dict[int, str]:
    pairs = content("simplified.txt").decode("utf-8").strip()
    return dict(zip(map(ord, pairs[::2]), pairs[1::2], strict=True))


@cache
def _traditional() -> frozenset[str]:
    """Return the characters that are written otherwise in simplified script."""
    return frozenset(map(chr, _table()))
