"""The approved messages are all in use, and are filled completely."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.approved import MESSAGES, approved, pattern

TESTS = Path(__file__).parent


def test_every_message_is_expected_by_a_test() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py"))
    used = set(re.findall(r'"([a-z_]+\.[\w-]+)"', sources))
    assert sorted(set(MESSAGES) - used) == []


def test_a_message_is_filled_completely() -> None:
    with pytest.raises(AssertionError, match="placeholders"):
        approved("cli.file_not_found")
    assert re.search(pattern("cli.file_not_found", path="a.jsonl"), approved("cli.file_not_found", path="a.jsonl"))
    assert not re.search(pattern("cli.file_not_found", path="a.jsonl"), "other")
