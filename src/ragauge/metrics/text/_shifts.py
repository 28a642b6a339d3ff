"""The edits of TER: the fewest words to insert, delete or replace once blocks of words were shifted, found greedily.

The search is tercom's as sacrebleu 2.6.0 writes it: its beam, its limits, its order among ways of equal cost.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ragauge.core.ragged import BoolArray

# lib_ter.py of sacrebleu 2.6.0.
_LONGEST_SHIFT = 10  # words
_FARTHEST_SHIFT = 50
_BEAM = 25  # cells on each side of the diagonal
MOST_SHIFTS = 1_000
"""Shifts that are looked at; the step that reaches this number is not made."""
Cells = npt.NDArray[np.int32]
# No distance, and it stays one when costs are added.
_NEVER = 1 << 29


def shift_edits(answer: str, reference: str) -> int:
    """Return the shifts and the other edits that make ``reference`` of ``answer``; each character is a word.

    >>> shift_edits("bcdefa", "abcdef"), shift_edits("abc", "")
    (1, 3)
    """
    if not answer or not reference:
        return len(answer) or len(reference)
    places = _places(reference)
    (distance,) = _distances([answer], reference)
    # No order of these words is nearer to the reference.
    lowest = max(len(answer), len(reference)) - (Counter(answer) & Counter(reference)).total()
    shifts = seen = 0
    while distance > lowest:
        found = list(_shifts(answer, reference, places, _trace(answer, reference, distance)))
        seen += len(found)
        if not found or seen >= MOST_SHIFTS:
            break
        options = list(dict.fromkeys(found))
        texts = [_shifted(answer, *option) for option in options]
        ranks = zip(_distances(texts, reference), options, texts, strict=True)
        # The least distance; of equal ones the longest block, then the first place that it leaves, then takes.
        least, _, text = min(ranks, key=lambda rank: (rank[0], -rank[1][0], rank[1][1], rank[1][2]))
        if least >= distance:
            break
        answer, distance, shifts = text, least, shifts + 1
    return shifts + distance


Shift = tuple[int, int, int]
"""The length of a block, where it begins, and the place before which it goes."""


def _places(reference: str) -> Mapping[str, Sequence[int]]:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        places.setdefault(word, []).append(place)
    return places


def _within(distance: int, beam: int, answer: int, reference: int) -> bool:
    """Return whether the beam holds all ways of this ``distance`` between texts of these lengths.

    A way leaves the diagonal by half of the distance and of the difference in length; the diagonal is rounded down.
    """
    return reference < beam or (distance + abs(answer - reference)) // 2 + 2 <= beam


def _beam(answer: int, reference: int) -> int:
    steepness = reference / answer
    return _BEAM if steepness / 2 <= _BEAM else math.ceil(steepness / 2 + _BEAM)


def _trace(answer: str, reference: str, distance: int) -> str:
    """Return the way of this ``distance`` as ``=`` and ``s``, and ``d`` and ``i`` for words of one side only.

    Of ways of equal cost it is the one that, from the end, takes a pair of words first, then a word of the answer.
    """
    beam = _beam(len(answer), len(reference))
    exact = _within(distance, beam, len(answer), len(reference))
    pairs, drops = _bits(answer, reference) if exact else _beam_bits(answer, reference, beam)
    row, cell, back = len(answer), len(reference), []
    while row and cell:
        row, cell = row - 1, cell - 1
        if pairs[row] >> cell & 1:
            back.append("=" if answer[row] == reference[cell] else "s")
        elif drops[row] >> cell & 1:
            back.append("d")
            cell += 1
        else:
            back.append("i")
            row += 1
    return "i" * cell + "d" * row + "".join(reversed(back))


Bits = list[int]
"""One number for each word of the answer, one bit for each word of the reference."""


def _bits(answer: str, reference: str) -> tuple[Bits, Bits]:
    """Return which cells of the matrix are reached at least cost by a pair of words, and which by a word of the answer.

    Myers 1999, "A fast bit-vector algorithm for approximate string matching based on dynamic programming".
    """
    equal: dict[str, int] = {}
    for place, word in enumerate(reference):
        equal[word] = equal.get(word, 0) | 1 << place
    mask = (1 << len(reference)) - 1
    up, down, pairs, drops = mask, 0, [], []
    for word in answer:
        match = equal.get(word, 0)
        level = (((match & up) + up) ^ up) | match | down
        more, less = (down | ~(level | up)) & mask, level & up
        pairs.append((match | ~level) & mask)
        drops.append(more)
        more = more << 1 | 1
        up, down = (less << 1 | ~(level | more)) & mask, more & level & mask
    return pairs, drops


def _beam_bits(answer: str, reference: str, beam: int) -> tuple[Bits, Bits]:
    """Return the same of the matrix within the beam."""
    rows = [cells[0].copy() for cells in _rows([answer], reference, beam)]
    costs = _points(answer)[:, None] != _points(reference)
    steps = list(zip(pairwise(rows), costs, strict=True))
    pairs = [lower[1:] == upper[:-1] + cost for (upper, lower), cost in steps]
    drops = [lower[1:] == upper[1:] + 1 for (upper, lower), _ in steps]
    return _numbers(pairs), _numbers(drops)


def _numbers(rows: Sequence[BoolArray]) -> Bits:
    return [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in rows]


def _shifts(answer: str, reference: str, places: Mapping[str, Sequence[int]], trace: str) -> Iterator[Shift]:
    """Yield the shifts to look at, one as often as blocks of the reference ask for it, up to `MOST_SHIFTS`."""
    beside, answer_wrong, reference_wrong = _aligned(trace)
    seen = 0
    for start, word in enumerate(answer):
        for target in places.get(word, ()):
            if abs(target - start) > _FARTHEST_SHIFT:
                continue
            longest = min(_LONGEST_SHIFT, len(answer) - start, len(reference) - target)
            moves = wrong = 0
            for length in range(1, longest + 1):
                last = length - 1
                if answer[start + last] != reference[target + last]:
                    break
                moves |= answer_wrong[start + last]
                wrong |= reference_wrong[target + last]
                if not (moves and wrong) or start <= beside[target] < start + length:
                    continue
                before = -1
                for other in range(target - 1, target + length):
                    place = beside[other] + 1 if other >= 0 else 0
                    if place != before:
                        yield length, start, place
                        seen += 1
                    before = place
                if seen >= MOST_SHIFTS:
                    return


def _aligned(trace: str) -> tuple[list[int], list[bool], list[bool]]:
    """Return the place in the answer beside each word of the reference, and which words of each side are wrong."""
    place, beside = -1, []
    answer_wrong, reference_wrong = [], []
    for step in trace:
        if step != "i":
            place += 1
            answer_wrong.append(step != "=")
        if step != "d":
            beside.append(place)
            reference_wrong.append(step != "=")
    return beside, answer_wrong, reference_wrong


def _shifted(words: str, length: int, start: int, place: int) -> str:
    end = start + length
    block = words[start:end]
    if place < start:
        return words[:place] + block + words[place:start] + words[end:]
    if place > end:
        return words[:start] + words[end:place] + block + words[place:]
    # Within the block itself: as many words beyond it as the place is far from the beginning.
    return words[:start] + words[end : length + place] + block + words[length + place :]


def _distances(texts: Sequence[str], reference: str) -> list[int]:
    """Return the distance of each text, all of one length, within the beam."""
    from rapidfuzz.distance import Levenshtein

    length, size = len(texts[0]), len(reference)
    beam = _beam(length, size)
    found = [Levenshtein.distance(text, reference) for text in texts]
    far = [place for place, distance in enumerate(found) if not _within(distance, beam, length, size)]
    if far:
        *_, cells = _rows([texts[place] for place in far], reference, beam)
        for place, distance in zip(far, cells[:, -1].tolist(), strict=True):
            found[place] = distance
    return found


def _rows(texts: Sequence[str], reference: str, beam: int) -> Iterator[Cells]:
    """Yield each row of the matrices of c texts of one length, (c, len(reference) + 1), in one and the same array."""
    length, size = len(texts[0]), len(reference)
    words, targets = _points("".join(texts)).reshape(len(texts), length), _points(reference)
    steps = np.arange(size + 1, dtype=np.int32)
    cells = np.tile(steps, (len(texts), 1))
    yield cells
    for row in range(1, length + 1):
        middle = int(row * (size / length))
        first, end = max(0, middle - beam), size + 1 if row == length else min(size + 1, middle + beam)
        lower = max(first, 1)
        costs = cells[:, lower - 1 : end - 1] + (words[:, row - 1, None] != targets[lower - 1 : end - 1])
        cells[:, lower:end] = np.minimum(costs, cells[:, lower:end] + 1)
        # Only the nearest cell outside is read later; beyond the end, those of the row before all.
        cells[:, lower - 1] = row if first == 0 else _NEVER
        if row == 1:
            cells[:, end:] = _NEVER
        band = cells[:, lower - 1 : end] - steps[lower - 1 : end]
        cells[:, lower - 1 : end] = np.minimum.accumulate(band, axis=1) + steps[lower - 1 : end]
        yield cells


def _points(text: str) -> Cells:
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.int32)
