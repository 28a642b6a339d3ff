"""``ragauge demo``: the first thing that somebody sees."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge import demo as demonstration
from ragauge.cli import main
from ragauge.display.numbers import number
from tests.approved import approved
from tests.cli.running import here
from tests.demo.write import HERE, rows
from tests.reports.reading import payload, read


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("the network was asked for something")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("offline")
def test_it_scores_reports_and_says_what_to_try(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "try it"
    done = here(capsys, "demo", "-o", target)
    assert done.code == 0
    result = ragauge.load(target / "runs" / "after")
    assert list(result.metrics) == [name.partition("=")[0] for name in demonstration.METRICS]
    assert "latency, s ↓" in done.out
    for name in result.metrics:
        assert name in done.out
        score = result[name]
        assert number(score.value, score.low, score.high) in done.out
    before, after = (shlex.quote(str(target / "runs" / system)) for system in demonstration.SYSTEMS)
    said = done.err.splitlines()
    scores = f"these are the scores of {after}, at cutoffs 3 and 5 (by default 10);"
    assert said[said.index(scores) :][:5] == [
        scores, f"the same table again: ragauge score {after}", f"the report compares them with {before}",
        f"open in a browser:  {target / 'report.html'}", "then try:",
    ]  # fmt: skip
    # Columns are wider beside groups.
    lines = [line.split() for line in here(capsys, "score", target / "runs" / "after").out.splitlines()]
    table = [line.split() for line in done.out.splitlines() if "64/64" in line]
    assert len(table) == len(result.metrics)
    assert [line for line in table if line not in lines] == []
    commands = [line.split("  ", 1)[1] for line in done.err.splitlines() if line.startswith("  ragauge ")]
    for command in commands[:-1]:
        tried = here(capsys, *shlex.split(command)[1:])
        assert tried.code == 0, command
        assert tried.out
    # With the metrics of the demo its data give the same table.
    [again] = [one for one in commands if "-m latency=" in one]
    assert here(capsys, *shlex.split(again)[1:]).out == done.out
    page = read(target / "report.html")
    assert payload(page)["runs"] == ["before", "after"]
    assert payload(page)["total"] == 64


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo was written in Chinese."""
    folder = tmp_path_factory.mktemp("written") / "demo"
    with pytest.raises(SystemExit) as ended:
        main(["demo", "-o", str(folder), "--language", "zh"])
    assert ended.value.code == 0
    return folder


@pytest.mark.costly
def test_both_languages(written: Path) -> None:
    assert read(written / "report.html").one("html").attributes["lang"] == "zh"


@pytest.mark.costly
def test_it_replaces_only_what_it_wrote(written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = shutil.copytree(written, tmp_path / "demo")
    assert here(capsys, "demo", "-o", target, "--language", "zh").code == 0
    (target / "runs" / "mine").mkdir()
    again = here(capsys, "demo", "-o", target)
    assert again.code == 2
    assert again.err == approved("cli.target_exists", path=target)
    assert here(capsys, "demo", "-o", target, "--force").code == 0
    (target / "thesis.txt").write_text("mine", encoding="utf-8")
    kept = here(capsys, "demo", "-o", target, "--force")
    assert kept.code == 2
    assert "holds files that are not of the example (thesis.txt), so --force does not replace it" in kept.err
    assert (target / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_a_file_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "demo").write_text("mine", encoding="utf-8")
    assert here(capsys, "demo", "-o", tmp_path / "demo", "--force").code == 2
    assert (tmp_path / "demo").read_text(encoding="utf-8") == "mine"


@pytest.mark.costly
def test_the_files_are_those_that_were_written_and_small() -> None:
    house = json.loads((HERE / "house.json").read_text(encoding="utf-8"))
    assert sum(len(demonstration.samples(system)) for system in demonstration.SYSTEMS) < 200_000
    for system in demonstration.SYSTEMS:
        held = [json.loads(line) for line in demonstration.samples(system).decode().splitlines()]
        assert held == list(rows(house, system))
        assert {row["language"] for row in held} == {"en", "zh", "ja", "ko", "ru", "ar", "hi", "th"}
