"""Pages of runs that most people never have stand as they stood."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reports.more_kinds import FOLDER, NAMES, drawn


@pytest.mark.parametrize("name", NAMES)
def test_pages_stand_as_they_stood(tmp_path: Path, name: str) -> None:
    recorded = (FOLDER / f"{name}.html").read_text(encoding="utf-8").splitlines()
    found = drawn(name, tmp_path).splitlines()
    assert found == recorded, "python -m tests.reports.more_kinds, and look at what changed"
