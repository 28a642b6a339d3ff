"""The match of documents by their ids themselves, for the few rows where hashes leave a doubt."""

from __future__ import annotations

from collections.abc import Sequence


def places_of(documents: Sequence[str]) -> dict[str, list[int]]:
    """Return where each document stands, from 0.

    >>> places_of(["a", "b", "a"])
    {'a': [0, 2], 'b': [1]}
    """
    places: dict[str, list[int]] = {}
    for place, document in enumerate(documents):
        places.setdefault(document, []).append(place)
    return places
