"""A seed that each run draws anew: for the order of files, and for tests against another library on random input.

``RAGAUGE_TEST_SEED=NUMBER`` repeats a run. The header of a run has the seed, and so has each failure of such a test.
"""

from __future__ import annotations

import os
import secrets

VARIABLE = "RAGAUGE_TEST_SEED"


_drawn: list[int] = []


def draw() -> None:
    """Draw the seed of this run unless the environment has one; processes that it starts inherit it."""
    os.environ.setdefault(VARIABLE, str(secrets.randbelow(2**32)))
    _drawn[:] = [int(os.environ[VARIABLE])]


def seed() -> int:
    """Return the seed of this run."""
    return _drawn[0]


def header() -> str:
    """Return the line of the header."""
    return f"files run in an order, and differential tests have input, that {VARIABLE}={seed()} draws"
