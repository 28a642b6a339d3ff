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


def written_in(text: str) -> str:
    """Return ``hant`` of a text with a traditional character, ``hans`` of one with simplified ones alone, else "".

    >>> [written_in(text) for text in ("臺灣的首都", "台湾的首都", "山水", "不了台北")]
    ['hant', 'hans', '', '']
    """
    if not _traditional().isdisjoint(text):
        return "hant"
    return "" if _simplified().isdisjoint(text) else "hans"


@cache
def _table() -> dict[int, str]:
    pairs = content("simplified.txt").decode("utf-8").strip()
    return dict(zip(map(ord, pairs[::2]), pairs[1::2], strict=True))


@cache
def _traditional() -> frozenset[str]:
    """Return the characters that are written otherwise in simplified script."""
    return frozenset(map(chr, _table()))


@cache
def _simplified() -> frozenset[str]:
    """Return the characters that a traditional one is written as, and that are none of traditional script themselves.

    Those of Big5 are: "cloud" and "behind" are written with characters of their own there, which also mean to say and a
    queen.
    """
    return frozenset(one for one in _table().values() if not one.encode("big5", "ignore"))
