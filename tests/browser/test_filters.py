"""Which filters there are, what each lets through, and when its controls are to be seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ragauge
from tests.browser.conftest import Open

METRICS = ("column:name=tone,low=0,high=1", "column:name=cost,direction=lower")
TONE, COST = "tone (column)", "cost (column)"
TONES: Sequence[float | None] = (0.0, 0.25, 0.5, 0.5, 0.75, 1.0, None, 0.25)
COSTS: Sequence[float | None] = (3.0, 1.0, None, 2.0, 2.0, 5.0, 4.0, 1.0)


def samples(tones: Sequence[float | None] = TONES, costs: Sequence[float | None] = COSTS) -> list[dict[str, Any]]:
    return [
        {
            "id": f"q{place}",
            "question": "Où est la LAMPE ?" if place % 2 else "灯在哪里？",
            "tone": tone,
            "cost": cost,
            "kind": ["b", "a", "a", None][place % 4],
            "each": f"value {place}",
            "same": "one",
        }
        for place, (tone, cost) in enumerate(zip(tones, costs, strict=True))
    ]


def one(folder: Path) -> Path:
    return ragauge.report(ragauge.evaluate(samples(), list(METRICS), resamples=0), folder / "report.html")


def options(reader: Any, label: str) -> list[str]:
    return list(select(reader, label).locator("option").all_text_contents())


def select(reader: Any, label: str) -> Any:
    return reader.page.locator("select").and_(reader.page.get_by_label(label, exact=True))


def test_columns_of_a_few_values_have_a_filter_most_frequent_first(visit: Open, tmp_path: Path):
    reader = visit(one(tmp_path))
    labels = reader.page.locator("#samples form label").all_inner_texts()
    assert labels == ["Search all text", "tone", "cost", "kind", "Status", "Metric"]
    assert options(reader, "kind") == ["all", "a (4)", "b (2)", "none (2)"]
    for chosen, ids in (("a (", "1256"), ("b", "04"), ("none", "37"), ("all", "01234567")):
        reader.choose("kind", chosen)
        assert reader.ids == [f"q{place}" for place in ids]


def test_measurements_have_no_list_of_values(visit: Open, tmp_path: Path):
    given = [
        {"id": f"q{place}", "v": 0.5, "latency": place % 40 / 8, "year": 2000 + place % 3, "word": f"w{place % 40}"}
        for place in range(120)
    ]
    result = ragauge.evaluate(given, "column:name=v,low=0,high=1", resamples=0)
    reader = visit(ragauge.report(result, tmp_path / "report.html"))
    labels = reader.page.locator("#samples form label").all_inner_texts()
    assert labels == ["Search all text", "year", "word", "Status", "Metric"]


def test_a_status_is_of_the_chosen_metric_or_of_any(visit: Open, tmp_path: Path):
    reader = visit(one(tmp_path))
    reader.choose("Status", "something missing")
    assert reader.ids == ["q2", "q6"]
    for metric, ids in ((TONE, ["q6"]), (COST, ["q2"])):
        reader.choose("Metric", metric)
        assert reader.ids == ids
    reader.choose("Status", "all scored")
    assert reader.ids == [f"q{place}" for place in "0134567"]
    reader.choose("Metric", "any")
    assert reader.ids == [f"q{place}" for place in "013457"]


def test_a_score_at_the_threshold_is_not_below_it(visit: Open, tmp_path: Path):
    reader = visit(one(tmp_path))
    controls = [reader.page.get_by_label(name, exact=True) for name in ("comparison", "threshold")]
    assert [control.is_visible() for control in controls] == [False, False]
    reader.choose("Metric", TONE)
    assert [control.is_visible() for control in controls] == [True, True]
    assert options(reader, "comparison") == ["below", "at least"]
    assert reader.count == "8 of 8 samples"
    controls[1].fill("0.5")
    reader.until("document.querySelectorAll('.body [role=row]').length === 3")
    assert reader.ids == ["q0", "q1", "q7"]
    reader.choose("comparison", "at least")
    assert reader.ids == ["q2", "q3", "q4", "q5"]
    reader.page.get_by_role("button", name="Reset filters").click()
    assert reader.count == "8 of 8 samples"
    assert [control.is_visible() for control in controls] == [False, False]


def test_changes_are_found_in_either_direction_of_a_metric(visit: Open, tmp_path: Path):
    before = ragauge.evaluate(samples(), list(METRICS), resamples=0)
    tones, costs = [0.5, 0.5, 0.5, 0.0, 0.25, 1.0, 1.0, None], [1.0, 2.0, 2.0, 2.0, 4.0, 5.0, 4.0, 0.5]
    after = ragauge.evaluate(samples(tones, costs), list(METRICS), resamples=0)
    reader = visit(ragauge.report([before, after], tmp_path / "report.html", names=("before", "after")))
    assert options(reader, "comparison") == ["below", "at least", "got worse", "got better"]
    for metric, worse, better in ((TONE, "34", "01"), (COST, "41", "07")):
        reader.choose("Metric", metric)
        reader.choose("comparison", "got worse")
        assert reader.ids == [f"q{place}" for place in worse]
        assert not reader.page.get_by_label("threshold", exact=True).is_visible()
        reader.choose("comparison", "got better")
        assert reader.ids == [f"q{place}" for place in better]


def test_all_words_are_searched_in_any_case_and_form(visit: Open, tmp_path: Path):
    reader = visit(one(tmp_path))
    for text, ids in (
        ("lampe", "1357"), ("LAMPE Q3", "3"), ("q3  où", "3"), ("ou\u0300", "1357"), ("灯", "0246"), ("value 6", "6"),
        ("   ", "01234567"),
    ):  # fmt: skip
        reader.search(text)
        assert reader.ids == [f"q{place}" for place in ids], text


def test_a_filter_that_is_set_can_be_reset(visit: Open, tmp_path: Path):
    reader = visit(one(tmp_path))
    again = reader.page.get_by_role("button", name="Reset filters")
    for label, option in (("kind", "a ("), ("Status", "all scored"), ("Metric", TONE)):
        assert not again.is_visible()
        reader.choose(label, option)
        again.click()
        assert select(reader, label).locator("option:checked").inner_text() in ("all", "any")
    reader.search("灯")
    again.click()
    assert reader.count == "8 of 8 samples"


def test_the_return_key_in_the_search_leaves_the_page_where_it_is(visit: Open, tmp_path: Path):
    reader = visit(one(tmp_path))
    reader.search("q3")
    reader.press("Enter")
    assert reader.ids == ["q3"]
    assert reader.page.get_by_role("searchbox").input_value() == "q3"
