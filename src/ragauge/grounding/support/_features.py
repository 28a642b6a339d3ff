"""What speaks for and against the support of a claim by a passage, as numbers from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragauge.core.ragged import BoolArray, FloatArray, IntArray, Ragged, offsets_of
from ragauge.grounding.support._matching import PLACED, SCALE, Matching, cues_of, kernel, near
from ragauge.grounding.support.units import CENT, Kind

# Reaches of kernels in words, chosen on the development halves of the probes and WiCE; within a factor of two the
# figures hardly move.
_PAIR_IN_CLAIM, _PAIR = kernel(6.0), kernel(20.0)
_BY_NEGATION, _MEETING = kernel(2.5), kernel(3.0, flat=4.0)
# Neighbours in the claim, in units, whose places are compared: a kernel of the claim is small beyond.
_NEIGHBOURS = 24
# Occurrences of a unit at which the claim's words may meet, and negations of a claim, that are looked at.
_MOST_SPOTS, _MOST_NEGATIONS = 16, 4
# A claim of this weight, in words, counts fully against its passage; one of more facts less.
_FULL = 10

VALUES = (Kind.NUMBER, Kind.YEAR, Kind.MONTH, Kind.DAY, Kind.TIME, Kind.WEEKDAY, Kind.ORDINAL)


@dataclass(frozen=True, eq=False)
class Match:
    """How well each claim matches its passage, k pairs.

    Shapes: (k,). ``near``: the share of the claim that the passage has, times how near to each other neighbours of the
    claim stand there; 1 of a copy. ``scale``: how much counts that speaks against it: a contradiction needs a match.
    """

    near: FloatArray
    scale: FloatArray


def matched(matching: Matching) -> Match:
    """Return the match of k pairs."""
    rows, best = matching.rows, matching.best
    size = rows.sums(rows.content)
    whole = np.maximum(size, 1)
    recall = rows.sums(rows.content * best) / (whole * CENT)
    together, has_neighbours = _together(matching)
    closeness = recall * together
    # Without neighbours nothing stands together or apart: then only the matched share says how far it is a match.
    scale = np.sqrt(np.where(has_neighbours, closeness, recall))
    return Match(closeness, scale * np.minimum(1.0, _FULL * CENT / np.maximum(size, CENT)))


def _together(matching: Matching) -> tuple[FloatArray, BoolArray]:
    """Return how near neighbours of the claim stand in the passage, and which claims have any, both (k,).

    The first is a mean over pairs of matched units, 0 to 1. Each pair weighs by both units, and by how near they are in
    the claim; only a distance beyond that counts. It is 1 where one unit, or one kind of unit, leaves no pair.
    """
    rows, places = matching.rows, matching.places
    used = np.flatnonzero((rows.weight >= PLACED) & (places.lengths > 0))
    pair, position, weight = rows.pair[used], rows.position[used], rows.weight[used]
    group = rows.index.group[rows.unit[used]]
    reached, possible = (np.zeros(len(rows.offsets) - 1, dtype=np.int64) for _ in range(2))
    for step in range(1, _NEIGHBOURS + 1):
        here = np.flatnonzero((pair[:-step] == pair[step:]) & (group[:-step] != group[step:]))
        if step >= len(pair) or not len(here):
            break
        gap = np.abs(position[here + step] - position[here])
        pull = weight[here] * weight[here + step] * near(_PAIR_IN_CLAIM, gap)
        close = _closest(matching, used[here], used[here + step], gap)
        np.add.at(reached, pair[here], pull * close)
        np.add.at(possible, pair[here], pull)
    placed = rows.weight >= PLACED
    alone = rows.sums(placed.astype(np.int64)) < 2
    alone |= (possible == 0) & (rows.sums((placed & (places.lengths == 0)).astype(np.int64)) == 0)
    return np.where(alone, 1.0, reached / np.maximum(possible * SCALE, 1)), possible > 0


def _closest(matching: Matching, one: IntArray, other: IntArray, gap: IntArray) -> IntArray:
    """Return how near occurrences of two rows come to each other, (m,), as a kernel; ``gap``: their distance before."""
    places = matching.places
    lengths = places.lengths
    fewer = lengths[one] <= lengths[other]
    first, second = np.where(fewer, one, other), np.where(fewer, other, one)
    each = Ragged(np.empty(0), offsets_of(lengths[first]))
    place = places.offsets[first][each.rows] + each.positions
    value = places.highest(second[each.rows], places.position[place], _PAIR, gap[each.rows])
    value = value * places.strength[place] // (CENT * CENT)
    return np.asarray(np.maximum.reduceat(value, each.offsets[:-1]))


def retold(matching: Matching) -> FloatArray:
    """Return the share of each claim's characters that are values which the passage writes otherwise, (k,).

    8,849 beside 8849: n-gram recall does not see that they agree.
    """
    rows, agreeing, units = matching.rows, matching.valued, matching.rows.index.units
    same = units.text[rows.unit[agreeing.rows]] == units.text[agreeing.values]
    copied = np.bincount(agreeing.rows[same], minlength=len(rows.unit)) > 0
    valued = np.isin(rows.kind, VALUES) & (matching.best == CENT) & ~copied
    width = (units.end - units.start)[rows.unit].astype(np.int64)
    begin, end = (np.zeros(len(rows.offsets) - 1, dtype=np.int64) for _ in range(2))
    begin[rows.pair[::-1]] = units.start[rows.unit[::-1]]
    np.maximum.at(end, rows.pair, units.end[rows.unit])
    return np.asarray(np.minimum(rows.sums(np.where(valued, width, 0)) / np.maximum(end - begin, 1), 1.0))


def absent(matching: Matching) -> BoolArray:
    """Return a mask of the values of claims that no unit of the passage agrees with, (r,)."""
    return np.asarray(np.isin(matching.rows.kind, VALUES) & (matching.best == 0))


def value_absent(matching: Matching) -> FloatArray:
    """Return 1 where no unit of the passage agrees with a value of the claim, else 0, (k,)."""
    rows = matching.rows
    return (rows.sums(absent(matching).astype(np.int64)) > 0).astype(np.float64)


def negations(matching: Matching) -> tuple[FloatArray, FloatArray]:
    """Return how far a negation is in the claim only, and how far in the passage only, 0 to 1, (k,) each.

    The place to look is where the claim's words meet that are rare in the passage: its hero is named in every sentence,
    what is said of the hero only once. Of a claim with a negation those near the negation count.
    """
    rows, places = matching.rows, matching.places
    k = len(rows.offsets) - 1
    passages = np.zeros(k, dtype=np.int64)
    passages[rows.pair] = rows.passage
    cues = cues_of(rows.index, passages, Kind.NEGATION)
    occurring = np.add.reduceat(np.append(places.strength, 0), places.offsets[:-1]) if len(rows.unit) else rows.unit
    occurring = np.where(places.lengths > 0, occurring, 0)
    rare = np.where(occurring > 0, rows.content * 10_000 // np.maximum(occurring, CENT), 0)
    matched_some = rows.sums(rare) > 0
    own = np.flatnonzero((rows.kind == Kind.NEGATION) & matched_some[rows.pair])
    own = own[Ragged.from_lengths(own, np.bincount(rows.pair[own], minlength=k)).positions < _MOST_NEGATIONS]
    negated = np.zeros(k, dtype=bool)
    negated[rows.pair[own]] = True
    dropped_in = np.flatnonzero(matched_some & ~negated & (cues.lengths > 0))
    pair = np.concatenate([rows.pair[own], dropped_in])
    centre = np.concatenate([rows.position[own], np.full(len(dropped_in), -1)])
    shares = _negated(matching, rare, cues, pair, centre)
    added, dropped = np.zeros(k), np.zeros(k)
    np.maximum.at(added, pair[: len(own)], np.where(matching.best[own] > 0, 0.0, 1.0 - shares[: len(own)]))
    dropped[dropped_in] = shares[len(own) :]
    return added, dropped


def _negated(matching: Matching, rare: IntArray, cues: Ragged, pair: IntArray, centre: IntArray) -> FloatArray:
    """Return how much of the claim meets around a negation of the passage, of the most that meets anywhere, (q,).

    ``cues``: the negations of each passage, (k,) lists of units. ``centre`` (q,): the position in the claim whose
    surroundings count; -1: all of it counts, and only negations in whose clauses the claim has a part.
    """
    rows, places = matching.rows, matching.places
    begin = rows.offsets[pair]
    each = Ragged(np.empty(0), offsets_of(rows.offsets[pair + 1] - begin))
    row = begin[each.rows] + each.positions
    away = np.abs(rows.position[row] - centre[each.rows])
    pull = np.where(centre[each.rows] < 0, rare[row] * SCALE, rare[row] * near(_BY_NEGATION, away))
    pull = np.where(places.lengths[row] > 0, pull, 0)
    highest = np.zeros(len(pair), dtype=np.int64)
    np.maximum.at(highest, each.rows, pull)
    kept = pull > 0
    queries = Ragged(row, each.offsets).where(kept)
    pulls = Ragged(pull, each.offsets).where(kept)
    # The claim's words meet at one of the weightier ones.
    heavy = Ragged(row, each.offsets).where(kept & (2 * pull >= highest[each.rows]))
    taken = Ragged(np.empty(0), offsets_of(np.minimum(places.lengths[heavy.values], _MOST_SPOTS)))
    step = taken.positions * places.lengths[heavy.values][taken.rows] // np.maximum(taken.lengths, 1)[taken.rows]
    spots = Ragged(places.position[places.offsets[heavy.values][taken.rows] + step], taken.offsets[heavy.offsets])
    best = _meeting(matching, queries, pulls, spots)
    beside = cues.take(pair)
    beside = beside.where((centre[beside.rows] >= 0) | _in_clauses(matching, queries, beside))
    positions = rows.index.units.position[beside.values].astype(np.int64)
    there = _meeting(matching, queries, pulls, Ragged(positions, beside.offsets))
    return np.asarray(np.minimum(there / np.maximum(best, 1), 1.0))


def _in_clauses(matching: Matching, queries: Ragged, cues: Ragged) -> BoolArray:
    """Return a mask of the negations of a passage in whose clause the claim has a part, of q lists; one each.

    A negation is of its clause: "1.8 km long, without a bend" denies no length. A clause without content, as in "no,
    it is not", may be of anything.
    """
    units, places = matching.rows.index.units, matching.places
    clause = units.clause[cues.values]
    first, last = (np.searchsorted(units.clause, clause, side=side) for side in ("left", "right"))
    content = (units.kind < Kind.NEGATION) & (units.weight >= PLACED)
    counted = np.concatenate([[0], np.cumsum(content)])
    each = Ragged(np.empty(0), offsets_of(queries.lengths[cues.rows]))
    cue = each.rows
    row = queries.values[queries.offsets[cues.rows][cue] + each.positions]
    before, _ = places.sides(row, units.position[last - 1][cue].astype(np.int64))
    there = (before >= 0) & (places.position[before] >= units.position[first][cue])
    met = np.bincount(cue[there], minlength=len(clause)) > 0
    return np.asarray(met | (counted[last] == counted[first]))


def _meeting(matching: Matching, queries: Ragged, pulls: Ragged, spots: Ragged) -> IntArray:
    """Return the highest weight of rows around one of the positions, (q,), of q lists of rows and of positions."""
    wide = queries.lengths
    each = Ragged(np.empty(0), offsets_of(wide[spots.rows]))
    spot = each.rows
    place = queries.offsets[spots.rows][spot] + each.positions
    value = matching.places.highest(queries.values[place], spots.values[spot], _MEETING)
    value = value * (pulls.values[place] // SCALE + 1)
    ends = np.concatenate([[0], np.cumsum(value)])[each.offsets]
    best = np.zeros(len(wide), dtype=np.int64)
    np.maximum.at(best, spots.rows, np.diff(ends))
    return best
