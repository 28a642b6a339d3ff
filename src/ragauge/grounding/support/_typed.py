"""Times, dates, numbers and cues of texts, step by step: what one step has read is hidden from those behind."""

from __future__ import annotations

import numpy as np

from ragauge.core.ragged import Array, BoolArray, IntArray
from ragauge.grounding.support._conventions import MarkArray
from ragauge.grounding.support._cues import cues
from ragauge.grounding.support._date_words import DateWords, with_words
from ragauge.grounding.support._dates import numeric_dates, unspaced_dates, weekdays_in_brackets
from ragauge.grounding.support._digits import Runs
from ragauge.grounding.support._found import Found, overwrite, spans, stacked
from ragauge.grounding.support._languages import LanguageArray
from ragauge.grounding.support._letters import Letters
from ragauge.grounding.support._lexicon import LANGUAGES, NUMBER_FILL, OTHER_FILL, UNSPACED
from ragauge.grounding.support._months import months
from ragauge.grounding.support._numbers import fractions, measured, numbers_in_digits, stands
from ragauge.grounding.support._ordinals import ordered
from ragauge.grounding.support._spelled import listed_words, spelled_numbers
from ragauge.grounding.support._times import times, with_hours
from ragauge.grounding.support._years import centuries, tens, years
from ragauge.grounding.support.kinds import Kind


def typed_units(letters: Letters, language: LanguageArray, marks: MarkArray) -> tuple[Found, Array]:
    """Return all typed units by their places, and the points in which all of them but words are overwritten.

    ``language`` (n,): the place of each text's language in LANGUAGES. ``marks`` (n,): what commas and points may be in
    its numbers, see `ragauge.grounding.support._conventions`.
    """
    points = letters.points.copy()
    is_in = {name: language == number for number, name in enumerate(LANGUAGES)}
    unspaced = np.logical_or.reduce([is_in[name] for name in UNSPACED])
    starts = letters.word_starts
    places = {
        name: _all_places(letters, is_in[name]) if name in UNSPACED else starts[is_in[name][letters.rows[starts]]]
        for name in (LANGUAGES[number] for number in np.unique(language).tolist())
    }
    listings = {name: listed_words(letters, points, name, own) for name, own in places.items()}
    spaced = starts[~unspaced[letters.rows[starts]]] if unspaced.any() else starts
    dense = [own for name, own in places.items() if name in UNSPACED]
    words = DateWords.of(letters, points, spaced, np.sort(np.concatenate(dense)) if dense else spaced[:0])
    listed = {name: (own, listings[name]) for name, own in places.items()}
    runs = with_words(Runs.of(letters), points, words, listed, spaced)
    units = [*_dates_and_times(runs, points, is_in, words), *_numbers(runs, points, marks, words)]
    free = {name: own if name in UNSPACED else own[points[own] > NUMBER_FILL] for name, own in places.items()}
    spelled = [spelled_numbers(letters, points, name, listings[name], own) for name, own in free.items()]
    if spelled:
        start, end, value = (np.concatenate(columns) for columns in zip(*spelled, strict=True))
        numbers = measured(letters, points, start, end, stacked(value))
        overwrite(points, numbers.start, numbers.end, NUMBER_FILL)
        units.append(numbers)
    units.append(cues(letters, points, free))
    typed = Found.joined(units)
    return with_hours(letters, typed.where(np.argsort(typed.start, kind="stable"))), points


def _dates_and_times(runs: Runs, points: Array, is_in: dict[str, BoolArray], words: DateWords) -> list[Found]:
    """Return times, centuries, days, months and years, and overwrite them."""
    if not len(runs.start) + len(words.at):
        return [Found.of(Kind.TIME, words.at, words.at, words.value)]
    units = [times(runs, points, is_in["fr"], words)]
    overwrite(points, units[0].start, units[0].end, OTHER_FILL)
    if len(runs.start):
        day_first = is_in["de"] | is_in["es"] | is_in["fr"] | is_in["ru"]
        units.append(numeric_dates(runs, _free(runs, points), is_in["de"] | is_in["ru"], day_first))
        overwrite(points, units[-1].start, units[-1].end, OTHER_FILL)
        dates, start, end = unspaced_dates(runs, points, _free(runs, points), is_in["zh"] | is_in["ja"] | is_in["ko"])
        overwrite(points, start, end, OTHER_FILL)
        units += [dates, weekdays_in_brackets(points, end)]
    named = words.of_table("months", "short_months")
    named = named.where(points[named.at] > NUMBER_FILL)
    dates, start, end = months(runs, points, _free(runs, points), named, is_in["en"])
    overwrite(points, start, end, OTHER_FILL)
    units.append(dates)
    hundreds, first = centuries(runs, _free(runs, points), words.of_table("centuries"))
    overwrite(points, hundreds.start, hundreds.end, OTHER_FILL)
    ten = tens(runs, points, _free(runs, points), words.of_table("tens_in_words"), (hundreds.end, first))
    overwrite(points, ten.start, ten.end, OTHER_FILL)
    own = years(runs, points, _free(runs, points), is_in["th"])
    overwrite(points, own.start, own.end, OTHER_FILL)
    inside = own.start[stands(points, own.start - 2, ", ") & (points[own.start - 3] == OTHER_FILL)]
    overwrite(points, inside - 2, inside, OTHER_FILL)  # the comma of May 3, 1990 parts no clauses
    return [*units, hundreds, ten, own]


def _numbers(runs: Runs, points: Array, marks: MarkArray, words: DateWords) -> list[Found]:
    """Return the numbers in digits and the ordinals, and overwrite them."""
    if not len(runs.start):
        return []
    counted = ordered(runs, points, _free(runs, points), words.of_table("ordered"))
    overwrite(points, counted.start, counted.end, NUMBER_FILL)
    parts = fractions(runs, points, _free(runs, points))
    overwrite(points, parts.start, parts.end, NUMBER_FILL)
    numbers = numbers_in_digits(runs, points, _free(runs, points) & runs.in_digits, marks)
    overwrite(points, numbers.start, numbers.end, NUMBER_FILL)
    return [counted, parts, numbers]


def _free(runs: Runs, points: Array) -> BoolArray:
    """Return a mask of the runs of digits that are not overwritten, (r,)."""
    return np.asarray(points[runs.start] > NUMBER_FILL)


def _all_places(letters: Letters, wanted: BoolArray) -> IntArray:
    """Return the places of all characters of the texts that a mask (n,) chooses."""
    return spans(letters.offsets[:-1][wanted], letters.offsets[1:][wanted])
