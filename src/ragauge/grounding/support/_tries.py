"""Many words found at many places of a text at once, by arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import Array, IntArray, Ragged

_COLUMNS = 1 << 16


@dataclass(frozen=True, eq=False)
class Trie:
    r"""Words as a table of states: state and character -> state.

    >>> trie = Trie.of([("ab", 7), ("abc", 8), ("b", 9)])
    >>> points = np.frombuffer(b"abcb\\0", dtype=np.uint8)
    >>> trie.matches(points, np.array([0, 3]))
    (array([0, 0, 1]), array([2, 3, 4]), array([7, 8, 9]))
    >>> trie.longest(points, np.array([0, 2]))
    (array([3, 2]), array([ 8, -1]))
    """

    columns: npt.NDArray[np.uint16]
    """(65536,): the column of each code point, 0 where no word has it; those above are as the last, which has none."""
    table: npt.NDArray[np.int32]
    """(states, columns): the next state, 0 where there is none; 0 is also the state before the first character."""
    entries: Ragged
    """The numbers of the words that end in each state."""

    @classmethod
    def of(cls, words: Iterable[tuple[str, int]]) -> Trie:
        """Return the trie of words with a number each; one word may have several."""
        branches: list[dict[str, int]] = [{}]
        entries: list[list[int]] = [[]]
        for word, entry in words:
            state = 0
            for char in word:
                if char not in branches[state]:
                    branches[state][char] = len(branches)
                    branches.append({})
                    entries.append([])
                state = branches[state][char]
            if entry not in entries[state]:
                entries[state].append(entry)
        alphabet = sorted({char for branch in branches for char in branch})
        columns = np.zeros(_COLUMNS, dtype=np.uint16)
        columns[[ord(char) for char in alphabet]] = np.arange(1, len(alphabet) + 1)
        table = np.zeros((len(branches), len(alphabet) + 1), dtype=np.int32)
        for state, branch in enumerate(branches):
            for char, target in branch.items():
                table[state, columns[ord(char)]] = target
        return cls(columns, table, Ragged.of(entries, np.int64))

    def matches(self, points: Array, starts: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return all words that begin at ``starts`` (s,): the place in starts, the end, and the number of each.

        They come in the order of the starts, shorter words first. ``points`` end in a zero, which no word has.
        """
        parts, lengths = [np.empty((3, 0), dtype=np.int64)], self.entries.lengths
        for live, at, state in self._walk(points, starts):
            ends = np.flatnonzero(lengths[state])
            if len(ends):
                some = self.entries.take(state[ends])
                parts.append(np.stack([live[ends][some.rows], at[ends][some.rows], some.values]))
        of, end, entry = np.concatenate(parts, axis=1)
        order = np.argsort(of, kind="stable")
        return of[order], end[order], entry[order]

    def longest(self, points: Array, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the end and the number of the longest word at each start, (s,) both; the start and -1 without one."""
        ends, entry = starts.copy(), np.full(len(starts), -1, dtype=np.int64)
        lengths, firsts = self.entries.lengths, self.entries.offsets
        for live, at, state in self._walk(points, starts):
            some = lengths[state] > 0
            ends[live[some]], entry[live[some]] = at[some], self.entries.values[firsts[state[some]]]
        return ends, entry

    def _walk(self, points: Array, starts: IntArray) -> Iterator[tuple[IntArray, IntArray, Array]]:
        """Yield the places in starts that still match, where they are, and their states, step by step."""
        table, width = self.table.ravel(), self.table.shape[1]
        live, at, row = np.arange(len(starts)), starts, np.zeros(len(starts), dtype=np.int64)
        while len(live):
            state = table.take(row + self.columns.take(points.take(at), mode="clip"))
            going = np.flatnonzero(state)
            live, at, state = live.take(going), at.take(going) + 1, state.take(going)
            yield live, at, state
            row = state.astype(np.int64) * width
