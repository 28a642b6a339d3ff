"""Which answers were right before and are now: the rule, the counts, and where it cannot be told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.reports.runs import Page, load_runs
from ragauge.reports.sections.changes import changes
from ragauge.reports.sections.flow import Flow, flow
from ragauge.reports.texts import Texts
from ragauge.results.result import Result

RIGHT, WRONG, NOTHING = "It opens at nine.", "Oolong, green and black.", "I do not know."


def scored(*answers: str | None, metrics: Any = "answer-correctness", **columns: Any) -> Result:
    rows: list[dict[str, Any]] = [
        {"id": f"q{place}", "answer": answer, "references": [RIGHT]} | {k: v[place] for k, v in columns.items()}
        for place, answer in enumerate(answers)
    ]
    return ragauge.evaluate(rows, metrics, resamples=0)


def flow_of(*runs: Result) -> Flow | None:
    page = Page.of(load_runs(runs), Texts())
    return flow(page, changes(page))


def bands(found: Flow | None) -> dict[str, int]:
    assert found is not None
    return {f"{found.names[band.before]} {found.names[band.after]}": band.count for band in found.bands}


def test_each_sample_is_in_the_band_of_its_two_answers() -> None:
    before = RIGHT, RIGHT, RIGHT, WRONG, NOTHING, RIGHT, WRONG
    found = flow_of(scored(*before), scored(RIGHT, WRONG, NOTHING, RIGHT, RIGHT, "", WRONG))
    expected = "right wrong", "right declined", "wrong right", "declined right", "right right", "wrong wrong"
    assert bands(found) == dict.fromkeys(expected, 1) | {"right declined": 2}
    assert found is not None
    assert found.codes(np.arange(7)) == ["0001201", "0120021"]
    assert [band.change for band in found.bands] == ["worse", "worse", "better", "better", "same", "same"]


def test_an_answer_that_declines_where_the_reference_does_is_right() -> None:
    rows = [{"id": "q", "answer": "I do not know.", "references": ["I do not know."]}]
    runs = [ragauge.evaluate(rows, "answer-correctness", resamples=0) for _ in range(2)]
    assert bands(flow_of(*runs)) == {"right right": 1}


def test_a_sample_that_failed_has_declined_and_one_without_a_score_is_nowhere() -> None:
    references = [[RIGHT], None, [RIGHT]]
    before = scored(RIGHT, RIGHT, RIGHT, references=references)
    found = flow_of(before, scored(None, RIGHT, RIGHT, references=references, failure=["time out", None, None]))
    assert bands(found) == {"right declined": 1, "right right": 1}
    assert found is not None
    assert found.codes(np.array([1, 0])) == ["-0", "-2"]


@pytest.mark.parametrize(
    ("direction", "middle", "states"), [("higher", "at least 2", ["0", "1"]), ("lower", "at most 2", ["1", "0"])]
)
def test_the_rule_is_said_and_turns_with_the_metric(direction: str, middle: str, states: list[str]) -> None:
    metric = f"column:name=stars,low=0,high=4,direction={direction}"
    found = flow_of(*(scored(RIGHT, metrics=metric, stars=[stars]) for stars in (3, 1)))
    assert found is not None
    assert Texts().text(found.rules[0]) == f"Right: stars (column) of {middle}, the middle of its range."
    assert found.codes(np.array([0])) == states


def test_retrieval_alone_declines_nothing() -> None:
    rows = [{"id": "q", "retrieved": ["a"], "relevance": {"a": 1}}]
    none = [{"id": "q", "retrieved": ["b"], "relevance": {"a": 1}}]
    found = flow_of(*(ragauge.evaluate(one, "recall@5", resamples=0) for one in (rows, none)))
    assert found is not None
    assert bands(found) == {"right wrong": 1}
    assert len(found.rules) == 1


def test_of_three_runs_the_flow_is_to_the_shown_one() -> None:
    page = Page.of(load_runs([scored(RIGHT), scored(WRONG), scored(NOTHING)]), Texts())
    for shown, expected in ((1, "right wrong"), (2, "right declined")):
        found = flow(replace(page, shown=shown), changes(page))
        assert bands(found) == {expected: 1}
        assert found is not None
        assert found.bands[0].address.endswith(f"&run=run%20{shown + 1}")


def test_no_flow_of_one_run_or_without_a_middle() -> None:
    one = scored(RIGHT)
    assert flow_of(one) is None
    unbounded = scored(RIGHT, metrics="column:name=seconds,direction=lower", seconds=[2.5])
    assert flow_of(unbounded, unbounded) is None
