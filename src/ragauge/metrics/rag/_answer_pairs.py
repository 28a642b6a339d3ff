"""Answers beside each of their references, and what each of the two texts is like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.texts import Segments
from ragauge.grounding.claims import Framing, sentences_of
from ragauge.grounding.declining import unsaid
from ragauge.grounding.evasion import stances
from ragauge.grounding.support.pairs import BLOCK
from ragauge.grounding.support.scorer import MOST_COMPARED
from ragauge.metrics._sample_mean import sums
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Forms

# Each takes about 10 kB, however short it is.
_MOST_REFERENCES = 10_000
TOO_MANY = f"too many references: more than {_MOST_REFERENCES}, or too long an answer beside them"
_FORMS = Forms(punctuation="drop")


@dataclass(frozen=True, eq=False)
class Pairs:
    """Answer and reference of each of m pairs; a sample has as many pairs as references that are not blank.

    Shapes: ``owner`` (m,) rising: the sample of each pair; ``reference`` (m,): the place of its reference among those
    of all samples, blank ones too; all segments are those of the m pairs. ``left_out`` (n,):
    the samples without pairs, because several references beside a long answer take too many comparisons.
    """

    owner: IntArray
    reference: IntArray
    left_out: BoolArray
    answers: Segments
    references: Segments
    answer_sentences: Segments
    reference_sentences: Segments
    questions: Segments | None


def paired(batch: Batch, framing: Framing) -> Pairs:
    """Return the pairs of a batch; with ``framing`` skipped, claims are compared without what frames them."""
    references = batch.segments("references").not_blank
    answer_sentences, reference_sentences = (sentences_of(batch, name, framing)[0] for name in ("answer", "references"))
    by_reference = reference_sentences.by_text()
    written = [place for place, text in enumerate(by_reference.texts.tolist()) if text.strip()]
    repeated = answer_sentences.lengths * references.lengths
    comparisons = answer_sentences.lengths * reference_sentences.lengths
    left_out = (references.lengths > 1) & ((repeated > BLOCK) | (comparisons > MOST_COMPARED))
    left_out |= references.lengths > _MOST_REFERENCES
    kept = np.flatnonzero(~left_out[references.rows])
    owner, reference = references.rows[kept], np.array(written, dtype=np.int64)[kept]
    return Pairs(
        owner,
        reference,
        left_out,
        batch.segments("answer").not_blank.take(owner),
        references.by_text().take(kept),
        answer_sentences.take(owner),
        by_reference.take(reference),
        batch.segments("question").take(owner) if "question" in batch.names else None,
    )


def claiming(batch: Batch, column: str, framing: Framing) -> Ragged:
    """Return which sentences of each text in ``column`` claim something: one list for each answer or reference."""
    sentences, some = sentences_of(batch, column, framing)
    offsets = sentences.by_text().offsets if column == "references" else sentences.offsets
    claimed = batch.derived(("claims", column, framing), lambda: some & ~unsaid(sentences.strings.values.tolist()))
    return Ragged(claimed, offsets)


def claims_nothing(claims: BoolArray, offsets: IntArray) -> BoolArray:
    """Return which texts have sentences, of which none claims anything, (m,)."""
    return np.asarray((np.diff(offsets) > 0) & (sums(claims, offsets) == 0))


def stances_of(batch: Batch, column: str) -> IntArray:
    """Return the stance of each answer (n,), or of each reference of all samples."""
    texts = batch.segments(column)
    by_text = batch.derived(("stances", column), lambda: stances(texts.strings.values.tolist()))
    if column == "references":
        return by_text
    by_sample = np.zeros(len(batch), dtype=np.int64)
    by_sample[texts.rows] = by_text
    return by_sample


_NOT = ("不", "没", "沒", "未", "无", "無")
_MARKS = "。．.！!，, 的了呢吧"
_FEW_CHARACTERS = 6


def denials(pairs: Pairs) -> BoolArray:
    """Return a mask of the pairs, (m,), of which one text is the other behind a Chinese "not": 不开 beside 开."""
    answers, references = (_texts(one, len(pairs.owner)) for one in (pairs.answers, pairs.references))
    return np.fromiter(map(_denies, answers, references), bool, len(answers))


def _texts(segments: Segments, size: int) -> list[str]:
    """Return the text of each of so many rows, which have at most one; "" where there is none."""
    texts = np.full(size, "", dtype=object)
    texts[segments.rows] = segments.strings.values
    return list(texts)


def _denies(answer: str, reference: str) -> bool:
    if len(answer) > _FEW_CHARACTERS or len(reference) > _FEW_CHARACTERS:
        return False
    one, other = sorted((answer.strip(_MARKS), reference.strip(_MARKS)), key=len)
    return bool(one) and other.startswith(_NOT) and other[1:] == one


def tokens_of_references(batch: Batch) -> IntArray:
    """Return the number of tokens of each reference of all samples that are not punctuation."""
    return batch.tokens("references", Auto(), _FORMS).lengths
