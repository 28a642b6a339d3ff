"""Every metric makes of hard samples what it made of them before: each score, status, part, note and evidence."""

from __future__ import annotations

import pytest

from tests.metrics.stood import STOOD
from tests.stood import versions

VERSIONS, BEFORE = STOOD.before()


def test_every_metric_stands_there() -> None:
    assert list(BEFORE) == list(STOOD.groups)


@pytest.mark.parametrize("name", STOOD.groups)
def test_samples_are_measured_as_they_were(name: str) -> None:
    """``python -m tests.metrics.stood`` writes what they are measured as now; look at each line that changes."""
    if versions() != VERSIONS:
        pytest.skip(f"this version of Arrow, numpy or Python has words of its own; the file has those of {VERSIONS}")
    assert STOOD.now(name).splitlines() == BEFORE[name].splitlines()
