"""What stands in the page, as a browser without a script reads it."""

from __future__ import annotations

import gc
import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

import ragauge
from ragauge.display.numbers import interval, number
from ragauge.errors import UsageError
from ragauge.metrics import Mrr
from ragauge.reports.html import meaning
from ragauge.reports.texts import FILES, LANGUAGES, Texts, meanings
from tests.reports.reading import Element, read
from tests.reports.runs import make_result, rows, two_runs

SECTIONS = [
    "summary", "changes", "weakest", "samples", "scores", "distributions", "relations", "cutoffs", "groups",
    "evaluated", "reproduce",
]  # fmt: skip
PLACE = re.compile(r"\{(\w+)\}")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return two_runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def paths(runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Report on the runs once in each language."""
    folder = tmp_path_factory.mktemp("page")
    return {name: ragauge.report(runs, folder / f"{name}.html", language=name) for name in LANGUAGES}


@pytest.fixture(scope="module", params=LANGUAGES)
def page(request: pytest.FixtureRequest, paths: dict[str, Path]) -> Element:
    return read(paths[request.param])


@pytest.fixture(scope="module")
def english(paths: dict[str, Path]) -> Element:
    return read(paths["en"])


def test_sections_stand_in_their_order_and_the_contents_lead_to_them(page: Element) -> None:
    assert [section.attributes["id"] for section in page.all("section")] == SECTIONS
    links = [link.attributes["href"] for link in page.one("nav").all("a")]
    assert links == [f"#{name}" for name in SECTIONS]


def test_nothing_is_requested_and_nothing_else_may_run(page: Element) -> None:
    policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"] or ""
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    script, style = page.one("script", type="module"), page.one("style")
    for kind, element in (("script-src", script), ("style-src", style)):
        digest = b64encode(sha256(element.text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert len(page.all("script")) == 3
    for element in page.walk():
        assert not {"src", "style", "srcset", "action"} & set(element.attributes), element.tag
        assert not [name for name in element.attributes if name.startswith("on")]
        own = "data:image/svg+xml;base64," if element.attributes.get("rel") == "icon" else "#"
        assert (element.attributes.get("href") or own).startswith(own)
    assert not re.search(r"url\(|@import", style.text)


def test_the_head_has_the_number_of_samples_the_day_of_each_run_and_tags(tmp_path: Path) -> None:
    result = ragauge.evaluate([{"relevance": {"a": 1}, "retrieved": ["a"]}] * 1_200, "mrr", resamples=0)
    for name, tag, day in (("old", "v1", "2026-01-09"), ("new", "v2 <b>", "2026-03-02")):
        result.save(tmp_path / name, tag=tag)
        manifest = tmp_path / name / "manifest.json"
        text = manifest.read_text(encoding="utf-8")
        created = json.loads(text)["run"]["created"]
        manifest.write_text(text.replace(created, f"{day}T10:00:00+00:00"), encoding="utf-8")
    both = [tmp_path / "old", tmp_path / "new"]
    shown = [
        read(ragauge.report(given, tmp_path / "page.html", language=language, force=True)).one("p", class_="kind").line
        for given, language in ((both, "en"), (both, "zh"), (both[0], "en"), (result, "en"))
    ]
    assert shown == [
        "Evaluation report · 1,200 paired samples · 2026-01-09 – 2026-03-02 · tag v1 → v2 <b>",
        "评测报告 · 1,200 个样本 · 2026-01-09 – 2026-03-02 · 标签 v1 → v2 <b>",
        "Evaluation report · 1,200 samples · 2026-01-09 · tag v1",
        "Evaluation report · 1,200 samples",
    ]
    named = read(ragauge.report(both, tmp_path / "named.html", project="茶馆 <i>", card=tmp_path / "card.svg"))
    assert named.one("p", class_="kind").line.startswith("茶馆 <i> · 1,200 paired samples")
    assert "茶馆 &lt;i&gt;" in (tmp_path / "card.svg").read_text(encoding="utf-8")


def test_whole_numbers_of_the_page_have_separators(tmp_path: Path) -> None:
    """Years, ids and texts of the data apart, of which this page has none."""
    ranked = [["a"] if place % 3 else ["b", "a"] for place in range(2_400)]
    samples = [{"relevance": {"a": 1}, "retrieved": ids, "failure": ""} for ids in ranked]
    failing = [
        {**row, "retrieved": ["b"], "failure": "late" if place < 1_100 else ""} for place, row in enumerate(samples)
    ]
    runs = [
        ragauge.evaluate(some, "mrr", resamples=2_000, interval="percentile", seed=2_026) for some in (samples, failing)
    ]
    page = read(ragauge.report(runs, tmp_path / "page.html", names=("old", "new")))
    shown = [
        element.line for section in page.all("section") for kind in ("span", "td", "p") for element in section.all(kind)
    ]
    shown = [text.replace("seed 2026", "") for text in shown if "ragauge" not in text]
    assert any("1,100 of 2,400" in text for text in shown)
    assert any("1,300" in text for text in shown)
    assert any("2,000" in text for text in shown)
    assert [text for text in shown if re.search(r"(?<![\w.,])\d{4,}(?!\w)", text)] == []


def test_every_section_has_a_heading_with_words(page: Element) -> None:
    heads = [section.all("h2") for section in page.all("section")]
    assert [len(found) for found in heads] == [1] * len(heads)
    assert all(found.line for [found] in heads)
    assert all(found.line for found in page.all("h3") + page.all("summary") + page.all("button") + page.all("a"))


def test_sections_that_are_folded_can_be_opened_by_a_link(page: Element) -> None:
    """The page's script knows them by their class, opens the one that a link names, and all for a printer."""
    folded = [
        one
        for section in page.all("section")
        for one in section.children
        if isinstance(one, Element) and one.tag == "details"
    ]
    assert len(folded) > 5
    assert all(one.has(class_="fold") for one in folded)


def test_the_language_of_the_page_is_chosen_in_its_list(page: Element) -> None:
    options = page.one("select", id="interface-language").all("option")
    chosen = [option.attributes["value"] for option in options if "selected" in option.attributes]
    assert chosen == [page.one("html").attributes["lang"]]
    assert [option.attributes["value"] for option in options] == [option.attributes["lang"] for option in options]


def test_every_text_is_known_in_both_languages_with_what_fills_it(page: Element) -> None:
    texts = json.loads(page.one("script", id="texts").text)
    assert texts == Texts().all
    assert set(texts) == set(LANGUAGES)
    language = page.one("html").attributes["lang"] or ""
    said = [element for element in page.walk() if "data-text" in element.attributes]
    assert len(said) > 100
    for element in said:
        key = element.attributes["data-text"] or ""
        assert element.text == _filled(texts[language][key], element)
        for other in LANGUAGES:
            assert {f"data-{place}" for place in PLACE.findall(texts[other][key])} <= set(element.attributes), key
    for element in page.walk():
        for name in ("data-text-label", "data-text-title"):
            assert (element.attributes.get(name) or "page.title") in texts[language]


def _filled(text: str, element: Element) -> str:
    return PLACE.sub(lambda place: element.attributes[f"data-{place[1]}"] or "", text)


def test_each_name_of_a_metric_says_what_it_is_in_the_language_of_the_page(paths: dict[str, Path]) -> None:
    for place, language in enumerate(LANGUAGES):
        page = read(paths[language])
        for part in (page.one("section", id="summary"), page.one("section", id="scores")):
            named = [one for one in part.walk() if one.tag == "bdi" and one.line == "mrr" and "title" in one.attributes]
            assert named
            assert {one.attributes["title"] for one in named} == {meanings(Mrr)[place]}
            assert {one.attributes["data-title-zh"] for one in named} == {meanings(Mrr)[1]}


def test_a_metric_without_a_sentence_has_no_title() -> None:
    assert meaning(Texts(), meanings(lambda sample: 1.0)) == ""


def test_a_file_that_is_there_stays_unless_force_is_given(runs: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="already exists"):
        ragauge.report(runs, path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_texts_stand_in_the_order_of_their_keys() -> None:
    for name in FILES:
        for language, texts in json.loads(files("ragauge.reports").joinpath("assets", name).read_text("utf-8")).items():
            assert list(texts) == sorted(texts), (name, language)


def test_texts_say_the_same_in_each_language() -> None:
    texts = Texts().all
    assert set(texts["en"]) == set(texts["zh"])
    for key, text in texts["en"].items():
        given, said = set(PLACE.findall(text)), set(PLACE.findall(texts["zh"][key]))
        # A sentence that the evaluation wrote may say a value twice.
        assert said <= given if key.startswith("said.") else said == given, key


def test_figures_say_in_words_what_they_show(page: Element) -> None:
    figures = page.all("svg")
    assert len(figures) > 50
    for figure in figures:
        if figure.attributes.get("aria-hidden") == "true":
            continue
        assert figure.attributes["role"] == "img"
        first = figure.children[0]
        assert isinstance(first, Element)
        assert first.tag == "title"
        assert first.line


def test_the_scorecard_holds_each_score_with_interval_and_coverage(page: Element, runs: tuple[Path, Path]) -> None:
    shown = []
    tables = page.one("section", id="scores").all("tbody")
    for row in (row for table in tables for row in table.all("tr")):
        cells = [cell.line for cell in row.all("td")]
        shown.append((cells[0], cells[1], cells[3], cells[4]))
    wanted = []
    results = {run.name: ragauge.load(run) for run in runs}
    for stage in ("retrieval", "generation", "end-to-end"):
        for name in results["today"].metrics:
            for run, result in results.items():
                score = result[name]
                if score.stage == stage:
                    scored = f"{score.scored} / {score.total}"
                    wanted.append(
                        (run, number(score.value, score.low, score.high), interval(score.low, score.high), scored)
                    )
    assert shown == wanted


def test_what_failed_is_said_with_its_reason_and_bounds(runs: tuple[Path, Path], english: Element) -> None:
    assert "the system did not answer 2 of 40 samples" in english.one("section", id="evaluated").line
    assert "2 × timeout after 30 s" in english.one("section", id="evaluated").line
    low, high = ragauge.load(runs[1])["mrr"].bounds or (0, 0)
    assert f"2 failed, bounds {number(low)} to {number(high)}" in english.one("section", id="scores").line


def test_outcomes_are_those_of_compare(runs: tuple[Path, Path], english: Element) -> None:
    comparison = ragauge.compare(*runs)
    bodies = english.one("section", id="changes").all("tbody")[:2]
    for body, primary in zip(bodies, (True, False), strict=True):
        outcomes = [row.all("td")[-1].line.split(" ", 1)[1] for row in body.all("tr")]
        assert outcomes == [one.outcome for one in comparison.table if one.primary == primary]
    folded = english.one("section", id="changes").all("details", class_="fold")[0]
    assert folded.all("tbody") == bodies[1:], "the other metrics are folded"
    [verdict] = comparison.verdicts()
    assert english.one("section", id="summary").line.startswith(f"Result ▲ Ship (today): {'; '.join(verdict.reasons)}")


def test_samples_of_two_runs_are_drawn_for_the_six_metrics_that_changed_most(
    runs: tuple[Path, Path], english: Element
) -> None:
    titles = english.one("section", id="changes").all("title", **{"data-text": "page.both"})
    drawn = [title.attributes["data-metric"] for title in titles]
    by_effect = sorted(ragauge.compare(*runs).table, key=lambda one: -abs(one.effect))
    assert drawn == [one.metric for one in by_effect[:6]]


def test_what_intervals_there_are_is_said_with_the_data(english: Element, tmp_path: Path) -> None:
    assert "Intervals95 %" in english.one("section", id="evaluated").line
    page = read(ragauge.report(make_result(rows(12), ["mrr"], resamples=0), tmp_path / "report.html"))
    assert "Intervalsnot requested" in page.one("section", id="evaluated").line


def test_groups_and_clusters_are_named_with_the_data(english: Element, tmp_path: Path) -> None:
    page = read(ragauge.report(make_result(rows(12), ["mrr"], cluster="topic"), tmp_path / "report.html"))
    said = page.one("section", id="evaluated").line
    assert "Grouped bylanguage, topic" in said
    assert "Clustered bytopic" in said
    assert "Clustered by" not in english.one("section", id="evaluated").line


def test_groups_that_are_too_many_to_show_are_counted(tmp_path: Path) -> None:
    result = make_result([{"id": f"q{i}", "tone": i % 2, "g": i} for i in range(250)], ["column:name=tone"], by="g")
    groups = read(ragauge.report(result, tmp_path / "report.html")).one("section", id="groups")
    assert [note.line for note in groups.all("p", class_="note")] == [
        "The 24 largest of 250 groups are drawn.",
        "The first 200 of 250 groups are listed.",
    ]
    assert len(groups.one("tbody").all("tr")) == 200


def test_one_run_has_no_changes_and_no_run_names(tmp_path: Path) -> None:
    page = read(ragauge.report(make_result(rows(12)), tmp_path / "report.html"))
    assert "changes" not in [section.attributes["id"] for section in page.all("section")]
    assert [head.line for head in page.one("section", id="scores").all("thead")[0].all("th")] == [
        "Metric", "Value", "Interval", "Scored", "Notes",
    ]  # fmt: skip


def test_equal_runs_make_equal_pages(runs: tuple[Path, Path], paths: dict[str, Path], tmp_path: Path) -> None:
    assert ragauge.report(runs, tmp_path / "again.html").read_bytes() == paths["en"].read_bytes()


def test_what_it_takes_to_score_again_scores_the_same(tmp_path: Path) -> None:
    data = tmp_path / "answers of today.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows(9)), encoding="utf-8")
    result = ragauge.evaluate(data, ["mrr", "ndcg@3:gain=exp"], by="topic", ci=0.9, seed=4, resamples=50)
    page = read(ragauge.report(result, tmp_path / "report.html"))
    command, call = (pre.text for pre in page.one("section", id="reproduce").all("pre"))
    found: dict[str, ragauge.Result] = {}
    exec(call, {}, found)  # noqa: S102 - what a reader would do
    assert [score.to_dict() for score in found["result"].table] == [score.to_dict() for score in result.table]
    assert command.split() == [
        "ragauge", "score", "\\", f"'{tmp_path}/answers", "of", "today.jsonl'", "\\", "-m", "mrr", "\\", "-m",
        "ndcg@3:gain=exp", "\\", "--by", "topic", "\\", "--ci", "0.9", "\\", "--resamples", "50", "\\", "--seed", "4",
    ]  # fmt: skip


def test_dark_is_dark_alike_by_the_button_and_by_the_system() -> None:
    css = files("ragauge.reports").joinpath("assets", "page.css").read_text("utf-8")
    button, system = (
        re.search(rf":root{selector} {{(.*?)}}", css, re.DOTALL)
        for selector in (r'\[data-theme="dark"\]', r':not\(\[data-theme="light"\]\)')
    )
    assert button
    assert system
    assert button[1].split() == system[1].split()


@pytest.mark.parametrize("searching", [True, False])
def test_the_search_for_cycles_is_as_it_was_also_after_an_error(searching: bool, tmp_path: Path) -> None:
    found = gc.isenabled()
    (gc.enable if searching else gc.disable)()
    try:
        ragauge.report(make_result(rows(3)), tmp_path / "report.html")
        with pytest.raises(UsageError):
            ragauge.report(make_result(rows(3)), tmp_path / "other.html", limit=0)
        assert gc.isenabled() == searching
    finally:
        (gc.enable if found else gc.disable)()
