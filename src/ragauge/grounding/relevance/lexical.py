"""``lexical``: how much of the question the best sentence of a passage has in words, or in meaning by an embedder."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch
from ragauge.core.ingredients import Embedder
from ragauge.core.options import Range
from ragauge.core.ragged import FloatArray, Ragged, listed
from ragauge.core.registry import Signed, ingredient
from ragauge.embedders.base import WINDOWS
from ragauge.embedders.lexical import Lexical
from ragauge.grounding.relevance.cosines import Cosines, parts_of, weighted
from ragauge.grounding.relevance.passages import PassageRelevance
from ragauge.grounding.relevance.sentence_scores import SentenceScores
from ragauge.grounding.support.scorer import TOO_LONG


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
    table = tomllib.loads(files(__package__).joinpath("calibration.toml").read_text("utf-8"))
    return MappingProxyType(table)
