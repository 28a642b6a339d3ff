"""Which cases of a test run where each test runs with few of them."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import pytest

from tests import fresh, repeats


class Case(NamedTuple):
    nodeid: str
    marker: str = ""

    def get_closest_marker(self, name: str) -> bool | None:
        return name == self.marker or None


def kept(*cases: Any) -> list[str]:
    out = {one.nodeid for one in repeats.left_out(cases)}
    return [one.nodeid for one in cases if one.nodeid not in out]


def test_every_test_has_one_case_and_every_case_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAUGE_CASES", "1")
    cases = [Case("a.py::one"), *(Case(f"a.py::two[{number}]") for number in range(4)), Case("b.py::two[x]")]
    seen = set()
    for seed in range(40):
        monkeypatch.setattr(fresh, "_drawn", [seed])
        found = kept(*cases)
        assert [name.partition("[")[0] for name in found] == ["a.py::one", "a.py::two", "b.py::two"]
        assert found == kept(*cases)
        seen |= {*found}
    assert seen == {case.nodeid for case in cases}


def test_a_long_case_is_the_one_only_where_all_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAUGE_CASES", "1")
    assert kept(Case("a.py::one[0]"), Case("a.py::one[1]", "long")) == ["a.py::one[0]", "a.py::one[1]"]
    assert len(kept(Case("a.py::one[1]", "long"), Case("a.py::one[2]", "long"))) == 1


def test_costly_tests_and_all_cases_run_where_all_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [Case("a.py::one", "costly"), *(Case(f"a.py::two[{number}]") for number in range(4))]
    monkeypatch.setenv("RAGAUGE_CASES", "2")
    assert [name.partition("[")[0] for name in kept(*cases)] == ["a.py::two", "a.py::two"]
    monkeypatch.setenv("RAGAUGE_CASES", "all")
    assert kept(*cases) == [case.nodeid for case in cases]


@pytest.mark.parametrize(("arguments", "most"), [
    ([], "1"), (["tests"], "all"), (["-k", "nothing"], "all"), (["-m", "long"], "all"),
])  # fmt: skip
def test_only_a_run_of_the_whole_suite_leaves_cases_out(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], most: str
) -> None:
    monkeypatch.delenv("RAGAUGE_CASES", raising=False)
    config = pytest.Config.fromdictargs({}, ["--noconftest", "-p", "no:ragauge", *arguments])
    repeats.choose(config)
    assert os.environ.get("RAGAUGE_CASES", "all") == most
    monkeypatch.delenv("RAGAUGE_CASES", raising=False)
