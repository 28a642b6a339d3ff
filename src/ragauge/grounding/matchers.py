"""Matchers decide which retrieved text matches which reference text."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

import numpy as np

from ragauge.core.functions import OfFunction
from ragauge.core.ingredients import Vocabulary
from ragauge.core.options import Range
from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.core.registry import Signed, ingredient
from ragauge.errors import UsageError, excerpt
from ragauge.languages.folding import normalize


@dataclass(frozen=True)
class TextMatcher(Signed, ABC):
    """A matcher that compares normalised texts; Unicode decides on case and composition."""

    # In the order of the signatures of saved runs.
    versions: ClassVar[Mapping[str, str]] = MappingProxyType({"revision": "1", "unicode": unicodedata.unidata_version})

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        """Compare each passage with each reference; see `ragauge.core.ingredients.Matcher`."""
        pairs = DistinctPairs.of(retrieved, references)
        return pairs.spread(self.matching(pairs))

    @abstractmethod
    def matching(self, pairs: DistinctPairs) -> BoolArray:
        """Return which of p pairs match, (p,)."""


@dataclass(frozen=True)
class ThresholdMatcher(TextMatcher):
    """A matcher with the lowest similarity that matches, above 0 and up to 1."""

    threshold: Annotated[float, Range(0, 1, above=True)] = 0.5


def normalised(text: str) -> str:
    r"""Apply NFKC, fold case, and collapse white space to single spaces, with none at the ends.

    NFKC makes one of full-width and half-width, of ligatures and their letters, of composed and decomposed letters.
    It is applied again after case folding, which can undo it. Nothing is dropped: neither punctuation nor diacritics.

    >>> normalised("ＲＡＧ：  Straße\n")
    'rag: strasse'
    """
    if not text.isascii():
        text = normalize("NFKC", normalize("NFKC", text).casefold())
    return " ".join(text.lower().split() if text.isascii() else text.split())


@dataclass(frozen=True, eq=False)
class DistinctPairs:
    """The p distinct pairs of texts, none of them empty, for the c entries of all samples' matrices."""

    forms: Sequence[str]  # the distinct normalised texts
    left: IntArray  # (p,) places of passages in ``forms``
    right: IntArray  # (p,) places of references in ``forms``
    place: IntArray  # (c,) the pair of each entry, -1 where a text is empty

    @classmethod
    def of(cls, retrieved: Ragged, references: Ragged) -> DistinctPairs:
        """Pair each passage of a sample with each of its references."""
        forms, passages, others = _coded(retrieved, references)
        left, right = _places_of_pairs(retrieved, references)
        left, right = passages[left], others[right]
        full = (left > 0) & (right > 0)
        keys, place = np.unique(left[full] * len(forms) + right[full], return_inverse=True)
        places = np.full(len(full), -1, dtype=np.int64)
        places[full] = place
        return cls(forms, keys // len(forms), keys % len(forms), places)

    def __len__(self) -> int:
        return len(self.left)

    def texts(self) -> tuple[list[str], list[str]]:
        """Return the passages and the references of the distinct pairs, p each."""
        forms = self.forms
        return [forms[code] for code in self.left.tolist()], [forms[code] for code in self.right.tolist()]

    def spread(self, matches: BoolArray) -> BoolArray:
        """Return matches of pairs, (p,), as matches of entries, (c,): False where a text is empty."""
        return np.asarray(np.append(matches, False)[self.place], dtype=bool)


def _coded(retrieved: Ragged, references: Ragged) -> tuple[list[str], IntArray, IntArray]:
    """Return the distinct forms of all texts, the empty one first, and the place of each passage and reference."""
    texts = Vocabulary()
    codes = texts.codes([*retrieved.values.tolist(), *references.values.tolist()])
    forms = Vocabulary()
    forms.codes([""])
    recoded = forms.codes([normalised(text) for text in texts.words]).astype(np.int64)[codes]
    return forms.words, recoded[: len(retrieved.values)], recoded[len(retrieved.values) :]


def _places_of_pairs(retrieved: Ragged, references: Ragged) -> tuple[Any, Any]:
    """Return for each entry the flat place of its passage and of its reference, (c,) each."""
    wide = references.lengths[retrieved.rows]
    left = np.repeat(np.arange(len(wide)), wide)
    entries = Ragged.from_lengths(left, wide)
    return left, entries.positions + np.repeat(references.offsets[:-1][retrieved.rows], wide)


@ingredient("matcher", "contains")
@dataclass(frozen=True)
class Contains(TextMatcher):
    """A passage matches a reference passage if one of the two, normalised, contains the other.

    Either may contain the other, because chunks can be shorter or longer than the references. An empty text matches
    nothing. Texts are normalised as `ragauge.grounding.matchers.normalised` says.

    >>> from ragauge.core.ragged import Ragged
    >>> passages = Ragged.of([["The  cat sat.", "A dog.", ""]])
    >>> Contains().match(passages, Ragged.of([["the cat"]]))
    array([ True, False, False])
    """

    def matching(self, pairs: DistinctPairs) -> BoolArray:
        """Look for one text of each pair in the other."""
        either = (left in right or right in left for left, right in zip(*pairs.texts(), strict=True))
        return np.fromiter(either, dtype=bool, count=len(pairs))


@ingredient("matcher", "edit")
@dataclass(frozen=True)
class Edit(ThresholdMatcher):
    """A passage matches a reference passage if their edit similarity is at least ``threshold``.

    The similarity is 1 - d / n, 0 to 1: d is the Levenshtein distance of the two normalised texts in code points, n
    the length of the longer one. A passage that only contains a reference has a low similarity: see ``contains`` and
    ``overlap``. An empty text matches nothing. Texts are normalised as `ragauge.grounding.matchers.normalised` says.

    Args:
        threshold: the lowest similarity that matches, above 0 and up to 1.

    Raises:
        OptionError: the threshold is not above 0 and up to 1.

    >>> from ragauge.core.ragged import Ragged
    >>> passages = Ragged.of([["the cat sat", "a dog ran by"]])
    >>> Edit(threshold=0.8).match(passages, Ragged.of([["the bat sat"]]))
    array([ True, False])

    Source: RapidFuzz, ``Levenshtein.normalized_similarity``. ragas 0.4.3 compares texts as they stand, and at a
    similarity of just 0.5 its recall says no where its precision says yes.
    """

    def matching(self, pairs: DistinctPairs) -> BoolArray:
        """Compare the edit similarity of each pair with the threshold."""
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cpdist

        score = Levenshtein.normalized_similarity
        similarities = cpdist(*pairs.texts(), scorer=score, score_cutoff=self.threshold, dtype=np.float64, workers=-1)
        return np.asarray(similarities >= self.threshold)


@ingredient("matcher", "exact")
@dataclass(frozen=True)
class Exact(TextMatcher):
    """A passage matches a reference passage if the two, normalised, are the same text.

    For retrieval of fixed chunks, where references were taken from the same chunks. An empty text matches nothing.
    Texts are normalised as `ragauge.grounding.matchers.normalised` says.

    >>> from ragauge.core.ragged import Ragged
    >>> passages = Ragged.of([["The  cat sat.", "The cat"]])
    >>> Exact().match(passages, Ragged.of([["the cat sat."]]))
    array([ True, False])
    """

    def matching(self, pairs: DistinctPairs) -> BoolArray:
        """Return the pairs of one and the same text."""
        return np.asarray(pairs.left == pairs.right)


# Scripts that are written without spaces between words.
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"


@ingredient("matcher", "overlap")
@dataclass(frozen=True)
class TokenOverlap(ThresholdMatcher):
    """A passage matches a reference passage if it has at least the share ``threshold`` of its distinct tokens.

    The share is |tokens of both| / |tokens of the reference|, 0 to 1, each distinct token once. Tokens are runs of
    letters, marks and numbers, and single characters of Han, kana, Thai, Lao, Khmer and Myanmar. A text without tokens
    matches nothing. Texts are normalised as `ragauge.grounding.matchers.normalised` says.

    Args:
        threshold: the lowest share that matches, above 0 and up to 1.

    Raises:
        OptionError: the threshold is not above 0 and up to 1.

    >>> from ragauge.core.ragged import Ragged
    >>> passages = Ragged.of([["A cat sat on the mat.", "A dog."]])
    >>> TokenOverlap(threshold=0.75).match(passages, Ragged.of([["The cat sat down."]]))
    array([ True, False])
    """

    def matching(self, pairs: DistinctPairs) -> BoolArray:
        """Compare the share of common tokens of each pair with the threshold."""
        tokens = distinct_tokens(pairs.forms)
        left, right = ([tokens[code] for code in codes.tolist()] for codes in (pairs.left, pairs.right))
        shared = np.fromiter((len(one & other) for one, other in zip(left, right, strict=True)), np.int64, len(pairs))
        wanted = np.fromiter(map(len, right), dtype=np.int64, count=len(pairs))
        return np.asarray((wanted > 0) & (shared >= self.threshold * wanted))


@ingredient("matcher", "function")
@dataclass(frozen=True)
class FunctionMatcher(OfFunction):
    """A function that takes a passage and a reference and returns whether they match.

    ``matcher=app.py:same`` and ``matcher=app:same`` mean ``function[name=app.py:same]``, and from Python the function
    itself is enough. It gets the texts as they are; an empty text matches nothing.

    >>> from ragauge.core.ragged import Ragged
    >>> passages = Ragged.of([["Tea grows here.", "A dog."]])
    >>> FunctionMatcher(lambda passage, reference: reference in passage).match(passages, Ragged.of([["Tea"]]))
    array([ True, False])
    """

    def match(self, retrieved: Ragged, references: Ragged) -> BoolArray:
        """Compare each passage with each reference; see `ragauge.core.ingredients.Matcher`."""
        left, right = _places_of_pairs(retrieved, references)
        pairs = list(zip(retrieved.values[left].tolist(), references.values[right].tolist(), strict=True))
        matches = {pair: bool(all(pair) and self._called(*pair)) for pair in dict.fromkeys(pairs)}
        return np.fromiter(map(matches.__getitem__, pairs), dtype=bool, count=len(pairs))

    def _called(self, passage: str, reference: str) -> bool:
        returned = self.called(passage, reference)
        if not isinstance(returned, bool | int | np.bool_) or returned not in (0, 1):
            raise UsageError(
                "RG-RANK-030 matcher {name} must return True or False; got {returned}",
                self.name,
                excerpt(str(returned)),
            )
        return bool(returned)


def distinct_tokens(texts: Sequence[str]) -> list[set[int]]:
    """Return the distinct tokens of n texts as numbers, one set each.

    >>> distinct_tokens(["the cat, the cat", "我们a1", "a1"])
    [{0, 1}, {2, 3, 4}, {2}]
    """
    characters = sorted(set().union(*texts))
    alone = {character for character in characters if _unspaced().match(character)}
    others = {character for character in characters if unicodedata.category(character)[0] not in "LMN"}
    gaps = dict.fromkeys(map(ord, alone | others), " ")
    numbers = defaultdict[str, int](count().__next__)  # a new token gets the next number
    tokens = ([*text.translate(gaps).split(), *alone.intersection(text)] for text in texts)
    return [{numbers[token] for token in some} for some in tokens]


@cache
def _unspaced() -> Any:
    import regex

    return regex.compile(_UNSPACED)
