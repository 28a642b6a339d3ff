"""``meteor``: aligned words, in few runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.ingredients import Ingredient, Tokenizer, Vocabulary, ingredient_field
from ragauge.core.options import Beta, Range, option_texts
from ragauge.core.protocol import Average
from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.metrics.text._references import (
    ComparedReferences,
    ReferenceMetric,
    compared,
    compared_by_sample,
    reject_word_lists,
)
from ragauge.metrics.text._rouge import precision_recall
from ragauge.metrics.text._wordnet import WordNet
from ragauge.tokenizers.auto import Auto
from ragauge.tokenizers.forms import Case, Forms, Stemmer, porter, stemmer_of, versions_of

Share: TypeAlias = Annotated[float, Range(0, 1)]

# Codes of tokens are below 2^31.
_CODE_BITS = 32
_AS_WRITTEN = {"case": "lower", "nfkc": "false", "punctuation": "keep"}


@register(
    "meteor", compat={"nltk": {**_AS_WRITTEN, "tokenizer": "whitespace", "stemmer": "porter", "synonyms_of": "stem"}}
)
@dataclass(frozen=True, kw_only=True)
class Meteor(ReferenceMetric):
    """METEOR: the harmonic mean of unigram precision and recall, less a penalty for matches in many pieces.

    Formula:
        P       = matches / words of the answer, R = matches / words of the reference
        F       = P R / (alpha P + (1 - alpha) R)
        METEOR  = F * (1 - gamma * (chunks / matches)^beta)

    Answer and reference words are aligned one to one: equal words, then equal stems, then synonyms; each stage from
    the end of the texts. A chunk is a run of words aligned in a row.

    Unit and range: 0 to 1, never quite 1: identical text of m words scores 1 - gamma / m^beta. An empty answer scores
    0, and so does any text against an empty reference. Of several references the one of highest score counts, the
    first among equals.

    ``undefined``: the sample has no reference.

    Args:
        stemmer: ``none``, ``porter`` or ``snowball-<language>``, of words of any length.
        wordnet: the folder of a WordNet database, English; ``none``: no synonyms.
        synonyms_of: the word as it ``surface``s, or its ``stem``, which WordNet often does not have: nltk's mistake.
        alpha: weighs recall against precision.
        beta: the exponent of the penalty.
        gamma: the greatest penalty.
        average: ``samples``, or ``pooled`` for the score of summed counts.

    Raises:
        OptionError: there is no WordNet database at ``wordnet``.
        DataError: references that look like the words of one text.

    Not for: numbers to set beside those of METEOR's own program. Synonyms are English only; without ``wordnet`` and
    ``stemmer`` only equal words match. Identical short texts stay below 1.

    Source: Banerjee and Lavie 2005, "METEOR: an automatic metric for MT evaluation with improved correlation with human
    judgments"; parameters of Lavie and Agarwal 2007. ``compat=nltk`` equals nltk 3.10.4 with the same WordNet: all
    of 10,000 samples of words of WordNet 3.0. Deviation from METEOR's own program: no paraphrases, no search for the
    alignment with the fewest crossings.

    >>> import pyarrow as pa
    >>> metric = Meteor()
    >>> batch = Batch(pa.table({"answer": ["the cat sat"], "references": [["on the mat sat the cat"]]}))
    >>> metric.score(metric.measure(batch)).round(4)
    array([0.4483])
    """

    tokenizer: Ingredient[Tokenizer] = ingredient_field(Auto)
    case: Case = "fold"
    punctuation: Literal["drop", "keep"] = "drop"
    nfkc: bool = True
    stemmer: Stemmer = "none"
    wordnet: str | None = None
    synonyms_of: Literal["surface", "stem"] = "surface"
    alpha: Share = 0.9
    beta: Beta = 3.0
    gamma: Share = 0.5
    references_are_words: bool = False
    average: Average = "samples"

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of the library that stems."""
        return versions_of(self.stemmer)

    @property
    def identity(self) -> str:
        """Name and options, WordNet by the content of its files and not by their place."""
        options = {key: text for key, text in option_texts(self, all_of_them=True).items() if key != "wordnet"}
        synonyms = "none" if self.wordnet is None else f"wordnet-{self._wordnet.hash}"
        written = [f"{key}={text}" for key, text in options.items()]
        return "|".join(["meteor", *written, f"synonyms:{synonyms}", f"revision={self.revision}"])

    @cached_property
    def _wordnet(self) -> WordNet:
        return WordNet(Path(self.wordnet or ""))

    def measure(self, batch: Batch) -> Rows:
        """Return aligned words, words of either side, and chunks, of the best reference."""
        if not self.references_are_words:
            reject_word_lists(batch)
        forms = Forms(case=self.case, punctuation=self.punctuation, nfkc=self.nfkc)
        if self.stemmer == "none" and self.wordnet is None:
            texts = compared_by_sample(batch, self.tokenizer, forms)
            words: list[str] = []
        else:
            texts = compared(batch, self.tokenizer, forms)
            words = form_words(batch, self.tokenizer, forms)
        pairs, m = texts.pairs, len(texts.owner)
        alignment = self._aligned(pairs, words)
        counts = {
            "match": alignment.matches(pairs.hypotheses, m),
            "hypothesis": pairs.hypotheses.lengths,
            "reference": pairs.references.lengths,
            "chunks": alignment.chunks(pairs.hypotheses, m),
        }
        return self.best_rows(counts, texts.owner, len(batch), texts.long)

    def score(self, totals: Statistics) -> FloatArray:
        """Return METEOR."""
        parts = self.parts(totals)
        precision, recall = parts["precision"], parts["recall"]
        mean = np.nan_to_num(ratio(precision * recall, self.alpha * precision + (1 - self.alpha) * recall))
        return (1 - parts["penalty"]) * mean

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision, recall and the penalty."""
        precision, recall = precision_recall(totals)
        fragments = np.nan_to_num(ratio(totals["chunks"], totals["match"]))
        return {"precision": precision, "recall": recall, "penalty": self.gamma * fragments**self.beta}

    def _aligned(self, pairs: ComparedReferences, words: list[str]) -> Alignment:
        sides = pairs.hypotheses, pairs.references
        alignment = Alignment.empty(*sides).extended(*sides)
        if not words:
            return alignment
        # Words of any length are stemmed, as in nltk's METEOR.
        stem = porter() if self.stemmer == "porter" else stemmer_of(self.stemmer)
        stems = [stem(word) for word in words]
        codes = Vocabulary().codes(stems)
        alignment = alignment.extended(*(Ragged(codes[side.values], side.offsets) for side in sides))
        if self.wordnet is None:
            return alignment
        looked_up = stems if self.synonyms_of == "stem" else words
        return aligned_synonyms(alignment, *sides, looked_up, self._wordnet.synonyms)


def form_words(batch: Batch, tokenizer: Tokenizer, forms: Forms) -> list[str]:
    """Return the word of each form code."""
    words = batch.vocabulary(tokenizer).words
    key = ("form words", tokenizer.signature, forms, len(words))
    return batch.derived(key, lambda: list(dict.fromkeys(form for form in forms.of(words) if form is not None)))


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """For each hypothesis token of n pairs the place of its partner among all reference tokens, or -1.

    Shapes: ``partner`` (h,), ``free`` (r,): the reference tokens that have no partner yet.
    """

    partner: IntArray
    free: BoolArray

    @classmethod
    def empty(cls, hypotheses: Ragged, references: Ragged) -> Alignment:
        """Return an alignment of nothing."""
        return cls(np.full(len(hypotheses.values), -1), np.ones(len(references.values), dtype=bool))

    def extended(self, hypotheses: Ragged, references: Ragged) -> Alignment:
        """Return the alignment with equal codes of free tokens aligned: last with last, last but one with last but one.

        Source: nltk 3.10.4, meteor_score.py, whose greedy walk from the end comes to the same.
        """
        left, right = (
            _Equal.of(hypotheses, np.flatnonzero(self.partner < 0)),
            _Equal.of(references, np.flatnonzero(self.free)),
        )
        _, one, other = np.intersect1d(left.keys, right.keys, assume_unique=True, return_indices=True)
        aligned = Ragged.without_values(np.minimum(left.sizes[one], right.sizes[other]))
        partner, free = self.partner.copy(), self.free.copy()
        partners = right.nth_last(other[aligned.rows], aligned.positions)
        partner[left.nth_last(one[aligned.rows], aligned.positions)] = partners
        free[partners] = False
        return Alignment(partner, free)

    def chunks(self, hypotheses: Ragged, n: int) -> IntArray:
        """Return for each pair how many runs of aligned tokens are adjacent on both sides, (n,)."""
        aligned = np.flatnonzero(self.partner >= 0)
        rows = hypotheses.rows[aligned]
        partner = self.partner[aligned]
        joined = (np.diff(aligned) == 1) & (np.diff(partner) == 1) & (np.diff(rows) == 0)
        return np.bincount(rows[np.concatenate([[True], ~joined])[: len(rows)]], minlength=n)

    def matches(self, hypotheses: Ragged, n: int) -> IntArray:
        """Return how many tokens of each pair are aligned, (n,)."""
        return np.bincount(hypotheses.rows[self.partner >= 0], minlength=n)


@dataclass(frozen=True, slots=True, eq=False)
class _Equal:
    """Some tokens of n texts, those that are equal in one text beside each other.

    Shapes: ``keys`` (g,): text and code of each group, rising; ``sizes`` and ``ends`` (g,): how many it has, and where
    it ends in ``tokens`` (t,), which rise within a group.
    """

    keys: IntArray
    sizes: IntArray
    ends: IntArray
    tokens: IntArray

    @classmethod
    def of(cls, texts: Ragged, tokens: IntArray) -> _Equal:
        """Return the groups of ``tokens``, places among all tokens of the texts."""
        keys = (texts.rows[tokens] << _CODE_BITS) + texts.values[tokens]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        ends = np.append(np.flatnonzero(np.diff(keys)) + 1, len(keys))[: len(keys)]
        return cls(keys[ends - 1], np.diff(ends, prepend=0), ends, tokens[order])

    def nth_last(self, groups: IntArray, n: IntArray) -> IntArray:
        """Return the last token but ``n`` of each of ``groups``, (k,) each."""
        return np.asarray(self.tokens[self.ends[groups] - 1 - n])


Synonyms = Callable[[str], Collection[str]]


def aligned_synonyms(
    alignment: Alignment, hypotheses: Ragged, references: Ragged, words: Sequence[str], synonyms: Synonyms
) -> Alignment:
    """Return the alignment with free hypothesis words aligned, from last to first, each with its last free synonym.

    ``words`` holds the word of each code. A Python loop, because few words are left after the two stages before.

    Source: nltk 3.10.4, meteor_score.py.
    """
    partner, free = alignment.partner.copy(), alignment.free.copy()
    places: dict[tuple[int, str], list[int]] = defaultdict(list)
    open_references = np.flatnonzero(free)
    for place, row in zip(open_references.tolist(), references.rows[open_references].tolist(), strict=True):
        places[row, words[references.values[place]]].append(place)
    open_hypotheses = np.flatnonzero(partner < 0)[::-1]
    for token, row in zip(open_hypotheses.tolist(), hypotheses.rows[open_hypotheses].tolist(), strict=True):
        candidates = [
            places[row, word] for word in synonyms(words[hypotheses.values[token]]) if places.get((row, word))
        ]
        if candidates:
            partner[token] = max(candidates, key=lambda several: several[-1]).pop()
            free[partner[token]] = False
    return Alignment(partner, free)
