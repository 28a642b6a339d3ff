"""Values that show one rule again and again: the README's tests take the first, the long tests the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def others_long(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Return the values for ``parametrize``; those after the first ``quick`` make long tests."""
    return [
        value if place < quick else pytest.param(value, marks=pytest.mark.long) for place, value in enumerate(values)
    ]
