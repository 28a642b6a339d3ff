"""The kernel cuts and folds every code point as the arrays do."""

from __future__ import annotations

import pytest

from tests.native.test_equal import ALL_POINTS, check_code_points


@pytest.mark.long
def test_every_code_point() -> None:
    check_code_points(ALL_POINTS)
