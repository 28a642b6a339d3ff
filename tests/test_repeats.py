"""Which cases of a test run where each test runs with one of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests import fresh
from tests.repeats import one_case_of_each


class Case(NamedTuple):
    nodeid: str
    long: bool = False

    def get_closest_marker(self, name: str) -> bool:
        return self.long and name == "long"


def kept(*cases: Any) -> list[str]:
    return [one.nodeid for one in one_case_of_each(cases)]


def test_every_test_has_one_case_and_every_case_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [Case("a.py::one"), *(Case(f"a.py::two[{number}]") for number in range(4)), Case("b.py::two[x]")]
    seen = set()
    for seed in range(40):
        monkeypatch.setattr(fresh, "_drawn", [seed])
        found = kept(*cases)
        assert [name.partition("[")[0] for name in found] == ["a.py::one", "a.py::two", "b.py::two"]
        assert found == kept(*cases)
        seen |= {*found}
    assert seen == {case.nodeid for case in cases}


def test_a_long_case_is_the_one_only_where_all_are_long() -> None:
    assert kept(Case("a.py::one[0]"), Case("a.py::one[1]", long=True)) == ["a.py::one[0]"]
    assert kept(Case("a.py::one[1]", long=True)) == ["a.py::one[1]"]
