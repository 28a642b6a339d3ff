"""Workers hand over what their jobs return, small or large, and may be started before a run needs them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ragauge.engines.processes import NotSharedError, Processes, _Worker

LARGE = 3_000_000


@dataclass(frozen=True)
class Repeated:
    """A job whose part n is a text of n letters."""

    letter: str

    def __call__(self, number: int) -> str:
        return self.letter * number

    def conclude(self) -> str:
        return self.letter * LARGE


def test_small_and_large_values_arrive() -> None:
    processes = Processes(2)
    assert list(processes.results(Repeated("水"), [1, LARGE])) == ["水", "水" * LARGE]
    assert processes.conclusions() == ["水" * LARGE] * 2


def test_results_come_in_the_order_of_the_parts_however_many() -> None:
    assert list(Processes(2).results(Repeated("a"), range(100))) == ["a" * number for number in range(100)]


@pytest.mark.costly
def test_an_error_ends_the_job_and_the_next_job_has_workers() -> None:
    processes = Processes(2)
    with pytest.raises(TypeError):
        list(processes.results(Repeated("a"), [1, "one"]))  # type: ignore[list-item]
    assert list(processes.results(Repeated("b"), [2])) == ["bb"]
    for _ in processes.results(Repeated("c"), range(10)):
        break
    assert list(processes.results(Repeated("d"), [3])) == ["ddd"]


def test_a_job_that_does_not_pickle_is_not_shared() -> None:
    with pytest.raises(NotSharedError, match="do not travel to other processes"):
        list(Processes(1).results(lambda number: number, [1]))


@pytest.fixture
def large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = tmp_path / "rows.jsonl"
    path.write_text("{}", encoding="utf-8")
    monkeypatch.setattr("ragauge.engines.processes._LARGE", 2)
    monkeypatch.setattr(Processes, "_early", [])
    return str(path)


def test_workers_that_were_started_early_are_those_of_the_next_run(large_file: str) -> None:
    Processes.start_early(2, large_file)
    processes = Processes.of(2)
    running = dict(processes._workers)
    assert len(running) == 2
    processes.start()
    assert list(processes.results(Repeated("а"), [3])) == ["ааа"]
    assert processes._workers == running
    assert not Processes.of(2)._workers
    processes.close()
    assert all(one.process.returncode == 0 for one in running.values())


def test_another_number_of_workers_is_started_anew(large_file: str) -> None:
    Processes.start_early(1, large_file)
    (early,) = Processes._early
    (process,) = early._workers.values()
    assert not Processes.of(2)._workers
    del early
    assert process.process.wait(30) == 0


def test_a_worker_that_is_stopped_before_it_is_ready_ends_without_an_error() -> None:
    """Python aborted where a worker could not reply while its thread waited for the next message."""
    worker = _Worker()
    assert worker.process.stdout is not None
    worker.process.stdout.close()
    assert worker.process.wait(30) == 0
    assert worker.stop() == 0


@pytest.mark.parametrize("name", ["small.jsonl", "none.jsonl", "-", "\0"])
def test_nothing_is_started_early_for_small_or_absent_data(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.jsonl").write_text("{}", encoding="utf-8")
    Processes.start_early(2, name)
    assert not Processes._early
