"""A gate as JUnit XML, which CI servers show."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from ragauge.gating.gated import Gate
from ragauge.gating.wording import found
from ragauge.wording import printable


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
