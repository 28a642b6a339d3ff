"""Kinds of units: their numbers are in the keys of units."""

from __future__ import annotations

from ragauge.grounding.support.kinds import Kind


def test_kinds_are_numbered_without_gaps() -> None:
    """Tables have a row for each kind."""
    assert [*Kind] == [*range(len(Kind))]
