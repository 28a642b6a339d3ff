"""Comparisons and gates say of small runs what they said before."""

from __future__ import annotations

import pytest

from tests.comparison.stood import STOOD

_, BEFORE = STOOD.before()


@pytest.mark.parametrize("name", STOOD.groups)
def test_runs_are_compared_as_they_were(name: str) -> None:
    """``python -m tests.comparison.stood`` writes what is said of them now; look at each line that changes."""
    assert STOOD.now(name).splitlines() == BEFORE[name].splitlines()
