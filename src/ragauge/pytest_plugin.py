"""The pytest plugin: the fixture ``ragauge``, which evaluates, and fails a test with the table of what went wrong.

Where ``ragauge`` is installed, tests have it:

    def test_quality(ragauge):
        result = ragauge.evaluate("answers.jsonl", "exact-match", system=my_system)
        ragauge.assert_passes(result, min={"exact-match": 0.8})
        ragauge.assert_not_worse(result, "runs/main")
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragauge.comparison.compare import Run
    from ragauge.results.result import Result

_FIXTURE = pytest.StashKey["Ragauge"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--ragauge-baseline``."""
    group = parser.getgroup("ragauge")
    group.addoption("--ragauge-baseline", metavar="RUN", help="saved run that assert_not_worse compares with")


@pytest.fixture(scope="session", name="ragauge")
def ragauge_fixture(pytestconfig: pytest.Config) -> Ragauge:
    """Evaluate and check runs; see `Ragauge`."""
    fixture = Ragauge(pytestconfig.rootpath, pytestconfig.getoption("--ragauge-baseline"))
    pytestconfig.stash[_FIXTURE] = fixture
    return fixture


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the metrics that were not compared."""
    fixture = config.stash.get(_FIXTURE, None)
    for note in dict.fromkeys(fixture.notes if fixture else ()):
        terminalreporter.write_line(f"ragauge: {note}")


class Ragauge:
    """The fixture ``ragauge`` of a test."""

    def __init__(self, root: Path, baseline: str | None) -> None:
        """Look for ``ragauge.toml`` in ``root``; ``baseline``, where a test names none, wins over that of the file."""
        self._root = root
        self._baseline = baseline
        self.notes: list[str] = []
        """Lines that pytest prints after the tests."""

    def evaluate(self, *data: Any, **options: Any) -> Result:
        """Evaluate a run: `ragauge.evaluate`."""
        from ragauge.engines.evaluate import evaluate

        return evaluate(*data, **options)

    def load(self, directory: str | Path) -> Result:
        """Read a saved run: `ragauge.load`."""
        from ragauge.results.result import load

        return load(directory)

    def assert_passes(self, run: Run, baseline: Run | None = None, **rules: Any) -> None:
        """Fail the test unless ``run`` passes the gate.

        Args:
            run: a result or the directory of a saved run.
            baseline: the run that ``max_drop`` compares with; by default that of ``--ragauge-baseline``, or the file's.
            rules: those of `ragauge.gate`; without any, those of ``ragauge.toml`` or ``pyproject.toml``.

        Raises:
            AssertionError: a rule is not met; the message is the table of all checks.
        """
        __tracebackhide__ = True
        from ragauge.gates.check import gate
        from ragauge.gates.rules import gate_settings

        settings = gate_settings(self._root)
        settings.pop("baseline", None)
        outcome = gate(run, self._baseline_of(baseline), **(rules or settings))
        if not outcome.passed:
            raise AssertionError(f"\n{outcome}")

    def assert_not_worse(
        self,
        run: Run,
        baseline: Run | None = None,
        *,
        metrics: Mapping[str, float] | list[str] | str | None = None,
        min_coverage: float | str | None = None,
    ) -> None:
        """Fail the test if ``run`` is worse than the baseline beyond noise.

        Args:
            run: a result or the directory of a saved run.
            baseline: the same; by default that of ``--ragauge-baseline``, or of the file.
            metrics: the metrics to compare, by default all that both runs have; or metric -> how much worse it may be.
            min_coverage: the share of the baseline's samples that must not be lost: see `ragauge.gate`.

        Raises:
            AssertionError: the whole interval of a difference lies on the bad side, or samples are lost; the message
                is the table.
            UsageError: there is no baseline.
            UnknownNameError: the run or the baseline lacks one of ``metrics``.
        """
        __tracebackhide__ = True
        base = self._baseline_of(baseline)
        if metrics is None:
            metrics = self._shared(run, base)
        names = [metrics] if isinstance(metrics, str) else metrics
        drops = dict.fromkeys(names, 0.0) if isinstance(names, list) else names
        self.assert_passes(run, base, max_drop=drops, confident=True, min_coverage=min_coverage)

    def _baseline_of(self, baseline: Run | None) -> Run | None:
        """Return ``baseline``, or else that of the command line, or else that of the file."""
        from ragauge.gates.rules import gate_settings

        if baseline is not None:
            return baseline
        return self._baseline or gate_settings(self._root).get("baseline")

    def _shared(self, run: Run, baseline: Run | None) -> list[str]:
        """Return the metrics that the baseline has too; those that it lacks are printed after the tests."""
        from ragauge.errors import UsageError
        from ragauge.results.result import loaded

        result = loaded(run, "the gate", "run")
        if baseline is None:
            return list(result.metrics)
        base = loaded(baseline, "the gate", "baseline")
        lacking = [name for name in result.metrics if name not in base]
        if len(lacking) == len(result.metrics):
            raise UsageError(
                "RG-TESTS-001 the baseline has none of {lacking}; it has {metrics}",
                ", ".join(lacking),
                ", ".join(base.metrics),
            )
        self.notes += [f"the baseline lacks {name}, which was not compared" for name in lacking]
        return [name for name in result.metrics if name not in lacking]
