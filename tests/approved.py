"""Whole messages that tests expect: ``approved_messages.toml`` holds them, so that wording changes in one diff."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import Formatter
from typing import Any

_FILE = Path(__file__).with_name("approved_messages.toml")
MESSAGES: dict[str, str] = {
    f"{room}.{name}": text
    for room, messages in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
    for name, text in messages.items()
}


def approved(key: str, **values: Any) -> str:
    """Return the message of ``key`` (``room.name``) with its ``{placeholders}`` filled, each of them and no other."""
    text = MESSAGES[key]
    names = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    assert names == set(values), f"{key} has the placeholders {sorted(names)}; got {sorted(values)}"
    return text.format(**values)


def pattern(key: str, **values: Any) -> str:
    """Return a regular expression that the whole approved message matches, and nothing else: for ``match=``."""
    return rf"\A{re.escape(approved(key, **values))}\Z"
