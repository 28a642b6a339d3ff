"""A gate as JUnit XML, as Jenkins and GitLab read it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.gates.gate import Gate
from tests.cli.running import here
from tests.writers.runs import LABELS, some_result

# Of junit-10.xsd of Jenkins' xUnit plugin: element -> its attributes, those that it must have, and what it may hold.
SCHEMA: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package"},
        {"name", "tests", "failures", "errors"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "time", "classname", "group"},
        {"name"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, set(), set()),
    "system-out": (set(), set(), set()),
}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def check(element: ET.Element) -> None:
    allowed, needed, children = SCHEMA[element.tag]
    assert needed <= set(element.attrib) <= allowed
    assert {child.tag for child in element} <= children
    assert TIME.fullmatch(element.get("time", "0"))
    assert element.tag in ("failure", "system-out") or not (element.text or "").strip()
    for child in element:
        check(child)


def written(path: Path, gate: Gate) -> ET.Element:
    ragauge.export(some_result(resamples=0), "junit", gate=gate, path=str(path))
    root = ET.parse(path).getroot()  # noqa: S314 - our own
    check(root)
    return root


@pytest.fixture(scope="module")
def gate() -> Gate:
    rules = {"exact-match": 0.5, LABELS[0]: 0.9}
    return ragauge.gate(some_result(), min=rules, max={"latency": 1.0}, max_failed="1%", min_coverage=0.5)


def test_a_case_for_each_rule_and_a_failure_with_its_reason(gate: Gate, tmp_path: Path) -> None:
    [suite] = written(tmp_path / "gate.xml", gate)
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["4", "2", "0", "0"]
    assert [case.get("name") for case in suite] == [check.rule for check in gate.checks]
    failures = {str(case.get("name")): case.find("failure") for case in suite}
    assert [one is None for one in failures.values()] == [True, False, True, False]
    failure = failures[f"{LABELS[0]} at least 0.9"]
    assert failure is not None
    assert failure.get("message") == "0.875: the score is 0.025 below the limit"


def test_notes_of_the_gate_are_the_output_of_the_suite(gate: Gate, tmp_path: Path) -> None:
    [suite] = written(tmp_path / "gate.xml", replace(gate, notes=("1 sample was left out: 酒", "<&>")))
    assert suite[-1].tag == "system-out"
    assert suite[-1].text == "1 sample was left out: 酒\n<&>"


@pytest.mark.parametrize("label", [*LABELS, "<&\"'>", "]]>", "\x00\x1b\x85", "\ud800", "\ufffe"])
def test_names_of_all_scripts_and_signs(label: str, tmp_path: Path, gate: Gate) -> None:
    checks = tuple(replace(check, rule=f"{label} at least 1", why=f"{label} is low") for check in gate.checks)
    [suite] = written(tmp_path / "gate.xml", replace(gate, run=label, checks=checks))
    shown = {"\x00\x1b\x85": "\\x00\\x1b\\x85", "\ud800": "\\ud800", "\ufffe": "\\ufffe"}.get(label, label)
    assert {case.get("name") for case in suite} == {f"{shown} at least 1"}
    assert {case.get("classname") for case in suite} == {shown}


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    some_result().save("run")
    (tmp_path / "ragauge.toml").write_text(
        "[gate]\nmin-coverage = 0.5\n[gate.min]\nexact_match = 0.9\n", encoding="utf-8"
    )
    done = here(capsys, "export", "run", "--to", "junit[path=gate.xml]", "--to", "markdown[path=gate.md]", "--gate")
    assert (done.code, done.out) == (0, "junit: 1 check, 1 failed, in gate.xml\nmarkdown: gate.md\n")
    assert ET.parse(tmp_path / "gate.xml").getroot()[0].get("failures") == "1"  # noqa: S314
    again = here(capsys, "export", "run", "--to", "junit[path=gate.xml]", "--gate")
    assert again.code == 2
    assert "gate.xml already exists. Name another file, or pass force=true to replace it." in again.err
    without = here(capsys, "export", "run", "--to", "junit[path=none.xml]")
    assert (without.code, without.out) == (0, "junit: 1 check, 1 failed, in none.xml\n")


def test_a_run_without_a_gate(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"needs the outcome of a gate\. Pass gate=ragauge\.gate"):
        ragauge.export(some_result(resamples=0), "junit", path=str(tmp_path / "x.xml"))
