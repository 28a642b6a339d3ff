"""The base of the metrics of extracts: an answer beside the passages that it was written from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, ingredient_field
from ragauge.core.protocol import Average, Direction, Needs, Stage
from ragauge.core.ragged import IntArray, Ragged, offsets_of
from ragauge.core.statistics import Rows, Status
from ragauge.languages.scripts import scripts, shares
from ragauge.metrics.text._lcs import strings
from ragauge.metrics.text._references import too_long, without_long
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms

# Looking for a fragment passes over as many words in the time of one step of an alignment.
_STEPS = 8
_UNSPACED = ("han", "hiragana", "katakana", "thai", "lao", "khmer", "myanmar", "tibetan")
_CHARACTERS = "compared by characters"


@dataclass(frozen=True, kw_only=True)
class Extract:
    """Base of the metrics of an answer and its passages, which say how it was written and not how good it is.

    Args:
        tokenizer: splits the texts into words; in scripts without spaces ``auto`` takes characters, and ``zh``, ``ja``
            and ``th`` words.
        case: ``keep`` compares case, ``lower`` and ``fold`` do not; ``fold`` also makes ``ss`` of ``ß``.
        punctuation: ``drop`` leaves out tokens that are punctuation only, ``keep`` compares them.
        nfkc: take full-width and other compatibility forms for the plain ones.
        direction: whether ``higher`` or ``lower`` counts as better where runs are compared; neither is in itself.
        average: ``samples`` for the mean of the samples' values, or ``pooled``.
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    case: Case = "fold"
    punctuation: Literal["drop", "keep"] = "drop"
    nfkc: bool = True
    direction: Direction = "higher"
    average: Average = "samples"

    needs: ClassVar[Needs] = (("answer", "contexts"),)
    stage: ClassVar[Stage] = "generation"
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    revision: ClassVar[int] = 1
    notes: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            _CHARACTERS: "answers mostly in a script without spaces, whose single characters count as words and are in "
            "most long passages; tokenizer=zh, ja or th compares words"
        }
    )
    counts_fragments: ClassVar[bool] = True
    """Whether the score needs the fragments, and not the lengths alone."""

    def measure(self, batch: Batch) -> Rows:
        """Return the words of answer and passages, and the sums of the lengths of fragments and of their squares."""
        forms = Forms(case=self.case, punctuation=self.punctuation, nfkc=self.nfkc)
        answers = batch.tokens("answer", self.tokenizer, forms)
        passages, owner, n = batch.tokens("contexts", self.tokenizer, forms), batch.owners("contexts"), len(batch)
        words = np.bincount(owner, weights=passages.lengths, minlength=n).astype(np.int64)
        columns = {"words": answers.lengths, "source": words}
        status = np.where(np.bincount(owner, minlength=n) == 0, Status.UNDEFINED, Status.OK)
        if not self.counts_fragments:
            return Rows.of(columns, status=status, noted={_CHARACTERS: np.zeros(n, dtype=np.int64)})
        end = max(int(side.values.max(initial=-1)) for side in (answers, passages)) + 1
        whole = _sources(passages, np.bincount(owner, minlength=n), end)
        rows = np.arange(n)
        long = too_long(answers.lengths * _STEPS, whole.lengths, rows)
        found = []
        for _, _, lefts, rights in strings(answers.where(~np.repeat(long, answers.lengths)), whole):
            found += [fragments(*texts) for texts in zip(lefts, rights, strict=True)]
        columns |= {
            "copied": np.array([sum(lengths) for lengths in found], dtype=np.int64),
            "squares": np.array([sum(length * length for length in lengths) for lengths in found], dtype=np.int64),
        }
        unspaced = shares(batch.strings("answer"))[:, [scripts().names.index(name) for name in _UNSPACED]].sum(axis=1)
        noted = {_CHARACTERS: (isinstance(self.tokenizer, Auto) & (unspaced > 0.5)).astype(np.int64)}
        return without_long(Rows.of(columns, status=status, noted=noted), long, rows)


def _sources(passages: Ragged, counts: IntArray, end: int) -> Ragged:
    """Return the words of the passages of each of n samples, after each passage the word ``end``: n lists."""
    ends = passages.offsets[1:]
    values = np.insert(passages.values.astype(np.int64), ends, end)
    starts = np.append(0, ends + np.arange(1, len(ends) + 1))
    return Ragged(values, starts[offsets_of(counts)])


def fragments(answer: str, source: str) -> list[int]:
    """Return the lengths of the fragments that ``answer`` shares with ``source``; each character is a word.

    From left to right, the longest run of words that is in the source, then the next one behind it.

    >>> fragments("abxcd", "abc-cde")
    [2, 2]
    """
    found, start = [], 0
    while start < len(answer):
        length = place = 0
        # A longer run cannot begin before the first place of a shorter one.
        while (place := source.find(answer[start : start + length + 1], place)) >= 0 and start + length < len(answer):
            length += 1
            while start + length < len(answer) and source.startswith(answer[start + length], place + length):
                length += 1
        found += [length] if length else []
        start += max(length, 1)
    return found
