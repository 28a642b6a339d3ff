"""What .ci/run learns from the runs of its steps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import skips
from tests.outcomes import LEFT_OUT, Outcomes, Recorder, leave_out, problems

NEEDS_TORCH = "pip install 'ragauge[st]'"
NO_TYPE = "Arrow has no type for a list of texts and numbers"
NO_TYPE_TEST = "tests/formats/test_schemas.py::test_the_same_as_arrow_columns[mixed]"
NEEDS_RANX = "could not import 'ranx': No module named 'ranx'"


def test_a_test_that_ran_twice_is_named() -> None:
    runs = [Outcomes({"a.py::one", "a.py::two"}, {}), Outcomes({"a.py::two"}, {})]
    assert list(problems(runs)) == ["ran 2 times: a.py::two"]


def test_what_another_step_should_have_run_is_named() -> None:
    first = Outcomes({"a.py::one"}, {"a.py::two": NEEDS_TORCH, "b.py": NEEDS_RANX, NO_TYPE_TEST: NO_TYPE})
    second = Outcomes({"b.py::three"}, {})
    assert list(problems([first, second])) == [f"never ran: a.py::two: {NEEDS_TORCH} (.ci/run, environment 'models')"]
    assert list(problems([first, second, Outcomes({"a.py::two"}, {})])) == []


@pytest.mark.parametrize(
    "why", [NO_TYPE, "pip install 'ragauge[onnx]'", "there is no full device here", "only root can mount", "no reason"]
)
def test_a_new_test_that_no_step_runs_is_named(why: str) -> None:
    assert [line.split(" (")[0] for line in problems([Outcomes(set(), {"a.py::one": why})])] == [
        f"never ran: a.py::one: {why}"
    ]


def test_a_test_that_is_known_not_to_run_may_be_skipped_for_its_reason_alone() -> None:
    assert list(problems([Outcomes(set(), {NO_TYPE_TEST: NO_TYPE})])) == []
    assert len(list(problems([Outcomes(set(), {NO_TYPE_TEST: "no reason"})]))) == 1


def test_what_one_run_leaves_out_has_to_run_or_to_be_skipped_for_a_reason_in_another() -> None:
    left = Outcomes(set(), {NO_TYPE_TEST: LEFT_OUT, "a.py::one": LEFT_OUT})
    rest = Outcomes(set(), {NO_TYPE_TEST: NO_TYPE})
    for several in ([left, rest], [rest, left]):
        assert [line.split(": ")[1] for line in problems(several)] == ["a.py::one"]
        assert list(problems([*several, Outcomes({"a.py::one"}, {})])) == []


def test_tests_that_are_left_out_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAUGE_OUTCOMES", str(tmp_path / "test.json"))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    leave_out(["a.py::one"])
    Recorder(tmp_path / "test.json").pytest_sessionfinish()
    assert Outcomes.read(tmp_path / "test.json").skipped == {"a.py::one": LEFT_OUT}


def test_the_tests_that_never_run_are_there() -> None:
    root = Path(__file__).parents[1]
    for start in skips.NEVER_RUN:
        file, _, name = start.partition("::")
        assert (root / file).exists()
        assert not name or f"def {name}(" in (root / file).read_text(encoding="utf-8")


def test_outcomes_are_written_and_read(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "test.json")
    recorder.outcomes.ran.add("a.py::one")
    recorder.outcomes.skipped["b.py"] = NEEDS_RANX
    recorder.pytest_sessionfinish()
    assert Outcomes.read(tmp_path / "test.json") == Outcomes({"a.py::one"}, {"b.py": NEEDS_RANX})
    assert [path.name for path in tmp_path.iterdir()] == ["test.json"]


@pytest.mark.parametrize(("skipped", "code"), [({}, 0), ({"tests/a.py::test_b": "no reason that is known"}, 1)])
def test_the_command_fails_only_where_a_test_is_lost(tmp_path: Path, skipped: dict[str, str], code: int) -> None:
    file = tmp_path / "test.json"
    Outcomes({"tests/c.py::test_d"}, skipped).write(file)
    command = [sys.executable, "-m", "tests.outcomes", str(file)]
    assert subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parents[1]).returncode == code
