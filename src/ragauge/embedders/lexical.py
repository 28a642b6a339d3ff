"""``lexical``: which n-grams of characters two texts share, in any script, weighed by how rare they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ragauge.core.ingredients import Role
from ragauge.core.ragged import runs
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase, shared
from ragauge.embedders.ngrams import Features, Idf, features, load, shipped
from ragauge.embedders.sparse import SparseVectors
from ragauge.languages.folding import folded

_SHIPPED = "shipped"
# An idf is damped by this power: chosen on half of the questions of XQuAD, of 0.5, 0.7, 1 and 1.4, where 0.5 and 0.7
# were alike; trials on similarity of sentences asked for more.
_DAMPING = 0.75
# Characters cut at once: temporaries stay in cache.
_BLOCK = 1 << 17
_MOST = (1 << 16) - 1


@ingredient("embedder", "lexical")
@dataclass(frozen=True)
class Lexical(EmbedderBase):
    """Sparse vectors of character n-grams, cut by script, times their IDF: shared wording, not meaning.

    Texts are in NFKC with case folded. Han: characters and pairs. Hiragana: pairs, at a quarter of the weight.
    Katakana: runs, pairs and triples. Hangul: words, syllables, pairs, and 3 to 5 letters (jamo). Thai, Lao, Khmer,
    Burmese, Tibetan: 2 to 4 characters. All other scripts: words, and 3 to 5 characters of ``<word>``. Each n-gram
    weighs ``log2(1 + count) * idf^0.75``, rounded to whole numbers, so that cosines (0 to 1) are the same bits on every
    machine.

    It needs no model and no language, and is as good as English sentence encoders where question and passage share
    words; it finds nothing in common between languages, between synonyms, or between "who" and a name. Samples whose
    texts are in different scripts are counted in the notes (``across languages``). A text without letters or digits has
    the empty vector, and a cosine of 0 with every text.

    Args:
        idf: ``shipped``, the table in the package, or a file that ``ragauge fit-idf`` wrote.

    Raises:
        DataError: the file ``idf`` does not exist, or ``ragauge fit-idf`` did not write it.

    >>> from ragauge.embedders import get
    >>> vectors = get("lexical").encode(["Кошка сидит на коврике.", "Кошки сидели на ковриках", "Идёт дождь"], "query")
    >>> vectors.cosine(np.array([0, 0]), np.array([1, 2])).round(2)
    array([0.46, 0.  ])
    """

    kept: ClassVar[bool] = False

    idf: str = _SHIPPED

    @property
    def decides(self) -> Mapping[str, str]:
        """The digest of the table, wherever it lies."""
        return {"idf": self.table.digest}

    @cached_property
    def table(self) -> Idf:
        """How rare each n-gram is."""
        return shipped() if self.idf == _SHIPPED else shared(load, self.idf)

    def encode(self, texts: Sequence[str], role: Role) -> SparseVectors:  # noqa: ARG002 - the same for both roles
        """Return one sparse vector per text."""
        sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        # No texts are a block too.
        blocks = [texts[first:last] for first, last in runs(np.cumsum(sizes), _BLOCK)] or [texts]
        parts = [features(folded(block)) for block in blocks]
        return SparseVectors(
            np.concatenate([part.keys for part in parts]),
            np.concatenate([self._weights(part) for part in parts]),
            np.cumsum(np.concatenate([[0], *(np.diff(part.offsets) for part in parts)])),
        )

    def _weights(self, part: Features) -> npt.NDArray[np.uint16]:
        of_count, of_level = _factors()
        weights = of_level[self.table.of(part.keys)] * of_count[np.minimum(part.counts, _MOST)] * (part.keys & 7)
        return np.asarray(np.clip(weights >> 4, 1, _MOST), dtype=np.uint16)


@cache
def _factors() -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Return what a count and a level of idf weigh, in eighths and in sixty-fourths."""
    of_count = np.rint(8 * np.log2(1 + np.arange(_MOST + 1.0)))
    of_level = np.rint(64 * (np.arange(256) / 16) ** _DAMPING)
    return of_count.astype(np.uint32), of_level.astype(np.uint32)
