"""``lexical``: how much of the question the best sentence of a passage has in words, or in meaning by an embedder."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder
from ragauge.core.options import Range
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged, listed
from ragauge.core.registry import Signed, ingredient
from ragauge.core.spec import write
from ragauge.core.texts import NO_VECTOR, TextVectors, VectorSpace
from ragauge.embedders.base import WINDOWS
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.relevance.passages import PassageRelevance
from ragauge.grounding.relevance.sentence_scores import Groups, SentenceScores
from ragauge.grounding.support.scorer import TOO_LONG
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


@ingredient("relevance", "lexical")
@dataclass(frozen=True)
class LexicalRelevance(Signed):
    """The probability that a passage is relevant, from the words of the question that its best sentence has.

    Formula:
        sentence = exp(sum of w ln(.2 + m) over words / sum of w) - .2 - .02 ln(characters) - .3 if its type is absent
        passage  = the highest of its sentences
        score    = 1 / (1 + exp(2.75 - 5.84 passage))

    w is how rare a word is by the table of ``embedder=lexical``, and m the share of its n-grams that the sentence has.
    In the heading of its passage (``Heading: text``) a word counts fully, and in another sentence .3. Two words of
    m = .6 are added to every question: all of a single word is little evidence. Words that stand there because a
    question is asked ("who", "wie viele", "是什么", "ですか") are left out in ar de en es fr hi ja ko ru th zh.
    Simplified and traditional Chinese are one script. A type is asked for by "how many episodes" (a number beside the
    noun), "how long", "how old" and "how large", mostly in de en es, and by "多少", "いくつ" and "몇 명" (a number). A
    passage without a sentence, and each passage of a question without a word, score 0.

    With another embedder than ``lexical``, the passage is 1 - ``weight`` times that, plus ``weight`` times the mean of
    the question's cosines with the passage and with its best sentence. Of ``blend`` the parts and their weights count,
    and these words in the place of its lexical part. An embedder counts for texts in scripts that it knows, and words
    where question and passage share a script.

    What it cannot see: whether a sentence on the topic answers the question. On half of NoMIRACL (questions with ten
    shuffled passages, the half it was chosen by) the mean of the two best told answerable questions from others with an
    AUC of 66 % in the mean of English, Chinese, Japanese and Korean (95 % interval 58 to 74; Chinese 56, at chance);
    the share of relevant sentences (``relevance=none``) with 57 %, word overlap with 54 %. A probability of .5 is where
    relevant and irrelevant passages are as many.

    Args:
        weight: of the cosine of an embedder other than ``lexical``.
        sentences: whether such an embedder encodes sentences too; without them it has fewer texts to encode, and finds
            less across languages.

    >>> questions = Ragged.of([["Who opened the tea house?"]])
    >>> passages = Ragged.of([["The tea house was opened by Lin Wan.", "It rained."]])
    >>> LexicalRelevance().probabilities(questions, passages).round(2)
    array([0.82, 0.13])
    """

    weight: Annotated[float, Range(0, 1, below=True)] = 0.5
    sentences: bool = True

    @property
    def versions(self) -> Mapping[str, str]:
        """The digest of the table of rarity."""
        return MappingProxyType({"idf": Lexical().table.digest})

    def probabilities(self, questions: Ragged, passages: Ragged) -> FloatArray:
        """Return the probability of each passage, (m,); see `ragauge.RelevanceModel`."""
        texts = [(some or [None])[0] for some in questions.to_lists()]
        contexts = listed(to_arrow(passages.values.tolist(), pa.large_string()), passages.lengths)
        batch = Batch(pa.table({"question": to_arrow(texts, pa.large_string()), "contexts": contexts}))
        return np.asarray(self.passages(batch, Lexical()).values.values)

    def passages(self, batch: Batch, embedder: Embedder) -> PassageRelevance:
        """Return the relevance of the passages of ``batch``, by words and by the cosines of ``embedder``."""
        scores, blend = sentence_scores(batch, embedder), parts_of(embedder, self.weight)
        groups = scores.groups
        cosines = [Cosines.of(batch, one, groups, with_sentences=self.sentences) for one, _ in blend.encoders]
        passages, sentences = weighted(batch, scores, blend, cosines)
        values = _probability(passages, _curves()["words_and_cosine" if cosines else "words"])
        values[(scores.without_word | scores.left_out)[groups.rows]] = 0.0
        best = groups.place_of_highest(sentences)
        reasons = {row: why for one in cosines for row, why in one.reasons.items()}
        reasons.update(dict.fromkeys(np.flatnonzero(scores.left_out).tolist(), TOO_LONG))
        return PassageRelevance(
            _without_answer(groups.scattered(values, 0.0), batch, reasons),
            groups.scattered(scores.sentences.strings.values[best], None),
            reasons,
            {WINDOWS: np.sum([one.windowed for one in cosines], axis=0)} if cosines else {},
            lambda: groups.scattered(scores.why(best), None).tolist(),
            {one.name: groups.scattered(one.passages, np.nan) for one in cosines},
        )


def sentence_scores(batch: Batch, embedder: Embedder) -> SentenceScores:
    """Return the scores of the sentences of ``batch`` by words; computed once for a batch."""
    by_words = embedder if isinstance(embedder, Lexical) else Lexical()
    return batch.derived(("sentence scores", by_words.signature), partial(SentenceScores.of, batch, by_words))


def _without_answer(values: FloatArray, batch: Batch, reasons: Mapping[int, str]) -> Ragged:
    """Return ``values`` of m passages by sample, NaN in those that have a reason why there is no answer."""
    passages, lost = batch.segments("contexts"), np.zeros(len(batch), dtype=bool)
    lost[list(reasons)] = True
    return Ragged(np.where(lost[passages.rows], np.nan, values), passages.offsets)


def _probability(scores: FloatArray, curve: Mapping[str, float]) -> FloatArray:
    # Twelve digits, because exp may differ in the last one between machines.
    return np.asarray(np.round(1 / (1 + np.exp(curve["intercept"] - curve["slope"] * scores)), 12))


@cache
def _curves() -> Mapping[str, Mapping[str, float]]:
    table = tomllib.loads(Path(__file__).with_name("calibration.toml").read_text("utf-8"))
    return MappingProxyType(table)
