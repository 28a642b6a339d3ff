"""Each target over its corpus, and over some inputs that its strategy makes; long runs: ``python -m tests.fuzz``."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ragauge.errors import DataError
from tests.fuzz import judging, running
from tests.fuzz.judging import TARGETS, Finding, corpus, judged, known, loaded
from tests.fuzz.making import grown
from tests.fuzz.running import run

NATIVE = [name for name in TARGETS if getattr(loaded(name), "NATIVE", False)]
_FEW = settings(
    max_examples=6,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def expect_known(name: str, finding: Finding | None) -> None:
    """Fail for a defect that is not known, and note one that is."""
    if finding is not None and finding.kind not in known().get(name, {}):
        pytest.fail(f"{finding.kind}\n{finding.data!r}\n{finding.details}")
    if finding is not None:
        pytest.xfail(finding.kind)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param(name, path, id=f"{name}-{path.stem}")
        for name in TARGETS
        if name not in NATIVE
        for path in corpus(name)
    ],
)
def test_corpus(name: str, path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        expect_known(name, judged(loaded(name).target, path.read_bytes()))


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in NATIVE])
def test_some_inputs(name: str) -> None:
    module, found = loaded(name), dict[str, Finding]()

    @_FEW
    @given(module.STRATEGY)
    def execute(data: bytes) -> None:
        finding = judged(module.target, data)
        if finding is not None:
            found.setdefault(finding.kind, finding)

    with warnings.catch_warnings(action="ignore"):
        execute()
    assert {kind: finding.data for kind, finding in found.items() if kind not in known().get(name, {})} == {}


@pytest.mark.long
@pytest.mark.parametrize("name", NATIVE)
def test_in_a_process_of_its_own(name: str) -> None:
    executions, findings = run(name, seconds=60, executions=len(corpus(name)) + 5)
    assert executions >= len(corpus(name))
    new = {kind: found for kind, found in findings.items() if kind not in known().get(name, {})}
    if name in known()["unfinished"] and new:
        pytest.xfail(f"other damage than that of the corpus: {', '.join(new)}")
    assert new == {}


def test_what_is_known_is_in_the_corpus() -> None:
    listed = {(name, file) for name in TARGETS for file in known().get(name, {}).values()}
    assert {(name, file) for name, file in listed if file not in {path.name for path in corpus(name)}} == set()


def test_a_defect_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(_data: bytes) -> None:
        raise KeyError

    def refused(_data: bytes) -> None:
        raise DataError("as it should be")

    found = judged(wrong, b"x")
    assert found is not None
    assert (found.kind, found.data) == ("KeyError", b"x")
    assert judged(refused, b"x") is None
    monkeypatch.setattr(judging, "_LEAST_SECONDS", -1.0)
    monkeypatch.setattr(judging, "_SECONDS_PER_MB", 0.0)
    slow = judged(refused, b"x")
    assert slow is not None
    assert slow.kind == "too slow"


def test_much_memory_is_found_each_time() -> None:
    def large(_data: bytes) -> None:
        np.ones(330 << 20, dtype=np.uint8)

    def small(_data: bytes) -> None:
        np.ones(200 << 20, dtype=np.uint8)

    found = [judged(one, b"x") for one in (large, large, small, large)]
    assert [finding and finding.kind for finding in found] == ["too much memory"] * 2 + [None, "too much memory"]


@pytest.mark.costly
def test_the_end_of_a_process_and_a_hang_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_HANG_S", 3.0)
    executions, findings = run("_wrong", seconds=60, executions=2)
    assert executions == 2
    assert {kind: data for kind, (data, _) in findings.items()} == {"hangs": b"hang", "ends by signal 6": b"end"}


def test_what_is_grown_holds_what_was_there() -> None:
    for seed in range(20):
        text = grown(b"begin end", Random(seed))  # noqa: S311 - no secret is drawn
        assert (text[:1], text[-1:]) == (b"b", b"d")
        assert 1 << 13 < len(text) < 1 << 21
