"""``junit``: a gate as JUnit XML, a test case for each rule."""

from __future__ import annotations

from dataclasses import dataclass

from ragauge.core.messages import Spelled
from ragauge.core.registry import ingredient
from ragauge.errors import UsageError
from ragauge.gates.gate import write_junit
from ragauge.writers.writer import FinishedRun, Written, new_file


@ingredient("writer", "junit")
@dataclass(frozen=True)
class JunitWriter:
    """A gate as JUnit XML, which Jenkins, GitLab, Azure and others show as tests.

    Each rule of the gate is a test case, a rule that is not met a failure with its reason.

    Args:
        path: the file to write, as in ``gate.xml``.
        force: replace an existing file.

    Raises:
        UsageError: the run has no gate, or the file cannot be written.
    """

    path: str = ""
    force: bool = False

    def write(self, run: FinishedRun) -> Written:
        """Write the gate of ``run``; errors as of the class."""
        if run.gate is None:
            raise UsageError(
                "RG-WRITE-031 writer 'junit' needs the outcome of a gate. Pass {gate}; [gate] in ragauge.toml may "
                "hold its rules.",
                Spelled("gate=ragauge.gate(run, ...)", "--gate"),
            )
        with new_file(self.path, "junit", "gate.xml", force=self.force) as new:
            write_junit(run.gate, new)
        count = len(run.gate.checks)
        checks = f"{count} check{'' if count == 1 else 's'}"
        return Written(f"{checks}, {len(run.gate.failures)} failed, in {self.path}")
