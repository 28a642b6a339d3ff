"""The identity of each metric with its defaults, by which saved runs are compared, moves with its revision only."""

from __future__ import annotations

import re
from pathlib import Path

import ragauge
from ragauge.core.protocol import signature_of
from ragauge.core.registry import entries
from ragauge.errors import RagaugeError

FILE = Path(__file__).with_name("identities.txt")
# Tables of Unicode and libraries differ between Pythons and machines.
_VERSIONS = re.compile(r"(unicode|regex|version)=[\w.]+")


def identities() -> str:
    """Return a line for each metric that can be made of its name alone."""
    lines = []
    for name, entry in entries("metric").items():
        if entry.alias_of is None and entry.instance is None and entry.cls.__module__.startswith("ragauge."):
            try:
                identity = signature_of(ragauge.parse(name)).identity
            except RagaugeError:
                continue
            lines.append(_VERSIONS.sub(r"\1=...", f"{name}: {identity}"))
    return "\n".join(lines) + "\n"


def test_no_identity_moved() -> None:
    hint = "saved runs would no longer compare: raise the revision. Then, or for a new metric: tests/golden/write.py"
    assert identities() == FILE.read_text(encoding="utf-8"), hint
