"""What a gate found, and how it is shown: text, Markdown, JUnit XML and GitHub's log."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import Any, Literal, TypeAlias
from xml.etree import ElementTree as ET

from rich.cells import cell_len

from ragauge.comparison.tables import number, wrapped
from ragauge.results.tables import printable

Unit: TypeAlias = Literal["score", "share", "count"]
"""What a value is: of a metric, of all samples, or a number of samples."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One demand, and whether it is met."""

    demand: str
    """In words: ``ndcg@10 at least 0.42``."""
    metric: str
    """The metric it is about."""
    passed: bool
    value: float
    """The score, drop, share or count that was judged; NaN where there is none."""
    low: float
    """Lower end of its interval; NaN where none was judged."""
    high: float
    limit: float
    unit: Unit
    why: str
    """What is wrong, in words; empty where nothing is."""

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON types; NaN as None."""
        return {
            name: None if isinstance(value, float) and not isfinite(value) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class Gate:
    """All demands on a run, and whether it may pass."""

    run: str
    baseline: str | None
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every demand is met."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The demands that are not met."""
        return tuple(check for check in self.checks if not check.passed)

    def to_dict(self) -> dict[str, Any]:
        """Return the gate as JSON types."""
        checks = [check.to_dict() for check in self.checks]
        head = {"run": self.run, "baseline": self.baseline, "passed": self.passed}
        return {**head, "checks": checks, "notes": list(self.notes)}

    def __str__(self) -> str:
        from ragauge.gates.gate import plain_text

        return plain_text(self)


_DEMAND, _WIDTH = 36, 80


def plain_text(gate: Gate) -> str:
    """Write a gate as lines, failures with their reasons."""
    lines = [heading(gate), *([f"baseline {gate.baseline}"] if gate.baseline else []), ""]
    for check in gate.checks:
        lines += _lines(check)
    return "\n".join([*lines, *(wrapped(f"note: {note}") for note in gate.notes)])


def markdown(gate: Gate) -> str:
    """Write a gate as a Markdown table, for a job summary."""
    rows = [("", "demand", "found", "why"), ("---", "---", "---", "---")]
    rows += [(_mark(check), printable(check.demand), found(check), printable(check.why)) for check in gate.checks]
    table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    notes = [f"\nnote: {printable(note)}" for note in gate.notes]
    runs = _code(gate.run) + (f" against {_code(gate.baseline)}" if gate.baseline else "")
    return "\n".join([f"**{heading(gate)}**", "", runs, "", *table, *notes])


def _code(text: str) -> str:
    """Write a path as Markdown code, where no character of it means anything."""
    return f"`{printable(text).replace('`', chr(39))}`"


def heading(gate: Gate) -> str:
    """Say how the gate ended.

    >>> heading(Gate("run", None, ()))
    'gate: passed, all 0 demands'
    """
    if gate.passed:
        return f"gate: passed, all {len(gate.checks)} demands"
    return f"gate: FAILED, {len(gate.failures)} of {len(gate.checks)} demands"


def found(check: Check) -> str:
    """Write what was judged, with its interval where that was."""
    if check.unit != "score":
        return f"{100 * check.value:.3g} %" if check.unit == "share" else f"{check.value:.0f}"
    return number(check.value) + ("" if isnan(check.low) else f" [{number(check.low)}, {number(check.high)}]")


def _mark(check: Check) -> str:
    return "ok" if check.passed else "FAIL"


def _lines(check: Check) -> list[str]:
    demand, value = printable(check.demand), found(check)
    first = f"{_mark(check):4}  {demand}"
    together = f"{first}{' ' * max(2, _DEMAND + 2 - cell_len(demand))}{value}"
    lines = [together] if cell_len(together) <= _WIDTH else [first, f"      {value}"]
    return [*lines, *(f"      {line}" for line in wrapped(check.why).splitlines())]


LIMIT = 1024 * 1024
"""Bytes of all summaries of a step; GitHub drops a larger file. Source: its page "Workflow commands"."""

_CUT = "\n\n(cut: a job summary holds no more)\n"


def error_lines(gate: Gate) -> list[str]:
    """Write one ``::error`` line per demand that is not met.

    Source: GitHub's page "Workflow commands for GitHub Actions", which escapes %, line ends, and in properties : and ,.
    """
    return [
        f"::error title={_escaped(f'ragauge gate: {check.metric}', properties=True)}::"
        + _escaped(f"{check.demand}: {found(check)}, {check.why}")
        for check in gate.failures
    ]


def add_summary(gate: Gate, path: Path) -> None:
    """Append the gate to the job's summary at ``path``, cut to what fits beside what is there."""
    there = path.stat().st_size if path.exists() else 0
    text = (markdown(gate) + "\n\n").encode()
    room = LIMIT - there
    if len(text) > room:
        kept = text[: max(0, room - len(_CUT))].rpartition(b"\n")[0]
        text = kept + _CUT.encode() if kept else b""
    with path.open("ab") as file:
        file.write(text)


def _escaped(text: str, *, properties: bool = False) -> str:
    for char, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(char, code)
    return text.replace(":", "%3A").replace(",", "%2C") if properties else text


def write_junit(gate: Gate, path: Path) -> None:
    """Write one test case per demand to ``path``."""
    suite = ET.Element("testsuite", name="ragauge gate", tests=str(len(gate.checks)), errors="0", skipped="0")
    suite.set("failures", str(len(gate.failures)))
    for check in gate.checks:
        case = ET.SubElement(suite, "testcase", classname=printable(gate.run), name=printable(check.demand), time="0")
        if not check.passed:
            failure = ET.SubElement(case, "failure", message=printable(f"{found(check)}: {check.why}"), type="gate")
            failure.text = printable(f"{check.demand}: {found(check)}, {check.why}")
    suites = ET.Element("testsuites")
    suites.append(suite)
    ET.indent(suites)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ET.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n")
