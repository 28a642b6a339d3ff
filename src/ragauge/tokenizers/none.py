"""``none``: texts that are lists of tokens already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragauge.errors import UsageError
from ragauge.ingredients import Vocabulary
from ragauge.ragged import Ragged
from ragauge.registry import ingredient
from ragauge.tokenizers._base import TokenizerBase

if TYPE_CHECKING:
    import pyarrow as pa


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
        """Number the tokens of n lists of strings."""
        import pyarrow as pa

        if not (pa.types.is_list(texts.type) or pa.types.is_large_list(texts.type)):
            raise UsageError(
                f"tokenizer none takes lists of tokens; got {texts.type}; for tokens with spaces between use whitespace"
            )
        flat = texts.flatten().dictionary_encode()
        codes = vocabulary.codes(flat.dictionary.to_pylist())[np.asarray(flat.indices)]
        offsets = np.asarray(texts.offsets, dtype=np.int64)
        return Ragged(codes, offsets - offsets[0])
