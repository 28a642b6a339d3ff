"""The lexical score of each sentence of the passages for the question of its sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.messages import Joined, Message
from ragauge.core.ragged import Array, BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.texts import Segments, objects_of
from ragauge.embedders.lexical import Lexical
from ragauge.embedders.sparse import SparseVectors
from ragauge.grounding.relevance.question import AnswerType, answer_type, is_chinese, question_words
from ragauge.grounding.relevance.words import QuestionWords, WordShares
from ragauge.grounding.support.pairs import blocks
from ragauge.grounding.support.scorer import MOST_COMPARED
from ragauge.languages.simplified import simplified
from ragauge.sentences import split


@dataclass(frozen=True, eq=False)
class Groups:
    """The g passages of n samples that have a sentence; s sentences in all.

    Shapes: ``first`` (g,): the first sentence of each passage; ``source`` (g,): its place among all passages;
    ``offsets`` (n + 1,): where the passages of each sample begin; ``size``: s;
    ``passages``: how many there are, those without a sentence among them.
    """

    first: IntArray
    source: IntArray
    offsets: IntArray
    size: int
    passages: int

    @classmethod
    def of(cls, sentences: Segments) -> Groups:
        """Return the passages of ``sentences``."""
        first = np.flatnonzero(np.diff(sentences.source, prepend=-1))
        return cls(
            first,
            sentences.source[first],
            np.searchsorted(first, sentences.offsets),
            len(sentences),
            len(sentences.texts),
        )

    @cached_property
    def rows(self) -> IntArray:
        """The sample of each passage, (g,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def of_sentence(self) -> IntArray:
        """The passage of each sentence, (s,), among the g."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=self.size))

    def scattered(self, values: Array, otherwise: Any) -> Array:
        """Return ``values`` (g,) at the places of their passages among all, (m,), ``otherwise`` at other places."""
        every = np.full(self.passages, otherwise, dtype=values.dtype)
        every[self.source] = values
        return every

    def highest(self, values: FloatArray) -> FloatArray:
        """Return the highest of ``values`` (s,) of each passage, (g,); NaN where one of them is."""
        return np.maximum.reduceat(values, self.first) if len(self.first) else np.zeros(0)

    def place_of_highest(self, values: FloatArray) -> IntArray:
        """Return which sentence of each passage has the highest of ``values`` (s,), (g,), the first among equals."""
        known = np.nan_to_num(values, nan=-np.inf)
        at = np.where(known == self.highest(known)[self.of_sentence], np.arange(self.size), self.size)
        return np.minimum.reduceat(at, self.first) if len(self.first) else np.zeros(0, dtype=np.int64)


# The constants were chosen on half of NoMIRACL, for the mean AUC of English, Chinese, Japanese, Korean, German and
# Spanish, and by XQuAD; 648 settings of them give 63 to 67.5, so that none of them matters much.
_ABSENT = 0.2
"""A word that is absent counts as if this share of it were there."""
_ELSEWHERE = 0.3
"""The share that a word counts which stands in another sentence of the passage."""
_PRIOR, _PRIOR_SHARE = 1536, 0.6
"""The worth of two words that every sentence has by .6: all of a single word is little evidence."""
_LENGTH = 0.02
"""Taken off for each factor e of the length of a sentence in characters."""
_NO_TYPE = 0.3
"""Taken off where the question asks for a type of answer and the sentence has none."""
_HEADING = 120
"""The characters of a passage within which a heading ends: ``Heading: text``."""
_FOUND = 0.5
"""A word counts as found in a passage that has at least this share of it, where evidence names those that are not."""
_MOST_NAMED = 20
"""The most absent words that evidence names."""
# Logarithms are summed in whole numbers of these steps, so that sums are exact.
_STEPS = 1 << 16


@dataclass(frozen=True, eq=False)
class SentenceScores:
    """How much each of s sentences of n samples' passages holds of its sample's question.

    Args:
        sentences: of all passages, as they stand there.
        groups: the passages that have a sentence.
        shares: of the questions' words in sentences.
        headings: of the same words in the headings of the passages.
        types: the types of answer that questions ask for, by sample.
    """

    sentences: Segments
    groups: Groups
    shares: WordShares
    headings: WordShares
    types: Mapping[int, AnswerType]

    @classmethod
    def of(cls, batch: Batch, embedder: Lexical) -> SentenceScores:
        """Return those of the passages of ``batch``; ``embedder`` makes n-grams and their weights."""
        questions = batch.segments("question").not_blank.strings
        sentences = batch.segments("contexts", split)
        groups = Groups.of(sentences)
        chinese = _mask(len(batch), {row: is_chinese(text) for row, text in _by_row(questions)})
        own = batch.vectors(_one_script(sentences, chinese), embedder)
        headings = Ragged(
            objects_of([_heading(sentences.texts[place]) for place in groups.source.tolist()]), groups.offsets
        )
        above = batch.vectors(headings, embedder)
        words = QuestionWords.of(_words_of(questions, embedder), own.space)
        vectors, nothing = cast("SparseVectors", own.space.vectors), np.zeros(len(batch), dtype=bool)
        shares = WordShares.of(words, vectors, own.numbers, nothing)
        left_out = words.of_samples(shares.steps) > MOST_COMPARED
        types = {row: answer_type(text) for row, text in _by_row(questions)}
        return cls(
            sentences,
            groups,
            shares.without(left_out),
            WordShares.of(words, vectors, above.numbers, left_out),
            {row: known for row, known in types.items() if known is not None and not left_out[row]},
        )

    @property
    def left_out(self) -> BoolArray:
        """A mask of the samples that take too many steps, (n,)."""
        return self.shares.pairs.left_out

    @property
    def without_word(self) -> BoolArray:
        """A mask of the samples whose question has no word, (n,)."""
        return np.asarray(self.shares.words.of_samples(self.shares.words.worth) == 0)

    @cached_property
    def values(self) -> FloatArray:
        """The score of each sentence, (s,): about .2 to .8; 0 where the question has no word."""
        worth = self.shares.words.of_samples(self.shares.words.worth)[self.sentences.rows]
        logs = self._sums / _STEPS + _PRIOR * np.log(_ABSENT + _PRIOR_SHARE)
        lengths = np.maximum(self.sentences.ends - self.sentences.starts, 1)
        scores = np.exp(logs / (worth + _PRIOR)) - _ABSENT - _LENGTH * np.log(lengths) - _NO_TYPE * self.without_type
        # Twelve digits, because exp and log may differ in the last one between machines.
        return np.where(worth > 0, np.round(scores, 12), 0.0)

    @cached_property
    def without_type(self) -> BoolArray:
        """A mask of the sentences that lack the type of answer that the question asks for, (s,)."""
        absent = np.zeros(len(self.sentences), dtype=bool)
        for row, known in self.types.items():
            own = slice(*self.sentences.offsets[row : row + 2].tolist())
            absent[own] = known.absent(self.sentences.strings.values[own])
        return absent

    @cached_property
    def _sums(self) -> IntArray:
        """The sum of logarithms of each sentence, over the words of its question, (s,)."""
        sums = np.zeros(len(self.sentences), dtype=np.int64)
        pairs, worth = self.shares.pairs, self.shares.words.worth
        for first, last, shares, elsewhere in self._blocks():
            widths = np.diff(pairs.offsets[first : last + 1])
            logs = np.log(_ABSENT + np.maximum(shares, elsewhere)) * np.repeat(worth[first:last] * _STEPS, widths)
            segment = pairs.part(first, last)[1]
            begin = segment.min(initial=len(sums))
            # Whole numbers below 2^53 are added exactly.
            of_block = np.bincount(segment - begin, np.rint(logs))
            sums[begin : begin + len(of_block)] += of_block.astype(np.int64)
        return sums

    def _blocks(self) -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
        """Yield runs of words, as first and last (excluded), with shares of their pairs: of sentences, of elsewhere."""
        for first, last in blocks(self.shares.steps):
            shares = self.shares.between(first, last)
            best, lengths = self._best(first, last, shares)
            elsewhere = np.maximum(self.headings.between(first, last), _ELSEWHERE * best)
            yield first, last, shares, np.repeat(elsewhere, lengths)

    def _best(self, first: int, last: int, shares: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the highest of ``shares`` of each pair of a word and a passage, and how many sentences it has."""
        pairs, own = self.shares.pairs, self.headings.pairs
        word, group = own.part(first, last)
        starts = (pairs.offsets[:-1] - pairs.offsets[first] - pairs.first_segment)[word] + self.groups.first[group]
        if not len(starts):
            return np.zeros(0), starts
        return np.maximum.reduceat(shares, starts), np.diff(starts, append=len(shares))

    def absent_words(self) -> list[list[str]]:
        """Return for each of g passages the first words of the question of which it has less than half."""
        absent: list[list[str]] = [[] for _ in self.groups.first]
        texts = self.shares.words.texts.values
        for first, last in blocks(self.shares.steps):
            best, _ = self._best(first, last, self.shares.between(first, last))
            word, group = self.headings.pairs.part(first, last)
            lacking = np.flatnonzero(np.maximum(best, self.headings.between(first, last)) < _FOUND)
            for one, place in zip(word[lacking].tolist(), group[lacking].tolist(), strict=True):
                if len(absent[place]) < _MOST_NAMED:
                    absent[place].append(texts[one])
        return absent

    def why(self, best: IntArray) -> Array:
        """Return what speaks against each of g passages, None where nothing does; ``best`` (g,): their sentences."""
        absent, reasons = self.absent_words(), np.full(len(best), None, dtype=object)
        for first, last in pairwise(self.groups.offsets.tolist()):
            nowhere = set(absent[first]).intersection(*absent[first + 1 : last]) if last > first else set()
            for place in range(first, last):
                here = [word for word in absent[place] if word not in nowhere]
                everywhere = [word for word in absent[place] if word in nowhere]
                parts = [Message("not in any passage: {words}", ", ".join(everywhere))] if everywhere else []
                parts += [Message("not in this passage: {words}", ", ".join(here))] if here else []
                if self.without_type[best[place]]:
                    parts.append(Message("not beside them: {kind}", self.types[int(self.groups.rows[place])].name))
                reasons[place] = Joined(parts, "; ") if len(parts) > 1 else next(iter(parts), None)
        return reasons


def _by_row(questions: Ragged) -> Iterator[tuple[int, str]]:
    return zip(questions.rows.tolist(), questions.values.tolist(), strict=True)


def _mask(size: int, by_row: Mapping[int, bool]) -> BoolArray:
    mask = np.zeros(size, dtype=bool)
    mask[[row for row, holds in by_row.items() if holds]] = True
    return mask


def _words_of(questions: Ragged, embedder: Lexical) -> list[list[str]]:
    """Return the words of the question of each sample; none where there is no question."""
    distinct = list(dict.fromkeys(questions.values.tolist()))
    known = dict(zip(distinct, question_words(distinct, embedder.table), strict=True))
    return [[word for text in texts for word in known[text]] for texts in questions.to_lists()]


def _one_script(sentences: Segments, chinese: BoolArray) -> Segments | Ragged:
    """Return the sentences, those of samples with a ``chinese`` question (n,) in simplified characters."""
    if not chinese.any():
        return sentences
    texts = sentences.strings.values.copy()
    places = np.flatnonzero(chinese[sentences.rows])
    texts[places] = [simplified(text) for text in texts[places].tolist()]
    return Ragged(texts, sentences.offsets)


def _heading(passage: str) -> str:
    """Return the text before the first colon with a space after it; nothing if that is not near the beginning."""
    return passage[: max(passage.find(": ", 0, _HEADING), 0)]
