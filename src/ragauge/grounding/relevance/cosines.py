"""Cosines of questions with passages and their sentences, beside the score by words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder
from ragauge.core.ragged import BoolArray, FloatArray, IntArray
from ragauge.core.spec import write
from ragauge.core.texts import NO_VECTOR, TextVectors, VectorSpace
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.relevance.groups import Groups
from ragauge.grounding.relevance.sentence_scores import SentenceScores
from ragauge.languages.scripts import overlap, shares
from ragauge.sentences import split


@dataclass(frozen=True)
class Parts:
    """The weight of the score by words, and encoders with theirs; together 1."""

    words: float
    encoders: tuple[tuple[Embedder, float], ...]


def parts_of(embedder: Embedder, weight: float) -> Parts:
    """Return which encoders count beside words: ``embedder`` by ``weight``, or the parts of a blend.

    The score by words takes the place of a blend's lexical part.

    >>> parts_of(Lexical(), 0.5)
    Parts(words=1.0, encoders=())
    """
    of_blend: Any = getattr(embedder, "parts", ((embedder, 1.0),))
    total = sum(own for _, own in of_blend)
    encoders = [(part, own / total) for part, own in of_blend if not isinstance(part, Lexical)]
    if not encoders:
        return Parts(1.0, ())
    if len(encoders) < len(of_blend):
        return Parts(1.0 - sum(own for _, own in encoders), tuple(encoders))
    return Parts(1.0 - weight, tuple([(part, own * weight) for part, own in encoders]))


@dataclass(frozen=True, eq=False)
class Cosines:
    """Cosines of questions with g passages and their s sentences, by one encoder.

    ``name``: the encoder's. Shapes: ``passages`` (g,): with the passage, or the mean of that and the highest of its
    sentences; NaN: there is no vector. ``sentences`` (s,): 0 where they are not encoded. ``reads`` (g,): a mask of the
    passages where the encoder knows the scripts of both texts. ``reasons``: why there is no vector, by sample.
    ``windowed`` (n,): how many passages were read in windows.
    """

    name: str
    passages: FloatArray
    sentences: FloatArray
    reads: BoolArray
    reasons: Mapping[int, str]
    windowed: IntArray

    @classmethod
    def of(cls, batch: Batch, encoder: Embedder, groups: Groups, *, with_sentences: bool) -> Cosines:
        """Return the cosines of the passages of ``batch`` that have a sentence."""
        questions, texts = batch.segments("question").not_blank.strings, batch.segments("contexts").strings
        query = batch.vectors(batch.segments("question").not_blank, encoder, "query")
        passages = batch.vectors(batch.segments("contexts"), encoder, "passage")
        # The sample of a passage without a question has none: -1.
        question = np.full(len(batch), -1, dtype=np.int64)
        question[query.numbers.rows] = query.numbers.values
        left, right = question[groups.rows], passages.numbers.values[groups.source]
        values, sentences = _cosine(query.space, encoder, left, right), np.zeros(groups.size)
        if with_sentences:
            parts = batch.segments("contexts", split)
            numbers = batch.vectors(parts, encoder, "passage").numbers.values
            cosines = _cosine(query.space, encoder, left[groups.of_sentence], numbers)
            # A sentence in a script that the encoder does not know is left out; a passage of such ones counts whole.
            known = _reads(encoder, parts.strings.values.tolist())
            highest = groups.highest(np.where(known, cosines, -np.inf))
            values = (values + np.where(np.isneginf(highest), values, highest)) / 2
            sentences = np.where(known, cosines, 0.0)
        read = np.zeros(len(batch), dtype=bool)
        read[questions.rows] = _reads(encoder, questions.values.tolist())
        reads = read[groups.rows] & _reads(encoder, texts.values[groups.source].tolist())
        lost = np.flatnonzero(np.isnan(values) & reads)
        failures = query.space.failures
        why = {
            int(groups.rows[place]): failures.get(int(left[place])) or failures.get(int(right[place]), NO_VECTOR)
            for place in lost.tolist()
        }
        return cls(write(encoder), values, sentences, reads, why, _windowed(passages))


def weighted(
    batch: Batch, scores: SentenceScores, blend: Parts, cosines: Sequence[Cosines]
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted means of scores by words and of ``cosines``: of passages, (g,), and of sentences, (s,).

    Of sentences they are not divided by the weights, and tell those of one passage apart. Words do not count where
    question and passage share no script, so can share no words, if an encoder reads both.
    """
    groups, weights = scores.groups, [one.reads * own for one, (_, own) in zip(cosines, blend.encoders, strict=True)]
    words = np.full(len(groups.first), blend.words)
    if cosines:
        words[~shares_script(batch, groups) & np.any(weights, axis=0)] = 0.0
    passages, sentences = words * groups.highest(scores.values), words[groups.of_sentence] * scores.values
    for one, weight in zip(cosines, weights, strict=True):
        passages = passages + np.where(one.reads, weight * one.passages, 0.0)
        sentences = sentences + weight[groups.of_sentence] * one.sentences
    return passages / sum(weights, start=words), sentences


def shares_script(batch: Batch, groups: Groups) -> BoolArray:
    """Return a mask of the passages in a script of their question, (g,); others share no words with it."""
    questions, passages = (
        batch.derived(("scripts", column), partial(shares, batch.segments(column).strings.values.tolist()))
        for column in ("question", "contexts")
    )
    question = np.full(len(batch), -1, dtype=np.int64)
    question[batch.segments("question").rows] = np.arange(len(questions))
    alike = np.ones(len(groups.source), dtype=bool)
    there = question[groups.rows] >= 0
    alike[there] = overlap(questions[question[groups.rows[there]]], passages[groups.source[there]])
    return alike


def _cosine(space: VectorSpace, encoder: Any, left: IntArray, right: IntArray) -> FloatArray:
    """Return the cosines of vectors, (p,), 0 where ``left`` is -1; those that crowd between two values as 0 to 1."""
    low, high = getattr(encoder, "crowded", (0.0, 1.0))
    there, values = left >= 0, np.zeros(len(left))
    values[there] = (space.cosine(left[there], right[there]) - low) / (high - low)
    return values


def _reads(encoder: Any, texts: Sequence[str]) -> BoolArray:
    """Return a mask of the texts in scripts that the encoder knows, (n,); all where it does not say."""
    return encoder.reads(texts) if hasattr(encoder, "reads") else np.ones(len(texts), dtype=bool)


def _windowed(passages: TextVectors) -> IntArray:
    several = np.zeros(len(passages.space), dtype=bool)
    several[list(passages.space.windowed or ())] = True
    return np.bincount(passages.numbers.rows[several[passages.numbers.values]], minlength=len(passages.numbers))
