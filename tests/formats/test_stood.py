"""Small inputs of every format, thousands of them, are read as they were before."""

from __future__ import annotations

import pytest

from tests.formats.stood import STOOD
from tests.stood import versions

VERSIONS, BEFORE = STOOD.before()


def test_every_group_stands_there() -> None:
    assert list(BEFORE) == list(STOOD.groups)


@pytest.mark.parametrize("name", STOOD.groups)
def test_inputs_are_read_as_they_were(name: str) -> None:
    """``python -m tests.formats.stood`` writes what they are read as now; look at each line that changes."""
    if versions() != VERSIONS:
        pytest.skip(f"this version of Arrow, numpy or Python has words of its own; the file has those of {VERSIONS}")
    assert STOOD.now(name).splitlines() == BEFORE[name].splitlines()
