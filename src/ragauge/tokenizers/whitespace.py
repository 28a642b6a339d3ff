"""``whitespace`` and ``none``: texts cut at white space, and texts that are lists of tokens already."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_numpy
from ragauge.core.ingredients import Vocabulary
from ragauge.core.native import CutRules
from ragauge.core.ragged import Ragged
from ragauge.core.registry import ingredient
from ragauge.core.texts import is_list
from ragauge.errors import UsageError
from ragauge.tokenizers._points import SPACES, Cut, white_space
from ragauge.tokenizers.base import PointTokenizer, TokenizerBase


@ingredient("tokenizer", "whitespace")
@dataclass(frozen=True)
class Whitespace(PointTokenizer):
    """Splits at white space, as `str.split` does; for texts that are tokenised already.

    >>> Whitespace().tokens("Hello , world!")
    ['Hello', ',', 'world!']
    """

    def kernel_rules(self) -> CutRules:
        """Return the same rules for the kernel."""
        return CutRules(SPACES)

    def cut(self, points: Ragged) -> Cut:
        """Return the runs of code points between white space."""
        gap = white_space(points)
        return Cut(points, np.zeros(len(gap), dtype=bool), gap)


@ingredient("tokenizer", "none")
@dataclass(frozen=True)
class NoTokenizer(TokenizerBase):
    """Takes lists of tokens as they are, blank and empty ones too.

    Raises:
        UsageError: the texts are strings, not lists of strings.

    >>> import pyarrow as pa
    >>> vocabulary = Vocabulary()
    >>> NoTokenizer().encode(pa.array([["a", "b"], ["b"]]), vocabulary).to_lists()
    [[0, 1], [1]]
    """

    def encode(self, texts: pa.Array, vocabulary: Vocabulary) -> Ragged:
        """Return the codes of the tokens in n lists of strings: n lists of int32."""
        if not is_list(texts):
            raise UsageError(
                "RG-TOKEN-002 tokenizer none takes lists of tokens; got {type}; for tokens with spaces between use "
                "whitespace",
                texts.type,
            )
        flat = texts.flatten().dictionary_encode()
        codes = vocabulary.codes(flat.dictionary.to_pylist())[to_numpy(flat.indices)]
        offsets = to_numpy(texts.offsets).astype(np.int64)
        return Ragged(codes, offsets - offsets[0])
