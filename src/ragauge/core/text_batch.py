"""Few and short texts as a batch: strings of Python, made Arrow columns only if something reads them so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Tokenizer
from ragauge.core.ragged import IntArray, Ragged, listed
from ragauge.core.texts import is_list

_MOST_CHARACTERS = 1 << 13
"""In longer texts arrays of Arrow are faster."""
_MOST_TEXTS = 64


def batch_of_texts(answers: Sequence[str], references: Sequence[Sequence[str]]) -> Batch:
    """Return n answers with their references as a batch; the scores are the same as of a table of Arrow.

    >>> batch_of_texts(["a b"], [["a", "b"]]).names
    ('answer', 'references')
    """
    flat = [*chain.from_iterable(references)]
    small = len(answers) + len(flat) <= _MOST_TEXTS and sum(map(len, chain(answers, flat))) <= _MOST_CHARACTERS
    if small:
        return TextBatch(answers, references)
    return Batch(pa.table(_columns(answers, flat, [*map(len, references)])))


def lowered(batch: Batch) -> Batch:
    """Return the answers and references in lower case, as a batch of their own; lists of tokens stay as they are.

    >>> lowered(batch_of_texts(["AN"], [["An", "ΟΔΟΣ"]])).strings("references")
    ['an', 'οδος']
    """

    def make() -> Batch:
        answers, references = ([text.lower() for text in batch.strings(name)] for name in ("answer", "references"))
        ends = np.searchsorted(batch.owners("references"), np.arange(len(batch) + 1)).tolist()
        return batch_of_texts(answers, [references[first:last] for first, last in pairwise(ends)])

    return batch if is_list(batch.flat("answer")) else batch.derived("lowered", make)


def _columns(answers: Sequence[str], flat: Sequence[str], lengths: Sequence[int]) -> dict[str, pa.Array]:
    texts = to_arrow(answers, pa.large_string())
    return {"answer": texts, "references": listed(to_arrow(flat, pa.large_string()), lengths)}


NO_COLUMNS = pa.table({})
"""For a batch whose columns are all built when they are read."""


class TextBatch(Batch):
    """``n`` answers and their references as strings of Python.

    >>> batch = TextBatch(["a b"], [["a", "b"]])
    >>> batch.strings("references"), batch.owners("references")
    (['a', 'b'], array([0, 0]))
    """

    def __init__(self, answers: Sequence[str], references: Sequence[Sequence[str]]) -> None:
        """Keep the texts; an answer may have no reference."""
        flat = [*chain.from_iterable(references)]
        self._lengths = [*map(len, references)]
        self._strings: Mapping[str, Sequence[str]] = {"answer": answers, "references": flat}

        def column(name: str) -> Callable[[int | None], pa.Array]:
            return lambda _most: _columns(answers, flat, self._lengths)[name]

        super().__init__(NO_COLUMNS, lazy={name: column(name) for name in self._strings}, n=len(references))

    def strings(self, column: str) -> list[str]:
        """Return the texts in ``column`` unchanged."""
        return list(self._strings[column])

    def has_lines(self, column: str) -> bool:
        """Return whether a text in ``column`` has several lines."""
        return any("\n" in text.rstrip() for text in self._strings[column])

    def owners(self, column: str) -> IntArray:
        """Return the sample of each text, (m,), ascending."""
        each = np.arange(len(self))
        return np.repeat(each, self._lengths) if column == "references" else each

    def key_of(self, tokenizer: Tokenizer) -> Hashable:
        """Return the object itself: to write its signature takes longer than to tokenise few texts."""
        return tokenizer if isinstance(tokenizer, Hashable) else tokenizer.signature

    def _encoded(self, columns: Sequence[str], tokenizer: Tokenizer) -> list[Ragged]:
        encode = getattr(tokenizer, "encode_strings", None)
        if encode is None:
            return super()._encoded(columns, tokenizer)
        is_whole = getattr(tokenizer, "reads_end_blanks", False)
        parts = [[text if is_whole else text.rstrip() for text in self._strings[name]] for name in columns]
        codes = encode([*chain.from_iterable(parts)], self.vocabulary(tokenizer))
        edges = np.cumsum([0, *map(len, parts)]).tolist()
        return [codes.between(first, last) for first, last in pairwise(edges)]
