"""Strata of passages, how many are drawn from each, and which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.hashing import hash_strings
from ragauge.core.ragged import IntArray

# The finest that has no more strata than passages are drawn is taken.
DIVISIONS: tuple[tuple[str, ...], ...] = (
    ("language", "source", "length"), ("language", "source"), ("language", "length"), ("language",), (),
)  # fmt: skip
"""By what passages are divided."""
LENGTHS = ("short", "middle", "long")


@dataclass(frozen=True)
class Stratum:
    """Passages that are alike: ``values``: what they share, as (name, value); how many there are, and were drawn."""

    values: tuple[tuple[str, str], ...]
    passages: int
    drawn: int


def shares_of(sizes: Sequence[int], n: int) -> list[int]:
    """Return how many of n are drawn from each of s strata: in proportion, and at least one.

    A stratum whose share, n * size / all, is below one has one; what remains is divided in proportion among the others,
    until none is below one. Of the fractions that are left over the largest are rounded up; of equal ones the first.
    The sum is n; no stratum gives more than it has.

    Args:
        sizes: of the strata, each at least 1; their sum is at least n.
        n: at least s.

    >>> shares_of([90, 9, 1], 10)
    [8, 1, 1]
    >>> shares_of([5, 5, 5], 10)
    [4, 3, 3]
    """
    of_stratum = dict.fromkeys(range(len(sizes)), 0)
    open_ones = list(of_stratum)
    while True:
        total = sum(sizes[place] for place in open_ones)
        small = {place for place in open_ones if n * sizes[place] < total}
        if not small:
            break
        for place in small:
            of_stratum[place] = 1
        n -= len(small)
        open_ones = [place for place in open_ones if place not in small]
    for place in open_ones:
        of_stratum[place] = n * sizes[place] // total
    rest = n - sum(of_stratum[place] for place in open_ones)
    by_fraction = sorted(open_ones, key=lambda place: (-(n * sizes[place] % total), place))
    for place in by_fraction[:rest]:
        of_stratum[place] += 1
    return list(of_stratum.values())


def lengths_of(widths: IntArray, languages: Sequence[str]) -> list[str]:
    """Return short, middle or long for each of n passages: thirds of the passages of its language, by width.

    A passage as wide as one at the end of a third belongs to that third.
    """
    named = np.array(languages, dtype=object)
    classes = np.empty(len(widths), dtype=np.int64)
    for language in dict.fromkeys(languages):
        own = named == language
        ends = np.quantile(widths[own], [1 / 3, 2 / 3], method="inverted_cdf")
        classes[own] = np.searchsorted(ends, widths[own])
    return [LENGTHS[one] for one in classes.tolist()]


def drawn_from(
    columns: dict[str, list[str]], texts: Sequence[str], n: int, seed: int
) -> tuple[IntArray, list[Stratum], tuple[str, ...]]:
    """Return the places of n drawn passages, in random order, the strata, and by what they are divided.

    Args:
        columns: language, source and length of each passage.
        texts: the passages, no two of them equal.
        n: how many are drawn; at most as many as there are.
        seed: of the draw. Within a stratum those are drawn whose text, hashed with the seed, comes first: the draw does
            not depend on the order of the passages, on their ids, or on the machine.
    """
    by_division = {names: _keys(columns, names, len(texts)) for names in DIVISIONS}
    division = next(names for names, keys in by_division.items() if len(set(keys)) <= n)
    keys = by_division[division]
    order = np.argsort(hash_strings(to_arrow([f"{seed}\0{text}" for text in texts], pa.large_string())), kind="stable")
    members: dict[tuple[str, ...], list[int]] = {key: [] for key in sorted(set(keys))}
    for place in order.tolist():
        members[keys[place]].append(place)
    counts = shares_of([len(places) for places in members.values()], n)
    chosen = {place for places, count in zip(members.values(), counts, strict=True) for place in places[:count]}
    strata = [
        Stratum(tuple(zip(division, key, strict=True)), len(places), count)
        for (key, places), count in zip(members.items(), counts, strict=True)
    ]
    return np.array([place for place in order.tolist() if place in chosen], dtype=np.int64), strata, division


def _keys(columns: dict[str, list[str]], names: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """Return for each of n passages what it shares with those of its stratum."""
    return list(zip(*[columns[name] for name in names], strict=True)) if names else [()] * n
