"""What became of each test in each step of .ci/run: a later step runs what an earlier one skipped, and nothing else.

``RAGAUGE_OUTCOMES=FILE`` has a run of pytest write which tests ran and which were skipped, and why;
``RAGAUGE_SKIPPED_IN=FILE`` has it run those alone that the run behind FILE skipped. ``python -m tests.outcomes FILES``
fails where two runs had the same test, and where a test was skipped that one of them should have run.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import skips

LEFT_OUT = "left out: RAGAUGE_CASES=all"


class Outcomes(NamedTuple):
    """The tests of one run by their ids; a file that was skipped whole stands for its tests."""

    ran: set[str]
    skipped: dict[str, str]
    """Test -> reason."""

    def write(self, path: Path) -> None:
        """Write the file at once, so that a process that waits for it reads all of it."""
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps({"ran": sorted(self.ran), "skipped": self.skipped}), encoding="utf-8")
        unfinished.replace(path)

    @classmethod
    def read(cls, path: Path) -> Outcomes:
        found = json.loads(path.read_text(encoding="utf-8"))
        return cls(set(found["ran"]), found["skipped"])


class Recorder:
    """A plugin of pytest that writes the outcomes of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.outcomes = Outcomes(set(), {})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.outcomes.skipped[report.nodeid] = reason(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.outcomes.skipped[report.nodeid] = reason(report)
        elif report.when == "call":
            self.outcomes.ran.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if (left_out := _left_out(self.path)).exists():
            self.outcomes.skipped.update(dict.fromkeys(json.loads(left_out.read_text(encoding="utf-8")), LEFT_OUT))
        self.outcomes.write(self.path)


class Chooser:
    """A plugin of pytest that leaves out the tests that ran elsewhere."""

    def __init__(self, path: Path) -> None:
        self.skipped = Outcomes.read(path).skipped

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        wanted = [not self.skipped.keys().isdisjoint((item.nodeid, file_of(item.nodeid))) for item in items]
        config.hook.pytest_deselected(
            items=[item for item, is_wanted in zip(items, wanted, strict=True) if not is_wanted]
        )
        items[:] = [item for item, is_wanted in zip(items, wanted, strict=True) if is_wanted]


def configure(config: pytest.Config) -> None:
    """Register the plugins that the environment asks for; with xdist every worker chooses, and one process writes."""
    if path := os.environ.get("RAGAUGE_SKIPPED_IN"):
        config.pluginmanager.register(Chooser(Path(path)))
    if (path := os.environ.get("RAGAUGE_OUTCOMES")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(path)))


def leave_out(tests: Iterable[str]) -> None:
    """Have tests recorded that the run leaves out: by one of its processes, as all of them collect the same."""
    if (path := os.environ.get("RAGAUGE_OUTCOMES")) and os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0":
        _left_out(Path(path)).write_text(json.dumps([*tests]), encoding="utf-8")


def _left_out(path: Path) -> Path:
    return path.with_suffix(".left-out")


def reason(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Return why something was skipped."""
    return str(report.longrepr[2]).removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else ""


def file_of(test: str) -> str:
    return test.partition("::")[0]


def problems(runs: Iterable[Outcomes]) -> Iterator[str]:
    """Yield a line for each test that ran twice, and for each that a run of .ci/run should have had and none had."""
    several = list(runs)
    counts = Counter(test for run in several for test in run.ran)
    yield from (f"ran {count} times: {test}" for test, count in sorted(counts.items()) if count > 1)
    files = {file_of(test) for test in counts}
    reasons = [(test, why) for run in several for test, why in run.skipped.items()]
    # What one run left out, another skipped for a reason that counts.
    skipped = dict(sorted(reasons, key=lambda one: one[1] != LEFT_OUT))
    for test, why in sorted(skipped.items()):
        if test not in counts and test not in files and not skips.never_runs(test, why):
            yield f"never ran: {test}: {why} ({skips.place_of(why)})"


if __name__ == "__main__":
    found = list(problems(Outcomes.read(Path(name)) for name in sys.argv[1:]))
    sys.exit("\n".join(found) or None)
