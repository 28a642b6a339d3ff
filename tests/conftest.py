"""What tests share: a registry that forgets what a test registered, and one browser for all that look at pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from ragauge.core import registry

BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
]


@pytest.fixture
def registered() -> Iterator[None]:
    """Let a test register names, and forget them afterwards."""
    for kind in registry._PACKAGES:
        registry.discover(kind)
    before = dict(registry._entries)
    yield
    registry._entries.clear()
    registry._entries.update(before)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the browser once: Playwright allows no second one in a process."""
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGUMENTS)
        yield browser
        browser.close()
