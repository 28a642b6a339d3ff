"""Chinese words as jieba itself finds them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.ragged import BoolArray, Ragged
from ragauge.tokenizers._user_words import UserWords


def begins_by_jieba(points: Ragged, texts: Sequence[str], words: UserWords | None, *, hmm: bool) -> BoolArray:
    """Say at which of the code points of ``texts`` a token begins."""
    cut = _instance(words).cut
    return begins_of(points, ([*map(len, cut(text, HMM=hmm))] for text in texts))


def begins_of(points: Ragged, lengths: Iterable[list[int]]) -> BoolArray:
    """Say where tokens of these ``lengths``, which fill their texts, begin."""
    flat = np.fromiter(chain.from_iterable(lengths), dtype=np.int64)
    begins = np.zeros(len(points.values), dtype=bool)
    begins[np.cumsum(flat) - flat] = True
    return begins


def dictionary() -> Path:
    """Return the file of jieba's dictionary."""
    return Path(_jieba().__file__).with_name("dict.txt")


@cache
def _instance(words: UserWords | None) -> Any:
    """Make an instance of our own: what others add to the module's does not reach it."""
    own = _jieba().Tokenizer()
    # What its own `initialize` does, without the cache file that it would leave in the directory for temporary files.
    own.FREQ, own.total = own.gen_pfdict(own.get_dict_file())
    own.initialized = True
    add_all(words, own.add_word)
    return own


def add_all(words: UserWords | None, add: Callable[[str, int | None, None], Any]) -> None:
    """Add user words in the order of their file: it decides the frequencies of those that have none."""
    for word, frequency in words.words if words is not None else ():
        add(word, frequency, None)


def _jieba() -> Any:
    """Import jieba without what it warns of: its escapes in strings, and the module by which it finds its files."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=SyntaxWarning)
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", message="pkg_resources", category=UserWarning)
        return import_module("jieba")
