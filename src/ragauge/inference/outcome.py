"""What a test says."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """A p-value and the test that it is of."""

    test: str
    """The test as it was run: ``exact randomisation`` where ``randomisation`` could enumerate."""
    p: float
    """Two-sided; NaN where there is nothing to test."""
