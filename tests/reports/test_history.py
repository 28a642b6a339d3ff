"""Each metric over past runs, as a figure and a table of a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ragauge
from ragauge.display.numbers import interval, number
from ragauge.errors import DataError
from tests.cli.running import here
from tests.comparison.test_history import save
from tests.reports.reading import Element, read

TAGS = ["bm25", "重排序", "再ランク", "재순위", "переранжирование", "إعادة الترتيب", "पुनर्क्रम", "จัดลำดับใหม่"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight runs: the second is better, the fourth worse, and the sixth has other judgements."""
    folder = tmp_path_factory.mktemp("runs")
    for place, (tag, first) in enumerate(zip(TAGS, (5, 30, 31, 6, 7, 7, 8, 8), strict=True)):
        save(folder, f"run {place}", first, day=place + 1, tag=tag, grade=2 if place > 4 else 1, commit=f"{place}" * 40)
    return folder


@pytest.fixture(scope="module")
def page(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Element:
    target = tmp_path_factory.mktemp("page") / "report.html"
    return read(ragauge.report(runs / "run 7", target, history=runs))


def section(page: Element) -> Element:
    return page.one("section", id="history")


def test_what_moved(page: Element) -> None:
    moved = section(page).one("table", class_="moved").one("tbody").all("tr")
    words = [[cell.line for cell in row.children if isinstance(cell, Element)] for row in moved]
    assert [(*row[:4], row[-1]) for row in words] == [
        ("run 1", f"{TAGS[1]} 11111111", "run 0", "mrr", "▲ better"),
        ("run 3", f"{TAGS[3]} 33333333", "run 2", "mrr", "▼ worse"),
    ]


def test_the_figure_shows_values_intervals_and_outcomes(page: Element, runs: Path) -> None:
    past = ragauge.history(runs)
    figure = section(page).all("figure")[0]
    scores = [run.scores["mrr"] for run in past.runs]
    lines = figure.all("line", class_="interval")
    ends = [float(line.attributes[end] or 0) for line in lines for end in ("y1", "y2")]
    wanted = [end for score in scores for end in (score.low, score.high)]
    slope, middle = np.polyfit(wanted, ends, 1)
    assert slope < 0
    assert ends == pytest.approx([middle + slope * value for value in wanted], abs=0.02)
    across = [float(line.attributes["x1"] or 0) for line in lines]
    assert np.diff(across) == pytest.approx(np.diff(across)[0])
    marks = [one for one in figure.all(class_="mark") if one.tag in ("circle", "path")]
    assert len(marks) == len(scores)
    assert [one.tag for one in marks] == ["circle", "path", "circle", "path", *["circle"] * 4]
    assert (marks[1].has(class_="better"), marks[3].has(class_="worse")) == (True, True)


def test_a_line_joins_runs_that_were_compared(page: Element) -> None:
    # Of seven gaps, one is between runs of other judgements.
    assert len(section(page).all("figure")[0].all("path", class_="curve")) == 6
    [note] = section(page).one("ul", class_="notes").all("li")
    assert note.line.startswith("run 5, mrr, hit-rate: not compared with run 4: ")
    assert not note.line.endswith(":")


def test_the_table_has_all_that_the_figure_has(page: Element, runs: Path) -> None:
    past = ragauge.history(runs)
    table = section(page).all("details")[0].one("tbody")
    shown = [[cell.line for cell in row.children if isinstance(cell, Element)] for row in table.all("tr")]
    for run, row in zip(past.runs, shown, strict=True):
        score = run.scores["mrr"]
        assert row[:3] == [run.name, run.created[:10], f"{run.tag} {str(run.commit)[:8]}"]
        assert row[3:6] == [number(score.value, score.low, score.high), interval(score.low, score.high), "40 / 40"]
    assert [row[-1] for row in shown] == [
        "", "▲ better", "≈ unclear", "▼ worse", "≈ unclear", "", "≈ unclear", "= equal"
    ]  # fmt: skip


@pytest.mark.parametrize("tag", TAGS)
def test_names_of_runs_in_many_scripts(page: Element, tag: str) -> None:
    figure = section(page).all("figure")[0]
    # A longer name is cut, and whole in a tooltip.
    assert any(one.line.endswith(tag) for one in figure.all("text", class_="tick"))
    assert tag in figure.one("desc").line


def test_a_hostile_name_stays_text(tmp_path: Path) -> None:
    save(tmp_path / "runs", "a", 3, day=1, tag="</svg><script>alert(1)</script>")
    past = section(read(ragauge.report(tmp_path / "runs" / "a", tmp_path / "r.html", history=tmp_path / "runs")))
    assert past.all("script") == []
    assert "<script>alert(1)" in past.text


def test_one_run_and_many(tmp_path: Path) -> None:
    for place in range(70):
        save(tmp_path / "runs", f"r{place:02}", 5, day=1 + place % 28, metrics="mrr", samples=10)
    one = section(read(ragauge.report(tmp_path / "runs" / "r00", tmp_path / "1.html", history=tmp_path / "runs/r00")))
    assert one.all("p")[0].line.startswith("1 saved run.")
    assert one.all("p")[1].line == "No run is better or worse than the one before it."
    past = ragauge.history(tmp_path / "runs")
    page = read(ragauge.report(tmp_path / "runs" / "r00", tmp_path / "70.html", history=past))
    figure = section(page).one("figure")
    width = float(figure.one("svg").attributes["width"] or 0)
    places = [float(line.attributes["x1"] or 0) for line in figure.all("line", class_="interval")]
    assert len(places) == 70
    assert max(places) < width
    names = [one for one in figure.all("text", class_="tick") if one.line.startswith("r")]
    assert names[-1].line == past.runs[-1].name
    apart = np.diff([float(one.attributes["x"] or 0) for one in names])
    assert apart.min() >= 88


def test_a_page_without_history_has_no_such_section(runs: Path, tmp_path: Path) -> None:
    page = read(ragauge.report(runs / "run 7", tmp_path / "r.html"))
    assert page.all("section", id="history") == []
    assert page.all("a", href="#history") == []


def test_a_folder_without_runs(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no saved run in"):
        ragauge.report(runs / "run 7", tmp_path / "r.html", history=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_on_the_command_line_in_chinese(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = here(capsys, "report", runs / "run 7", "-o", tmp_path / "r.html", "--history", runs, "--language", "zh")
    assert done.code == 0
    past = section(read(tmp_path / "r.html"))
    assert past.one("h2").line == "历次运行"
    assert past.all("p")[0].line.startswith("共 8 次保存的运行。")
    assert "在 8 次运行中的得分" in past.all("title")[0].line
