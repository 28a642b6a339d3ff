"""The outcome of a gate, as text, Markdown, JUnit XML and GitHub's log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

from ragauge.comparison.comparison import coverage
from ragauge.comparison.verdict import CheckedRules, Verdict
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Counted, Joined, Message
from ragauge.display.html import Displayed
from ragauge.display.numbers import Span, interval, json_fields, printable, short_number, signed
from ragauge.display.table import Block, Facts, Heading, Notes, Paragraph, Table, TableColumn, TableRow, markdown
from ragauge.errors import worded

_FAILED = "Gate failed: {n} of {total} checks"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One rule, and whether the run meets it."""

    rule: str
    """The rule in words: ``ndcg@10 at least 0.42``."""
    metric: str
    """The metric that was checked."""
    value: float
    """The score, drop, share or count that was checked; NaN where there is none."""
    low: float = nan
    """Lower end of its interval; NaN where the value itself was checked."""
    high: float = nan
    limit: float
    unit: Literal["score", "drop", "share", "count"] = "score"
    """What the value is: a score, by how much one got worse, a share of samples, or a number of samples."""
    scored: int
    """Number of samples behind the value: scored, and for a drop scored in both runs."""
    total: int
    """Number of all samples; for a drop of those of the baseline."""
    excluded: Mapping[str, int]
    """Number of the others, by reason."""
    lost: int = 0
    """How many of these are not undefined on the side of the reference; checked for ``min``, ``max``, ``max_drop``."""
    decided: int = 0
    """After how many samples a sequential check was decided, negative where it fails; 0: not yet, or not sequential."""
    undecided: bool = False
    """Whether it is sequential and not decided yet: it is not met, and not broken either."""
    why: str
    """Why the check failed; empty where it passed."""

    @property
    def passed(self) -> bool:
        """Whether the run meets the rule."""
        return not self.why

    @property
    def value_text(self) -> str:
        """The checked value as text, with its interval where that was checked."""
        if self.unit in ("share", "count"):
            return f"{100 * self.value:.3g} %" if self.unit == "share" else f"{self.value:,.0f}"
        ends = (self.low, self.high)
        if self.unit == "score":
            return _with_ends(self.value, ends, short_number)
        # As a difference in comparisons: + is better. The words say it where no table stands beside it.
        text = _with_ends(-self.value, (-self.high, -self.low), signed)
        return Message("better: {n}" if self.value < 0 else "worse: {n}", text) if self.value else text

    @property
    def coverage(self) -> str:
        """How many samples are scored, and why the others are not: ``38 of 40 scored: 2 failed``."""
        return coverage(self.scored, self.total, self.excluded)

    def to_dict(self) -> dict[str, Any]:
        """Return the check as JSON types; NaN as None."""
        return {"rule": self.rule, "metric": self.metric, "passed": self.passed} | json_fields(asdict(self))


@dataclass(frozen=True, repr=False)
class Gate(Displayed):
    """All checks of a run, and whether it passes."""

    run: str
    baseline: str | None
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    verdict: Verdict | None = None
    """Whether to ship by these rules and by what changed since the baseline, where that was looked at."""

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def undecided(self) -> bool:
        """Whether no check failed, but some of ``sequential`` are not decided yet: more answers decide them."""
        return bool(self.rules.undecided) and not self.rules.failed

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def rules(self) -> CheckedRules:
        """The rules, as a verdict reads them."""
        of_check = [(one.undecided, _in_words(one)) for one in self.failures]
        failed, undecided = (tuple(text for one, text in of_check if one is still) for still in (False, True))
        return CheckedRules(len(self.checks), failed, frozenset(check.metric for check in self.checks), undecided)

    @property
    def heading(self) -> str:
        """The outcome in one line."""
        total = len(self.checks)
        if self.passed:
            return Message("Gate passed: {checks}", Counted(total, "check"))
        template = "Gate not decided yet: {n} of {total} checks" if self.undecided else _FAILED
        return Message(template, len(self.failures), total)

    def to_dict(self) -> dict[str, Any]:
        """Return the gate as JSON types."""
        checks = [check.to_dict() for check in self.checks]
        verdict = {} if self.verdict is None else {"verdict": self.verdict.to_dict()}
        head = {"run": self.run, "baseline": self.baseline, **verdict, "passed": self.passed}
        return {**head, "checks": checks, "notes": list(self.notes)}

    def blocks(self) -> Iterator[Block]:
        """Yield the verdict, the outcome, the runs, the checks with coverage and reasons of failures, and the notes."""
        if self.verdict is not None:
            yield Paragraph(self.verdict.sentence)
        yield Heading(self.heading)
        yield Facts((("run", self.run), *([("baseline", self.baseline)] if self.baseline else [])))
        columns = (TableColumn(""), TableColumn("check", "name"), TableColumn("value"), TableColumn("scored", "number"))
        yield Table("", columns, tuple(map(_row, self.checks)), details="why")
        yield Notes(self.notes)


def _in_words(check: Check) -> str:
    """Return a rule that does not hold with its value; where samples are lost, which may be why, with their number."""
    lost = check.coverage if check.lost else ""
    return Message("{rule} ({value})", check.rule, Joined(filter(None, [check.value_text, lost]), "; "))


def _with_ends(value: float, ends: Span, form: Callable[[float, float, float], str]) -> str:
    return " ".join(filter(None, [form(value, *ends), interval(*ends, form)]))


def _row(check: Check) -> TableRow:
    state = worded("ok" if check.passed else "open" if check.undecided else "FAIL")
    details = filter(None, (check.why, check.coverage if check.excluded else ""))
    return TableRow((state, check.rule, check.value_text, f"{check.scored:,}/{check.total:,}"), tuple(details))


SUMMARY_LIMIT = 1024 * 1024
"""Bytes of all summaries of a step; GitHub drops a larger file. Source: its page "Workflow commands"."""

_CUT = "\n\n(cut: a job summary holds no more)\n"


def error_lines(gate: Gate) -> list[str]:
    """Return one ``::error`` line for each check that failed, and one ``::warning`` for each that is not decided.

    Source: GitHub's page "Workflow commands for GitHub Actions", which escapes %, line ends, and in properties : and ,.
    """
    return [
        f"::{'warning' if check.undecided else 'error'} "
        f"title={_escaped(f'ragauge gate: {check.metric}', in_property=True)}::"
        + _escaped(f"{check.rule}: {check.value_text}, {check.why}; {check.coverage}")
        for check in gate.failures
    ]


def _escaped(text: str, *, in_property: bool = False) -> str:
    for char, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(char, code)
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text


def add_summary(gate: Gate, path: Path) -> None:
    """Append the gate to the job's summary at ``path``, cut to the bytes that are left there."""
    append_summary(markdown(gate.blocks()) + "\n\n", path)


def append_summary(markdown_text: str, path: Path) -> None:
    """Append Markdown to the job's summary at ``path``, cut to the bytes that are left there."""
    text = markdown_text.encode("utf-8", "backslashreplace")
    room = SUMMARY_LIMIT - (path.stat().st_size if path.exists() else 0)
    if len(text) > room:
        kept = text[: max(0, room - len(_CUT))].rpartition(b"\n")[0]
        text = kept + _CUT.encode() if kept else b""
    with path.open("ab") as file:
        file.write(text)


def write_junit(gate: Gate, path: Path) -> None:
    """Write one test case per check to ``path``, as the schema junit-10 of Jenkins' xUnit plugin has it.

    A check that is not decided is skipped, not failed.
    """
    suites = ET.Element("testsuites")
    undecided = sum(check.undecided for check in gate.failures)
    suite = ET.SubElement(suites, "testsuite", name="ragauge gate", tests=str(len(gate.checks)), errors="0")
    suite.set("skipped", str(undecided))
    suite.set("failures", str(len(gate.failures) - undecided))
    for check in gate.checks:
        case = ET.SubElement(suite, "testcase", classname=_xml(gate.run), name=_xml(check.rule), time="0")
        if not check.passed:
            tag, message = "skipped" if check.undecided else "failure", _xml(f"{check.value_text}: {check.why}")
            failure = ET.SubElement(case, tag, message=message, type="gate")
            failure.text = _xml(f"{check.rule}: {check.value_text}, {check.why}")
        ET.SubElement(case, "system-out").text = _xml(f"{check.value_text}; {check.coverage}")
    said = (*([] if gate.verdict is None else [gate.verdict.sentence]), *gate.notes)
    if said:
        ET.SubElement(suite, "system-out").text = "\n".join(map(_xml, said))
    ET.indent(suites)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ET.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n")


_NOT_XML = lazy_pattern(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""


def _xml(text: str) -> str:
    """Return ``text`` as XML can hold it: control characters and halves of characters as escapes."""
    return _NOT_XML.sub(lambda char: f"\\u{ord(char[0]):04x}", printable(text))
