"""The list of samples, the opened sample and what is folded stand as they stood, through all that a reader does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.browser.scenes import SCENES
from tests.browser.shown import FOLDER, shown


@pytest.mark.parametrize("name", SCENES)
def test_samples_stand_as_they_stood(visit: Open, tmp_path: Path, name: str) -> None:
    recorded = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    found = shown(SCENES[name], visit, tmp_path).splitlines()
    assert found == recorded, "python -m tests.browser.shown, and look at what changed"
