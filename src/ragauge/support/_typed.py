"""Times, dates, numbers and cues of texts, step by step: what one step has read is hidden from those behind."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray, IntArray
from ragauge.support._cues import cues
from ragauge.support._dates import months, numeric_dates, unspaced_dates, years
from ragauge.support._digits import Runs
from ragauge.support._found import Found, overwrite, spans
from ragauge.support._languages import LanguageArray
from ragauge.support._letters import Letters
from ragauge.support._lexicon import LANGUAGES, NUMBER_FILL, OTHER_FILL, UNSPACED
from ragauge.support._numbers import numbers_in_digits
from ragauge.support._spelled import spelled_numbers
from ragauge.support._times import times


def typed_units(letters: Letters, language: LanguageArray) -> tuple[Found, Array]:
    """Return all typed units by their places, and the points in which all of them but words are overwritten.

    ``language`` (n,): the place of each text's language in LANGUAGES.
    """
    points = letters.points.copy()
    is_in = {name: language == number for number, name in enumerate(LANGUAGES)}
    unspaced = np.logical_or.reduce([is_in[name] for name in UNSPACED])
    runs = Runs.of(letters)
    units = [*_in_digits(runs, points, is_in), *_months_and_numbers(runs, points, is_in, unspaced)]
    starts = _word_starts(letters, points)
    for number in np.unique(language).tolist():
        name = LANGUAGES[number]
        places = _all_places(letters, is_in[name]) if name in UNSPACED else starts[is_in[name][letters.rows[starts]]]
        some = spelled_numbers(letters, points, name, places)
        overwrite(points, some.start, some.end, NUMBER_FILL)
        units += [some, cues(letters, points, name, places)]
    typed = Found.joined(units)
    return typed.where(np.argsort(typed.start, kind="stable")), points


def _in_digits(runs: Runs, points: Array, is_in: dict[str, BoolArray]) -> list[Found]:
    """Return times and dates in digits, and overwrite them."""
    if not len(runs.start):
        return []
    units = [times(runs, points, is_in["fr"])]
    overwrite(points, units[0].start, units[0].end, OTHER_FILL)
    units.append(numeric_dates(runs, _free(runs, points)))
    overwrite(points, units[1].start, units[1].end, OTHER_FILL)
    dates, start, end = unspaced_dates(runs, points, _free(runs, points), is_in["zh"] | is_in["ja"] | is_in["ko"])
    overwrite(points, start, end, OTHER_FILL)
    return [*units, dates]


def _months_and_numbers(runs: Runs, points: Array, is_in: dict[str, BoolArray], unspaced: BoolArray) -> list[Found]:
    """Return months, years and numbers in digits, and overwrite them."""
    letters = runs.letters
    starts = _word_starts(letters, points)
    if unspaced.any():
        starts = starts[~unspaced[letters.rows[starts]]]
    thai = _all_places(letters, is_in["th"])
    dates, start, end = months(runs, points, _free(runs, points), starts, thai, is_in["en"])
    overwrite(points, start, end, OTHER_FILL)
    if not len(runs.start):
        return [dates]
    units = years(runs, points, _free(runs, points), is_in["th"])
    overwrite(points, units.start, units.end, OTHER_FILL)
    numbers = numbers_in_digits(runs, points, _free(runs, points))
    overwrite(points, numbers.start, numbers.end, NUMBER_FILL)
    return [dates, units, numbers]


def _free(runs: Runs, points: Array) -> BoolArray:
    """Return a mask of the runs of digits that are not overwritten, (r,)."""
    return np.asarray(points[runs.start] > NUMBER_FILL)


def _word_starts(letters: Letters, points: Array) -> IntArray:
    """Return where words of letters begin that are not overwritten."""
    starts = letters.word_starts
    return starts[points[starts] > NUMBER_FILL]


def _all_places(letters: Letters, wanted: BoolArray) -> IntArray:
    """Return the places of all characters of the texts that a mask (n,) chooses."""
    return spans(letters.offsets[:-1][wanted], letters.offsets[1:][wanted])
