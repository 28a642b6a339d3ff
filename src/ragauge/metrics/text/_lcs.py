"""Longest common subsequences: their lengths, and the union of those of sentences that ROUGE-Lsum counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray, IntArray, Ragged
from ragauge.metrics.text._ngrams import representatives

# Codes become characters: those from U+D800 to U+DFFF are surrogates, which no string can hold, and U+10FFFF is last.
_SURROGATES = 0xD800
_SURROGATE_COUNT = 0x800
_CHARACTERS = 0x110000 - _SURROGATE_COUNT
_BLOCK = 1 << 20


def lcs_lengths(left: Ragged, right: Ragged) -> IntArray:
    """Return the length of the longest common subsequence of ``left[i]`` and ``right[i]`` for each i.

    Args:
        left: n lists of codes, none negative.
        right: n lists of codes.

    Returns:
        (n,) int64.

    >>> lcs_lengths(Ragged.of([[5, 1, 2, 3]]), Ragged.of([[1, 9, 3]]))
    array([2])
    """
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cpdist

    lengths = np.zeros(len(left), dtype=np.int64)
    for first, last in _blocks(left, right):
        pair = _strings(*_characters(left, right, first, last))
        lengths[first:last] = cpdist(*pair, scorer=LCSseq.similarity, dtype=np.int32)
    return lengths


def _characters(left: Ragged, right: Ragged, first: int, last: int) -> tuple[Ragged, Ragged]:
    """Return the lists ``first`` to ``last`` with codes that fit into characters, numbering them anew if need be."""
    parts = [ragged.between(first, last) for ragged in (left, right)]
    flat = np.concatenate([part.values for part in parts])
    if len(flat) and flat.max() >= _CHARACTERS:
        flat = np.unique(flat, return_inverse=True)[1]
    split = len(parts[0].values)
    return Ragged(flat[:split], parts[0].offsets), Ragged(flat[split:], parts[1].offsets)


def _strings(left: Ragged, right: Ragged) -> tuple[list[str], list[str]]:
    return _written(left), _written(right)


def _written(codes: Ragged) -> list[str]:
    """Write each list of codes as a string."""
    values = codes.values.astype(np.uint32)
    values[values >= _SURROGATES] += _SURROGATE_COUNT
    text = values.astype("<u4", copy=False).tobytes().decode("utf-32-le")
    edges = codes.offsets.tolist()
    return [text[start:stop] for start, stop in pairwise(edges)]


def _blocks(left: Ragged, right: Ragged) -> Iterator[tuple[int, int]]:
    """Cut the pairs into runs of at most about `_BLOCK` codes, fewer than there are characters."""
    codes = left.offsets[1:] + right.offsets[1:]
    marks = np.arange(_BLOCK, codes[-1] if len(codes) else 0, _BLOCK)
    edges = np.unique(np.concatenate([[0], np.searchsorted(codes, marks, side="right"), [len(left)]])).tolist()
    yield from pairwise(edges)


Bits = npt.NDArray[np.uint64]

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
# Words of 64 bits that a block of sentence pairs keeps for its way back: 32 MB twice.
_BIT_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The sentences of n texts: ``tokens`` has one list of codes per sentence, ``owner`` the text of each, ascending.

    Shapes: ``tokens`` (s) lists of codes; ``owner`` (s,).
    """

    tokens: Ragged
    owner: IntArray

    def of(self, first: int, last: int) -> Sentences:
        """Return the sentences of texts ``first`` to ``last``, which are numbered from 0 then."""
        start, stop = np.searchsorted(self.owner, [first, last])
        return Sentences(self.tokens.between(start, stop), self.owner[start:stop] - first)

    def where(self, texts: BoolArray) -> Sentences:
        """Return the sentences of the ``texts`` that are true, numbered anew."""
        if texts.all():
            return self
        kept = np.flatnonzero(texts[self.owner])
        return Sentences(self.tokens.take(kept), (np.cumsum(texts) - 1)[self.owner[kept]])


def union_matches(hypotheses: Sentences, references: Sentences, n: int) -> IntArray:
    """Count the reference tokens in the union of longest common subsequences with the hypothesis' sentences.

    Each reference sentence is compared with each sentence of the hypothesis; the tokens of it that stand in one of
    those common subsequences count, each word no more often than the hypothesis has it. Source: Lin 2004, "ROUGE: a
    package for automatic evaluation of summaries", section 3.2, with the clipping of ROUGE-1.5.5. Where several
    subsequences are longest, the one is taken that rouge-score 0.1.2 reads back from its table: from the ends, equal
    tokens are taken; else it goes back in the hypothesis if that keeps the length and going back in the reference
    does not, else in the reference.

    Args:
        hypotheses: sentences of n texts.
        references: sentences of n texts.
        n: how many texts there are.

    Returns:
        (n,) int64.

    >>> hypothesis = Sentences(Ragged.of([[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]]), np.array([0, 0]))
    >>> union_matches(hypothesis, Sentences(Ragged.of([[1, 2, 3, 4, 5]]), np.array([0])), 1)
    array([4])
    """
    counts = np.zeros(n, dtype=np.int64)
    for first, last in _text_blocks(hypotheses, references, n):
        counts[first:last] = _union_matches(hypotheses.of(first, last), references.of(first, last), last - first)
    return counts


def _union_matches(hypotheses: Sentences, references: Sentences, n: int) -> IntArray:
    shared = _Shared.of(hypotheses, references)
    in_union = np.zeros(len(shared.word), dtype=bool)
    lengths = shared.rows.lengths
    words = (lengths + 63) // 64
    left, right = _sentence_pairs(hypotheses, references, n)
    useful = (words[right] > 0) & (hypotheses.tokens.lengths[left] > 0)
    left, right = left[useful], right[useful]
    for width in np.unique(words[right]).tolist():
        chosen = words[right] == width
        in_union |= _in_union(shared, hypotheses.tokens, left[chosen], right[chosen], width)
    return shared.clipped(in_union, n)


@dataclass(frozen=True, slots=True, eq=False)
class _Shared:
    """The tokens that a text shares with its reference, numbered within each text from 1; q of them in references.

    Reference tokens that the hypothesis does not have are left out: no table of subsequences changes by it.
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
        available, wanted = (np.bincount(part, minlength=len(codes)) for part in (groups[:split], groups[split:]))
        members = np.flatnonzero((available > 0) & (wanted > 0))
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
        """Count per text the tokens of the union, each word as often as the hypothesis has it at most."""
        hits = np.minimum(np.bincount(self.word[in_union], minlength=len(self.available)), self.available)
        return np.bincount(self.owner, weights=hits, minlength=n).astype(np.int64)


def _in_union(shared: _Shared, hypotheses: Ragged, left: IntArray, right: IntArray, width: int) -> BoolArray:
    """Return a mask of the shared reference tokens that stand in a longest common subsequence of some sentence pair.

    Args:
        shared: what both sides share.
        hypotheses: the tokens of hypothesis sentences.
        left: (p,) hypothesis sentence of each pair.
        right: (p,) its reference sentence; each has ``width`` words of bits.
        width: 64-bit words per reference sentence.

    Returns:
        (q,)
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
    """Write for each sentence and each number the bits of the places where it stands.

    Returns:
        A flat table, and the first entry of each sentence: number k has ``width`` entries from first + k * width.
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

    Pairs stand in order of falling hypothesis length, so that each step works on a shorter prefix of them. Forward,
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
    """Move one column on: (state + (state & match)) | (state & ~match), with carries between words."""
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
    """Set every bit below the highest that is set."""
    filled = bits | (bits >> _ONE)
    for shift in (2, 4, 8, 16, 32):
        filled |= filled >> np.uint64(shift)
    return filled


def _sentence_pairs(hypotheses: Sentences, references: Sentences, n: int) -> tuple[IntArray, IntArray]:
    """Pair every reference sentence with every hypothesis sentence of its text."""
    count = np.bincount(hypotheses.owner, minlength=n)
    first = np.cumsum(count) - count
    times = count[references.owner]
    right = np.repeat(np.arange(len(references.owner)), times)
    within = np.arange(len(right)) - np.repeat(np.cumsum(times) - times, times)
    return first[references.owner][right] + within, right


def _text_blocks(hypotheses: Sentences, references: Sentences, n: int) -> Iterator[tuple[int, int]]:
    """Cut the texts into runs that keep about `_BIT_BLOCK` words of bits."""
    tokens = np.bincount(hypotheses.owner, weights=hypotheses.tokens.lengths, minlength=n)
    words = np.bincount(references.owner, weights=(references.tokens.lengths + 63) // 64, minlength=n)
    cost = np.cumsum(tokens * words)
    marks = np.arange(_BIT_BLOCK, cost[-1] if n else 0, _BIT_BLOCK)
    edges = np.unique(np.concatenate([[0], np.searchsorted(cost, marks, side="right"), [n]])).tolist()
    yield from pairwise(edges)
