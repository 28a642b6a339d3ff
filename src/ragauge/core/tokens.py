"""The texts of a column as an Arrow array, and as lists of token codes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from ragauge.core.arrow import filled, to_numpy
from ragauge.core.ingredients import Tokenizer, Vocabulary
from ragauge.core.ragged import Ragged

if TYPE_CHECKING:
    import pyarrow as pa

# Texts that repeat at least this often on average are tokenised once each.
_WORTH_IT = 1.5


class TokenForms(Protocol):
    """What is done to a token before it is compared: case, punctuation, stem; see `ragauge.tokenizers.forms.Forms`."""

    def apply(self, vocabulary: Vocabulary) -> npt.NDArray[np.int32]:
        """Return for each code of ``vocabulary`` the code of its form, -1 where it is dropped."""
        ...

    def __hash__(self) -> int: ...


def is_list(array: pa.Array) -> bool:
    """Return whether the values of ``array`` are lists."""
    import pyarrow as pa

    return bool(pa.types.is_list(array.type) or pa.types.is_large_list(array.type))


def as_texts(array: pa.Array) -> pa.Array:
    """Return strings as large strings, null as the empty text."""
    import pyarrow as pa

    return filled(array.cast(pa.large_string()), "")


def encoded(texts: Sequence[pa.Array], tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Ragged]:
    """Return the token codes of several arrays of texts, tokenised together: what repeats among them is read once."""
    import pyarrow as pa

    codes = _distinct_once(pa.concat_arrays(texts), tokenizer, vocabulary)
    edges = np.cumsum([0, *map(len, texts)]).tolist()
    return [codes.between(first, last) for first, last in pairwise(edges)]


def recoded(codes: Ragged, table: npt.NDArray[np.int32]) -> Ragged:
    """Look up each of ``codes`` in ``table`` and leave out what is -1 there.

    >>> recoded(Ragged.of([[0, 1], [1, 2]]), np.array([0, -1, 1], dtype=np.int32)).to_lists()
    [[0], [1]]
    """
    values = table[codes.values]
    return Ragged(values, codes.offsets).where(values >= 0)


def _distinct_once(texts: pa.Array, tokenizer: Tokenizer, vocabulary: Vocabulary) -> Ragged:
    if is_list(texts):
        return tokenizer.encode(texts, vocabulary)
    distinct = texts.dictionary_encode()
    if len(distinct.dictionary) * _WORTH_IT > len(texts):
        return tokenizer.encode(texts, vocabulary)
    return tokenizer.encode(distinct.dictionary, vocabulary).take(to_numpy(distinct.indices))
