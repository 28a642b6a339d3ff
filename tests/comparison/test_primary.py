"""Primary metrics that a user names: in Python, on the command line and in ``ragauge.toml``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.gates.configuration import primary_setting, project_setting
from ragauge.writers.writer import finished
from tests.cli.running import here
from tests.reports.reading import read

METRICS = ["mrr", "map", "recall", "hit-rate", "token-f1", "chrf"]
ROWS = [
    {"id": str(i), "retrieved": ["a", "b"], "relevance": {"ab"[i % 2]: 1}, "answer": "A.", "references": ["A."]}
    for i in range(8)
]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two runs of one result, in the folder where commands look for settings."""
    result = ragauge.evaluate(ROWS, METRICS, resamples=0)
    for name in ("before", "after"):
        result.save(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return ["before", "after"]


def primary(out: str) -> list[str]:
    return [one["metric"] for one in json.loads(out)["differences"] if one["primary"]]


def test_named_metrics_are_primary_in_python(runs: list[str]) -> None:
    compared = ragauge.compare(*runs, primary=["chrf", "Mrr", "mrr"], trials=10)
    assert [one.metric for one in compared.table if one.primary] == ["mrr", "chrf"]


def test_the_file_names_them_and_options_win(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ragauge.toml").write_text('[report]\nprimary = ["chrf", "hit-rate"]\n')
    command = ("compare", *runs, "--output-format", "json", "--trials", 10)
    assert primary(here(capsys, *command).out) == ["hit-rate", "chrf"]
    assert primary(here(capsys, *command, "--primary", "map").out) == ["map"]
    assert primary(here(capsys, *command, "-m", "mrr", "-m", "chrf").out) == ["mrr", "chrf"]
    assert primary(here(capsys, *command, "-m", "mrr", "-m", "chrf", "--primary", "chrf").out) == ["chrf"]


def test_one_name_and_a_shared_file_will_do(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ragauge.toml").write_text('[gate]\nmax-failed = "1%"\n')
    Path("pyproject.toml").write_text('[tool.ragauge.report]\nprimary = "map"\n')
    assert primary(here(capsys, "compare", *runs, "--output-format", "json", "--trials", 10).out) == ["map"]


def test_a_report_rests_on_them(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ragauge.toml").write_text('[report]\nprimary = ["mrr", "token-f1"]\n')
    for names, options, out in ((runs, (), "two.html"), (runs[:1], ("--primary", "chrf"), "one.html")):
        assert here(capsys, "report", *names, "-o", out, *options).code == 0
    assert "the scores are the same under mrr, token-f1" in Path("two.html").read_text(encoding="utf-8")
    assert cards(Path("one.html")) == ["chrf"]
    ragauge.report(runs[0], "python.html", primary="map")
    assert cards(Path("python.html")) == ["map"]


def cards(path: Path) -> list[str]:
    """Return the titles of the cards that are not folded."""
    shown = read(path).all("ul", class_="cards")[0]
    return [card.line for card in shown.all("div", class_="name")]


def test_an_exported_verdict_rests_on_them(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("ragauge.toml").write_text('[report]\nprimary = ["mrr", "gone"]\n')
    here(capsys, "export", "after", "--to", "markdown[path=run.md]", "--baseline", "before")
    assert "the scores are the same under mrr`\n" in Path("run.md").read_text(encoding="utf-8")
    assert finished("after").primary == ()


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (METRICS, "at most 5 metrics can be primary, as each makes a difference harder to find; got 6: mrr, "),
        (["bleu"], "bleu cannot be primary: it is not among the metrics of these runs: mrr, map, recall, "),
        (["mr"], "mr cannot be primary"),
    ],
)
def test_what_cannot_be_primary(
    named: list[str], says: str, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match=says):
        ragauge.compare(*runs, primary=named)
    with pytest.raises(UsageError, match=says):
        ragauge.report(runs, "page.html", primary=named)
    Path("ragauge.toml").write_text(f"[report]\nprimary = {json.dumps(named)}\n")
    done = here(capsys, "compare", *runs)
    assert (done.code, says in " ".join(done.err.split())) == (2, True)
    done = here(capsys, "report", *runs)
    assert (done.code, "leave --primary out, and" in done.err or "Leave some out" in done.err) == (2, True)


def test_a_metric_that_is_not_compared_cannot_be_primary(runs: list[str]) -> None:
    with pytest.raises(UsageError, match="chrf cannot be primary"):
        ragauge.compare(*runs, metrics="mrr", primary="chrf")
    with pytest.raises(UsageError, match="'primary' of the report must be a metric's name"):
        ragauge.report(runs, "page.html", primary=[3])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[report]\nprimary = 3", "option 'primary' of ragauge.toml line 2 must be a text or a list of texts; got 3"),
        ('[report]\nprimary = ["mrr", 3]', "must be a text or a list of texts; got ['mrr', 3]"),
        ('[report]\nprimery = "mrr"', "ragauge.toml line 2: [report] has no 'primery'; did you mean primary?"),
        ("report = 3", "must be a table: [report]; got 3"),
    ],
)
def test_what_a_file_cannot_say(text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ragauge.toml").write_text(text)
    with pytest.raises(UsageError) as raised:
        primary_setting(Path())
    assert says in str(raised.value)


def test_without_a_file_none_is_set(tmp_path: Path) -> None:
    assert primary_setting(tmp_path) == ()
    (tmp_path / "ragauge.toml").write_text("[report]\n")
    assert primary_setting(tmp_path) == ()
    (tmp_path / "ragauge.toml").write_text('[report]\nprimary = ["mrr", "gone"]\n')
    assert primary_setting(tmp_path, among={"mrr"}) == ("mrr",)


def test_the_name_of_a_project(tmp_path: Path) -> None:
    assert project_setting(tmp_path) == ""
    (tmp_path / "ragauge.toml").write_text('[report]\nproject = "茶馆"\nprimary = "mrr"\n', encoding="utf-8")
    assert project_setting(tmp_path) == "茶馆"
    (tmp_path / "ragauge.toml").write_text("[report]\nproject = 3\n")
    with pytest.raises(UsageError, match="must be a text; got 3"):
        project_setting(tmp_path)
