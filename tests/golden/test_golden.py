"""Numbers change only with the revision in their signature."""

from __future__ import annotations

import pytest

from ragauge.core.registry import entries

from .measured import NEEDS_A_MODEL, Golden, differs, known, measured

REWRITE = "then: python tests/golden/write.py"


@pytest.fixture(scope="module")
def found() -> Golden:
    return measured()


def test_no_number_changed_without_its_revision(found: Golden) -> None:
    golden = known()
    changed = [
        f"{data}: {spec}: {golden[data][spec]['value']} -> {number['value']}"
        for data, numbers in found.items()
        for spec, number in numbers.items()
        if spec in golden[data] and differs(golden[data][spec], number)
    ]
    assert not changed, f"raise the revision of what changed, {REWRITE}"


def test_the_file_has_every_metric_its_choices_and_revisions(found: Golden) -> None:
    golden = known()
    for data, numbers in found.items():
        there = {spec: number["revisions"] for spec, number in golden[data].items()}
        assert there == {spec: number["revisions"] for spec, number in numbers.items()}, REWRITE


def test_every_registered_metric_has_a_number() -> None:
    named = {spec.partition(":")[0].partition("@")[0] for numbers in known().values() for spec in numbers}
    registered = {name for name, entry in entries("metric").items() if not entry.alias_of and not entry.instance}
    assert registered - NEEDS_A_MODEL == named, "run python tests/golden/write.py"
