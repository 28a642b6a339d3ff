"""Traditional Chinese characters as simplified ones, each in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ragauge.core.extras import release


def simplified(texts: Sequence[str]) -> list[str]:
    """Return each text in simplified characters, as long as it was.

    Where OpenCC's phrases would change the length of a text, it is converted character by character.
    """
    convert = _t2s()
    return [_of_same_length(text, convert) for text in texts]


def version() -> str:
    """Return the version of OpenCC."""
    return release("OpenCC")


def _of_same_length(text: str, convert: Callable[[str], str]) -> str:
    found = convert(text)
    if len(found) == len(text):
        return found
    characters = {char: convert(char) for char in set(text)}
    return "".join(one if len(one := characters[char]) == 1 else char for char in text)


@cache
def _t2s() -> Callable[[str], str]:
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert
