"""The lines of texts, as lists of codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragauge.batch import Batch
from ragauge.ingredients import Tokenizer
from ragauge.metrics.overlap._tokens import encoded_texts, forms_table, texts, tokens, vocabulary_of
from ragauge.metrics.overlap._union_lcs import Sentences
from ragauge.ragged import IntArray, Ragged
from ragauge.tokenizers.forms import Forms, recoded

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = ("answer", "references")


def sentences(batch: Batch, column: str, tokenizer: Tokenizer, forms: Forms) -> Sentences:
    """Return the lines of the texts in ``column``, answers or references, under ``forms``.

    Where no text has two lines, the tokens of whole texts serve.
    """
    import pyarrow.compute as pc

    arrays = [texts(batch, name) for name in _COLUMNS]
    if not any(pc.any(pc.match_substring(array, "\n")).as_py() for array in arrays):
        whole = tokens(batch, column, tokenizer, forms)
        return Sentences(whole, np.arange(len(whole)))
    key = ("sentences", tokenizer.signature)
    codes, owner = batch.derived(key, lambda: _lines(batch, arrays, tokenizer))[_COLUMNS.index(column)]
    return Sentences(recoded(codes, forms_table(batch, tokenizer, forms)), owner)


def _lines(batch: Batch, arrays: list[pa.Array], tokenizer: Tokenizer) -> list[tuple[Ragged, IntArray]]:
    import pyarrow.compute as pc

    lines = [pc.split_pattern(array, "\n") for array in arrays]
    codes = encoded_texts([line.flatten() for line in lines], tokenizer, vocabulary_of(batch, tokenizer))
    return [
        (part, np.repeat(np.arange(len(line)), pc.list_value_length(line).to_numpy(zero_copy_only=False)))
        for part, line in zip(codes, lines, strict=True)
    ]
