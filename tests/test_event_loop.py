"""Tests may run event loops of their own after a browser was used in their process."""

from __future__ import annotations

import asyncio
from asyncio.events import _set_running_loop
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def as_playwright_leaves_it() -> Iterator[None]:
    """Leave a loop as running, as Playwright's interface without await does."""
    loop = asyncio.new_event_loop()
    _set_running_loop(loop)
    yield
    _set_running_loop(None)
    loop.close()


async def done() -> str:
    return "done"


def test_a_loop_that_is_left_running_is_not_seen_by_tests() -> None:
    assert asyncio.run(done()) == "done"


def test_nor_by_those_that_come_later() -> None:
    assert asyncio.run(done()) == "done"
