"""``zh``: Chinese words, as jieba finds them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ragauge.core.lazy import lazy_pattern
from ragauge.core.loading import release, require
from ragauge.core.messages import Message
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import ingredient
from ragauge.errors import DataError, UsageError, at
from ragauge.tokenizers._points import Cut, Table, begins_of, looked_up, table_of, white_space
from ragauge.tokenizers.base import TextTokenizer, pieces

# Code points of a piece of text: for unknown words jieba takes time that grows with the square of a run of Chinese
# characters. It cuts at other characters in any case.
_LONGEST = 4000
# Full-width digits and letters -> plain ones: one character each, so that the words keep their places.
_PLAIN = {p: p - 0xFEE0 for p in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}


@ingredient("tokenizer", "zh")
@dataclass(frozen=True)
class Zh(TextTokenizer):
    """The words of jieba 0.42.1, token for token; tokens that are white space are dropped.

    Args:
        engine: ``rjieba``, ten times as fast, or ``jieba`` itself; the tokens are the same.
        hmm: find words that are in no dictionary.
        spaces: keep tokens that are white space, as `jieba.cut` does.
        traditional: find words in simplified characters (by OpenCC's ``t2s``); the tokens stay traditional.
        width: ``fold`` finds words as if full-width letters and digits were plain.
        user_dict: a file of words to add, in jieba's format; its hash is in the signature.

    >>> Zh().tokens("我来到北京清华大学。 GPT-4")
    ['我', '来到', '北京', '清华大学', '。', 'GPT', '-', '4']
    """

    engine: Literal["rjieba", "jieba"] = "rjieba"
    hmm: bool = True
    spaces: bool = False
    traditional: bool = False
    width: Literal["keep", "fold"] = "keep"
    user_dict: str | None = None

    extra: ClassVar[str] = "zh"

    def __post_init__(self) -> None:
        """Raise MissingExtraError if the engine or OpenCC is not installed."""
        require(f"tokenizer {self}", self.extra, self.engine, *(["opencc"] if self.traditional else []))

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of the libraries, and hashes of the dictionaries."""
        if self.engine == "rjieba":
            dictionary = f"probe:{_probe()}"
        else:
            dictionary = _digest(Path(_jieba().__file__).with_name("dict.txt").read_bytes())
        versions = {self.engine: release(self.engine), "dictionary": dictionary}
        if self.user_dict is not None:
            versions["user_dict"] = _UserWords.read(self.user_dict).digest
        if self.traditional:
            versions["opencc"] = release("OpenCC")
        return versions

    def cut(self, points: Ragged, texts: Sequence[str]) -> Cut:
        """Return the tokens of jieba."""
        words = None if self.user_dict is None else _UserWords.read(self.user_dict)
        if self.width == "fold":
            texts = [text.translate(_PLAIN) for text in texts]
        if self.traditional:
            texts = [_simplified(text) for text in texts]
        begins_by = _begins_by_rjieba if self.engine == "rjieba" else _begins_by_jieba
        begins = begins_by(points, texts, words, hmm=self.hmm)
        gap = np.zeros(len(begins), dtype=bool) if self.spaces else white_space(points)
        return Cut(points, begins, gap)


@ingredient("tokenizer", "crud-rag")
@dataclass(frozen=True)
class CrudRag(Zh):
    """The tokens on which the benchmark CRUD-RAG scores BLEU and ROUGE-L: jieba's, white space among them.

    Source: ``src/metric/common.py`` of CRUD-RAG, which hands ``jieba.cut`` to the metrics. Its BLEU is divided by the
    brevity penalty before it is reported.

    >>> CrudRag().tokens("北京 2024")
    ['北京', ' ', '2024']
    """

    spaces: bool = True


# jieba 0.42.1, `re_userdict`: a word, and perhaps its frequency and its tag.
_LINE = lazy_pattern(r"(.+?)(?: ([0-9]+))?(?: [a-z]+)?")


@dataclass(frozen=True, slots=True)
class _UserWords:
    """Words with their frequencies; None where jieba chooses one that keeps the word whole.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not UTF-8, or has a frequency of 0, which in jieba forbids the word for the whole process.
    """

    words: tuple[tuple[str, int | None], ...]
    digest: str

    @classmethod
    def read(cls, path: str) -> _UserWords:
        """Read a file of one word a line."""
        try:
            content = Path(path).read_bytes()
            lines = content.decode("utf-8-sig").split("\n")
        except OSError as error:
            raise UsageError(
                "RG-TOKEN-003 option 'user_dict' of tokenizer 'zh': cannot read {path}: {reason}", path, error.strerror
            ) from None
        except UnicodeDecodeError:
            raise DataError.of(path, [Message("RG-TOKEN-005 it is not UTF-8")]) from None
        words = []
        for number, line in enumerate(lines, start=1):
            if match := _LINE.fullmatch(line.strip()):
                word, frequency = match[1], None if match[2] is None else int(match[2])
                if frequency == 0:
                    template = "RG-TOKEN-006 {word!r} has frequency 0; leave it out or give one above 0"
                    raise DataError.of(path, [at("line", number, Message(template, word))])
                words.append((word, frequency))
        return cls(tuple(words), _digest(content))


def _digest(content: bytes) -> str:
    return f"sha256:{sha256(content).hexdigest()[:16]}"


def _begins_by_jieba(points: Ragged, texts: Sequence[str], words: _UserWords | None, *, hmm: bool) -> BoolArray:
    cut = _own_instance("jieba", words).cut
    lists = ([len(word) for piece in pieces(text, _LONGEST) for word in cut(piece, HMM=hmm)] for text in texts)
    return begins_of(lists, len(points.values))


@cache
def _own_instance(engine: str, words: _UserWords | None) -> Any:
    """Return a jieba or rjieba of our own, which does not see words that others add to the module's."""
    if engine == "rjieba":
        own = import_module("rjieba").Jieba()
    else:
        own = _jieba().Tokenizer()
        # As its own `initialize`, without the cache file in the folder for temporary files.
        own.FREQ, own.total = own.gen_pfdict(own.get_dict_file())
        own.initialized = True
    # In the order of their file, which decides the frequencies of words without one.
    for word, frequency in words.words if words is not None else ():
        own.add_word(word, frequency, None)
    return own


def _jieba() -> Any:
    """Import jieba without its warnings about escapes in strings and about pkg_resources."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=SyntaxWarning)
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", message="pkg_resources", category=UserWarning)
        return import_module("jieba")


# jieba-rs counts these among Chinese characters; jieba does not, and cuts before and after each.
_BEYOND = lazy_pattern("([\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
_PROBED = (
    "南京市长江大桥结婚的和尚未结婚的研究生命起源乒乓球拍卖完了他从马上下来人工智能大语言模型检索增强生成"
    "清华大学的教授在北京研究自然语言处理中华人民共和国国务院总理工信处女干事每月经过下属科室都要亲口交代"
)
_FREQUENT = "的了在是我一不人他有"
# finalseg of jieba 0.42.1 cuts what is not Chinese at numbers, percentages and runs of letters and digits; jieba-rs
# keeps words such as GPT-4 and v1.2.3 whole when it looks for unknown words.
_RUNS = lazy_pattern(r"[a-zA-Z0-9]+(?:\.[0-9]+)?%?")


def _begins_by_rjieba(points: Ragged, texts: Sequence[str], words: _UserWords | None, *, hmm: bool) -> BoolArray:
    own = _own_instance("rjieba", words)
    special = looked_up(_special_characters(), points.values)
    beyond = set((np.searchsorted(points.offsets, np.flatnonzero(special == 1), side="right") - 1).tolist())
    split = (_BEYOND.split(text) if place in beyond else [text] for place, text in enumerate(texts))
    cut = ([piece for part in parts for piece in pieces(part, _LONGEST)] for parts in split)
    lists = ([len(word) for piece in parts for word in own.cut(piece, hmm)] for parts in cut)
    begins = begins_of(lists, len(points.values))
    if hmm:
        _begin_runs(points, begins, np.flatnonzero(special == 2), own)
    return begins


@cache
def _probe() -> str:
    """Return a hash that identifies rjieba's dictionary, which has no file.

    It hashes the frequencies of 20,902 characters, and of some words and pairs of frequent characters, because these
    depend on the sum of all frequencies.
    """
    own = _own_instance("rjieba", None)
    words = own.cut(_PROBED, hmm=False)
    probed = (*map(chr, range(0x4E00, 0x9FA6)), *words, *map("".join, product(_FREQUENT, repeat=2)))
    frequencies = ",".join(str(own.suggest_freq(word)) for word in probed)
    return sha256(f"{words}{frequencies}".encode()).hexdigest()[:16]


def _begin_runs(points: Ragged, begins: BoolArray, signs: IntArray, own: Any) -> None:
    """Mark in ``begins`` the places within tokens that contain one of ``signs`` at which jieba cuts them."""
    first = np.flatnonzero(begins)
    odd = np.unique(np.searchsorted(first, signs, side="right") - 1)
    end = np.append(first, len(begins))[odd + 1]
    known: dict[str, list[int]] = {}
    for start, stop in zip(first[odd].tolist(), end.tolist(), strict=True):
        if stop - start > 1:
            word = "".join(map(chr, points.values[start:stop].tolist()))
            if word not in known:
                known[word] = _cuts(word, own)
            begins[[start + at for at in known[word]]] = True


def _cuts(word: str, own: Any) -> list[int]:
    """Return the places at which jieba cuts ``word``: none if it is in the dictionary."""
    if not word.isascii() or own.has_word(word):
        return []
    return [at for run in _RUNS.finditer(word) for at in run.span() if at < len(word)]


@cache
def _special_characters() -> Table:
    """Return a table with 1 for characters that `_BEYOND` matches, and 2 for signs that jieba takes into words."""
    beyond = (*range(0x3400, 0x4DC0), *range(0x9FD6, 0xA000), *range(0xF900, 0xFB00), *range(0x20000, 0x3FFFF))
    return table_of(0x40000, [(1, beyond), (2, map(ord, "+#&._%-"))])


def _simplified(text: str) -> str:
    """Return ``text`` in simplified characters, of the same length.

    Where OpenCC's phrases would change the length of a text, it is converted character by character.
    """
    convert = _t2s()
    converted = convert(text)
    if len(converted) == len(text):
        return converted
    characters = {char: convert(char) for char in set(text)}
    return "".join(one if len(one := characters[char]) == 1 else char for char in text)


@cache
def _t2s() -> Callable[[str], str]:
    import opencc

    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert
