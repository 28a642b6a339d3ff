"""Longest common subsequences: their lengths, and the union of those of sentences that ROUGE-Lsum counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ragauge.core import native
from ragauge.core.ragged import BoolArray, IntArray, Ragged, runs
from ragauge.metrics.text._ngrams import representatives

# Codes become characters: those from U+D800 to U+DFFF are surrogates, which no string can hold, and U+10FFFF is last.
_SURROGATES = 0xD800
_SURROGATE_COUNT = 0x800
_CHARACTERS = 0x110000 - _SURROGATE_COUNT
# Codes per block, fewer than there are characters.
_BLOCK = 1 << 20


def lcs_lengths(left: Ragged, right: Ragged) -> IntArray:
    """Return the length of the longest common subsequence of ``left[i]`` and ``right[i]`` for each i, (n,).

    No code may be negative.

    >>> lcs_lengths(Ragged.of([[5, 1, 2, 3]]), Ragged.of([[1, 9, 3]]))
    array([2])
    """
    served = native.of_pairs("subsequences", left, right)
    if served is not None:
        return served
    from rapidfuzz.distance import LCSseq

    return compared_in_pairs(left, right, LCSseq.similarity)


def compared_in_pairs(left: Ragged, right: Ragged, scorer: Callable[..., int]) -> IntArray:
    """Return what a ``scorer`` of rapidfuzz finds of the codes ``left[i]`` and ``right[i]`` for each i, (n,)."""
    from rapidfuzz.process import cpdist

    found = np.zeros(len(left), dtype=np.int64)
    for first, last, lefts, rights in strings(left, right):
        found[first:last] = cpdist(lefts, rights, scorer=scorer, dtype=np.int32)
    return found


def strings(left: Ragged, right: Ragged) -> Iterator[tuple[int, int, list[str], list[str]]]:
    """Yield runs of pairs: the first, the last, which is excluded, and each list of codes of both sides as a string."""
    for first, last in runs(left.offsets[1:] + right.offsets[1:], _BLOCK):
        lefts, rights = _strings(left.between(first, last), right.between(first, last))
        yield first, last, lefts, rights


def _strings(left: Ragged, right: Ragged) -> list[list[str]]:
    """Return each list of codes of both sides as a string; codes that fit into no character are numbered anew."""
    codes = np.concatenate([left.values, right.values])
    if len(codes) and codes.max() >= _CHARACTERS:
        codes = np.unique(codes, return_inverse=True)[1]
    points = codes.astype("<u4")
    points[points >= _SURROGATES] += _SURROGATE_COUNT
    text = points.tobytes().decode("utf-32-le")
    edges = (left.offsets.tolist(), (right.offsets + len(left.values)).tolist())
    return [[text[start:stop] for start, stop in pairwise(side)] for side in edges]


Bits = npt.NDArray[np.uint64]

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
# Words of 64 bits that a block of sentence pairs keeps for its way back: 8 MB twice, and at most 200 MB for the pairs.
_BIT_BLOCK = 1 << 20
# Of `union_costs`: 10 seconds.
MOST_UNION = 1 << 17
# A block takes as long as so many steps from one token of the hypothesis to the next.
_BLOCK_COST = 1 << 12


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The s sentences of n texts. Shapes: ``tokens`` (s) lists of codes; ``owner`` (s,) the text of each, ascending."""

    tokens: Ragged
    owner: IntArray

    def of(self, first: int, last: int) -> Sentences:
        """Return the sentences of texts ``first`` to before ``last``, which are numbered from 0."""
        start, stop = np.searchsorted(self.owner, [first, last])
        return Sentences(self.tokens.between(start, stop), self.owner[start:stop] - first)

    def held(self) -> Sentences:
        """Return the sentences that have a token, numbered as before."""
        kept = np.flatnonzero(self.tokens.lengths)
        return self if len(kept) == len(self.owner) else Sentences(self.tokens.take(kept), self.owner[kept])

    def where(self, texts: BoolArray) -> Sentences:
        """Return the sentences of the ``texts`` that are true, numbered anew."""
        if texts.all():
            return self
        kept = np.flatnonzero(texts[self.owner])
        return Sentences(self.tokens.take(kept), (np.cumsum(texts) - 1)[self.owner[kept]])

    def without(self, texts: IntArray) -> Sentences:
        """Return the sentences of other texts than these, numbered as before."""
        if not len(texts):
            return self
        kept = np.flatnonzero(~np.isin(self.owner, texts))
        return Sentences(self.tokens.take(kept), self.owner[kept])

    def places(self, texts: IntArray, n: int) -> Ragged:
        """Return for each of these ``texts``, numbers below ``n``, the places of its sentences."""
        by_text = Ragged(np.arange(len(self.owner)), np.searchsorted(self.owner, np.arange(n + 1)))
        return by_text.take(texts)

    def repeated(self, texts: IntArray, n: int) -> Sentences:
        """Return the sentences of these ``texts``, numbers below ``n``, in that order."""
        if len(texts) == n and (texts == np.arange(n)).all():
            return self
        places = self.places(texts, n)
        return Sentences(self.tokens.take(places.values), places.rows)


def union_matches(hypotheses: Sentences, references: Sentences, n: int) -> IntArray:
    """Return how many reference tokens are in the union of longest common subsequences with hypothesis sentences.

    Sentences are of n texts, and so is the result, (n,). Each reference sentence is compared with each sentence of
    the hypothesis; its tokens that are in one of those longest common subsequences count, each word no more often
    than the hypothesis has it. Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section
    3.2, with the clipping of ROUGE-1.5.5. Where several subsequences are longest, this reads back the same one from
    its table as rouge-score 0.1.2: from the ends, equal tokens are taken; else it goes back in the hypothesis if
    that keeps the length and going back in the reference does not, else in the reference.

    >>> hypothesis = Sentences(Ragged.of([[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]]), np.array([0, 0]))
    >>> union_matches(hypothesis, Sentences(Ragged.of([[1, 2, 3, 4, 5]]), np.array([0])), 1)
    array([4])
    """
    counts = np.zeros(n, dtype=np.int64)
    hypotheses, references = hypotheses.held(), references.held()
    for first, last in runs(np.cumsum(_bits(hypotheses, references, n)), _BIT_BLOCK):
        counts[first:last] = _union_matches(hypotheses.of(first, last), references.of(first, last), last - first)
    return counts


def union_costs(hypotheses: Sentences, references: Sentences, n: int) -> IntArray:
    """Return what `union_matches` takes for each of n texts: blocks, by the steps of each, (n,)."""
    longest = np.zeros(n, dtype=np.int64)
    np.maximum.at(longest, hypotheses.owner, hypotheses.tokens.lengths)
    return np.asarray(-(-_bits(hypotheses, references, n) // _BIT_BLOCK) * (longest + _BLOCK_COST))


def _bits(hypotheses: Sentences, references: Sentences, n: int) -> IntArray:
    """Return how many words of 64 bits the tables of each of n texts have, (n,)."""
    tokens = np.bincount(hypotheses.owner, weights=hypotheses.tokens.lengths, minlength=n)
    words = np.bincount(references.owner, weights=(references.tokens.lengths + 63) // 64, minlength=n)
    return (tokens * words).astype(np.int64)


def _union_matches(hypotheses: Sentences, references: Sentences, n: int) -> IntArray:
    shared = _Shared.of(hypotheses, references)
    in_union = np.zeros(len(shared.word), dtype=bool)
    lengths = shared.rows.lengths
    words = (lengths + 63) // 64
    tokens = np.bincount(hypotheses.owner, weights=hypotheses.tokens.lengths, minlength=n).astype(np.int64)
    for first, last in runs(np.cumsum(tokens[references.owner] * words), _BIT_BLOCK):
        pairs = hypotheses.places(references.owner[first:last], n)
        left, right = pairs.values, pairs.rows + first
        for width in np.unique(words[first:last]).tolist():
            chosen = words[right] == width
            if width:
                in_union |= _in_union(shared, hypotheses.tokens, left[chosen], right[chosen], width)
    return shared.clipped(in_union, n)


@dataclass(frozen=True, slots=True, eq=False)
class _Shared:
    """The tokens that a text shares with its reference, numbered within each text from 1; q of them in references.

    Reference tokens that the hypothesis does not have are left out, because they change no table of subsequences.
    """

    rows: Ragged
    """For each reference sentence the numbers of its shared tokens; q in all."""
    word: IntArray
    """(q,) the word of each, counted over all texts."""
    columns: IntArray
    """For each hypothesis token its number, or 0."""
    size: IntArray
    """(reference sentences,) how many numbers its text has, and one."""
    available: IntArray
    """(words,) how often the hypothesis has each."""
    owner: IntArray
    """(words,) the text of each."""

    @classmethod
    def of(cls, hypotheses: Sentences, references: Sentences) -> _Shared:
        parts = (hypotheses, references)
        text = np.concatenate([np.repeat(part.owner, part.tokens.lengths) for part in parts])
        codes = np.concatenate([part.tokens.values for part in parts], dtype=np.int64)
        groups = representatives((codes | (text << 32)).view(np.uint64))
        split = len(hypotheses.tokens.values)
        available, needed = (np.bincount(part, minlength=len(codes)) for part in (groups[:split], groups[split:]))
        members = np.flatnonzero((available > 0) & (needed > 0))
        members = members[np.argsort(text[members], kind="stable")]
        owner = text[members]
        sizes = np.bincount(owner, minlength=int(references.owner.max(initial=-1)) + 1)
        word = np.full(len(codes), -1)
        word[members] = np.arange(len(members))
        number = np.zeros(len(codes), dtype=np.int64)
        number[members] = np.arange(len(members)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
        kept = word[groups[split:]] >= 0
        lengths = np.bincount(references.tokens.rows[kept], minlength=len(references.tokens))
        return cls(
            rows=Ragged.from_lengths(number[groups[split:]][kept], lengths),
            word=word[groups[split:]][kept],
            columns=number[groups[:split]],
            size=sizes[references.owner] + 1,
            available=available[members],
            owner=owner,
        )

    def clipped(self, in_union: BoolArray, n: int) -> IntArray:
        """Return the tokens of each text's union, each word no more often than the hypothesis has it, (n,)."""
        hits = np.minimum(np.bincount(self.word[in_union], minlength=len(self.available)), self.available)
        return np.bincount(self.owner, weights=hits, minlength=n).astype(np.int64)


def _in_union(shared: _Shared, hypotheses: Ragged, left: IntArray, right: IntArray, width: int) -> BoolArray:
    """Return a mask of the shared reference tokens that are in a longest common subsequence of a sentence pair, (q,).

    Shapes: ``left`` and ``right`` (p,): the sentences of each pair. Reference sentences have ``width`` words of bits.
    """
    order = np.argsort(-hypotheses.lengths[left], kind="stable")
    left, right = left[order], right[order]
    table, base = _masks(shared, np.unique(right), width)
    taken = _subsequences(table, base[right], hypotheses, shared.columns, left, width)
    union = np.zeros((width, len(shared.rows)), dtype=np.uint64)
    by_sentence = np.argsort(right, kind="stable")
    sentences = right[by_sentence]
    starts = np.flatnonzero(np.diff(sentences, prepend=-1))
    union[:, sentences[starts]] = np.bitwise_or.reduceat(taken[:, by_sentence], starts, axis=1)
    place = shared.rows.positions
    word = np.minimum(place >> 6, width - 1)
    return np.asarray((union[word, shared.rows.rows] >> (place & 63).astype(np.uint64)) & _ONE, dtype=bool)


def _masks(shared: _Shared, sentences: IntArray, width: int) -> tuple[Bits, IntArray]:
    """Return the places of each number in each sentence as bits, in a flat table, and the first entry of each sentence.

    Number k has ``width`` entries from first + k * width.
    """
    sizes = np.zeros(len(shared.rows), dtype=np.int64)
    sizes[sentences] = shared.size[sentences] * width
    base = np.cumsum(sizes) - sizes
    chosen = np.flatnonzero(sizes[shared.rows.rows])
    place = shared.rows.positions[chosen]
    entry = base[shared.rows.rows[chosen]] + shared.rows.values[chosen] * width + (place >> 6)
    table = np.zeros(int(sizes.sum()), dtype=np.uint64)
    np.add.at(table, entry, _ONE << (place & 63).astype(np.uint64))
    return table, base


def _subsequences(
    table: Bits, base: IntArray, hypotheses: Ragged, columns: IntArray, left: IntArray, width: int
) -> Bits:
    """Return the reference places of one longest common subsequence of each pair, as bits (width, p).

    Pairs are in order of falling hypothesis length, so that each step works on a shorter prefix of them. Forward,
    Hyyro 2004, "Bit-parallel LCS-length computation revisited": bit i of ``state`` is 0 where the table grows from
    reference place i to i + 1 in this column. Backward, a column is left at the highest place, at or below the
    present one, which either matches or grows.
    """
    lengths = hypotheses.lengths[left]
    starts = hypotheses.offsets[left]
    active = np.searchsorted(-lengths, -np.arange(lengths[0]), side="left") if len(lengths) else np.empty(0, np.int64)
    words = np.arange(width)[:, None]
    state = np.full((width, len(left)), _ALL)
    matches, states = [], []
    for column, p in enumerate(active.tolist()):
        match = table[base[:p] + columns[starts[:p] + column] * width + words]
        state = _step(state[:, :p], match)
        matches.append(match)
        states.append(state)
    return _read_back(matches, states, width, len(left))


def _step(state: Bits, match: Bits) -> Bits:
    """Return the state one column further: (state + (state & match)) | (state & ~match), with carries between words."""
    hit = state & match
    total = state + hit
    for word in range(1, len(state)):
        below = total[word - 1]
        carry = (below < state[word - 1]) | ((below == state[word - 1]) & (hit[word - 1] != 0))
        total[word] += carry
    return np.asarray(total | (state & ~match))


def _read_back(matches: list[Bits], states: list[Bits], width: int, pairs: int) -> Bits:
    taken = np.zeros((width, pairs), dtype=np.uint64)
    below = np.full((width, pairs), _ALL)
    for match, state in zip(reversed(matches), reversed(states), strict=True):
        p = match.shape[1]
        open_words = np.ones(p, dtype=bool)
        for word in range(width - 1, -1, -1):
            here = below[word, :p]
            equal = match[word] & here
            grown = ~state[word] & here & ~match[word]
            upto = _filled(equal | grown)
            took = equal > grown
            bit = np.where(took & open_words, upto ^ (upto >> _ONE), np.uint64(0))
            taken[word, :p] |= bit
            below[word, :p] = np.where(open_words, upto ^ bit, here)
            open_words &= upto == 0
    return taken


def _filled(bits: Bits) -> Bits:
    """Return ``bits`` with every bit set below the highest that is set."""
    filled = bits | (bits >> _ONE)
    for shift in (2, 4, 8, 16, 32):
        filled |= filled >> np.uint64(shift)
    return filled
