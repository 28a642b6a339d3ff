"""``ragauge gate``: exit codes, files of settings, JUnit and GitHub."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

import ragauge
from ragauge.cli import main
from ragauge.errors import UsageError
from ragauge.gates.gate import SUMMARY_LIMIT, add_summary, error_lines
from ragauge.gates.rules import limits

X = "column:name=x"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, shift in (("main", 0.0), ("branch", -0.1)):
        rows = [{"id": f"q{i}", "x": i / 60 + shift * (i % 3), "note": "%:,"} for i in range(40)]
        ragauge.evaluate(rows, X, resamples=200).save(folder / name)
    return folder


def gated(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["gate", *arguments])
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


@pytest.fixture
def inside(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder beside which the runs are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").symlink_to(folder)
    return tmp_path


def test_exit_codes(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    assert gated(capsys, "runs/branch", "--min", f"{X}=0.1")[0] == 0
    drop = ("--baseline", "runs/main", "--max-drop", f"{X}=.2")
    code, text, _ = gated(capsys, "runs/branch", "--min", f"{X}=0.5", *drop)
    assert code == 1
    assert "\n\nGate failed: 1 of 2 checks\n" in text
    assert max(map(cell_len, text.partition("\n\n")[2].splitlines())) <= 80
    assert gated(capsys, "runs/branch")[0] == 2
    assert gated(capsys, "runs/nothing", "--min", f"{X}=0.5")[0] == 3
    code, _, errors = gated(capsys, "runs/branch", "--min", X)
    assert code == 2
    assert "--min takes METRIC=NUMBER" in errors


def test_rules_that_are_not_decided_have_a_code_of_their_own(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    rows = [{"id": f"q{i}", "answer": "a" if i % 4 else "b", "reference": "a"} for i in range(12)]
    ragauge.evaluate(rows, "exact-match", resamples=0).save(inside / "few")
    rule = ("few", "--min", "exact-match=0.7", "--sequential")
    code, text, errors = gated(capsys, *rule, "--junit", "gate.xml", "--github")
    assert (code, "Gate not decided yet: 1 of 1 checks" in text, "::warning title=" in errors) == (5, True, True)
    suite = ET.parse(inside / "gate.xml").getroot()[0]  # noqa: S314 - own file
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    assert gated(capsys, *rule, "--output-format", "json")[0] == 5


def test_settings_from_a_file_and_what_wins(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    (inside / "pyproject.toml").write_text(f'[tool.ragauge.gate.min]\n"{X}" = 0.9\n', encoding="utf-8")
    assert gated(capsys, "runs/branch")[0] == 1
    assert gated(capsys, "runs/branch", "--min", f"{X}=0.1")[0] == 0
    (inside / "ragauge.toml").write_text(
        f'[gate]\nbaseline = "runs/main"\nconfident = true\nmax-failed = "1%"\nmin-scored = 40\n'
        f'[gate.max-drop]\n"{X}" = 0.01\n',
        encoding="utf-8",
    )
    code, text, _ = gated(capsys, "runs/branch", "--output-format", "json")
    found = json.loads(text)
    assert (code, [check["passed"] for check in found["checks"]]) == (1, [False, True, True])
    assert found["checks"][0]["low"] is not None
    assert gated(capsys, "runs/branch", "--max-drop", f"{X}=0.3")[0] == 0
    plain = json.loads(gated(capsys, "runs/branch", "--values", "--output-format", "json")[1])
    assert plain["checks"][0]["low"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gate]\nmax-dorp = 1\n", "gates.toml line 2: [gate] has no 'max-dorp'; did you mean max-drop"),
        ("[gate]\nmin = 1\n", "must be a table of numbers"),
        ("[gate]\nmin-scored = true\n", "must be of type int"),
        ("[gate]\nmax-failed = 'x%'\n", "a share from 0 to 1"),
        ("gate = 1\n", "must be a table: [gate]"),
        ("[gate]\n[gats]\n", "gates.toml line 2: there is no table or key 'gats'; did you mean gate?"),
        ("[gate\n", "is not valid TOML"),
    ],
)
def test_bad_files(capsys: pytest.CaptureFixture[str], inside: Path, text: str, said: str) -> None:
    (inside / "gates.toml").write_text(text, encoding="utf-8")
    code, _, errors = gated(capsys, "runs/main", "--config", "gates.toml")
    assert code == 2
    assert said in errors


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nragauge = 3\n"])
def test_a_project_file_without_tables(capsys: pytest.CaptureFixture[str], inside: Path, text: str) -> None:
    (inside / "pyproject.toml").write_text(text, encoding="utf-8")
    code, _, errors = gated(capsys, "runs/main")
    assert (code, "of pyproject.toml must be a table; got 3" in errors) == (2, True)


def test_a_drop_of_nothing_has_no_sign(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    _, text, _ = gated(capsys, "runs/main", "--baseline", "runs/main", "--max-drop", f"{X}=0", "--confident")
    assert text.splitlines()[-1].endswith("  0.000 [0.000, 0.000]   40/40")


def test_the_baseline_of_a_file_is_beside_the_file(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    (inside / "elsewhere").mkdir()
    (inside / "elsewhere" / "runs").symlink_to((inside / "runs").resolve())
    rules = f'[gate]\nbaseline = "runs/main"\n[gate.max-drop]\n"{X}" = 1\n'
    (inside / "elsewhere" / "gates.toml").write_text(rules, encoding="utf-8")
    branch = (inside / "runs" / "branch").resolve()
    (inside / "runs").unlink()
    code, text, _ = gated(capsys, str(branch), "--config", "elsewhere/gates.toml", "--output-format", "json")
    assert (code, json.loads(text)["baseline"]) == (0, str(Path("elsewhere", "runs", "main")))


def test_coverage_is_shown_and_allowed_by_name(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    rows = [{"id": f"q{i}", "x": 0.5, "failure": "down" if i % 2 else None} for i in range(40)]
    ragauge.evaluate(rows, X, resamples=0).save("half")
    rule = ("half", "--min", f"{X}=0.1")
    code, text, _ = gated(capsys, *rule, "--output-format", "markdown")
    assert code == 1
    assert "20/40" in text
    assert "20 of 40 scored: 20 failed" in text
    assert gated(capsys, *rule, "--min-coverage", "50%")[0] == 0
    (inside / "ragauge.toml").write_text('[gate]\nmin-coverage = "50%"\n', encoding="utf-8")
    assert gated(capsys, *rule)[0] == 0
    gated(capsys, *rule, "--min-coverage", "90%", "--github", "--junit", "gate.xml")
    assert "20 of 40 scored: 20 failed" in (inside / "gate.xml").read_text(encoding="utf-8")
    assert "20 of 40 scored%3A" not in gated(capsys, *rule, "--github")[2]


def test_reasons_name_flags(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    for name, x in (("few", 0.7), ("worse", 0.5)):
        ragauge.evaluate([{"id": str(i), "x": x} for i in range(4)], X).save(inside / name)
    lost = [{"id": str(i), "x": 0.7 if i else None} for i in range(4)]
    ragauge.evaluate(lost, X).save(inside / "lost")
    code, out, _ = gated(capsys, "worse", "--baseline", "few", "--max-drop", f"{X}=.1", "--confident")
    assert code == 1
    assert "or leave out --confident" in " ".join(out.split())
    code, out, _ = gated(capsys, "lost", "--min", f"{X}=.1")
    assert code == 1
    assert "allow it with --min-coverage 0.75" in " ".join(out.split())
    assert gated(capsys, "lost", "--min", f"{X}=.1", "--min-coverage", "0.75")[0] == 0


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    code, _, errors = gated(capsys, "runs/main", "--config", "no.toml")
    assert (code, "no.toml cannot be read" in errors) == (2, True)


def test_junit(capsys: pytest.CaptureFixture[str], inside: Path) -> None:
    gated(capsys, "runs/branch", "--min", f"{X}=0.5", "--min-scored", "1", "--junit", "reports/gate.xml")
    path = inside / "reports" / "gate.xml"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line[: line.index("<") + 1] for line in lines[:4]] == ["<", "<", "  <", "    <"]
    suite = ET.parse(path).getroot()[0]  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.findtext("system-out") for case in suite.iter("testcase")] == [
        "0.227; 40 of 40 scored",
        "40; 40 of 40 scored",
    ]
    failures = [case.find("failure") for case in suite.iter("testcase")]
    assert failures[1] is None
    assert failures[0] is not None
    assert "below the limit" in str(failures[0].get("message"))


def test_github(capsys: pytest.CaptureFixture[str], inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = inside / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    _, text, errors = gated(capsys, "runs/branch", "--min", f"{X}=0.5", "--github", "--output-format", "json")
    assert f"::error title=ragauge gate%3A column%3Aname=x::{X} at least 0.5: " in errors
    assert not json.loads(text)["passed"]
    assert summary.read_text(encoding="utf-8").startswith(
        f"before\nDo not ship (runs/branch): 1 of 1 rules of [gate] do not hold: {X} at least 0.5 (0.227)\n\n"
        "**Gate failed: 1 of 1 checks**\n\n- run: `runs/branch`\n\n| "
    )
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert "GITHUB_STEP_SUMMARY is not set" in gated(capsys, "runs/branch", "--min", f"{X}=0.5", "--github")[2]


@pytest.mark.parametrize("there", [0, SUMMARY_LIMIT - 300, SUMMARY_LIMIT - 10, SUMMARY_LIMIT])
def test_a_summary_stays_within_its_limit(tmp_path: Path, folder: Path, there: int) -> None:
    found = ragauge.gate(folder / "main", min={X: 0.5}, min_scored=1)
    big = type(found)(found.run, None, found.checks * 11_000)
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * there)
    add_summary(big, path)
    assert path.stat().st_size <= SUMMARY_LIMIT
    if there in (0, SUMMARY_LIMIT - 300):
        assert path.read_text(encoding="utf-8").endswith("(cut: a job summary holds no more)\n")


@pytest.mark.parametrize("there", [None, 0, 5])
def test_a_summary_that_just_fits_is_whole(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, there: int | None
) -> None:
    found = ragauge.gate(folder / "main", min={X: 0.5}, min_scored=1)
    path = tmp_path / "summary.md"
    add_summary(found, path)
    whole = path.read_bytes()
    for missing, cut in ((0, False), (1, True)):
        path.unlink()
        if there is not None:
            path.write_bytes(b"x" * there)
        monkeypatch.setattr("ragauge.gates.gate.SUMMARY_LIMIT", len(whole) + (there or 0) - missing)
        add_summary(found, path)
        assert (path.read_bytes() != b"x" * (there or 0) + whole) == cut


def test_error_lines_are_single_lines(folder: Path) -> None:
    found = ragauge.gate(folder / "main", min={X: 0.99}, max_failed="0%")
    [line] = error_lines(found)
    assert "\n" not in line
    assert line.startswith("::error title=")


@pytest.mark.parametrize(
    ("option", "rule"), [("--min", ">="), ("--max", "<="), ("--max-drop", "<="), ("--min", "="), ("--max", " = ")]
)
def test_rules_may_be_written_with_their_sign(option: str, rule: str) -> None:
    assert limits([f"ndcg_cut_10 {rule} .5"], option) == {"ndcg_cut_10": 0.5}


@pytest.mark.parametrize(("option", "rule"), [("--min", "mrr <= .5"), ("--max", "mrr>=.5"), ("--min", ">=.5")])
def test_a_sign_that_an_option_does_not_mean(option: str, rule: str) -> None:
    with pytest.raises(UsageError, match=f"{option} takes METRIC=NUMBER"):
        limits([rule], option)


def test_options_win_however_a_metric_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"id": f"q{i}", "relevance": {"a": 1}, "retrieved": ["b", "a"]} for i in range(12)]
    ragauge.evaluate(rows, "ndcg@10").save(tmp_path / "run")
    (tmp_path / "ragauge.toml").write_text('[gate.min]\n"ndcg_cut_10" = 0.9\n', encoding="utf-8")
    assert gated(capsys, "run")[0] == 1
    code, text, _ = gated(capsys, "run", "--min", "ndcg@10 >= .6")
    assert (code, "0.9" in text) == (0, False)
