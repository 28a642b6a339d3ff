"""User dictionaries of Chinese words, in jieba's format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

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
