"""Statistics of fixed numbers are what they were: tests, intervals, agreement, and what a seed draws."""

from __future__ import annotations

import pytest

from tests.inference.stood import STOOD

_, BEFORE = STOOD.before()


@pytest.mark.parametrize("name", STOOD.groups)
def test_numbers_are_what_they_were(name: str) -> None:
    """``python -m tests.inference.stood`` writes what they are now; look at each line that changes."""
    assert STOOD.now(name).splitlines() == BEFORE[name].splitlines()
