"""``ragauge report``."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

import ragauge
from ragauge.reports import room
from tests.approved import approved, pattern
from tests.cli.running import apart, here
from tests.reports.reading import payload, read
from tests.reports.runs import make_result, make_run, rows


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "today", count=12, metrics=["mrr", "token-f1"])


def test_it_writes_a_page_and_says_where(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = here(capsys, "report", run, run, "-o", tmp_path / "r.html", "--name", "a", "--name", "b", "--limit", 4,
                "-m", "token-f1", "--language", "zh")  # fmt: skip
    assert (done.code, done.out, done.err) == (0, "", f"report: {tmp_path / 'r.html'} (0.3 MB)\n")
    page = read(tmp_path / "r.html")
    held = payload(page)
    assert (held["runs"], held["shown"], held["chosen"]["by"]) == (["a", "b"], 4, "token-f1")
    assert page.one("html").attributes["lang"] == "zh"
    assert page.one("p", class_="kind").line.startswith("评测报告 · 12 个样本")


def test_runs_with_other_ids_are_paired_by_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = rows(12, skill=0.9)
    renamed = [{**row, "id": f"other {place}"} for place, row in enumerate(new)]
    runs = [
        make_run(tmp_path / "a", samples=rows(12), metrics=["mrr", "groundedness"], evidence=True),
        make_run(tmp_path / "b", samples=renamed, metrics=["mrr", "groundedness"], evidence=True),
        make_run(tmp_path / "c", samples=new, metrics=["mrr", "groundedness"], evidence=True),
    ]
    assert here(capsys, "report", *runs, "-o", tmp_path / "none.html").code == 0
    assert payload(read(tmp_path / "none.html"))["shown"] == 0
    assert here(capsys, "report", *runs, "-o", tmp_path / "r.html", "--on", "question").code == 0
    held = payload(read(tmp_path / "r.html"))
    assert held["ids"] == [row["id"] for row in rows(12)]
    assert held["by_run"][1] == held["by_run"][2]
    assert held["by_run"][1]["evidence"]["groundedness"]
    absent = here(capsys, "report", *runs, "-o", tmp_path / "no.html", "--on", "topic_of")
    assert (absent.code, (tmp_path / "no.html").exists()) == (2, False)


@pytest.mark.parametrize(("language", "words"), [("en", "the runs were not compared: "), ("zh", "没有比较各次运行：")])
def test_runs_without_a_common_sample_are_noted(
    language: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("谁", "누구"):
        data = [{"question": name, "answer": name, "references": [name]}]
        ragauge.evaluate(data, "exact-match", resamples=0).save(tmp_path / name)
    alone = here(capsys, "report", tmp_path / "谁", "-o", tmp_path / "one.html", "--lang-ui", language)
    both = here(
        capsys,
        "report",
        *[tmp_path / one for one in ("谁", "누구")],
        "-o",
        tmp_path / "two.html",
        "--lang-ui",
        language,
    )
    assert (words in alone.out + alone.err, words in both.out + both.err) == (False, True)


def test_where_it_is_and_how_large_as_json(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "r.html"
    done = here(capsys, "report", run, "-o", target, "--output-format", "json")
    assert done.json == {"report": str(target), "bytes": target.stat().st_size}


@pytest.mark.parametrize(
    ("language", "begin"), [("en", "long answers or references make"), ("zh", "回答或参考答案较长，使页面超过")]
)
def test_a_page_that_long_answers_make_large_says_how_many_samples_have_room(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str, begin: str
) -> None:
    numbers = random.Random(0)  # noqa: S311
    texts = [" ".join(f"茶{numbers.random()}" for _ in range(200)) for _ in range(40)]
    samples = [{**row, "answer": text} for row, text in zip(rows(40), texts, strict=True)]
    long = make_run(tmp_path / "long", samples=samples, metrics=["token-f1"])
    target, command = tmp_path / "r.html", ("--lang-ui", language, "report", long, "-o", tmp_path / "r.html", "--force")
    assert "--limit" not in here(capsys, *command).err
    whole = target.stat().st_size
    monkeypatch.setattr(room, "BYTES", whole - 10_000)
    monkeypatch.setattr(room, "SAMPLES", 20)
    assert "--limit" not in here(capsys, *command).err, "40 samples have the room of twice 20"
    monkeypatch.setattr(room, "SAMPLES", 40)
    note = here(capsys, *command).err.splitlines()[1]
    assert note.startswith(begin)
    fitting = int(note.partition("--limit ")[2].split()[0])
    assert 30 < fitting < 40
    assert "--limit" not in here(capsys, *command, "--limit", fitting).err
    assert target.stat().st_size <= whole - 10_000


def test_it_does_not_replace_a_file_unless_told_to(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "r.html"
    target.write_text("mine", encoding="utf-8")
    done = here(capsys, "report", run, "-o", target)
    assert (done.code, done.err) == (
        2,
        approved("cli.file_exists", path=target),
    )
    assert target.read_text(encoding="utf-8") == "mine"
    assert here(capsys, "report", run, "-o", target, "--force").code == 0
    assert read(target).one("p", class_="kind").line.startswith("Evaluation report · 12 samples")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_it_begins_with_the_project_of_the_settings(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ragauge.toml").write_text('[report]\nproject = "Tea house"\n')
    assert here(capsys, "report", run, "-o", "r.html").code == 0
    assert read(tmp_path / "r.html").one("p", class_="kind").line.startswith("Tea house · 12 samples")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["{run}", "-o", "{tmp}/no/r.html"], 2, "its folder does not exist; name a file in a folder that exists"),
        (["{run}", "-o", "{tmp}"], 2, "is a folder; name a file in a folder that exists"),
        (["{tmp}/none"], 3, "is not a saved run; give a directory that ragauge score -o wrote"),
        (["{run}", "--language", "fr"], 2, "--language must be en or zh; got 'fr'"),
        (["{run}", "-m", "ndgc"], 2, "unknown metric of this run: 'ndgc'; available: mrr, token-f1"),
        (
            ["{run}", "--name", "a", "--name", "b"],
            2,
            "--name must give each run a name of its own; got 'a', 'b' for 1 run",
        ),
        (
            ["{run}", "{run}", "--name", "a", "--name", "a"],
            2,
            "--name must give each run a name of its own; got 'a', 'a'",
        ),
        (["{run}", "--limit", "0"], 2, "--limit"),
        ([], 2, "missing argument 'RUN...'"),
    ],
)
def test_what_is_wrong_is_said(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    given = [argument.format(run=run, tmp=tmp_path) for argument in arguments]
    output = [] if "-o" in given else ["-o", tmp_path / "r.html"]
    done = here(capsys, "report", *given, *output)
    assert done.code == code
    assert said in " ".join(done.err.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_report_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ragauge.UsageError, match=pattern("reports.runs_must_hold_a_result_or_the")):
        ragauge.report([], tmp_path / "r.html")


def test_a_result_or_a_path_alone_is_one_run(run: Path, tmp_path: Path) -> None:
    assert payload(read(ragauge.report(str(run), tmp_path / "a.html")))["runs"] == ["today"]
    assert payload(read(ragauge.report(make_result(rows(4), ["mrr"]), tmp_path / "b.html")))["runs"] == ["run 1"]


def test_it_runs_in_a_process_of_its_own_without_a_warning(run: Path, tmp_path: Path) -> None:
    done = apart("report", run, "-o", tmp_path / "r.html")
    assert (done.code, done.out) == (0, "")
    assert read(tmp_path / "r.html").one("section", id="scores")


def test_the_template_engine_is_imported_on_use_only() -> None:
    code = "import sys, ragauge, ragauge.cli.main; ragauge.report; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "jinja2" not in done.stdout.split()


def test_several_histories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = [make_run(tmp_path / name / "today", count=6, metrics=["mrr"]) for name in ("a", "b")]
    histories = [word for one in made for word in ("--history", one.parent)]
    done = here(capsys, "report", made[0], "-o", tmp_path / "r.html", *histories)
    assert done.code == 0, done.err
    history = read(tmp_path / "r.html").one("section", id="history")
    assert all(name in history.line for name in ("a/today", "b/today"))
