"""Chinese words as rjieba finds them, made equal to jieba's; ten times as fast."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import product
from typing import Any

import numpy as np

from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.tokenizers._jieba import UserWords, add_all, begins_of
from ragauge.tokenizers._points import Table, looked_up, table_of

# jieba-rs counts these among Chinese characters; jieba does not, and cuts before and after each.
_BEYOND = re.compile("([\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])")
_PROBED = (
    "南京市长江大桥结婚的和尚未结婚的研究生命起源乒乓球拍卖完了他从马上下来人工智能大语言模型检索增强生成"
    "清华大学的教授在北京研究自然语言处理中华人民共和国国务院总理工信处女干事每月经过下属科室都要亲口交代"
)
_FREQUENT = "的了在是我一不人他有"
# finalseg of jieba 0.42.1 cuts what is not Chinese at numbers, percentages and runs of letters and digits; jieba-rs
# keeps words such as GPT-4 and v1.2.3 whole when it looks for unknown words.
_RUNS = re.compile(r"[a-zA-Z0-9]+(?:\.[0-9]+)?%?")


def begins_by_rjieba(points: Ragged, texts: Sequence[str], words: UserWords | None, *, hmm: bool) -> BoolArray:
    """Say at which of the code points of ``texts`` a token begins."""
    own = _instance(words)
    special = looked_up(_special_characters(), points.values)
    beyond = set(np.unique(_texts_of(points, special == 1)).tolist())
    lengths = ([*map(len, own.cut(text, hmm))] for text in texts)
    if beyond:
        lengths = (_lengths(text, own, hmm=hmm, apart=i in beyond) for i, text in enumerate(texts))
    begins = begins_of(points, lengths)
    if hmm:
        _begin_runs(points, begins, np.flatnonzero(special == 2), own)
    return begins


@cache
def probe() -> str:
    """Return a hash of what rjieba's own dictionary, of which there is no file, says of characters and words.

    It is asked for the frequencies of 20,902 characters, and of some words and pairs of frequent characters, which hang
    on the sum of all frequencies.
    """
    own = _instance(None)
    words = own.cut(_PROBED, hmm=False)
    probes = (*map(chr, range(0x4E00, 0x9FA6)), *words, *map("".join, product(_FREQUENT, repeat=2)))
    frequencies = ",".join(str(own.suggest_freq(word)) for word in probes)
    return sha256(f"{words}{frequencies}".encode()).hexdigest()[:16]


def _texts_of(points: Ragged, mask: BoolArray) -> IntArray:
    return np.searchsorted(points.offsets, np.flatnonzero(mask), side="right") - 1


def _lengths(text: str, own: Any, *, hmm: bool, apart: bool) -> list[int]:
    pieces = _BEYOND.split(text) if apart else [text]
    return [len(word) for piece in pieces for word in own.cut(piece, hmm)]


def _begin_runs(points: Ragged, begins: BoolArray, signs: IntArray, own: Any) -> None:
    """Cut the tokens that hold one of ``signs`` where jieba does."""
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
    """Return where jieba cuts ``word``: nowhere if it is in the dictionary."""
    if not word.isascii() or own.has_word(word):
        return []
    return [at for run in _RUNS.finditer(word) for at in run.span() if at < len(word)]


@cache
def _instance(words: UserWords | None) -> Any:
    """Make an instance of our own: what others add to the module's does not reach it."""
    import rjieba

    own = rjieba.Jieba()
    add_all(words, own.add_word)
    return own


@cache
def _special_characters() -> Table:
    """1 for what `_BEYOND` matches, 2 for the signs that jieba takes for a part of a word."""
    return table_of(
        0x40000,
        [
            (1, (*range(0x3400, 0x4DC0), *range(0x9FD6, 0xA000), *range(0xF900, 0xFB00), *range(0x20000, 0x3FFFF))),
            (2, map(ord, "+#&._%-")),
        ],
    )
