"""The opened sample of two runs: what decided is on top and marked, scores that stayed and the rest are asked for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.browser.conftest import Open

SOLD = "The museum shop sells postcards and old maps."
HOURS = "The museum opens at 10 in the morning. Dogs may not come in."
GUIDE = "A guide leads through the house on Sundays."
QUESTION, REFERENCE = "When does the museum open?", "The museum opens at 10 in the morning."
METRICS = ["recall@3", "mrr", "groundedness", "answer-correctness"]


def result(answer: str | None, order: str = "dsg", metrics: Any = METRICS, **more: Any) -> ragauge.Result:
    texts = {"d": HOURS, "s": SOLD, "g": GUIDE, "x": "It rains."}
    row = {
        "id": "q`1`", "question": QUESTION, "answer": answer, "references": [REFERENCE],
        "retrieved": list(order), "contexts": [texts[name] for name in order], "relevance": {"d": 1},
    }  # fmt: skip
    return ragauge.evaluate([row | more, row | {"id": "other"}], metrics, evidence=True, resamples=0)


def report(folder: Path, *runs: ragauge.Result) -> Path:
    return ragauge.report(runs, folder / "report.html", names=["old", "new"])


@pytest.fixture
def contradicted(chromium: object, tmp_path: Path) -> Path:
    return report(tmp_path, result(REFERENCE), result(REFERENCE.replace("10", "11"), "sdg"))


ADDRESS = "#sample=q%601%60"


def test_the_words_that_decided_are_marked_wherever_they_stand(visit: Open, contradicted: Path) -> None:
    reader = visit(contradicted, ADDRESS)
    first = reader.sample.locator(".content > *")
    assert (
        first.first.inner_text()
        == "Why it is worse: the answer has 11 in the morning where the passage has 10 in the morning"
    )
    before, after = reader.sample.locator(".answers .run").all()
    assert before.locator("mark").all_inner_texts() == ["10"]
    assert after.locator("mark").all_inner_texts() == ["11"]
    assert reader.sample.locator(".answers .texts mark").all_inner_texts() == ["10"]
    passage = reader.block("Deciding passage")
    assert passage.locator(".ranks").inner_text().split("\n")[:2] == [
        "old: retrieved at rank 1",
        "new: retrieved at rank 2",
    ]
    assert passage.locator(".ranks .worse").inner_text() == "new: retrieved at rank 2"
    assert passage.locator(".text").inner_text() == HOURS
    assert passage.locator("mark").all_inner_texts() == ["10"]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_three_texts_stand_side_by_side_or_below_each_other(visit: Open, contradicted: Path, width: int) -> None:
    reader = visit(contradicted, ADDRESS, screen={"width": width, "height": 844})
    parts = [reader.sample.locator(".answers > section").first, *reader.sample.locator(".answers .run").all()]
    boxes = [part.bounding_box() for part in parts]
    panel = reader.sample.bounding_box()
    for one, other in pairwise(boxes):
        if width == 1280:
            assert one["x"] + one["width"] < other["x"]
        else:
            assert one["y"] + one["height"] <= other["y"]
            assert one["x"] == other["x"]
    assert all(box["x"] + box["width"] <= panel["x"] + panel["width"] for box in boxes)
    assert reader.sample.evaluate("one => one.scrollWidth - one.clientWidth") == 0


def test_a_passage_that_was_lost_is_the_one_that_decided(visit: Open, tmp_path: Path) -> None:
    reader = visit(report(tmp_path, result(REFERENCE, "sdg"), result("I do not know.", "sgx")), ADDRESS)
    passage = reader.block("Deciding passage")
    assert passage.locator(".ranks .worse").inner_text() == "new: not retrieved"
    assert passage.locator(".text").inner_text() == HOURS
    # All of the answer is another one: nothing in it is the word that decided.
    assert reader.sample.locator("mark").count() == 0


def test_changed_scores_come_first_and_the_rest_is_asked_for(visit: Open, contradicted: Path) -> None:
    reader = visit(contradicted, ADDRESS)
    rows = reader.sample.locator(".scroll tbody tr")
    shown = [row for row in rows.all() if row.is_visible()]
    assert len(shown) < rows.count() == len(METRICS)
    assert all("= 0.000" not in row.inner_text() for row in shown)
    reader.sample.get_by_role("button", name="did not change").click()
    assert all(row.is_visible() for row in rows.all())
    contexts = reader.sample.locator(".contexts").first
    assert not contexts.is_visible()
    reader.sample.locator(".rest > summary").click()
    assert contexts.is_visible()
    reader.press("j")
    reader.sample.locator(".contexts").first.wait_for(state="visible", timeout=5000)


def test_parts_with_long_names_leave_room_for_the_changes(visit: Open, tmp_path: Path) -> None:
    metrics = [*METRICS, "bleu", "semantic-similarity", "token-f1", "context-utilization"]
    runs = [result(answer, metrics=metrics) for answer in (REFERENCE, REFERENCE.replace("10", "11"))]
    reader = visit(report(tmp_path, *runs), ADDRESS, screen={"width": 1280, "height": 800})
    assert "precision of 1-grams" in reader.sample.inner_text()
    assert reader.sample.locator(".scroll").evaluate("one => one.scrollWidth - one.clientWidth") == 0


def test_the_sample_is_copied_as_markdown_that_the_data_cannot_leave(visit: Open, tmp_path: Path) -> None:
    hostile = "Yes.\n# Title\n<img src=x> | [link](http://x) 1. no"
    failed = result(None, failure="time out")
    reader = visit(report(tmp_path, result(hostile), failed), f"{ADDRESS}&sort=worst&status=failed")
    reader.page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    reader.sample.get_by_role("button", name="Copy as Markdown").click()
    reader.until("window.copied !== undefined")
    reader.sample.get_by_role("button", name="Copied").wait_for()
    text = reader.page.evaluate("window.copied")
    assert text.startswith("### Sample q\\`1\\`\n\n**Why it is worse**\n\n> ")
    assert "> Yes.\n> \\# Title\n> \\<img src=x\\> \\| \\[link\\](http://x) 1. no\n" in text
    assert "**Answer · new**\n\n> time out\n" in text
    assert "| Metric | old | new |\n| --- | ---: | ---: |\n| recall@3 | 1 | failed |\n" in text
    assert text.endswith(f"<{reader.page.url}>")
    assert all(part in reader.page.url for part in ("sample=", "sort=worst", "status=failed"))


def test_where_a_page_may_not_write_to_the_clipboard_the_text_is_selected(visit: Open, contradicted: Path) -> None:
    reader = visit(contradicted, f"{ADDRESS}&lang=zh")
    reader.page.evaluate("""() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
      document.execCommand = (name) => { window.copied = [name, document.activeElement.value]; };
    }""")
    reader.sample.get_by_role("button", name="复制为 Markdown").click()
    reader.until("window.copied !== undefined")
    name, text = reader.page.evaluate("window.copied")
    assert name == "copy"
    assert text.startswith("### 样本 q")
    assert "**变差的原因**" in text
    assert reader.page.locator("textarea").count() == 0


@pytest.mark.parametrize(
    "screen", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}], ids=["desk", "phone"]
)
def test_the_changed_scores_are_seen_when_a_sample_is_opened(
    visit: Open, contradicted: Path, screen: dict[str, int]
) -> None:
    reader = visit(contradicted, ADDRESS, screen=screen)
    short = reader.sample.locator(".in-short")
    lines = short.locator("> span").all_inner_texts()
    assert [line.split()[0] for line in lines] == ["groundedness", "answer-correctness"]
    assert all("▼" in line and "→" in line for line in lines)
    box = short.bounding_box()
    assert box["y"] + box["height"] < screen["height"] / 2
    assert reader.sample.get_by_role("button", name="Copy as Markdown").inner_text() == "Copy"
