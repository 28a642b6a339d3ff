"""``zh``: Chinese words, as jieba finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, Literal

import numpy as np

from ragauge.core.extras import release, require
from ragauge.core.ragged import Ragged
from ragauge.core.registry import ingredient
from ragauge.tokenizers._base import TextTokenizer, white_space
from ragauge.tokenizers._jieba import UserWords, begins_by_jieba, dictionary
from ragauge.tokenizers._points import Cut
from ragauge.tokenizers._rjieba import begins_by_rjieba, probe
from ragauge.tokenizers._traditional import simplified, version

# Full-width digits and letters to plain ones: one character each, so that the words keep their places.
_PLAIN = {p: p - 0xFEE0 for p in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}


@ingredient("tokenizer", "zh")
@dataclass(frozen=True)
class Zh(TextTokenizer):
    """The words of jieba 0.42.1, token for token; tokens that are white space are dropped.

    Args:
        engine: ``rjieba``, ten times as fast, or ``jieba`` itself; the tokens are the same.
        hmm: find words that are in no dictionary.
        spaces: keep tokens that are white space, as `jieba.cut` does.
        traditional: find words in simplified characters (by OpenCC's ``t2s``); the tokens stay as they are in the text.
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
        """Raise MissingExtraError for what is not installed."""
        require(f"tokenizer {self}", self.extra, self.engine, *(["opencc"] if self.traditional else []))

    @property
    def versions(self) -> Mapping[str, str]:
        """The library, and the dictionaries by their hashes."""
        found: dict[str, str] = {self.engine: release(self.engine)}
        if self.engine == "jieba":
            found["dictionary"] = f"sha256:{sha256(dictionary().read_bytes()).hexdigest()[:16]}"
        else:
            found["dictionary"] = f"probe:{probe()}"
        if self.user_dict is not None:
            found["user_dict"] = UserWords.read(self.user_dict).digest
        if self.traditional:
            found["opencc"] = version()
        return found

    def cut(self, points: Ragged, texts: Sequence[str]) -> Cut:
        """Begin a token where jieba does."""
        words = None if self.user_dict is None else UserWords.read(self.user_dict)
        begins_by = begins_by_rjieba if self.engine == "rjieba" else begins_by_jieba
        begins = begins_by(points, self._respelled(texts), words, hmm=self.hmm)
        gap = np.zeros(len(begins), dtype=bool) if self.spaces else white_space(points)
        return Cut(points, begins, gap)

    def _respelled(self, texts: Sequence[str]) -> Sequence[str]:
        if self.width == "fold":
            texts = [text.translate(_PLAIN) for text in texts]
        return simplified(texts) if self.traditional else texts


@ingredient("tokenizer", "crud-rag")
@dataclass(frozen=True)
class CrudRag(Zh):
    """The tokens by which the benchmark CRUD-RAG scores BLEU and ROUGE-L: jieba's, white space among them.

    Source: ``src/metric/common.py`` of CRUD-RAG, which hands ``jieba.cut`` to the metrics. Its BLEU is divided by the
    brevity penalty before it is reported.

    >>> CrudRag().tokens("北京 2024")
    ['北京', ' ', '2024']
    """

    spaces: bool = True
