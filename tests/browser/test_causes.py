"""Why samples got worse: a click lists those of one cause, and an opened sample says its own first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.browser.conftest import Open

TEA = "The tea house opens at nine. It serves oolong and green tea."
ANSWERS = (
    "The tea house opens at ten.",
    "I do not know.",
    "The tea house opens at ten.",
    "The tea house opens at nine.",
)


def scored(*answers: str) -> ragauge.Result:
    rows = [
        {"id": f"q{place}", "answer": answer, "contexts": [TEA], "references": ["It opens at nine."]}
        for place, answer in enumerate(answers)
    ]
    return ragauge.evaluate(rows, ["groundedness", "answer-correctness"], evidence=True, resamples=0)


def test_a_cause_lists_its_samples_and_stands_first_in_each(visit: Open, tmp_path: Path) -> None:
    runs = [scored(*ANSWERS[3:] * 4), scored(*ANSWERS)]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"))
    reader.page.get_by_role("link", name="2 contradicted").click()
    assert sorted(reader.ids) == ["q0", "q2"]
    assert reader.page.locator(".picks").inner_text().startswith("Why it is worse: contradicted")
    reader.page.locator(".picks button").click()
    assert len(reader.ids) == 4
    assert "cause=" not in reader.page.url
    reader.page.locator(".cause-bar rect").nth(1).click()
    assert reader.ids == ["q1"]
    reader = visit(tmp_path / "report.html", "#cause=declined&sample=q1&lang=zh")
    first = reader.sample.locator(".content > *").first.inner_text()
    assert first == "变差的原因：回答表示无法回答：I do not know."


def test_a_sentence_that_is_contradicted_is_not_shown_as_supported(visit: Open, tmp_path: Path) -> None:
    tea = "The tea house in the old street by the river opens its doors at 33 minutes past nine every day."
    wrong = tea.replace("33", "43")
    rows = [[{"id": "q0", "answer": answer, "contexts": [tea], "references": [tea]}] for answer in (tea, wrong)]
    runs = [ragauge.evaluate(one, ["groundedness", "answer-correctness"], evidence=True, resamples=0) for one in rows]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"), "#sample=q0")
    assert reader.sample.locator(".cause").inner_text().startswith("Why it is worse: the answer has 43")
    reader.until("document.querySelector('.sentence')")
    assert [one.get_attribute("class") for one in reader.sample.locator(".answers .sentence").all()] == [
        "sentence supported",
        "sentence contradicted",
    ]
    assert "≠ contradicted" in reader.sample.locator(".by").first.inner_text()


def test_a_link_to_a_cause_that_the_page_lacks_says_so(visit: Open, tmp_path: Path) -> None:
    runs = [scored(*ANSWERS[3:] * 4), scored(*ANSWERS)]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"), "#cause=other%20language&run=nobody&sort=fell")
    said = reader.page.locator("#samples .unmet")
    assert said.inner_text() == (
        "This page does not have what the link asks for: cause = other language, run = nobody. "
        "The list is not filtered by it."
    )
    assert len(reader.ids) == 4
    reader.page.get_by_role("link", name="2 contradicted").click()
    reader.until("document.querySelector('.unmet').hidden")
    reader = visit(tmp_path / "report.html", "#cause=other%20language&lang=zh")
    assert said.inner_text() == "链接所要的本页没有：cause = other language。列表未按它筛选。"


def test_a_sample_that_is_not_worse_has_no_cause(visit: Open, tmp_path: Path) -> None:
    runs = [scored(*ANSWERS[3:] * 4), scored(*ANSWERS)]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"), "#sample=q3")
    assert reader.sample.locator(".cause").count() == 0


def test_the_deciding_passage_is_the_one_that_is_gone(visit: Open, tmp_path: Path) -> None:
    def run(*retrieved: str) -> ragauge.Result:
        passages = {"hours": TEA, "dogs": "Dogs may come in.", "trains": "Trains leave hourly."}
        row: dict[str, Any] = {
            "id": "q0",
            "answer": "The tea house opens at nine. Dogs may come in.",
            "references": ["Dogs may come in."],
        }
        row |= {"retrieved": retrieved, "contexts": [passages[one] for one in retrieved], "relevance": {"hours": 1}}
        return ragauge.evaluate([row], ["groundedness", "answer-correctness"], evidence=True, resamples=0)

    runs = [run("hours", "dogs"), run("trains", "hours")]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"), "#sample=q0")
    assert reader.sample.locator(".cause").inner_text().endswith("rested on: Dogs may come in.")
    assert reader.block("Deciding passage").locator(".text").inner_text() == "Dogs may come in."


def test_of_many_runs_the_one_of_the_first_sentence_has_causes(visit: Open, tmp_path: Path) -> None:
    worse = ANSWERS[:1] * 4
    runs = [scored(*ANSWERS[3:] * 4), scored(*ANSWERS), scored(*worse)]
    reader = visit(ragauge.report(runs, tmp_path / "report.html", names=("old", "some", "all")), "#run=all")
    reader.open("q0")
    assert reader.sample.locator(".cause").count() == 0
    reader.page.get_by_role("link", name="2 contradicted").click()
    reader.until("document.querySelector('#samples-run').value === '1'")
    assert sorted(reader.ids) == ["q0", "q2"]
    reader.open("q2")
    assert reader.sample.locator(".cause").inner_text().startswith("Why it is worse: the answer has ten")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_of_a_cause_has_the_metric_that_fell_beside_its_texts(visit: Open, tmp_path: Path, width: int) -> None:
    def run(*retrieved: str, answer: str = "The tea house opens at nine.") -> ragauge.Result:
        rows = [
            {"id": f"q{place}", "answer": answer, "contexts": [TEA], "references": ["It opens at nine."],
             "retrieved": retrieved, "relevance": {"a": 1}}
            for place in range(3)
        ]  # fmt: skip
        return ragauge.evaluate(rows, ["answer-correctness", "mrr"], evidence=True, resamples=0)

    page = ragauge.report([run("a", "b"), run("b", "a")], tmp_path / "report.html")
    reader = visit(page, "#cause=rank%20fell&sort=fell", screen={"width": width, "height": 844})
    heads = reader.grid.locator(".head .score").all_inner_texts()
    assert heads[0].startswith("mrr")
    assert "▼ -0.500" in reader.grid.locator(".body .row").first.inner_text()
