"""Rules that may be looked at after each answer, and asking that stops when they are decided."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.gates.gate import error_lines, write_junit
from ragauge.gates.sequential import drawn_order
from ragauge.inference.sequential import confidence_sequence, decided_after
from ragauge.results.result import Result
from tests.cli.running import here, write_rows

EM, LOWER = "exact-match", "mer:average=samples"


def run_of(right: Sequence[float | None], metric: str | list[str] = EM, **options: Any) -> Result:
    """A run whose answers are right where ``right`` has 1; None: the system failed."""
    rows = [
        {"id": f"q{i}", "answer": {1: "yes", 0: "no"}.get(one), "references": ["yes"], "topic": i % 3}  # type: ignore[call-overload]
        | {"failure": "timeout" if one is None else None}
        for i, one in enumerate(right)
    ]
    return ragauge.evaluate(rows, metric, resamples=0, **options)


def test_three_outcomes_of_a_least_value() -> None:
    values = [1.0, 1.0, 0.0, 1.0] * 20
    drawn = np.array(values)[drawn_order(pa.array([f"q{i}" for i in range(80)]))]
    found = {least: ragauge.gate(run_of(values), min={EM: least}, sequential=True) for least in (0.4, 0.75, 0.97)}
    checks = {least: one.checks[0] for least, one in found.items()}
    assert [one.passed for one in found.values()] == [True, False, False]
    assert (checks[0.75].decided, checks[0.75].why) == (0, "not decided after 80 samples")
    for least in (0.4, 0.97):
        assert checks[least].decided == decided_after(drawn, least, 0.95) != 0
    assert checks[0.97].why == f"beyond the limit after {-checks[0.97].decided} samples"
    assert (checks[0.4].low, checks[0.4].high) == pytest.approx(confidence_sequence(drawn, 0.95))
    assert [one.undecided for one in found.values()] == [False, True, False]
    assert "Gate not decided yet: 1 of 1 checks" in str(found[0.75])
    rules = {EM: 0.75, "token-f1": 0.97}
    assert not ragauge.gate(run_of(values, [EM, "token-f1"]), min=rules, sequential=True).undecided, "one is broken"
    assert "at every look" in str(found[0.4])
    assert found[0.4].to_dict()["checks"][0]["decided"] == checks[0.4].decided


def test_the_order_of_the_file_decides_nothing() -> None:
    """60 right answers of 400 are .15, wherever they are in the file; the first 60 of it alone would pass."""
    rows = [{"id": f"s{i}", "answer": "a" if i < 60 else "b", "references": ["a"]} for i in range(400)]
    random = np.random.default_rng(5)
    found = [
        ragauge.gate(ragauge.evaluate(some, EM, resamples=0), min={EM: 0.7}, sequential=True).checks[0]
        for some in (rows, rows[::-1], [rows[i] for i in random.permutation(400)])
    ]
    assert found[0].decided < 0
    assert found[0] == found[1] == found[2]
    assert found[0].low < found[0].value < found[0].high < 0.7


def test_the_order_of_a_comparison_is_that_of_the_ids_too() -> None:
    """A drop on 340 of 400 samples, those at the end of the file, is no drop of 0 to 60 of them."""
    ids, right = [f"s{i}" for i in range(400)], [1.0] * 60 + [0.0] * 340
    rows = [
        {"id": name, "answer": "a" if one else "b", "references": ["a"]} for name, one in zip(ids, right, strict=True)
    ]
    old = ragauge.evaluate([row | {"answer": "a"} for row in rows], EM, resamples=0)
    checks = [
        ragauge.gate(ragauge.evaluate(some, EM, resamples=0), base, max_drop={EM: 0.3}, sequential=True).checks[0]
        for some in (rows, rows[::-1])
        for base in (old, ragauge.evaluate([row | {"answer": "a"} for row in rows[7:] + rows[:7]], EM, resamples=0))
    ]
    assert checks[0].decided < 0
    assert {(one.decided, one.low, one.high) for one in checks} == {(checks[0].decided, checks[0].low, checks[0].high)}


@pytest.mark.parametrize(("first", "least"), [(1.0, 0.7), (0.0, 0.7), (1.0, 0.5)])
def test_samples_that_contradict_one_another_decide_nothing(first: float, least: float) -> None:
    """Where the first 60 in the order drawn are right and the rest wrong, or the reverse, no mean fits all looks."""
    ids = [f"s{i}" for i in range(400)]
    order = drawn_order(pa.array(ids))
    right = np.full(400, 1 - first)
    right[order[:60]] = first
    rows = [
        {"id": one, "answer": "a" if is_right else "b", "references": ["a"]}
        for one, is_right in zip(ids, right, strict=True)
    ]
    gate = ragauge.gate(ragauge.evaluate(rows, EM, resamples=0), min={EM: least}, sequential=True)
    [check] = gate.checks
    assert not check.passed
    assert check.decided == 0
    assert check.why.startswith("the samples contradict one another")
    assert np.isnan([check.low, check.high]).all()
    assert gate.rules.failed
    assert not gate.rules.undecided


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_samples_of_one_kind_hardly_ever_contradict_one_another(share: float) -> None:
    values = (np.random.default_rng(6).random((200, 400)) < share).astype(np.float64)
    ends = [confidence_sequence(one, 0.95) for one in values]
    assert sum(low > high for low, high in ends) <= 1


def test_rules_share_the_level() -> None:
    found = ragauge.gate(run_of([1.0] * 40, [EM, "token-f1"]), min={EM: 0.7, "token-f1": 0.7}, sequential=True)
    alone = ragauge.gate(run_of([1.0] * 40), min={EM: 0.7}, sequential=True).checks[0].decided
    assert [one.decided for one in found.checks] == [decided_after(np.ones(40), 0.7, 0.975)] * 2
    assert found.checks[0].decided > alone > 0


def test_where_lower_is_better() -> None:
    good, bad = (ragauge.gate(run_of([one] * 60, LOWER), max={LOWER: 0.3}, sequential=True).checks[0] for one in (1, 0))
    assert good.decided > 0 > bad.decided
    assert (good.low, bad.high) == (0, 1)
    assert good.high < 0.3 < bad.low


def test_drops() -> None:
    old = run_of([1.0] * 60)
    for new, passed in (([1.0] * 60, True), ([0.0] * 60, False)):
        check = ragauge.gate(run_of(new), old, max_drop={EM: 0.3}, sequential=True).checks[0]
        assert (check.decided > 0) is passed
        assert check.low < 1 - passed < check.high or check.value in (check.low, check.high)
    # What was not asked yet is not lost.
    part = ragauge.gate(run_of([1.0] * 40), old, max_drop={EM: 0.3}, sequential=True)
    assert part.passed


def test_what_the_system_failed_on_counts_as_the_worst_score() -> None:
    for values in ([None] * 30, [1.0, None] * 30):
        check = ragauge.gate(run_of(values), min={EM: 0.9}, sequential=True).checks[0]
        assert check.decided < 0


def test_what_has_no_sequence() -> None:
    with pytest.raises(UsageError, match="takes each sample for itself, and this run has clusters by topic"):
        ragauge.gate(run_of([1.0] * 9, cluster="topic"), min={EM: 0.5}, sequential=True)
    for metric, rule in (("bleu", "min"), ("wer:average=samples", "max")):
        with pytest.raises(UsageError, match="needs scores of single samples within a range"):
            ragauge.gate(run_of([1.0] * 9, metric), sequential=True, **{rule: {metric: 0.5}})  # type: ignore[arg-type]


APP = """
def answer(question):
    with open("calls.txt", "a", encoding="utf-8") as file:
        file.write(question + "\\n")
    return {text}
"""


@pytest.mark.parametrize(
    ("text", "most"), [('"不知道"', 30), ("question.split()[0]", 120), ("question.split()[int(question[0]) % 2]", 300)]
)
def test_asking_stops_when_the_rules_are_decided(
    text: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Broken, right, and right as often as is asked: of 300 questions a tenth, some, and all."""
    (tmp_path / "asked_until.py").write_text(APP.replace("{text}", text), encoding="utf-8")
    rows = [{"id": f"q{i}", "q": f"{i} 号 茶馆", "references": [str(i)]} for i in range(300)]
    write_rows(tmp_path / "questions.jsonl", rows)
    (tmp_path / "ragauge.toml").write_text("[gate.min]\nexact-match = 0.9\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "asked_until", raising=False)
    command = ("ask", "questions.jsonl", "--map", "question=q", "--system", "asked_until:answer", "-m", EM)
    done = here(capsys, *command, "-o", "runs/new", "--until", "decided")
    assert done.code == 0, done.err
    asked = (tmp_path / "calls.txt").read_text(encoding="utf-8").splitlines()
    assert len(asked) == len({*asked}) <= most
    assert asked[:10] != [row["q"] for row in rows[:10]], "in an order of their own"
    assert f"{len(asked)} of 300 questions were asked" in done.err
    shown = here(capsys, "gate", "runs/new", "--sequential", "--output-format", "json")
    decided = json.loads(shown.out)["checks"][0]["decided"]
    assert shown.code == (0 if decided > 0 else 1 if decided < 0 else 5)
    assert (decided != 0) is (len(asked) < 300)


def test_until_needs_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(tmp_path / "questions.jsonl", [{"question": "茶?", "references": ["茶"]}])
    monkeypatch.chdir(tmp_path)
    command = ("ask", "questions.jsonl", "--system", "builtins:str", "-m", EM, "-o", "new", "--until", "decided")
    done = here(capsys, *command)
    assert done.code == 2
    assert "--until decided needs rules in [gate] of ragauge.toml" in done.err


def test_a_check_that_is_not_decided_is_skipped_and_no_error(tmp_path: Path) -> None:
    gate = ragauge.gate(run_of([1.0] * 6 + [0.0] * 2), min={EM: 0.7}, sequential=True)
    assert gate.undecided
    write_junit(gate, tmp_path / "gate.xml")
    suite = ET.parse(tmp_path / "gate.xml").getroot()[0]  # noqa: S314 - own file
    assert (suite.get("failures"), suite.get("skipped"), suite[0][0].tag) == ("0", "1", "skipped")
    assert error_lines(gate)[0].startswith("::warning title=")
