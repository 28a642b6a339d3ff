"""Answers beside their references: their tokens, and the choice among several references."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ragauge.core import native
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Tokenizer
from ragauge.core.messages import Message
from ragauge.core.protocol import Direction, Needs, Stage
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.statistics import Rows, Statistics, Status
from ragauge.core.texts import as_texts, is_list
from ragauge.errors import DataError
from ragauge.tokenizers.forms import Forms, known_forms


class ReferenceMetric:
    """Base of the metrics that compare an answer with its references, from 0 to 1.

    Args:
        tokenizer: splits the texts into tokens.
        case: ``keep`` compares case, ``lower`` and ``fold`` do not; ``fold`` also makes ``ss`` of ``ß``.
        punctuation: ``drop`` leaves out tokens that are punctuation only, ``keep`` compares them.
        nfkc: take full-width and other compatibility forms for the plain ones.
        references_are_words: accept lists of one-word references, which are an error otherwise.
    """

    needs: ClassVar[Needs] = (("answer", "references"),)
    stage: ClassVar[Stage] = "generation"
    direction: ClassVar[Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    def score(self, totals: Statistics) -> FloatArray:
        """Return the score of the counts."""
        raise NotImplementedError

    def best_rows(
        self,
        counts: Mapping[str, IntArray],
        owner: IntArray,
        n: int,
        long: BoolArray | None = None,
        scale: float = 1.0,
    ) -> Rows:
        """Return the counts, (m,) each, of each sample's reference of best score, the first among equals.

        ``owner`` (m,) is the sample of each reference, ascending. A sample without references is undefined.

        ``long`` (m,) masks references that were not compared; a sample that has one is failed. Scores are compared
        times ``scale``, as the reference implementation does: rounding makes some equal that else are not.
        """
        if len(owner) == n and (owner == np.arange(n)).all():
            rows = Rows.of(counts)
        else:
            scores = scale * self.score({name: count.astype(np.float64) for name, count in counts.items()})
            rows = rows_of(counts, best(-scores if self.direction == "lower" else scores, owner, n), owner, n)
        return rows if long is None else without_long(rows, long, owner)


SURFACE = Forms(case="keep", punctuation="keep", stemmer="none", nfkc=False)
"""Tokens as they are written."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedReferences:
    """The tokens of n answers and of their m references, numbered alike.

    Shapes: ``hypotheses`` (n) and ``references`` (m) lists of codes; ``owner`` (m,) the sample of each reference,
    ascending.
    """

    hypotheses: Ragged
    references: Ragged
    owner: IntArray

    @property
    def undefined(self) -> BoolArray:
        """A mask of the samples without a reference, (n,)."""
        return np.asarray(np.bincount(self.owner, minlength=len(self.hypotheses)) == 0)

    @property
    def long(self) -> BoolArray:
        """A mask of the references whose sample has too many beside so long an answer, (m,)."""
        return too_many(self.hypotheses.lengths, self.references.lengths, self.owner)

    @property
    def pairs(self) -> ComparedReferences:
        """Return the same with one hypothesis per reference: m of each; those that are `long` are empty."""
        if len(self.owner) == len(self.hypotheses) and (self.owner == np.arange(len(self.owner))).all():
            return self
        long = np.zeros(len(self.hypotheses), dtype=bool)
        long[self.owner] = self.long
        hypotheses = self.hypotheses.where(~np.repeat(long, self.hypotheses.lengths))
        return ComparedReferences(hypotheses.take(self.owner), self.references, np.arange(len(self.owner)))


def compared(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> ComparedReferences:
    """Return the tokens of answers and references under ``forms``."""
    forms_or_none = None if forms == SURFACE else forms
    answers = batch.tokens("answer", tokenizer, forms_or_none)
    references = batch.tokens("references", tokenizer, forms_or_none)
    return ComparedReferences(answers, references, batch.owners("references"))


ENOUGH_SAMPLES = 32
"""Texts of fewer samples are read as fast without the kernel."""


def compared_by_sample(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> ComparedReferences:
    """Return the same, where codes need to be equal for equal tokens of one sample only."""
    return by_kernel(batch, tokenizer, forms) or compared(batch, tokenizer, forms)


def by_kernel(batch: Batch, tokenizer: Tokenizer, forms: Forms, *, articles: bool = False) -> ComparedReferences | None:
    """Return the tokens as the kernel numbers them in each sample, with ``articles`` without these; None without it.

    It cuts texts for tokenizers whose own class has `kernel_rules`.
    """
    rules = vars(type(tokenizer)).get("kernel_rules")
    if rules is None or len(batch) < ENOUGH_SAMPLES or native.kernel() is None:
        return None
    key = ("tokens by sample", batch.key_of(tokenizer), forms, articles)
    return batch.derived(key, lambda: _by_sample(batch, rules(tokenizer), forms, articles=articles))


def _by_sample(batch: Batch, rules: native.CutRules, forms: Forms, *, articles: bool) -> ComparedReferences | None:
    answers, references = batch.flat("answer"), batch.flat("references")
    if is_list(answers) or is_list(references):
        return None
    owner, known = batch.owners("references"), None if forms == SURFACE else known_forms(forms)
    tokens = native.tokens_by_sample(as_texts(answers), as_texts(references), owner, rules, known, articles=articles)
    return None if tokens is None else ComparedReferences(*tokens, owner)


def best(scores: FloatArray, owner: IntArray, n: int) -> IntArray:
    """Return the place of the highest of ``scores`` (m,) of each of n samples, of the first one among equals: (n,).

    ``owner`` (m,) is the sample of each score, ascending. A sample without scores gets 0.

    >>> best(np.array([0.2, 0.9, 0.9]), np.array([0, 0, 0]), 2)
    array([1, 0])
    """
    starts = starts_of(owner)
    places = np.zeros(n, dtype=np.int64)
    if len(starts):
        highest = np.repeat(np.maximum.reduceat(scores, starts), np.diff(starts, append=len(owner)))
        winners = np.flatnonzero(scores == highest)[::-1]
        places[owner[winners]] = winners
    return places


def starts_of(owner: IntArray) -> IntArray:
    """Return where the texts of each sample that has some begin, from the sample of each text, ascending."""
    begins = np.ones(len(owner), dtype=bool)
    np.not_equal(owner[1:], owner[:-1], out=begins[1:])
    return begins.nonzero()[0]


def rows_of(counts: Mapping[str, IntArray], chosen: IntArray, owner: IntArray, n: int) -> Rows:
    """Return the counts of the ``chosen`` reference of each of n samples; a sample without references is undefined."""
    columns = {name: count[chosen] if len(count) else np.zeros(n, dtype=count.dtype) for name, count in counts.items()}
    return Rows.of(columns, status=np.where(np.bincount(owner, minlength=n) == 0, Status.UNDEFINED, Status.OK))


# Steps of a bit-parallel algorithm, which compares a character or token with 64 of the other text at a time: 7 seconds.
MOST_STEPS = 1 << 31
# Tokens of an answer, repeated for each reference, that any sample may have; more only in proportion to its texts.
_MOST_REPEATED = 1 << 22
_REPEATED = 4
TOO_LONG = f"too long: answer and references need more than {MOST_STEPS} steps to compare"


def too_long(answers: IntArray, references: IntArray, owner: IntArray) -> BoolArray:
    """Return a mask of the references of samples that take more than `MOST_STEPS` to compare, (m,).

    Shapes: lengths of ``answers``, repeated for each reference, and of ``references``, (m,); ``owner`` (m,), ascending.
    """
    steps = answers * ((references + 63) // 64)
    return np.asarray((np.bincount(owner, weights=steps) > MOST_STEPS)[owner])


def too_many(answers: IntArray, references: IntArray, owner: IntArray) -> BoolArray:
    """Return a mask of the references of samples whose answers would take too much memory beside each, (m,).

    Shapes: lengths of ``answers`` (n,) and of ``references`` (m,); ``owner`` (m,), ascending.
    """
    n = len(answers)
    held = answers + np.bincount(owner, weights=references, minlength=n)
    repeated = answers * np.bincount(owner, minlength=n)
    return np.asarray((repeated > np.maximum(_MOST_REPEATED, _REPEATED * held))[owner])


def without_long(rows: Rows, long: BoolArray, owner: IntArray) -> Rows:
    """Return the rows with the samples as failed that own one of the ``long`` references, a mask (m,)."""
    if not long.any():
        return rows
    failed = np.bincount(owner, weights=long, minlength=len(rows)) > 0
    return rows.excluding(failed, Status.FAILED, dict.fromkeys(np.flatnonzero(failed).tolist(), TOO_LONG))


_FEWEST = 3
# Characters of a word in a script that is written without spaces.
_LONGEST_WORD = 4
# Words that are looked for in the answer, because looking for each of very many takes quadratic time.
_ENOUGH = 300
_SHOWN = 40
_ADVICE = (
    'references is a list of whole texts: write references=["there is a cat on the mat"], not the list of its words;'
    " if these really are alternatives of one word each, set references_are_words=true"
)


def reject_word_lists(batch: Batch) -> None:
    """Raise DataError if the references of at least half of the samples look like the words of one text.

    References of one word are common: the answer to a question, several spellings of a name. So a sample is suspect
    only if it has three different references or more, each a single word, against a longer answer. One of these must
    hold too: a reference is blank or only punctuation; a reference is repeated; or at least two, and at least half, of
    the different references are in the answer, each in a place of its own.
    """
    counts = np.bincount(batch.owners("references"), minlength=len(batch))
    several = np.flatnonzero(counts >= _FEWEST)
    if len(several) * 2 < np.count_nonzero(counts) or len(several) == 0 or is_list(batch.column("answer")):
        return
    suspect = [row for row in several.tolist() if _is_word_list(*_row(batch, row))]
    if len(suspect) * 2 >= np.count_nonzero(counts):
        raise DataError.of("references", [_problem(*_row(batch, row)) for row in suspect], advice=_ADVICE)


def _problem(answer: str, references: list[str]) -> str:
    """Return a message that names the sample by its answer, because a batch does not know its rows in the data."""
    template = "RG-METRIC-013 of {answer!r}: {references!r} look like the words of one reference"
    return Message(template, answer[:_SHOWN], references[:6])


def _row(batch: Batch, row: int) -> tuple[str, list[str]]:
    answer, references = (batch.column(name)[row].as_py() for name in ("answer", "references"))
    return answer or "", [reference or "" for reference in references]


def _is_word_list(answer: str, references: list[str]) -> bool:
    words = [reference.strip() for reference in references]
    if not all(map(_is_word, words)) or len(answer) <= max(map(len, words)) * 2:
        return False
    repeated = len(set(words)) < len(words)
    distinct = {word.casefold() for word in words[:_ENOUGH]}
    if len(distinct) < _FEWEST:
        return False
    in_answer = _count_apart(answer.casefold(), distinct)
    return repeated or any(map(_is_blank, words)) or (in_answer >= 2 and in_answer * 2 >= len(distinct))


def _count_apart(answer: str, words: set[str]) -> int:
    """Return how many of the ``words`` are in ``answer``, each in a place of its own, the longest first.

    Other names of one thing often hold each other, as do USA and US, or 北京市 and 北京.
    """
    total = 0
    for word in sorted(words, key=lambda word: (-len(word), word)):
        bounded = rf"(?<!\w){re.escape(word)}(?!\w)" if _is_alphabetic(word) else re.escape(word)
        answer, times = re.subn(bounded, " ", answer, count=1)
        total += times
    return total


def _is_word(text: str) -> bool:
    """Return whether ``text`` is one word; of scripts written without spaces, few characters."""
    return len(text.split()) <= 1 and (len(text) <= _LONGEST_WORD or text.isascii() or _is_alphabetic(text))


def _is_alphabetic(text: str) -> bool:
    return not any(unicodedata.name(char, "").startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI")) for char in text)


def _is_blank(word: str) -> bool:
    return all(unicodedata.category(char)[0] in "PSZC" for char in word)
