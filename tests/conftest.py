"""What tests share: a registry that forgets what a test registered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragauge import registry


@pytest.fixture
def registered() -> Iterator[None]:
    """Let a test register names, and forget them afterwards."""
    for kind in registry._PACKAGES:
        registry.discover(kind)
    before = dict(registry._entries)
    yield
    registry._entries.clear()
    registry._entries.update(before)
