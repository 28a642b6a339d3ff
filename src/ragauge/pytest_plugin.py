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

_MADE = pytest.StashKey["Ragauge"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--ragauge-baseline``."""
    group = parser.getgroup("ragauge")
    group.addoption("--ragauge-baseline", metavar="RUN", help="saved run that assert_not_worse compares with")


@pytest.fixture(scope="session", name="ragauge")
def ragauge_fixture(pytestconfig: pytest.Config) -> Ragauge:
    """Evaluate and check runs; see `Ragauge`."""
    made = Ragauge(pytestconfig.rootpath, pytestconfig.getoption("--ragauge-baseline"))
    pytestconfig.stash[_MADE] = made
    return made


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what was not compared."""
    made = config.stash.get(_MADE, None)
    for note in dict.fromkeys(made.notes if made else ()):
        terminalreporter.write_line(f"ragauge: {note}")


class Ragauge:
    """What the fixture ``ragauge`` gives a test."""

    def __init__(self, root: Path, baseline: str | None) -> None:
        """Look for ``ragauge.toml`` in ``root``; ``baseline``, where a test names none, wins over that of the file."""
        self._root = root
        self._baseline = baseline
        self.notes: list[str] = []
        """What pytest says after the tests."""

    def evaluate(self, *data: Any, **options: Any) -> Result:
        """Evaluate a run: `ragauge.evaluate`."""
        from ragauge.evaluation.evaluate import evaluate

        return evaluate(*data, **options)

    def load(self, directory: str | Path) -> Result:
        """Read a saved run: `ragauge.load`."""
        from ragauge.results.result import load

        return load(directory)

    def assert_passes(self, run: Run, baseline: Run | None = None, **rules: Any) -> None:
        """Fail the test unless ``run`` passes the gate.

        Args:
            run: a result or the directory of a saved run.
            baseline: what ``max_drop`` compares with; by default what ``--ragauge-baseline`` names, or the file.
            rules: those of `ragauge.gate`; without any, those of ``ragauge.toml`` or ``pyproject.toml``.

        Raises:
            AssertionError: a rule is not met; the message is the table of all checks.
        """
        __tracebackhide__ = True
        from ragauge.gates.check import gate
        from ragauge.gates.rules import gate_settings

        file = gate_settings(self._root)
        held = next((one for one in (baseline, self._baseline) if one is not None), file.pop("baseline", None))
        found = gate(run, held, **(rules or file))
        if not found.passed:
            raise AssertionError(f"\n{found}")

    def assert_not_worse(
        self, run: Run, baseline: Run | None = None, *, metrics: Mapping[str, float] | list[str] | str | None = None
    ) -> None:
        """Fail the test if ``run`` is worse than the baseline beyond noise.

        Args:
            run: a result or the directory of a saved run.
            baseline: the same; by default what ``--ragauge-baseline`` names, or the file.
            metrics: which, by default all that both runs have; or metric -> how much worse it may be.

        Raises:
            AssertionError: the whole interval of a difference lies on the bad side; the message is the table.
            UsageError: there is no baseline.
        """
        __tracebackhide__ = True
        from ragauge.results.result import Result, load

        result = run if isinstance(run, Result) else load(run)
        held = self._held(baseline)
        if metrics is None:
            held = held if isinstance(held, Result) or held is None else load(held)
            metrics = list(result.metrics) if held is None else self._shared(result, held)
        wanted = [metrics] if isinstance(metrics, str) else metrics
        drops = wanted if not isinstance(wanted, list) else dict.fromkeys(wanted, 0.0)
        self.assert_passes(result, held, max_drop=drops, confident=True)

    def _held(self, baseline: Run | None) -> Run | None:
        """Return the baseline: the one given, else the command line's, else the file's."""
        from ragauge.gates.rules import gate_settings

        given = (baseline, self._baseline)
        return next((one for one in given if one is not None), None) or gate_settings(self._root).get("baseline")

    def _shared(self, result: Result, baseline: Result) -> list[str]:
        """Return the metrics that the baseline has too; what it lacks is said at the end of the tests.

        Raises:
            UsageError: it has none of them.
        """
        from ragauge.errors import UsageError

        lacking = [name for name in result.metrics if name not in baseline]
        if len(lacking) == len(result.metrics):
            message = f"the baseline has none of {', '.join(lacking)}; it has {', '.join(baseline.metrics)}"
            raise UsageError(message)
        self.notes += [f"the baseline lacks {name}, which was not compared" for name in lacking]
        return [name for name in result.metrics if name not in lacking]
