"""Words as chrF++ has them: cut at white space, and one punctuation mark off the end or the beginning."""

from __future__ import annotations

import string
from itertools import chain

import numpy as np

from ragauge.batch import Batch
from ragauge.ingredients import Vocabulary
from ragauge.metrics.overlap._characters import Case, cased
from ragauge.metrics.overlap._tokens import Compared, owners, surfaces, vocabulary_of
from ragauge.ragged import Ragged
from ragauge.tokenizers.whitespace import Whitespace

_MARKS = frozenset(string.punctuation)


def compared_words(batch: Batch, case: Case, *, nfkc: bool) -> Compared:
    """Return the words of answers and references."""

    def make() -> Compared:
        columns = [surfaces(batch, name, Whitespace()) for name in ("answer", "references")]
        pieces = _pieces(vocabulary_of(batch, Whitespace()).words, case, nfkc=nfkc)
        answers, references = (_expanded(column, pieces) for column in columns)
        return Compared(answers, references, owners(batch, "references"))

    return batch.derived(("chrf words", case, nfkc), make)


def separated(word: str) -> list[str]:
    """Cut a mark off the end of a word, else off its beginning; one only, so ``(hi)`` becomes ``(hi`` and ``)``.

    Source: chrF++.py of Popović, as sacrebleu 2.6.0 has it.

    >>> separated("(hi)"), separated("'tis"), separated("!")
    (['(hi', ')'], ["'", 'tis'], ['!'])
    """
    if len(word) == 1:
        return [word]
    if word[-1] in _MARKS:
        return [word[:-1], word[-1]]
    return [word[0], word[1:]] if word[0] in _MARKS else [word]


def _pieces(words: list[str], case: Case, *, nfkc: bool) -> Ragged:
    """Return the codes of what each word is cut into."""
    cut = [separated(word) for word in cased(words, case, nfkc=nfkc)]
    lengths = np.fromiter(map(len, cut), dtype=np.int64, count=len(cut))
    return Ragged.from_lengths(Vocabulary().codes(list(chain.from_iterable(cut))), lengths)


def _expanded(codes: Ragged, pieces: Ragged) -> Ragged:
    flat = pieces.take(codes.values)
    return Ragged(flat.values, flat.offsets[codes.offsets])
