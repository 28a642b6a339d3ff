"""Workers hand over what their jobs return, small or large, and may be started before a run needs them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragauge.engines.processes import Processes

LARGE = 3_000_000


@dataclass(frozen=True)
class Repeated:
    """A job whose part n is a text of n letters."""

    letter: str

    def do(self, number: int, scored: Callable[[int], None]) -> str:
        scored(1)
        return self.letter * number

    def conclude(self) -> str:
        return self.letter * LARGE


def test_small_and_large_values_arrive_and_leave_no_file(tmp_path: Path) -> None:
    job = tmp_path / "some.job"
    job.write_bytes(pickle.dumps(Repeated("水")))
    concluded: list[str] = []
    done: list[int] = []
    assert list(Processes(2).results(str(job), [1, LARGE], concluded, done.append)) == ["水", "水" * LARGE]
    assert concluded == ["水" * LARGE] * 2
    assert sum(done) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["some.job"]


@pytest.fixture
def large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "rows.jsonl"
    path.write_text("{}", encoding="utf-8")
    monkeypatch.setattr("ragauge.engines.processes._LARGE", 2)
    monkeypatch.setattr(Processes, "_early", [])
    return str(path)


def test_workers_that_were_started_early_are_those_of_the_next_run(large_file: str, tmp_path: Path) -> None:
    Processes.start_early(2, large_file)
    processes = Processes.of(2)
    running = dict(processes._workers)
    assert len(running) == 2
    processes.start()
    job = tmp_path / "some.job"
    job.write_bytes(pickle.dumps(Repeated("а")))
    assert list(processes.results(str(job), [3], [])) == ["ааа"]
    assert processes._workers == running
    assert not Processes.of(2)._workers
    processes.close()
    assert all(one._process.returncode == 0 for one in running.values())


def test_another_number_of_workers_is_started_anew(large_file: str) -> None:
    Processes.start_early(1, large_file)
    (early,) = Processes._early
    (process,) = early._workers.values()
    assert not Processes.of(2)._workers
    del early
    assert process._process.wait(30) == 0


@pytest.mark.parametrize("name", ["small.jsonl", "none.jsonl", "-", "\0"])
def test_nothing_is_started_early_for_small_or_absent_data(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.jsonl").write_text("{}", encoding="utf-8")
    Processes.start_early(2, name)
    assert not Processes._early
