"""Values of a claim that stand at the other end of a range of the passage, or that a change has replaced there."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import BoolArray, IntArray
from ragauge.grounding.support._lexicon import LANGUAGES
from ragauge.grounding.support._matching import Matching, cues_of
from ragauge.grounding.support.units import STEPS, Kind

# Units of a claim beside "until" or "since", and steps between a cue and its value, or the ends of a range.
_BESIDE, _BESIDE_IN_RANGE, _RANGE = 12, 20, 6 * STEPS
# Steps between a cue and the date behind it, and the languages that have it there.
_LEADING = 4 * STEPS
_PREPOSING = [LANGUAGES.index(name) for name in ("en", "de", "es", "fr", "ru", "ar", "th")]
# Steps between the two values of a change, and between its verb and the first.
_CHANGE = 10 * STEPS
_DATED = (Kind.YEAR, Kind.MONTH, Kind.DAY, Kind.TIME, Kind.WEEKDAY)
_VALUES = (Kind.NUMBER, *_DATED)


def wrong_end(matching: Matching) -> tuple[BoolArray, IntArray]:
    """Return which values of claims stand beside "until" where the passage has a range that begins with them, (r,).

    Or beside "since" where it ends with them. A claim that has a range itself is left alone. Also returned is the unit
    at the other end, (r,).
    """
    rows, rivals, units = matching.rows, matching.rivals, matching.rows.index.units
    wrong, partner = np.zeros(len(rows.unit), dtype=bool), np.full(len(rows.unit), -1, dtype=np.int64)
    cue = np.flatnonzero((rows.kind == Kind.ENDS) | (rows.kind == Kind.BOUND))
    if not len(cue):
        return wrong, partner
    second = units.keys.values[units.keys.offsets[rows.unit[cue]]].view(np.float64) > 0
    # "Until" is the first of its kind, "at most" the second.
    upper = second == (rows.kind[cue] == Kind.BOUND)
    turned = np.zeros(len(rows.unit), dtype=np.int64)
    for step in range(-_BESIDE, _BESIDE + 1):
        there = (cue + step >= rows.offsets[rows.pair[cue]]) & (cue + step < rows.offsets[rows.pair[cue] + 1])
        beside = cue[there] + step
        close = np.abs(rows.position[beside] - rows.position[cue[there]]) <= _RANGE
        turned[beside[close]] = np.where(upper[there][close], 1, -1)
    turned[~np.isin(rows.kind, _DATED)] = 0
    group = rows.index.group[rows.unit]
    for step in range(1, _BESIDE_IN_RANGE + 1):
        both = (rows.pair[:-step] == rows.pair[step:]) & (group[:-step] == group[step:])
        both &= rows.position[step:] - rows.position[:-step] <= _RANGE
        turned[:-step][both] = turned[step:][both] = 0
    for turn in (1, -1):
        agreeing = np.flatnonzero((rivals.worth > 0) & (turned[rivals.row] == turn))
        end = (agreeing + turn).clip(0, max(len(rivals.row) - 1, 0))
        one_range = (rivals.row[end] == rivals.row[agreeing]) & (rivals.worth[end] == 0)
        one_range &= units.kind[rivals.unit[end]] == units.kind[rivals.unit[agreeing]]
        one_range &= np.abs(rivals.position[end] - rivals.position[agreeing]) <= _RANGE
        one_range[one_range] = ~_led(matching, agreeing[one_range], end[one_range], turn)
        wrong[rivals.row[agreeing]] = True
        wrong[rivals.row[agreeing[~one_range]]] = False
        partner[rivals.row[agreeing]] = rivals.unit[end]
    return wrong, partner


def _led(matching: Matching, agreeing: IntArray, end: IntArray, turn: int) -> BoolArray:
    """Return which agreeing values have "until" (turn 1) or "since" (-1) right before them in the passage, (m,).

    ``end`` (m,): the rivals at the other end. Only of languages that put such words before a date.
    """
    rows, rivals, units = matching.rows, matching.rivals, matching.rows.index.units
    row, at = rivals.row[agreeing], rivals.position[agreeing]
    cues = cues_of(rows.index, rows.passage[row], Kind.ENDS)
    place = units.position[cues.values].astype(np.int64)
    until = units.keys.values[units.keys.offsets[cues.values]].view(np.float64) == 0
    first = np.where(turn == 1, at - _LEADING, np.maximum(at - _LEADING, rivals.position[end]))
    leads = (until == (turn == 1)) & (place < at[cues.rows]) & (place >= first[cues.rows])
    leads &= np.isin(units.language[rows.passage[row]], _PREPOSING)[cues.rows]
    return np.asarray(np.bincount(cues.rows[leads], minlength=len(row)) > 0)


def superseded(matching: Matching) -> tuple[BoolArray, IntArray, BoolArray]:
    """Return which values of claims are old where the claim says "new", or new where it says "old", (r,).

    A change has two values of one kind beside each other and a word of change near them: moved from 9:30 to 8:00. Also
    returned are the unit of the other value, (r,), and a mask of the values that a change confirms, (r,).
    """
    rows, rivals, units = matching.rows, matching.rivals, matching.rows.index.units
    wrong, partner = np.zeros(len(rows.unit), dtype=bool), np.full(len(rows.unit), -1, dtype=np.int64)
    state = _state(matching)
    valued = np.isin(rows.kind, _VALUES) & (state != 0)[rows.pair]
    own = np.flatnonzero((rivals.worth > 0) & valued[rivals.row])
    confirmed = wrong.copy()
    if not len(own):
        return wrong, partner, confirmed
    side = np.zeros(len(own), dtype=np.int64)
    other = rivals.unit[own].copy()
    for step in (1, -1):
        beside = (own + step).clip(0, len(rivals.row) - 1)
        pair = (rivals.row[beside] == rivals.row[own]) & (rivals.worth[beside] == 0) & (beside != own)
        pair &= units.kind[rivals.unit[beside]] == units.kind[rivals.unit[own]]
        pair &= np.abs(rivals.position[beside] - rivals.position[own]) <= _CHANGE
        direction = _direction(matching, rivals.row[own], np.minimum(rivals.position[own], rivals.position[beside]))
        chosen = pair & (direction != 0) & (side == 0)
        # The first of "from first" is the old one; step 1 says that the agreeing value is the first.
        side[chosen] = -direction[chosen] * step
        other[chosen] = rivals.unit[beside[chosen]]
    turned = (side != 0) & (side != state[rows.pair[rivals.row[own]]])
    wrong[rivals.row[own[turned]]] = True
    wrong[rivals.row[own[~turned]]] = False
    partner[rivals.row[own[turned]]] = other[turned]
    confirmed[rivals.row[own[(side != 0) & ~turned]]] = True
    return wrong, partner, confirmed


def _state(matching: Matching) -> IntArray:
    """Return for each claim 1 if it says "new", -1 if it says "old", 0 if neither or both, (k,)."""
    rows, units = matching.rows, matching.rows.index.units
    stated = np.zeros((2, len(rows.offsets) - 1), dtype=np.int64)
    cue = np.flatnonzero(rows.kind == Kind.STATE)
    new = units.keys.values[units.keys.offsets[rows.unit[cue]]].view(np.float64) > 0
    stated[new.astype(np.int64), rows.pair[cue]] = 1
    stated[:, rows.pair[rows.kind == Kind.CHANGE]] = 0
    return np.asarray(stated[1] - stated[0])


def _direction(matching: Matching, row: IntArray, position: IntArray) -> IntArray:
    """Return 1 where a word of change near a position of the passage leads from the first value, -1 from the second.

    0 where there is none. Shapes: (m,).
    """
    rows, units = matching.rows, matching.rows.index.units
    cues = cues_of(rows.index, rows.passage[row], Kind.CHANGE)
    place = units.position[cues.values].astype(np.int64)
    near = np.abs(place - position[cues.rows]) <= _CHANGE
    first = units.keys.values[units.keys.offsets[cues.values]].view(np.float64) == 0
    out = np.zeros(len(row), dtype=np.int64)
    out[cues.rows[near & first]] = 1
    out[cues.rows[near & ~first]] = -1
    return out
