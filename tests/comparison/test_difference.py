"""One sign for readers: + is better, also where lower is better; what programs read stays candidate minus base."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.comparison.difference import ends_text
from ragauge.results.result import Result
from tests.reports.reading import read

NAME = "time=column:name=time,direction=lower"


def run(seconds: float, right: int) -> Result:
    """Return 40 samples that took about so many seconds each, so many of them right."""
    rows: list[dict[str, Any]] = [
        {"id": f"q{i}", "answer": "yes" if i < right else "no", "references": ["yes"], "time": seconds + i % 5 / 100}
        | {"half": "even" if i % 2 else "odd"}
        for i in range(40)
    ]
    return ragauge.evaluate(rows, [NAME, "exact-match"], resamples=200, evidence=True)


SLOW, FAST = run(0.9, 30), run(0.6, 18)


@pytest.mark.parametrize(("runs", "sign"), [((FAST, SLOW), "-"), ((SLOW, FAST), "+")])
def test_where_lower_is_better_plus_is_better_in_every_place(
    runs: tuple[Result, Result], sign: str, tmp_path: Path
) -> None:
    word, mark = {"-": ("worse", "▼"), "+": ("better", "▲")}[sign]
    rule = "↓ lower is better; a difference is + where the new run is better"
    compared = ragauge.compare(*runs, by="half")
    base, new = (str(tmp_path / name) for name in "ab")
    for one, place in zip(runs, (base, new), strict=True):
        one.save(place)
    ragauge.export(new, "markdown", path=str(tmp_path / "c.md"), baseline=base)
    markdown = (tmp_path / "c.md").read_text(encoding="utf-8")
    for text in (str(compared), str(ragauge.history(base, new)), markdown):
        [*lines] = [line for line in text.splitlines() if re.search(r"^\S* ?\|? ?`?time`? ↓", line)]
        assert lines
        assert all(f"{sign}0.3" in line and mark in line for line in lines)
        assert rule in text
    assert ragauge.gate(new, base, max_drop={"time": 1}).checks[0].value_text == f"{word}: {sign}0.300"

    page = read(ragauge.report([base, new], tmp_path / "page.html"))
    changes = page.one("section", id="changes")
    [row] = [row for row in changes.all("tr") if "time" in row.line and "↓" in row.line]
    assert f"{sign}0.300" in row.line
    marks = {mark.attributes["class"]: float(mark.attributes["cx"] or 0) for mark in changes.all("circle")}
    assert marks["mark better"] > marks["mark worse"]
    assert f"{sign}0.300 {word}" in page.one("section", id="summary").line


def test_what_programs_read_is_candidate_minus_base() -> None:
    compared = ragauge.compare(FAST, SLOW)
    one = compared["time"]
    assert one.difference == pytest.approx(0.3)
    assert one.low <= one.difference <= one.high
    assert one.shown == (-one.difference, -one.high, -one.low)
    assert one.gain == -one.difference
    assert next(row for row in compared.to_dict()["differences"] if row["metric"] == "time")["difference"] > 0
    assert ragauge.gate(SLOW, FAST, max_drop={"time": 1}).checks[0].to_dict()["value"] == pytest.approx(0.3)
    right = compared["exact-match"]
    assert right.shown == (right.difference, right.low, right.high)


def test_what_is_better_has_no_0_in_its_interval() -> None:
    one = replace(ragauge.compare(FAST, SLOW)["exact-match"], low=0.0, high=0.05, outcome="better")
    assert ends_text(one) == "(0, +0.050]"
    assert ends_text(replace(one, low=0.0004)) == "[+0.0004, +0.050]"
    assert ends_text(replace(one, outcome="unclear")) == "[0.000, +0.050]"
    assert ends_text(replace(one, low=-0.05, high=0.0, outcome="worse")) == "[-0.050, 0)"
