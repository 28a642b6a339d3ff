"""What an opened sample shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ragauge
from tests.browser.conftest import Open
from tests.reports.runs import make_result, make_run, rows

EN = {"id": "en", "question": "Who founded the tea house?", "language": "en"}
LIN = "Lin Wan founded the tea house in 1990."
GARDEN = "It has a garden of bamboo behind the kitchen wall."


def sample(answer: str | None, **changes: Any) -> dict[str, Any]:
    given = {
        **EN,
        "answer": answer,
        "contexts": [f"The street is old. {LIN} Guests like it.", "Rain falls on Mondays."],
        "retrieved": ["d1", "d2"],
        "retrieved_scores": [2.5, 1.25],
        "relevance": {"d1": 2, "d9": 1},
        "references": [LIN],
    }
    return given | changes


def test_everything_of_a_sample_is_there(visit: Open, one_run: Path):
    row = rows(48, ("en", "zh", "ja", "ko", "ru", "ar", "hi", "th"), failures=2)[8]
    reader = visit(one_run)
    reader.open("q8")
    shown = reader.sample.inner_text()
    for text in (row["question"], *row["references"], *row["contexts"], *row["retrieved"], row["topic"]):
        assert text in shown
    for name in ("ndcg@1", "mrr", "token-f1", "groundedness"):
        assert name in reader.block("Scores").inner_text()
    assert "precision" in reader.block("Scores").inner_text()


def test_sentences_are_marked_by_line_sign_and_word(visit: Open, tmp_path: Path):
    result = make_result([sample(f"{LIN} {GARDEN}")], ("groundedness",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    first, second = reader.sample.locator(".sentence").all()
    assert first.text_content() == f"✓supported{LIN}"
    assert second.text_content() == f"✗not supported{GARDEN}"
    lines = [one.evaluate("one => getComputedStyle(one).borderBlockEndStyle") for one in (first, second)]
    assert lines == ["solid", "dashed"]
    assert "groundedness" in reader.sample.locator(".by").inner_text()


def test_what_stands_between_and_after_sentences_stays(visit: Open, tmp_path: Path):
    answer = f"> {LIN}\n\n{GARDEN} ***\n"
    result = make_result([sample(answer)], ("groundedness",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    for one in reader.sample.locator(".sentence").all():
        one.evaluate("one => one.querySelectorAll('.glyph, .unseen').forEach((sign) => sign.remove())")
    assert reader.block("Answer").locator("p.text").first.text_content() == answer


def test_a_sentence_points_at_its_counterpart(visit: Open, tmp_path: Path):
    result = make_result([sample(f"{LIN} {GARDEN}")], ("groundedness",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    assert reader.sample.locator(".sentence").first.get_attribute("aria-pressed") == "false"
    reader.sample.locator(".sentence").first.click()
    assert "Best match, similarity 1.00" in reader.sample.locator(".counterpart").inner_text()
    pointed = reader.block("Retrieved contexts, in rank order").locator("mark")
    assert LIN in pointed.inner_text()
    assert reader.sample.locator(".passage").first.inner_text() == f"The street is old. {LIN} Guests like it."
    reader.sample.locator(".sentence").last.click()
    assert reader.sample.locator(".sentence").first.get_attribute("aria-pressed") == "false"


def test_a_counterpart_at_the_beginning_of_a_passage_is_marked(visit: Open, tmp_path: Path):
    result = make_result([sample(LIN, contexts=[f"{LIN} Guests like it.", GARDEN])], ("groundedness",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    reader.sample.locator(".sentence").first.click()
    assert reader.block("Retrieved contexts, in rank order").locator("mark").inner_text() == LIN


def test_scores_are_a_group_with_a_name(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q2")
    assert reader.sample.get_by_role("group", name="Scores").count() == 1


def test_a_browser_that_cannot_decode_base64_by_itself_opens_the_samples(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.page.add_init_script("delete Uint8Array.fromBase64")
    reader.page.reload()
    reader.ready()
    assert reader.count == "48 of 48 samples"


def test_copied_text_is_the_answer_alone(visit: Open, tmp_path: Path):
    answer = f"{LIN} {GARDEN}"
    result = make_result([sample(answer)], ("groundedness",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    text = reader.block("Answer").locator("p.text")
    selected = text.evaluate(
        "element => { getSelection().selectAllChildren(element); return getSelection().toString() }"
    )
    assert selected == answer


UNSAID = {
    "en": "The passages do not say when. Lin Wan founded the tea house.  It has a garden",
    "zh": "  文中没有提到年份。林婉创办了茶馆。它有一个花园",
    "ja": "「はい」。林さんが店を開きました。\n\n庭があります",
    "ar": "لا أعرف متى. أسست لين وان المقهى. فيه حديقة",
    "th": "ไม่ทราบ\nหลินหว่านก่อตั้งโรงน้ำชา\nมีสวน",
}


def test_the_answer_is_whole_whichever_sentences_are_marked(visit: Open, tmp_path: Path):
    result = make_result([sample(text, id=name, language=name) for name, text in UNSAID.items()], ("groundedness",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"))
    bare = (
        "text => { text.querySelectorAll('.glyph, .unseen').forEach(sign => sign.remove()); return text.textContent }"
    )
    for name, text in UNSAID.items():
        reader.follow(name)
        shown = reader.block("Answer").locator("p.text")
        marked = shown.locator(".sentence").count()
        assert 1 <= marked < 4
        assert shown.evaluate(bare) == text


def test_contexts_are_ranked_and_judged(visit: Open, tmp_path: Path):
    result = make_result([sample(LIN)], ("ndcg@2",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    first, second = reader.block("Retrieved contexts, in rank order").locator("li .caption").all()
    assert first.inner_text().split() == ["✓", "relevant", "grade", "2", "score", "2.5", "d1"]
    assert second.inner_text().split() == ["?", "not", "judged", "score", "1.25", "d2"]
    judged = reader.block("Judged documents").inner_text()
    assert "d1 grade 2 retrieved at rank 1" in judged
    assert "d9 grade 1 not retrieved" in judged


def test_what_is_known_of_a_sample_stands_above_it(visit: Open, tmp_path: Path):
    given = sample(LIN, topic="music", empty="", none=None, zero=0, off=False, language="zh-Hant")
    result = make_result([given, sample(LIN, id="b", none="x")], ("exact-match",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    facts = reader.sample.locator("dl.about > div")
    assert facts.all_inner_texts() == ["Language\nzh-Hant", "topic\nmusic", "zero\n0", "off\nfalse"]


def test_a_relevant_document_that_was_lost_is_marked(visit: Open, tmp_path: Path):
    given = sample(LIN, relevance={"d1": 2, "d2": 0, "d8": 0, "d9": 1})
    reader = visit(ragauge.report(make_result([given], ("ndcg@2",)), tmp_path / "report.html"), "#sample=en")
    items = reader.block("Judged documents").locator("li")
    assert items.all_inner_texts() == [
        "d1 grade 2 retrieved at rank 1", "d2 grade 0 retrieved at rank 2", "d8 grade 0 not retrieved",
        "d9 grade 1 not retrieved",
    ]  # fmt: skip
    assert items.locator(".worse").all_inner_texts() == ["not retrieved"]
    ranked = reader.block("Retrieved contexts, in rank order").locator("li .badge").all_inner_texts()
    assert ranked == ["✓ relevant", "✗ not relevant"]


def test_no_answer_is_said(visit: Open, tmp_path: Path):
    given = {
        "none": (None, "There is no answer."),
        "empty": ("", "The answer is empty."),
        "blank": ("  ", "The answer is empty."),
    }
    samples = [sample("x"), *(sample(answer, id=name) for name, (answer, _) in given.items())]
    reader = visit(ragauge.report(make_result(samples, ("token-f1",)), tmp_path / "report.html"))
    for name, (_, said) in given.items():
        reader.follow(name)
        assert said in reader.block("Answer").inner_text()


def test_nothing_retrieved_is_said(visit: Open, tmp_path: Path):
    result = make_result([sample("x", contexts=[], retrieved=[], retrieved_scores=[])], ("ndcg@2",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    assert "Nothing was retrieved." in reader.block("Retrieved contexts, in rank order").inner_text()


def test_a_failure_is_said_first(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.choose("Status", "something failed")
    reader.grid.locator(".body [role=row]").first.click()
    failure = reader.sample.locator(".failure")
    assert failure.inner_text() == "✗ The system failed. timeout after 30 s"
    assert "✗ failed" in reader.block("Scores").inner_text()


def test_evidence_of_each_score(visit: Open, tmp_path: Path):
    result = make_result([sample(f"{LIN} {GARDEN}")], ("groundedness", "answer-correctness"))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    folds = reader.block("Evidence for the scores").locator("details")
    assert folds.count() == 2
    folds.first.locator("summary").click()
    text = folds.first.inner_text()
    assert "answer sentence" in text
    assert "similarity 1.00" in text
    assert LIN in text


def test_one_of_several_judges_is_chosen(visit: Open, tmp_path: Path):
    given = sample(f"{LIN} {GARDEN}", references=[GARDEN])
    result = make_result([given], ("groundedness", "answer-correctness"))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    assert reader.sample.locator(".sentence").first.get_attribute("class") == "sentence supported"
    reader.sample.get_by_label("according to").select_option("answer-correctness")
    assert reader.sample.locator(".sentence").first.get_attribute("class") == "sentence unsupported"
    assert reader.sample.locator(".sentence").last.get_attribute("class") == "sentence supported"


CHANGED = [
    ("en", "The piano stands in room 7.", "The piano stands in room 12.", ["7"], ["12"]),
    ("zh", "茶馆由林婉于1990年创办。", "茶馆由王芳于1990年创办。", ["林婉"], ["王芳"]),
    ("ja", "この店は月曜日に休みます。", "この店は火曜日に休みます。", ["月曜日"], ["火曜日"]),
    ("th", "โคมไฟเก็บไว้ที่ห้องเจ็ด", "โคมไฟเก็บไว้ที่ห้องแปด", ["เจ็ด"], ["แปด"]),
    ("ar", "المفتاح في الغرفة الأولى.", "المفتاح في الغرفة الثانية.", ["الأولى"], ["الثانية"]),
    ("ko", "가게는 월요일에 쉽니다.", "가게는 화요일에 쉽니다.", ["월요일에"], ["화요일에"]),
]


def test_words_that_stayed_between_changes_are_found(visit: Open, tmp_path: Path):
    before, after = "Rooms open at nine and close at five.", "Now rooms open at ten and close at five today."
    runs = [make_result([sample(text)], ("exact-match",)) for text in (before, after)]
    reader = visit(ragauge.report(runs, tmp_path / "report.html", names=("old", "new")), "#sample=en")
    block = reader.block("What changed in the answer")
    assert block.locator("del").all_text_contents() == ["Rooms ", "nine"]
    assert block.locator("ins").all_text_contents() == ["Now rooms ", "ten", " today"]


def test_words_that_changed(visit: Open, tmp_path: Path):
    given = {
        "old": [sample(before, id=name, language=name, references=[before]) for name, before, *_ in CHANGED],
        "new": [sample(after, id=name, language=name, references=[before]) for name, before, after, *_ in CHANGED],
    }
    runs = [make_run(tmp_path / name, samples=samples, metrics=("token-f1",)) for name, samples in given.items()]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"))
    for language, before, after, gone, new in CHANGED:
        reader.follow(language)
        block = reader.block("What changed in the answer")
        text = block.locator(".difference")
        assert block.locator("del").all_text_contents() == gone
        assert block.locator("ins").all_text_contents() == new
        assert text.get_attribute("lang") == language
        kept = "[...element.childNodes].filter(node => node.nodeName !== '{}').map(node => node.textContent).join('')"
        assert text.evaluate(f"element => {kept.format('INS')}") == before
        assert text.evaluate(f"element => {kept.format('DEL')}") == after


def test_long_answers_are_compared_in_bounded_time(visit: Open, tmp_path: Path):
    texts = {"old": " ".join(f"a{i}" for i in range(30_000)), "new": " ".join(f"b{i}" for i in range(30_000))}
    given = {name: [sample(f"Same start. {text} Same end.")] for name, text in texts.items()}
    runs = [make_run(tmp_path / name, samples=rows_, metrics=("exact-match",)) for name, rows_ in given.items()]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"))
    took = reader.page.evaluate(
        "() => { const start = performance.now(); document.querySelector('.body [role=row]').click();"
        " return performance.now() - start }"
    )
    assert took < 4000
    difference = reader.block("What changed in the answer").locator(".difference")
    assert difference.locator("del").count() >= 1
    assert difference.evaluate("element => element.firstChild.textContent").startswith("Same start.")


def test_long_texts_are_folded_until_asked_for(visit: Open, tmp_path: Path):
    result = make_result([sample("很长的回答。" * 400, language="zh")], ("token-f1",))
    reader = visit(ragauge.report(result, tmp_path / "report.html"), "#sample=en")
    text, toggle = reader.block("Answer").locator(".folded"), reader.block("Answer").locator("button.fold")
    low = text.bounding_box()["height"]
    assert toggle.get_attribute("aria-expanded") == "false"
    toggle.click()
    assert toggle.inner_text() == "Show less"
    assert toggle.get_attribute("aria-expanded") == "true"
    assert text.bounding_box()["height"] > 2 * low


FOLDED = [("a" * 1_399, False), ("a" * 1_400, True), ("长" * 699, False), ("长" * 700, True), ("й" * 1_400, True)]


def test_texts_of_1400_characters_or_700_wide_ones_are_folded(visit: Open, tmp_path: Path):
    given = [sample(text, id=f"q{place}", references=[]) for place, (text, _) in enumerate(FOLDED)]
    reader = visit(ragauge.report(make_result(given, ("ndcg@2",)), tmp_path / "report.html"))
    for place, (_, folded) in enumerate(FOLDED):
        reader.follow(f"q{place}")
        assert reader.block("Answer").locator(".folded").count() == folded
        assert reader.block("Answer").locator("button.fold").count() == folded


def test_two_runs_stand_side_by_side_with_their_changes(visit: Open, compared: Path):
    reader = visit(compared, "#sample=q3")
    answers = reader.block("Answer").locator(".run")
    assert answers.locator("h5").all_inner_texts() == ["yesterday", "today"]
    left, right = (answers.nth(place).bounding_box() for place in range(2))
    assert left["x"] + left["width"] <= right["x"]
    heads = reader.block("Scores").locator("thead th").all_inner_texts()
    assert heads == ["Metric", "yesterday", "today", "Change"]


def test_three_runs_are_held_against_the_first_one_at_a_time(visit: Open, tmp_path: Path):
    answers = ["one thing", "another thing", "a third thing"]
    runs = [
        make_run(tmp_path / name, samples=[sample(answer)], metrics=("token-f1",))
        for name, answer in zip(("a", "b", "c"), answers, strict=True)
    ]
    reader = visit(ragauge.report(runs, tmp_path / "report.html"), "#sample=en")
    assert "another thing" in reader.block("Answer").inner_text()
    reader.page.get_by_label("Compared with the first run").select_option("c")
    assert "a third thing" in reader.block("Answer").inner_text()
    assert "another thing" not in reader.block("Answer").inner_text()


def test_an_address_of_a_sample_that_is_not_there_opens_nothing(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=%E0%A4%A")
    assert not reader.sample.is_visible()


def test_an_opened_sample_that_the_filter_hides_says_so(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.search("q7")
    reader.page.evaluate("location.hash = '#sample=q1'")
    reader.until("!document.querySelector('article').hidden")
    assert reader.sample.get_by_text("not in the list of samples").is_visible()


def test_print_shows_the_opened_sample_without_controls(visit: Open, one_run: Path):
    reader = visit(one_run, "#sample=q3")
    reader.page.emulate_media(media="print")
    assert reader.block("Question").is_visible()
    assert not reader.grid.is_visible()
    assert not reader.page.get_by_role("searchbox").is_visible()
    assert not reader.page.get_by_role("button", name="Next (j)").is_visible()


def test_print_has_no_list_and_no_word_of_one(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.page.emulate_media(media="print")
    assert not reader.page.locator("#samples").is_visible()
    assert reader.page.locator("#scores").is_visible()
