"""How many tokens a text has, about."""

from __future__ import annotations

# Each message has some tokens around it.
_OF_MESSAGE = 8


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: four letters of ASCII are one, any other character is one.

    That is near the truth for English and for Chinese, Japanese and Thai, and high for other languages.

    >>> tokens_of("Who wrote it?"), tokens_of("是谁写的？")
    (4, 5)
    """
    ascii_letters = len(text.encode("ascii", "ignore"))
    return -(-ascii_letters // 4) + len(text) - ascii_letters


def estimated_tokens(messages: tuple[tuple[str, str], ...]) -> int:
    """Estimate the tokens of messages.

    >>> estimated_tokens((("user", "Who wrote it?"),)), estimated_tokens((("user", "是谁写的？"),))
    (12, 13)
    """
    return sum(tokens_of(text) + _OF_MESSAGE for _, text in messages)
