"""The interface in English and Chinese, texts in any script, light and dark."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ragauge
import ragauge.reports
from tests.browser.conftest import Open, written
from tests.browser.reader import Reader
from tests.reports.runs import FACTS, make_result, rows

ASSETS = Path(ragauge.reports.__file__).parent / "assets"
TEXTS: dict[str, dict[str, str]] = json.loads((ASSETS / "texts-explorer.json").read_text(encoding="utf-8"))
PLACES = {language: f"q{place}" for place, language in enumerate(FACTS)}


# The words of the page; in the place of each text of the data stands a box.
WORDS = """() => {
  const copy = document.querySelector("main").cloneNode(true);
  const data = "[dir=auto]:not([data-en]), bdi:not([data-en]), option:not([data-text])";
  for (const other of copy.querySelectorAll("noscript")) other.remove();
  for (const other of copy.querySelectorAll(data)) other.replaceWith("□");
  for (const other of copy.querySelectorAll("script, style, td.number, th, dt, dd")) other.prepend("\\n");
  return copy.textContent;
}"""


@pytest.fixture(scope="module")
def explained(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A report whose scores have notes and reasons, in Chinese and in English."""
    metrics = ("ndcg@3", "groundedness", "answer-correctness", "context-relevancy", "context-precision")
    run = make_result(rows(len(FACTS), tuple(FACTS)), metrics, by=["topic"])
    return [written(tmp_path_factory, run, language=language) for language in ("zh", "en")]


def words_of_the_interface(reader) -> str:
    """All text of the samples' part that is not quoted from the data."""
    script = """() => {
      const copy = document.getElementById("samples").cloneNode(true);
      for (const other of copy.querySelectorAll("[dir=auto], option:not([data-text]), noscript")) other.remove();
      return copy.textContent;
    }"""
    return str(reader.page.evaluate(script))


def test_both_languages_have_the_same_texts_with_the_same_gaps():
    assert TEXTS["en"].keys() == TEXTS["zh"].keys()
    for key, text in TEXTS["en"].items():
        gaps = r"\{\w+\}"
        assert sorted(re.findall(gaps, text)) == sorted(re.findall(gaps, TEXTS["zh"][key])), key


def test_the_page_starts_in_the_language_that_it_was_written_in(visit: Open, chinese: Path):
    reader = visit(chinese)
    assert reader.count == "48 个样本中的 48 个"
    assert reader.page.locator("#interface-language").input_value() == "zh"


def test_all_words_change_with_the_language(visit: Open, compared: Path):
    reader = visit(compared, "#sample=q9")
    reader.page.locator("#interface-language").select_option("zh")
    assert reader.page.locator("html").get_attribute("lang") == "zh"
    assert reader.count == "48 个样本中的 48 个"
    left = re.sub(r"Page Up|Page Down|Home|End|Enter|Esc|CSV|JSONL", "", words_of_the_interface(reader))
    assert not re.search(r"[A-Za-z]{2,}", left), re.findall(r"\w*[A-Za-z]{2,}\w*", left)
    reader.page.locator("#interface-language").select_option("en")
    assert not re.search(r"[\u4e00-\u9fff]", words_of_the_interface(reader))


def test_notes_and_reasons_are_chinese_and_marked_as_chinese_is(visit: Open, explained: list[Path]):
    """Also those that the evaluation wrote in English, on a page that starts in Chinese and on one that is switched."""
    reader = visit(explained[0])
    started = _words(reader, [f"#sample={name}" for name in PLACES.values()])
    reader = visit(explained[1])
    reader.page.locator("#interface-language").select_option("zh")
    switched = _words(reader, [f"#lang=zh&sample={name}" for name in PLACES.values()])
    assert started == switched
    assert "段落" in started
    assert "未标注" in started


def _words(reader: Reader, addresses: list[str]) -> str:
    """Return the words of the page with each of the samples open; notes and reasons are Chinese, with its marks."""
    shown = []
    for address in addresses:
        reader.page.evaluate("(hash) => { location.hash = hash; }", address)
        reader.page.locator("article .caption.why, article .claims").first.wait_for(state="attached")
        worded = reader.page.locator("[data-en]").all_text_contents()
        assert worded
        assert [text for text in worded if not re.search("[\u4e00-\u9fff]", text)] == []
        words = str(reader.page.evaluate(WORDS))
        assert not re.findall(r".*[\u4e00-\u9fff][,:;()].*|.*[,:;()] ?[\u4e00-\u9fff].*", words)
        shown.append(words)
    return "\n".join(shown)


def test_rows_made_later_speak_the_chosen_language(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.page.locator("#interface-language").select_option("zh")
    reader.choose("状态", "有失败")
    assert "✗ 失败" in reader.column("mrr")
    reader.open("q23")
    assert reader.sample.get_by_role("heading", name="回答", exact=True).is_visible()


def test_in_chinese_texts_are_sorted_by_pinyin(visit: Open, tmp_path: Path):
    rows = [{"id": name, "question": "？", "answer": "a", "references": ["a"]} for name in ("中", "阿", "北")]
    reader = visit(ragauge.report(make_result(rows, ("exact-match",)), tmp_path / "report.html", language="zh"))
    script = "[...document.querySelectorAll('.body [aria-colindex=\"1\"]')].map(cell => cell.textContent)"
    reader.grid.locator("[role=columnheader] button").first.click()
    assert reader.page.evaluate(script) == ["阿", "北", "中"]


def test_texts_have_their_own_language_and_direction(visit: Open, one_run: Path):
    reader = visit(one_run)
    for language, name in PLACES.items():
        reader.follow(name)
        texts = "texts => texts.map(text => text.lang + ' ' + getComputedStyle(text).direction)"
        found = reader.sample.locator(".content .text").evaluate_all(texts)
        assert set(found) == {f"{language} {'rtl' if language == 'ar' else 'ltr'}"}


def room_to_the_right(element: Any) -> float:
    """Say how far the right end of the text is from that of its element."""
    script = """element => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
    }"""
    return float(element.evaluate(script))


def test_arabic_is_set_from_the_right_in_the_table_and_opened(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.choose("Language", "ar")
    assert abs(room_to_the_right(reader.grid.locator(".body .question [dir]").first)) < 3
    reader.open("q5")
    assert abs(room_to_the_right(reader.block("Question").locator(".text"))) < 3
    reader.open("q13")
    text, sentence = (reader.block("Answer").locator(name).first.bounding_box() for name in (".text", ".sentence"))
    assert abs(text["x"] + text["width"] - sentence["x"] - sentence["width"]) < 3
    reader.choose("Language", "ru")
    assert room_to_the_right(reader.grid.locator(".body .question [dir]").first) > 30


def test_text_without_spaces_is_broken_into_lines(visit: Open, one_run: Path):
    reader = visit(one_run, screen={"width": 360, "height": 700})
    for language in ("zh", "ja", "th"):
        reader.follow(PLACES[language])
        text = reader.sample.locator(".content .text").first
        text.evaluate("element => { element.textContent = element.textContent.repeat(20) }")
        assert text.evaluate("element => element.scrollWidth <= element.clientWidth"), language
        assert text.evaluate("element => element.getClientRects()[0].height > 60"), language


def test_nothing_is_wider_than_a_small_screen(visit: Open, compared: Path):
    reader = visit(compared, "#sample=q5", screen={"width": 360, "height": 700})
    assert reader.page.evaluate("document.getElementById('samples').scrollWidth <= innerWidth")


def test_lines_do_not_begin_with_a_full_stop(visit: Open, one_run: Path):
    reader = visit(one_run, f"#sample={PLACES['zh']}")
    style = reader.sample.locator(".content .text").first.evaluate("element => getComputedStyle(element).lineBreak")
    assert style == "strict"


def luminance(colour: str) -> float:
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_until_it_is_chosen(page: Any, visit: Open, one_run: Path, scheme: Any):
    page.emulate_media(color_scheme=scheme)
    reader = visit(one_run)
    paper = luminance(reader.colour("#samples .grid .body .row"))
    ink = luminance(reader.colour("#samples .grid .body .row", "color"))
    assert (paper < ink) == (scheme == "dark")
    reader.page.locator("#theme").click()
    changed = luminance(reader.colour("#samples .grid .body .row"))
    assert (changed < paper) == (scheme == "light")
    reader.page.locator("#theme").click()
    assert luminance(reader.colour("#samples .grid .body .row")) == paper
