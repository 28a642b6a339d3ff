"""``ragauge compare`` as it looks in a terminal of 80 columns, in a log and in a pull request."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.cells import cell_len

import ragauge
from ragauge.cli import main

from .runs import rows, scored


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    other = rows(40, 2)
    other[0] |= {"answer": "\x1b[31m雨が降った。" * 30, "quality": -1.0}
    scored(rows(40, 1)).save(folder / "main")
    scored(other[:-3]).save(folder / "branch")
    return str(folder / "main"), str(folder / "branch")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["compare", *arguments])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_one_paired_sample_is_singular(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, value in (("old", 0.2), ("new", 0.6)):
        ragauge.evaluate([{"id": "a", "x": value}], "column:name=x").save(tmp_path / name)
    assert "1 paired sample\n" in printed(capsys, str(tmp_path / "old"), str(tmp_path / "new"))


def test_table_is_plain_and_narrow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, runs: tuple[str, str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, *runs, "--by", "language", "--worst", "2")
    lines = [line for line in text.splitlines() if runs[0] not in line and runs[1] not in line]
    assert max(map(cell_len, lines)) <= 80
    assert "\x1b" not in text
    assert "37 paired samples" in text
    assert "by language" in lines
    assert ["zh"] in [line.split()[-2:-1] for line in lines if line.startswith("metric")]
    assert "zh" in printed(capsys, *runs, "--by", "language", "-v").splitlines()
    assert "\\x1b[31m雨が降った" in text


def test_json_csv_and_markdown(capsys: pytest.CaptureFixture[str], runs: tuple[str, str]) -> None:
    plain = json.loads(printed(capsys, *runs, "--output-format", "json", "--worst", "1"))
    table = list(csv.DictReader(io.StringIO(printed(capsys, *runs, "--output-format", "csv"))))
    assert [row["metric"] for row in table] == [one["metric"] for one in plain["differences"]]
    assert float(table[0]["p"]) == plain["differences"][0]["p"]
    assert len(plain["worst"]) == 3
    text = printed(capsys, *runs, "--output-format", "markdown", "--by", "language", "--worst", "1")
    bars = {line.count("|") - line.count("\\|") for line in text.splitlines() if line.startswith("|")}
    assert bars == {10, 11}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere", "nowhere"], 3, "nowhere is not a saved run"),
        (["RUN"], 2, "missing argument"),
        (["RUN", "RUN", "--test", "z"], 2, "--test must be randomisation, bootstrap, wilcoxon, mcnemar or t; got"),
    ],
)
def test_errors(
    capsys: pytest.CaptureFixture[str], runs: tuple[str, str], arguments: list[str], code: int, said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", *(runs[0] if argument == "RUN" else argument for argument in arguments)])
    assert ended.value.code == code
    assert said in capsys.readouterr().err


def test_of_several_candidates_the_first_sentence_says_how_the_best_stands_to_each(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, quality in (("v1", 0.2), ("v2", 0.5), ("v3", 0.5), ("v4", 0.9)):
        some = [{"id": f"q{i}", "quality": quality, "care": 0.1 * quality + i / 40} for i in range(20)]
        ragauge.evaluate(some, ["column:name=quality", "column:name=care"]).save(tmp_path / name)
    v1, v2, v3, v4 = (str(tmp_path / name) for name in ("v1", "v2", "v3", "v4"))
    said = " ".join(printed(capsys, v1, v2, v3).split("\n\n")[0].split())
    assert said == f"{v2} is better than {v1} under both primary metrics; not told apart from {v3}"
    said = " ".join(printed(capsys, v1, v2, v4, v3).split("\n\n")[0].split())
    assert said == f"{v4} is better than all 3 other runs under both primary metrics"
    assert " is better than " not in printed(capsys, v1, v4)
    chinese = "".join(printed(capsys, v1, v2, v3, "--lang-ui", "zh").split())
    assert "在两个主要指标上都优于" in chinese
    assert "分不出高下" in chinese


def test_of_more_than_ten_runs_the_first_sentence_speaks_of_the_base_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for run in range(11):
        some = [{"id": f"q{i}", "quality": 0.05 * run} for i in range(20)]
        ragauge.evaluate(some, "column:name=quality").save(tmp_path / f"v{run:02}")
    paths = sorted(map(str, tmp_path.iterdir()))
    said = " ".join(printed(capsys, *paths).split("\n\n")[0].split())
    assert said == f"{paths[1]} is better than {paths[0]} under quality"


def test_where_no_candidate_may_be_shipped_the_first_sentence_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, good, other in (("v1", 0.5, 0.5), ("v2", 0.9, 0.1), ("v3", 0.1, 0.9)):
        some = [{"id": f"q{i}", "good": good, "other": other} for i in range(20)]
        ragauge.evaluate(some, ["column:name=good", "column:name=other"]).save(tmp_path / name)
    paths = sorted(map(str, tmp_path.iterdir()))
    said = " ".join(printed(capsys, *paths).split("\n\n")[0].split())
    assert said == f"No other run may take the place of {paths[0]}"
    assert "没有运行可以取代" in printed(capsys, *paths, "--lang-ui", "zh")
