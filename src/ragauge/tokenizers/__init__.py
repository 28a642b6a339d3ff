"""Tokenizers, each registered under its name on the command line."""

from __future__ import annotations

from typing import cast

from ragauge.core.registry import make_ingredient
from ragauge.tokenizers.base import TokenizerBase
from ragauge.tokenizers.choosing import choose

__all__ = ["TokenizerBase", "choose", "get"]


def get(text: str = "auto") -> TokenizerBase:
    """Return the tokenizer of a spec: ``name`` or ``name[key=value,...]``.

    Raises:
        UnknownNameError: no tokenizer has that name.
        OptionError: an option is unknown or has a bad value.

    >>> get("auto").tokens("猫坐在mat上。")
    ['猫', '坐', '在', 'mat', '上', '。']
    """
    return cast(TokenizerBase, make_ingredient("tokenizer", text))
