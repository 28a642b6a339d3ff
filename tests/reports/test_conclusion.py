"""The conclusion: failed samples, metrics that got worse, one run, and the best of many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragauge
from tests.reports.reading import Element, payload, read

METRICS = [f"{name}=column:name={name},low=0,high=1" for name in ("quality", "care")]


def run(quality: float, care: float = 0.5, failed: int = 0, count: int = 40) -> ragauge.Result:
    """Score samples whose values differ by a little around two means; the system failed on the first ``failed``."""
    data = [
        {
            "id": str(place),
            "quality": quality + place % 5 / 50,
            "care": care + place % 7 / 50,
            "failure": "timeout" if place < failed else None,
        }
        for place in range(count)
    ]
    return ragauge.evaluate(data, METRICS)


def sentences(runs: Any, path: Path, **more: Any) -> list[str]:
    return [one.line for one in summary(runs, path, **more).all("p", class_="finding")]


def summary(runs: Any, path: Path, **more: Any) -> Element:
    return read(ragauge.report(runs, path / "page.html", force=True, **more)).one("section", id="summary")


@pytest.mark.parametrize("name", ["after", "之后", "後", "후", "после", "بعد", "बाद", "หลัง"])
def test_more_failed_samples_follow_the_verdict_and_lead_to_the_list(name: str, tmp_path: Path) -> None:
    part = summary([run(0.2, failed=1), run(0.6, failed=20)], tmp_path, names=["before", name])
    verdict, failures = part.all("p", class_="finding")
    assert failures.line == f"▼ {name} did not answer 20 of 40 samples (before: 1)."
    assert failures.attributes["class"] == "finding worse"
    assert str(failures.one("a").attributes["href"]).startswith("#status=failed&run=")
    assert verdict.line.startswith(f"▼ Do not ship ({name}): fails on 20 of 40 samples (base: 1); better under quality")


def test_no_more_failures_than_before_are_not_told(tmp_path: Path) -> None:
    assert sentences([run(0.2, failed=2), run(0.6, failed=2)], tmp_path) == [
        "▲ Ship (run 2): better under quality +0.400 [+0.400, +0.400]"
    ]


def test_where_nothing_could_be_compared_nothing_is_called_unclear(tmp_path: Path) -> None:
    part = summary([run(0.2), run(0.2, failed=40)], tmp_path)
    assert "▼ Nothing could be compared: run 2 scored 0 of 40 samples." in part.line
    assert "unclear" not in part.line
    assert "Where to look first" not in part.line
    zh = sentences([run(0.2), run(0.2, failed=40)], tmp_path, language="zh")
    assert zh[-1] == "▼ 无法比较：run 2 的 40 个样本都没有得分。"


def test_metrics_that_got_worse_are_named_first(tmp_path: Path) -> None:
    runs = [run(0.2, 0.8), run(0.6, 0.2)]
    worse, better = "worse under care -0.600 [-0.600, -0.600]", "better under quality +0.400 [+0.400, +0.400]"
    assert sentences(runs, tmp_path) == [f"▼ Do not ship (run 2): {worse}; {better}"]
    zh = sentences(runs, tmp_path, language="zh")
    changed = "care -0.600 [-0.600, -0.600] 变差；quality +0.400 [+0.400, +0.400] 变好"
    assert zh == [f"▼ 不要上线（run 2）：{changed}"]


def test_one_metric_is_named_with_its_outcome(tmp_path: Path) -> None:
    def of(value: float) -> ragauge.Result:
        data = [{"id": str(place), "x": value + place % 3 / 10} for place in range(20)]
        return ragauge.evaluate(data, "x=column:name=x")

    assert sentences([of(0.5), of(0.1)], tmp_path) == ["▼ Do not ship (run 2): worse under x -0.400 [-0.400, -0.400]"]
    assert sentences([of(0.5), of(0.5)], tmp_path) == ["≈ Cannot tell yet (run 2): the scores are the same under x"]
    assert sentences(of(0.5), tmp_path) == ["20 of 20 samples are scored under x."]


def test_one_run_of_which_all_failed_says_so(tmp_path: Path) -> None:
    assert sentences(run(0.5, failed=40), tmp_path) == [
        "▼ run 1 did not answer 40 of 40 samples.",
        "▼ None of 40 samples is scored.",
    ]


@pytest.mark.parametrize("count", [3, 7])
def test_of_many_runs_each_has_the_verdict_of_compare_what_may_ship_first(count: int, tmp_path: Path) -> None:
    kinds = [(0.2, 0.5), (0.6, 0.2), (0.2, 0.5), (0.4, 0.5)]
    runs = [run(0.2, 0.5), *[run(*kinds[place % 4]) for place in range(1, count)]]
    names = [f"v{place}" for place in range(count)]
    verdicts: dict[str, list[str]] = {"ship": [], "cannot tell yet": [], "do not ship": []}
    for one, name in zip(ragauge.compare(*runs).verdicts(), names[1:], strict=True):
        verdicts[one.decision].append(replace(one, run=name).sentence)
    expected = [text for some in verdicts.values() for text in some]
    part = summary(runs, tmp_path, names=names)
    lines = [one.line for one in part.all("p", class_="finding")]
    assert [line.partition(" ")[2] for line in lines[1:]] == expected
    first = next(one for one in names[1:] if f"({one})" in expected[0])
    assert lines[0].startswith(f"{first} is better than v"), "the first sentence is on the run of the first verdict"
    assert ("5 more runs" in part.line) == (count == 7)


def test_many_runs_stand_in_a_table_those_with_the_least_to_worry_about_first(tmp_path: Path) -> None:
    runs = [run(0.2, 0.5, failed=1), run(0.6, 0.2), run(0.8, 0.5, failed=9), run(0.4, 0.5, failed=1)]
    page = read(ragauge.report(runs, tmp_path / "page.html"))
    table = page.one("section", id="summary").one("table")
    lines = [[cell.line for cell in row.all("th") + row.all("td")] for row in table.one("tbody").all("tr")]
    assert lines == [
        ["run 1 Base", "", "", "", "1"],
        ["▲ run 4 Ship", "1", "0", "1", "1"],
        ["▼ run 2 Do not ship", "1", "1 care", "0", "0"],
        ["▼ run 3 Do not ship", "1", "0", "1", "▼ 9"],
    ]


def test_a_run_of_unlike_data_has_no_outcomes_but_its_failures(tmp_path: Path) -> None:
    other = ragauge.evaluate([{"id": "z", "quality": 1.0, "care": 1.0, "failure": None}], METRICS)
    part = summary([run(0.2), other, run(0.3)], tmp_path)
    assert "These runs cannot be compared." in part.line
    assert [row.all("td")[-1].line for row in part.one("tbody").all("tr")] == ["0", "0", "0"]


def test_causes_end_a_sentence_make_a_bar_and_lead_to_their_samples(tmp_path: Path) -> None:
    tea = "The tea house opens at nine. It serves oolong and green tea."

    def of(answers: list[str]) -> ragauge.Result:
        rows = [
            {"id": f"q{place}", "answer": answer, "contexts": [tea], "references": ["It opens at nine."]}
            for place, answer in enumerate(answers)
        ]
        return ragauge.evaluate(rows, ["groundedness", "answer-correctness"], evidence=True)

    before = of(["The tea house opens at nine."] * 4)
    after = of(
        ["The tea house opens at ten.", "The tea house opens at ten.", "I do not know.", "The tea house opens at nine."]
    )
    page = read(ragauge.report([before, after], tmp_path / "page.html"))
    sentence = page.one("section", id="summary").all("p", class_="finding")[-1]
    assert sentence.line == "Worse on 3 samples: 2 contradicted, 1 declined"
    addresses = [str(link.attributes["href"]) for link in sentence.all("a")]
    assert addresses == ["#cause=contradicted&sort=fell", "#cause=declined&sort=fell"]
    bar = page.one("svg", class_="cause-bar").all("rect")
    assert [(one.attributes["x"], one.attributes["width"]) for one in bar] == [("0.0", "66.667"), ("66.667", "33.333")]
    held = payload(page)
    found = [None if cause is None else (cause[0], cause[1][0][:29]) for cause in held["causes"]]
    assert found == [
        ("contradicted", "the answer has ten where the "),
        ("contradicted", "the answer has ten where the "),
        ("declined", "the answer declines: I do not"),
        None,
    ]
    assert held["names_of_causes"]["declined"] == ["declined", "拒答"]
    zh = sentences([before, after], tmp_path, language="zh")
    assert zh[-1] == "有 3 个样本变差：2 个与段落或参考答案矛盾，1 个拒答"
