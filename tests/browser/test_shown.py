"""The list of samples, and the opened sample, stand as they stood, through all that a reader does there."""

from __future__ import annotations

from pathlib import Path

from tests.browser.conftest import Open
from tests.browser.shown import FILE, shown


def test_samples_stand_as_they_stood(visit: Open, tmp_path: Path) -> None:
    assert shown(visit, tmp_path).splitlines() == FILE.read_text(encoding="utf-8").splitlines(), (
        "python -m tests.browser.shown, and look at what changed"
    )
