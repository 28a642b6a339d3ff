"""Kinds of units and classes of cues: their numbers are in the keys of units and in word lists."""

from __future__ import annotations

from ragauge.grounding.support._lexicon import listed
from ragauge.grounding.support.kinds import CLASSES, Kind
from ragauge.grounding.support.units import key_of, read


def test_the_key_of_a_class_is_the_key_of_its_cues() -> None:
    units = read(["most people"])
    assert units.keys[0].tolist() == [key_of(Kind.QUANTIFIER, "most")]


def test_no_two_classes_have_one_key() -> None:
    keys = [(kind, key_of(kind, name)) for kind, names in CLASSES.items() for name in names]
    assert len(set(keys)) == len(keys)


def test_kinds_are_numbered_without_gaps() -> None:
    """Tables have a row for each kind."""
    assert [*Kind] == [*range(len(Kind))]


def test_each_class_has_cues_in_english() -> None:
    cues = {name for names in CLASSES.values() for name in names}
    english = str(listed()["en"])
    assert [name for name in cues - {"from first", "from second"} if name.split()[-1] not in english] == []
