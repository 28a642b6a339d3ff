"""The verdict of a gate is that of a comparison by its rules, and stands first wherever a gate is shown."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import ragauge
from ragauge.cli import main
from ragauge.core.messages import Face, wording_of
from ragauge.gates.check import by_rules
from ragauge.gates.verdicts import with_verdict
from ragauge.results.result import Result

GOOD, SLOW = "column:name=good", "column:name=latency"


def run(good: float, latency: float = 1.0, failed: int = 0) -> Result:
    """Return 40 samples that differ a little; the system failed on the first ``failed``."""
    noise = np.random.default_rng(0).normal(0, 0.01, 40)
    rows = [
        {"id": f"q{i}", "good": good + one, "latency": latency + one, "failure": "down" if i < failed else None}
        for i, one in enumerate(noise)
    ]
    return ragauge.evaluate(rows, [GOOD, SLOW], resamples=0)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    made = {"base": run(0.5), "better": run(0.6), "slower": run(0.6, 2.0), "worse": run(0.4), "failing": run(0.6, 1, 9)}
    for name, one in made.items():
        one.save(folder / name)
    return folder


@pytest.mark.parametrize("name", ["better", "slower", "worse", "failing"])
@pytest.mark.parametrize("least", [0.45, 0.59, 0.9])
def test_it_is_that_of_a_comparison_by_the_same_rules(runs: Path, name: str, least: float) -> None:
    checked = with_verdict(ragauge.gate(runs / name, min={GOOD: least}), runs / name, runs / "base")
    [compared] = by_rules(ragauge.compare(runs / "base", runs / name), {"min": {GOOD: least}}).verdicts()
    assert checked.verdict == compared
    assert str(checked).split("\n\n")[0].replace("\n", " ") == compared.sentence


def test_without_a_baseline_the_rules_decide(runs: Path) -> None:
    found = [with_verdict(ragauge.gate(runs / "base", min={GOOD: least}), "x").verdict for least in (0.4, 0.9)]
    assert [one and one.decision for one in found] == ["ship", "do not ship"]
    alone = ragauge.gate(runs / "base", min={GOOD: 0.4})
    assert alone.verdict is None
    assert "verdict" not in alone.to_dict()


def test_the_deciding_reason_comes_first(runs: Path) -> None:
    """Rules that hold are no reason against a run; a rule that lost samples says so, as its value may be good."""
    worse = with_verdict(ragauge.gate(runs / "worse", max={SLOW: 3}), runs / "worse", runs / "base").verdict
    assert worse is not None
    assert worse.decision == "do not ship"
    assert worse.reasons[0].startswith("worse under good -0.1")
    assert worse.reasons[-1] == "all rules of [gate] hold (1)"
    lost = with_verdict(ragauge.gate(runs / "failing", min={GOOD: 0.5}), runs / "failing").verdict
    assert lost is not None
    assert lost.reasons[0].endswith("at least 0.5 (0.599; 31 of 40 scored: 9 failed)"), lost.reasons


def test_a_rule_that_more_answers_have_to_decide() -> None:
    rows = [{"id": f"q{i}", "answer": "yes", "references": ["yes"]} for i in range(20)]
    result = ragauge.evaluate(rows, "exact-match", resamples=0)
    met, open_ = (
        with_verdict(ragauge.gate(result, min={"exact-match": least}, sequential=True), result).verdict
        for least in (0.2, 0.95)
    )
    assert met is not None
    assert open_ is not None
    assert (met.decision, open_.decision) == ("ship", "cannot tell yet")
    [reason] = open_.reasons
    assert reason.startswith("1 of 1 rules of [gate] are not decided yet: exact-match at least 0.95, at every look")
    assert wording_of(reason, Face("zh")).startswith("[gate] 的 1 条规则中有 1 条还未定：")


def test_a_baseline_that_cannot_be_compared_is_a_note(runs: Path, tmp_path: Path) -> None:
    other = with_verdict(ragauge.gate(runs / "base", min={GOOD: 0.4}), runs / "base", tmp_path / "nothing")
    assert other.verdict is not None
    assert other.verdict.decision == "ship"
    assert other.notes[-1].startswith("not compared with the baseline: ")
    assert wording_of(other.notes[-1], Face("zh")).startswith("未能与基准运行比较：")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    return ended.value.code, capsys.readouterr().out


def test_the_command_line_says_it_first(
    capsys: pytest.CaptureFixture[str], runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").symlink_to(runs)
    asked = ("gate", "runs/worse", "--baseline", "runs/base", "--min", f"{GOOD}=0.45", "--junit", "gate.xml")
    code, text = printed(capsys, *asked)
    (tmp_path / "ragauge.toml").write_text(f'[gate.min]\n"{GOOD}" = 0.45\n', encoding="utf-8")
    compared = printed(capsys, "compare", "runs/base", "runs/worse")[1]
    assert code == 1
    assert text.split("\n\n")[0] == compared.split("\n\n")[0]
    assert text.startswith("Do not ship (runs/worse): 1 of 1 rules of [gate] do not hold: ")
    said = ET.parse(tmp_path / "gate.xml").findtext("testsuite/system-out") or ""  # noqa: S314 - our own file
    assert said.splitlines()[0] == " ".join(text.split("\n\n")[0].split())
    assert printed(capsys, *asked, "--output-format", "markdown")[1].startswith("Do not ship (runs/worse): 1 of 1 ")
    found = json.loads(printed(capsys, *asked, "--output-format", "json")[1])
    assert found["verdict"]["decision"] == "do not ship"
    assert printed(capsys, "--lang-ui", "zh", *asked)[1].startswith(
        "不要上线（runs/worse）：[gate] 的 1 条规则中有 1 条"
    )
