"""A page whose samples cannot be read says so; the rest of it goes on working."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("stored", ["", "H4sIAAAA", "not base64!"])
def test_unreadable_samples_are_said(page: Any, one_run: Path, tmp_path: Path, stored: str):
    html = one_run.read_text(encoding="utf-8")
    path = tmp_path / "damaged.html"
    path.write_text(re.sub(r'(id="payload">)[^<]*', lambda found: found[1] + stored, html), encoding="utf-8")
    page.goto(path.as_uri())
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "The samples cannot be shown" in alert.inner_text()
    page.locator("#interface-language").select_option("zh")
    assert "无法显示样本" in alert.inner_text()
