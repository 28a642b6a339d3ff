"""Sorting, searching and filtering the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragauge
from tests.browser.conftest import Open
from tests.reports.runs import make_result, rows

RUN = rows(48, ("en", "zh", "ja", "ko", "ru", "ar", "hi", "th"), failures=2)


def numbers(cells: list[str]) -> list[float]:
    return [float(cell) for cell in cells if cell not in ("undefined", "missing", "✗ failed")]


def test_rows_columns_and_count(visit: Open, one_run: Path):
    reader = visit(one_run)
    assert reader.count == "48 of 48 samples"
    assert reader.heads[:4] == ["Id", "Question", "Answer", "rouge-l"]
    assert "Language" not in reader.heads
    for name in ("Language", "topic", "difficulty", "ndcg@1"):
        reader.place(name)
    assert reader.heads[-3:] == ["Language", "topic", "difficulty"]
    assert "ndcg@1" in reader.heads
    assert reader.head("topic").locator("button").get_attribute("title") == "topic"
    assert reader.head("Question").locator("button").get_attribute("title") is None
    assert reader.ids[:3] == ["q0", "q1", "q2"]
    assert reader.grid.get_attribute("aria-rowcount") == "49"
    assert reader.grid.get_attribute("aria-colcount") == str(len(reader.heads))


def test_sorting_puts_the_worst_first_then_the_best_then_goes_back(visit: Open, one_run: Path):
    reader = visit(one_run)
    given = reader.ids
    head = reader.head("token-f1")
    reader.sort("token-f1")
    assert head.get_attribute("aria-sort") == "ascending"
    rising = numbers(reader.column("token-f1"))
    assert rising == sorted(rising)
    assert len(set(rising)) > 1
    reader.sort("token-f1")
    assert head.get_attribute("aria-sort") == "descending"
    falling = numbers(reader.column("token-f1"))
    assert falling == sorted(falling, reverse=True)
    reader.sort("token-f1")
    assert head.get_attribute("aria-sort") == "none"
    assert reader.ids == given


def test_where_lower_is_better_the_highest_comes_first(visit: Open, one_run: Path):
    reader = visit(one_run)
    name = "latency (column)"
    reader.sort(name)
    assert reader.head(name).get_attribute("aria-sort") == "descending"
    falling = numbers(reader.column(name))
    assert falling == sorted(falling, reverse=True)


def test_what_has_no_score_comes_last_either_way(visit: Open, one_run: Path):
    reader = visit(one_run)
    for order in ("ascending", "descending"):
        reader.sort("mrr")
        assert reader.head("mrr").get_attribute("aria-sort") == order
        reader.grid.locator(".body [role=row]").first.focus()
        reader.press("End")
        assert reader.column("mrr")[-2:] == ["✗ failed", "✗ failed"]


def test_equal_scores_stay_in_the_order_of_the_data(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.sort("recall@5")
    pairs = list(zip(reader.column("recall@5"), [int(name[1:]) for name in reader.ids], strict=True))
    assert pairs == sorted(pairs)
    assert len({score for score, _ in pairs}) < len(pairs)


def test_numbers_in_texts_are_sorted_as_numbers(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.sort("Id")
    assert reader.ids[:12] == [f"q{place}" for place in range(12)]


def test_search_reads_all_text_in_any_script(visit: Open, one_run: Path):
    asked = {"LANTERN kept": "lantern"} | {text: text for text in ("灯笼", "الفانوس", "โคมไฟ", "фонарь")}
    wanted = {text: [row["id"] for row in RUN if word in row["question"]] for text, word in asked.items()}
    wanted |= {"d7-0": ["q7"], "timeout": [row["id"] for row in RUN if row["failure"]]}
    reader = visit(one_run)
    for text, found in wanted.items():
        reader.search(text)
        assert found, text
        assert reader.ids == found, text
        assert reader.count == f"{len(found)} of 48 samples", text


def test_nothing_found_says_so_and_reset_brings_all_back(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.search("no such text")
    assert reader.count == "0 of 48 samples"
    assert reader.page.get_by_text("No sample matches").is_visible()
    reader.page.get_by_role("button", name="Reset filters").click()
    assert reader.count == "48 of 48 samples"
    assert not reader.page.get_by_text("No sample matches").is_visible()
    assert not reader.page.get_by_role("button", name="Reset filters").is_visible()


def test_filters_add_up(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.choose("Language", "ar")
    assert set(reader.column("Language")) == {"ar"}
    reader.choose("topic", "music")
    wanted = [row["id"] for row in RUN if row["language"] == "ar" and row["topic"] == "music"]
    assert wanted
    assert reader.ids == wanted


def test_failed_samples(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.choose("Status", "something failed")
    assert reader.ids == [row["id"] for row in RUN if row["failure"]]
    reader.choose("Status", "all scored")
    assert reader.count == "46 of 48 samples"


def test_a_metric_below_and_above_a_threshold(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.choose("Metric", "token-f1")
    reader.page.get_by_label("threshold").fill("0.8")
    reader.until("!document.querySelector('.count').textContent.startsWith('48')")
    below = numbers(reader.column("token-f1"))
    assert below
    assert max(below) < 0.8
    reader.choose("comparison", "at least")
    above = numbers(reader.column("token-f1"))
    assert min(above) >= 0.8
    assert len(below) + len(above) == 46


def test_undefined_and_missing_are_told_apart(visit: Open, tmp_path: Path):
    given = rows(4, ("en",), failures=0)
    given[1]["references"] = []
    given[2]["answer"] = None
    reader = visit(ragauge.report(make_result(given, ("token-f1",)), tmp_path / "report.html"))
    assert reader.column("token-f1")[1:3] == ["undefined", "missing"]
    reader.choose("Status", "something missing")
    assert reader.ids == ["q2"]
    reader.choose("Status", "something undefined")
    assert reader.ids == ["q1"]


def test_a_bar_is_as_long_as_the_score_stands_in_its_range(visit: Open, tmp_path: Path):
    result = ragauge.evaluate([{"tone": value} for value in (-1.0, 0.0, 0.5, 1.0)], "column:name=tone,low=-1,high=1")
    reader = visit(ragauge.report(result, tmp_path / "report.html"))
    shares = "bars => bars.map(bar => Number(bar.style.getPropertyValue('--share')))"
    assert reader.grid.locator(".bar").evaluate_all(shares) == [0, 0.5, 0.75, 1]


def test_a_metric_whose_range_has_no_end_has_no_bar(visit: Open, tmp_path: Path):
    result = make_result(rows(6, ("en",), failures=0), ("dcg", "mrr"))
    reader = visit(ragauge.report(result, tmp_path / "report.html"))
    assert reader.grid.locator(".bar").count() == sum(status == "ok" for status in result.statuses("mrr"))


def test_two_runs_show_values_and_changes(visit: Open, compared: Path):
    reader = visit(compared)
    reader.sort("Δ change in token-f1")
    changes = [cell for cell in reader.column("Δ change in token-f1") if cell != "–"]
    assert changes[0].startswith("▼ -")
    assert changes[0].endswith("worse")
    signed = [float(cell.split()[1]) for cell in changes]
    assert signed == sorted(signed)
    slower = "Δ change in latency (column)"
    reader.sort(slower)
    changes = [cell for cell in reader.column(slower) if cell != "–"]
    assert changes[0].startswith("▼ -")
    assert changes[0].endswith("worse")


def test_what_fell_most_comes_first(visit: Open, compared: Path):
    reader = visit(compared)
    reader.choose("Metric", "mrr")
    reader.choose("comparison", "got worse")
    changes = reader.column("Δ change in mrr")
    assert changes
    assert reader.head("Δ change in mrr").get_attribute("aria-sort") == "ascending"
    assert all(cell.endswith("worse") for cell in changes)
    fallen = [float(cell.split()[1]) for cell in changes]
    assert fallen == sorted(fallen)
    reader.choose("comparison", "got better")
    assert all(cell.endswith("better") for cell in reader.column("Δ change in mrr"))


def test_of_two_runs_either_may_have_failed(visit: Open, tmp_path: Path):
    given = [rows(6, ("en",), failures=0) for _ in range(2)]
    given[0][1]["failure"] = "no answer in time"
    given[1][4]["failure"] = "no answer in time"
    runs = [make_result(samples, ("token-f1",)) for samples in given]
    reader = visit(ragauge.report(runs, tmp_path / "report.html", names=("before", "after")))
    reader.choose("Status", "something failed")
    assert reader.ids == ["q1", "q4"]
    reader.choose("Status", "all scored")
    assert reader.ids == ["q0", "q2", "q3", "q5"]


def test_the_metric_asked_for_stays_in_sight(visit: Open, compared: Path):
    reader = visit(compared)
    reader.choose("Metric", "rouge-l")
    assert reader.heads[:5] == ["Id", "Question", "Answer", "rouge-l", "Δ change in rouge-l"]
    reader.grid.evaluate("grid => { grid.scrollLeft = 10_000 }")
    grid = reader.grid.bounding_box()
    for name in reader.heads[:5]:
        head = reader.head(name).bounding_box()
        assert grid["x"] <= head["x"] < head["x"] + head["width"] <= grid["x"] + grid["width"]
    row, cell = (reader.grid.locator(f".body {part}").first.bounding_box() for part in ("[role=row]", ".score"))
    head = reader.head("rouge-l").bounding_box()
    assert abs(cell["x"] - head["x"]) < 1
    assert row["x"] + row["width"] >= head["x"] + head["width"]


def selected(reader) -> list[str]:
    return [text[:2] for text in reader.grid.locator(".body [aria-selected='true']").all_text_contents()]


def test_the_row_of_the_opened_sample_alone_is_selected(visit: Open, one_run: Path):
    reader = visit(one_run)
    assert selected(reader) == []
    for name in ("q2", "q3"):
        reader.open(name)
        assert selected(reader) == [name]
    reader.sort("Question")
    reader.sort("Question")
    reader.sort("Question")
    assert selected(reader) == ["q3"]
    reader.sample.get_by_role("button", name="Close").click()
    assert selected(reader) == []


def test_another_order_begins_at_its_first_row(visit: Open, one_run: Path):
    reader = visit(one_run)
    reader.grid.locator(".body [role=row]").first.focus()
    reader.press("End")
    reader.sort("token-f1")
    assert reader.grid.evaluate("grid => grid.scrollTop") == 0
    first = reader.grid.locator(".body [role=row]").first
    assert first.get_attribute("aria-rowindex") == "2"
    assert first.get_attribute("tabindex") == "0"


def test_another_run_keeps_the_order_and_the_filters(visit: Open, tmp_path: Path):
    runs = [make_result(rows(12, ("en",), seed=seed, failures=0), ("mrr", "token-f1")) for seed in range(3)]
    reader = visit(ragauge.report(runs, tmp_path / "report.html", names=("a", "b", "c")))
    reader.sort("token-f1")
    reader.sort("token-f1")
    reader.choose("topic", "music")
    reader.open(reader.ids[0])
    for run, name in ((1, "b"), (2, "c"), (1, "b")):
        reader.page.get_by_label("Compared with the first run").select_option(name)
        assert reader.head("token-f1").get_attribute("aria-sort") == "descending"
        assert reader.count == "3 of 12 samples"
        scores = runs[run].scores("token-f1")
        assert reader.column("token-f1") == [f"{scores[int(row[1:])]:.3f}" for row in reader.ids]
        assert numbers(reader.column("token-f1")) == sorted(numbers(reader.column("token-f1")), reverse=True)
        assert reader.block("Answer").locator("h5").all_inner_texts() == ["a", name]


def test_numbers_have_three_digits_in_a_range_within_one_else_two(visit: Open, tmp_path: Path):
    before = [{"id": "q0", "tone": -0.5, "cost": -2.0}, {"id": "q1", "tone": 1.0, "cost": 3.25}]
    after = [row | {"tone": 1.0, "cost": 1.0} for row in before]
    read = ["column:name=tone,low=-1,high=1", "column:name=cost,direction=lower"]
    runs, metrics = [ragauge.evaluate(samples, read) for samples in (before, after)], ("tone (column)", "cost (column)")
    reader = visit(ragauge.report(runs, tmp_path / "report.html", names=("a", "b")))
    assert reader.column(metrics[0]) == ["1.000", "1.000"]
    assert reader.column(f"Δ change in {metrics[0]}") == ["▲ +1.500 better", "= 0.000 the same"]
    assert reader.column(f"Δ change in {metrics[1]}") == ["▼ -3.00 worse", "▲ +2.25 better"]
    reader = visit(ragauge.report(runs[0], tmp_path / "one.html"))
    assert reader.column(metrics[0]) == ["-0.500", "1.000"]
    assert reader.column(metrics[1]) == ["-2.00", "3.25"]


def test_the_metric_that_leads_stays_in_view_and_its_box_says_so(visit: Open, few_compared: Path):
    reader = visit(few_compared)
    reader.page.locator("#samples .chooser summary").click()
    boxes = reader.page.locator("#samples .chooser label")

    def fixed() -> list[str]:
        return [box.text_content().strip() for box in boxes.all() if box.locator("input").is_disabled()]

    [lead] = fixed()
    others = [
        text for text in (box.text_content().strip() for box in boxes.all()) if text in ("mrr", "token-f1", "ndcg@1")
    ]
    reader.choose("Metric", other := next(text for text in others if text != lead))
    assert fixed() == [other]
    # A box that was unchecked before its metric led is neither checked nor not: the column is there all the same.
    reader.choose("Metric", lead)
    unchosen = boxes.filter(has_text=other).first.locator("input")
    unchosen.uncheck()
    reader.choose("Metric", other)
    assert unchosen.evaluate("box => [box.checked, box.indeterminate]") == [False, True]
    assert other in reader.heads
    reader.choose("Metric", lead)
    assert unchosen.evaluate("box => box.indeterminate") is False
    assert other not in reader.heads


@pytest.mark.parametrize("width", [1280, 1920])
def test_the_columns_that_are_shown_at_first_are_not_cut(visit: Open, compared: Path, width: int):
    reader = visit(compared)
    reader.page.set_viewport_size({"width": width, "height": 800})
    reader.until(f"innerWidth === {width}")
    reader.until(
        "document.querySelector('#samples .grid').scrollWidth <= document.querySelector('#samples .grid').clientWidth"
    )
    shown = len(reader.heads)
    assert shown >= {1280: 7, 1920: 9}[width]
    reader.place("Δ change in mrr")
    assert reader.page.url.count("column=") == len({name.removeprefix("Δ change in ") for name in reader.heads[3:]})
