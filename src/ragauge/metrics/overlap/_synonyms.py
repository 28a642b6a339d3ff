"""METEOR's last stage: words aligned with their synonyms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

import numpy as np

from ragauge.metrics.overlap._alignment import Alignment
from ragauge.ragged import Ragged

Synonyms = Callable[[str], Collection[str]]


def aligned_synonyms(
    alignment: Alignment, hypotheses: Ragged, references: Ragged, words: Sequence[str], synonyms: Synonyms
) -> Alignment:
    """Align, from the last hypothesis word that is free to the first, each with the last free synonym.

    Words are looked at one by one: only those that neither stage before has aligned come here.

    Args:
        alignment: what is aligned already.
        hypotheses: n lists of codes.
        references: n lists of codes.
        words: the word of each code.
        synonyms: of a word.

    Source: nltk 3.10.4, meteor_score.py.
    """
    partner, free = alignment.partner.copy(), alignment.free.copy()
    places: dict[tuple[int, str], list[int]] = defaultdict(list)
    open_references = np.flatnonzero(free)
    for place, row in zip(open_references.tolist(), references.rows[open_references].tolist(), strict=True):
        places[row, words[references.values[place]]].append(place)
    open_hypotheses = np.flatnonzero(partner < 0)[::-1]
    for token, row in zip(open_hypotheses.tolist(), hypotheses.rows[open_hypotheses].tolist(), strict=True):
        candidates = [
            places[row, word] for word in synonyms(words[hypotheses.values[token]]) if places.get((row, word))
        ]
        if candidates:
            partner[token] = max(candidates, key=lambda several: several[-1]).pop()
            free[partner[token]] = False
    return Alignment(partner, free)
