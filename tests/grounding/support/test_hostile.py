"""Texts of nothing but numbers, dates and their kin take linear time: what is compared with one claim is bounded."""

from __future__ import annotations

import numpy as np
import pytest

from ragauge.core.ragged import Ragged
from ragauge.grounding.support._matching import match
from ragauge.grounding.support._reading import Index, KeyLists
from ragauge.grounding.support.units import read

# The most pairs of values that one claim may have: `_matching` reads so many units, and so many occurrences of each.
MOST = 512 * 64
TEXTS = {
    "numbers": "17 203 4,511 0.25 ",
    "digits": "1 2 3 4 5 ",
    "years": "1990s '98 19th century ",
    "dates": "on 3 May 2012 and 2012-05-04 ",
    "money": "$5m €7 20 dollars ",
    "shares": "5% 10 % half ",
    "units": "200 mg 3 km 30 minutes ",
    "Chinese": "三百二十一万年前的第五天，",
    "Thai": "สามร้อยห้าสิบ ",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [2_000, 16_000])
def test_values_compared_with_one_claim_are_bounded(name: str, size: int) -> None:
    text = (TEXTS[name] * (size // len(TEXTS[name]) + 1))[:size]
    index = Index(read([text]))
    found = match(index, np.array([0]), np.array([0]))
    assert len(found.rows.unit) > 0
    assert len(found.valued.values) <= MOST
    # A value that the passage has is found, whatever else is left out.
    assert (found.best[found.rows.kind == index.units.kind[0]] == 100).all()


def test_lists_of_many_keys_meet_without_all_their_pairs() -> None:
    random = np.random.default_rng(3)
    lists = [np.unique(random.integers(0, 400, size)) for size in random.integers(0, 120, 60)]
    keys = Ragged.of([part.astype(np.uint64) for part in lists], np.uint64)
    one, other = (random.integers(0, 60, 3_000) for _ in range(2))
    expected = [len(np.intersect1d(lists[a], lists[b])) > 0 for a, b in zip(one, other, strict=True)]
    assert KeyLists.of(keys).meet(one, other).tolist() == expected
    assert KeyLists.of(keys).meet(np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []
