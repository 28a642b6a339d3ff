"""The words and letters of languages, as data that comes with the package."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def content(name: str) -> bytes:
    """Return the bytes of a data file of this room, as signatures digest them."""
    return (Path(__file__).parent / name).read_bytes()


def has(name: str) -> bool:
    """Return whether a data file of this room is there."""
    return (Path(__file__).parent / name).exists()


@cache
def table(name: str) -> dict[str, Any]:
    """Return what the file ``name.toml`` holds, read once; nobody changes it.

    >>> table("abbreviations")["en"]["never"].split()[:2]
    ['mr', 'mrs']
    """
    return tomllib.loads(content(f"{name}.toml").decode("utf-8"))
