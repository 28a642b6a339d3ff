"""``chrf``, ``chrf++``: character n-grams, and with them short word n-grams."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, TypeAlias

import numpy as np
import pyarrow as pa

from ragauge.core import native
from ragauge.core.arrow import to_arrow, utf8
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Vocabulary
from ragauge.core.options import Beta, Order, Range
from ragauge.core.protocol import Average
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, f_measure, ratio
from ragauge.core.texts import as_texts
from ragauge.languages.folding import is_normalized, normalize
from ragauge.metrics.text._ngrams import clipped_matches, ngram_totals
from ragauge.metrics.text._references import (
    ENOUGH_SAMPLES,
    ComparedReferences,
    ReferenceMetric,
    reject_word_lists,
    too_many,
)
from ragauge.tokenizers.forms import CASES, Case, Forms, known_forms
from ragauge.tokenizers.whitespace import Whitespace

# chrF++.py, sacrebleu 2.6.0 and nltk take this for a precision or recall that has nothing to divide by.
_EPSILON = 1e-16
_AS_WRITTEN = {"case": "keep", "whitespace": "false", "nfkc": "false"}


@register(
    "chrf",
    variants={"chrf++": {"word_order": "2"}},
    compat={
        "sacrebleu": {**_AS_WRITTEN, "beta": "2", "epsilon": "false"},
        "nltk": {**_AS_WRITTEN, "beta": "3", "epsilon": "true"},
    },
)
@dataclass(frozen=True, kw_only=True)
class Chrf(ReferenceMetric):
    """chrF: the F of the character n-grams that answer and reference share, averaged over their lengths.

    Formula:
        P    = mean over n = 1..char_order of shared n-grams / n-grams of the answer; with words, over their n too
        R    = the same with n-grams of the reference
        chrF = (1 + beta^2) P R / (beta^2 P + R)

    Unit and range: a share of n-grams, 0 to 1. An empty answer scores 0, and so does any text against an empty
    reference; identical text scores 1. It needs no tokenizer, and so treats all languages alike.

    Pooled by default: the counts of all samples are summed, then scored. ``undefined``: the sample has no reference.

    Args:
        char_order: the longest character n-gram.
        word_order: the longest word n-gram; 0 for chrF, 2 for chrF++.
        beta: weighs recall.
        whitespace: count white space as a character.
        nfkc: take full-width and other compatibility forms, and letters with marks set apart, for the plain ones.
        epsilon: as chrF++.py and nltk: average the F of the lengths, with 1e-16 for what is not defined; otherwise
            average precision and recall over the lengths that both texts have, and take F of the averages.
        average: ``pooled``, or ``samples`` for the mean of sentence scores.

    Of several references the one of highest score counts, the first among equals.

    Raises:
        OptionError: an order or ``beta`` is out of range.
        DataError: references that look like the words of one text.

    Not for: comparing heights across languages: unrelated sentences score .16 in Arabic and .02 in Chinese, which
    shares fewer letters. It sees spelling, not truth, and punishes another right wording.

    Source: Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", and 2017, "chrF++: words
    helping character n-grams". ``compat=sacrebleu`` equals sacrebleu 2.6.0 divided by 100; so does the default
    where text is in NFKC, which sacrebleu does not ask for, so that it scores two spellings of one Korean word 0.

    >>> import pyarrow as pa
    >>> metric = Chrf()
    >>> rows = metric.measure(Batch(pa.table({"answer": ["猫坐在垫子上"], "references": [["一只猫在垫子上"]]})))
    >>> metric.score(rows).round(4)
    array([0.3222])
    """

    char_order: Order = 6
    word_order: Annotated[int, Range(0, 100)] = 0
    beta: Beta = 2.0
    whitespace: bool = False
    case: Case = "keep"
    nfkc: bool = True
    epsilon: bool = False
    references_are_words: bool = False
    average: Average = "pooled"

    def measure(self, batch: Batch) -> Rows:
        """Return shared n-grams of each length, and those of either side, of the best reference."""
        if not self.references_are_words:
            reject_word_lists(batch)
        characters, long = self._character_ngrams(batch)
        # sacrebleu's are in per cent, nltk's are not.
        scale = 1.0 if self.epsilon else 100.0
        return self.best_rows(self._counts(batch, characters), batch.owners("references"), len(batch), long, scale)

    def score(self, totals: Statistics) -> FloatArray:
        """Return chrF."""
        precision, recall = self._sides(totals)
        if self.epsilon:
            precision, recall = np.nan_to_num(precision, nan=_EPSILON), np.nan_to_num(recall, nan=_EPSILON)
            return np.asarray(f_measure(precision, recall, self.beta, _EPSILON).mean(axis=-1))
        return f_measure(*_averages(precision, recall), self.beta)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision and recall, averaged over the lengths that both texts have."""
        precision, recall = _averages(*self._sides(totals))
        return {"precision": precision, "recall": recall}

    @property
    def _names(self) -> list[str]:
        words = [f"word{n}" for n in range(1, self.word_order + 1)]
        return [*[f"char{n}" for n in range(1, self.char_order + 1)], *words]

    def _character_ngrams(self, batch: Batch) -> tuple[Sides, BoolArray | None]:
        """Return the character n-grams of each reference, and a mask of the references that are too long, (m,)."""
        if served := _by_kernel(batch, self.case, self.char_order, whitespace=self.whitespace, nfkc=self.nfkc):
            return served, None
        characters = compared_characters(batch, self.case, whitespace=self.whitespace, nfkc=self.nfkc)
        return _ngrams(characters, self.char_order), characters.long

    def _counts(self, batch: Batch, characters: Sides) -> dict[str, IntArray]:
        """Return the counts of each reference, (m,) each."""
        parts = [characters]
        if self.word_order:
            parts.append(_ngrams(compared_words(batch, self.case, nfkc=self.nfkc), self.word_order))
        hypothesis, reference, match = (np.concatenate(side, axis=1) for side in zip(*parts, strict=True))
        sides = {"hypothesis": np.where(reference > 0, hypothesis, 0), "reference": reference, "match": match}
        return {f"{side}_{name}": counts[:, n] for side, counts in sides.items() for n, name in enumerate(self._names)}

    def _sides(self, totals: Statistics) -> tuple[FloatArray, FloatArray]:
        """Return precision and recall of each length, (..., lengths); NaN where a side has no n-gram."""
        match, hypothesis, reference = (
            np.stack([totals[f"{side}_{name}"] for name in self._names], axis=-1)
            for side in ("match", "hypothesis", "reference")
        )
        return ratio(match, hypothesis), ratio(match, reference)


def _averages(precision: FloatArray, recall: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of precision and of recall over the lengths that both texts have, (...,) each."""
    both = ~np.isnan(precision) & ~np.isnan(recall)
    lengths = np.maximum(both.sum(axis=-1), 1)
    return np.where(both, precision, 0.0).sum(axis=-1) / lengths, np.where(both, recall, 0.0).sum(axis=-1) / lengths


Sides: TypeAlias = tuple[IntArray, IntArray, IntArray]
"""N-grams of the hypothesis, of the reference, and of both, for each reference: (m, order) each."""


def _ngrams(texts: ComparedReferences, order: int) -> Sides:
    """Return n-grams of the hypothesis, of the reference, and of both, for each reference: (m, order) each."""
    pairs = texts.pairs
    match = clipped_matches(pairs.hypotheses, pairs.references, pairs.owner, order)
    return ngram_totals(pairs.hypotheses.lengths, order), ngram_totals(pairs.references.lengths, order), match


# U+3000 is the highest character that `str.isspace` knows; all characters beyond share the class of U+3001.
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])
GAPS = _IS_SPACE.view(np.uint8)
"""1 for each character that chrF leaves out; those past its end are as its last entry."""
_NO_SPACE = np.zeros(1, dtype=np.uint8)


def _by_kernel(batch: Batch, case: Case, order: int, *, whitespace: bool, nfkc: bool) -> Sides | None:
    """Return the character n-grams that the kernel counts; None where it is not there or texts may be too long."""
    if len(batch) < ENOUGH_SAMPLES or native.kernel() is None:
        return None
    answers, references = (as_texts(batch.flat(name)) for name in ("answer", "references"))
    owner = batch.owners("references")
    if len(owner) != len(answers) or (owner != np.arange(len(owner))).any():
        if too_many(np.diff(utf8(answers)[1]), np.zeros(len(owner), dtype=np.int64), owner).any():
            return None
        answers = answers.take(to_arrow(owner))
    gaps = _NO_SPACE if whitespace else GAPS
    known = known_forms(Forms(case=case, nfkc=nfkc)) if nfkc or case != "keep" else None
    served = native.character_ngrams(answers, references, gaps, order, b"" if known is None else known.points)
    if served is None:
        return None
    if known is not None and len(unsure := np.flatnonzero(served[0] < 0)):
        sides = [side.take(to_arrow(unsure)).to_pylist() for side in (answers, references)]
        known.learn_points("".join(chain(*sides)))
        left, right = (to_arrow(cased(texts, case, nfkc=nfkc), pa.large_string()) for texts in sides)
        rest = native.character_ngrams(left, right, gaps, order)
        if rest is None:
            return None
        for every, some in zip(served, rest, strict=True):
            every[unsure] = some
    return ngram_totals(served[0], order), ngram_totals(served[1], order), served[2]


_CODE_POINTS = 0x110000
# A sort of fewer code points is quicker than a table of all.
_FEW = 1 << 14


def compared_characters(batch: Batch, case: Case, *, whitespace: bool, nfkc: bool) -> ComparedReferences:
    """Return the characters of answers and references, numbered anew, with or without white space."""

    def make() -> ComparedReferences:
        texts = (cased(batch.strings(name), case, nfkc=nfkc) for name in ("answer", "references"))
        parts = [_characters(part, whitespace=whitespace) for part in texts]
        answers, references = (Ragged(codes, part.offsets) for codes, part in zip(_numbered(parts), parts, strict=True))
        return ComparedReferences(answers, references, batch.owners("references"))

    return batch.derived(("characters", case, whitespace, nfkc), make)


def _numbered(parts: list[Ragged]) -> list[IntArray]:
    """Return the code points of ``parts`` as numbers that are small, equal for equal code points."""
    if sum(len(part.values) for part in parts) < _FEW:
        distinct = np.unique(np.concatenate([part.values for part in parts]))
        return [np.searchsorted(distinct, part.values) for part in parts]
    known = np.zeros(_CODE_POINTS, dtype=bool)
    for part in parts:
        known[part.values] = True
    numbers = np.cumsum(known.astype(np.int64)) - 1
    return [numbers[part.values] for part in parts]


def cased(texts: list[str], case: Case, *, nfkc: bool) -> list[str]:
    """Return ``texts`` under ``case``; with ``nfkc``, one spelling for what looks the same.

    >>> cased(["Cafe\N{COMBINING ACUTE ACCENT}", "ＡＢ"], "lower", nfkc=True)
    ['café', 'ab']
    """
    if nfkc and not is_normalized("NFKC", "".join(texts)):
        texts = [normalize("NFKC", text) for text in texts]
    return texts if case == "keep" else [CASES[case](text) for text in texts]


def _characters(texts: list[str], *, whitespace: bool) -> Ragged:
    """Return the code points of each text."""
    points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    codes = Ragged.from_lengths(points, np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    return codes if whitespace else codes.where(~_IS_SPACE[np.minimum(points, len(_IS_SPACE) - 1)])


_MARKS = frozenset(string.punctuation)


def compared_words(batch: Batch, case: Case, *, nfkc: bool) -> ComparedReferences:
    """Return the words of answers and references."""

    def make() -> ComparedReferences:
        columns = [batch.tokens(name, Whitespace()) for name in ("answer", "references")]
        cut = [separated(word) for word in cased(batch.vocabulary(Whitespace()).words, case, nfkc=nfkc)]
        codes = Vocabulary().codes(list(chain.from_iterable(cut)))
        parts = Ragged.from_lengths(codes, [*map(len, cut)])
        flat = [parts.take(column.values) for column in columns]
        answers, references = (
            Ragged(part.values, part.offsets[column.offsets]) for part, column in zip(flat, columns, strict=True)
        )
        return ComparedReferences(answers, references, batch.owners("references"))

    return batch.derived(("chrf words", case, nfkc), make)


def separated(word: str) -> list[str]:
    """Return a word with a mark cut off its end, else off its beginning: one only, so ``(hi)`` is ``(hi`` and ``)``.

    Source: chrF++.py of Popović, as sacrebleu 2.6.0 has it.

    >>> separated("(hi)"), separated("'tis"), separated("!")
    (['(hi', ')'], ["'", 'tis'], ['!'])
    """
    if len(word) == 1:
        return [word]
    if word[-1] in _MARKS:
        return [word[:-1], word[-1]]
    return [word[0], word[1:]] if word[0] in _MARKS else [word]
