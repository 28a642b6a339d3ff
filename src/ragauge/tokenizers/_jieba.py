"""Chinese words as jieba itself finds them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ragauge.core.ragged import BoolArray, Ragged
from ragauge.errors import DataError, UsageError

# jieba 0.42.1, `re_userdict`: a word, and perhaps its frequency and its tag.
_LINE = re.compile(r"(.+?)(?: ([0-9]+))?(?: [a-z]+)?")


@dataclass(frozen=True, slots=True)
class UserWords:
    """Words with their frequencies; None where the segmenter shall choose one that keeps the word whole.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not UTF-8, or gives a frequency of 0, which in jieba forbids the word for the whole process.
    """

    words: tuple[tuple[str, int | None], ...]
    digest: str

    @classmethod
    def read(cls, path: str) -> UserWords:
        """Read a file of one word a line."""
        try:
            content = Path(path).read_bytes()
            lines = content.decode("utf-8-sig").split("\n")
        except OSError as error:
            raise UsageError(f"option 'user_dict' of tokenizer 'zh': cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise DataError.of(path, ["it is not UTF-8"]) from None
        return cls(tuple(_words(path, lines)), f"sha256:{sha256(content).hexdigest()[:16]}")


def _words(path: str, lines: list[str]) -> Iterator[tuple[str, int | None]]:
    for number, line in enumerate(lines, start=1):
        found = _LINE.fullmatch(line.strip())
        if found is None:
            continue
        word, frequency = found.groups()
        if frequency is not None and int(frequency) == 0:
            raise DataError.of(path, [f"line {number}: {word!r} has frequency 0; leave it out or give one above 0"])
        yield word, None if frequency is None else int(frequency)


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
    # As jieba's `initialize` does, but without its cache file in the directory for temporary files.
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
