"""The graded answers, and what they say of metrics."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import ragauge
from ragauge.display.numbers import number
from tests.examples.running import EXAMPLES, output_of

ANSWERS = EXAMPLES / "graded_answers.jsonl"
ROWS = [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]


def test_every_question_has_an_answer_of_each_system() -> None:
    assert Counter(row["language"] for row in ROWS) == {"en": 32, "ru": 32, "zh": 32}
    assert set(Counter(row["question"] for row in ROWS).values()) == {4}
    assert len({row["id"] for row in ROWS}) == len(ROWS) == 96
    assert Counter(row["human"] for row in ROWS).keys() == {0, 1, 2}


def test_quoted_and_misled_answers_stand_in_their_passage() -> None:
    for row in ROWS:
        if row["system"] == "misled":
            assert row["human"] == 0
            assert row["contexts"] not in [one["contexts"] for one in ROWS if one["id"] == row["id"][:4] + "-quoting"]


@pytest.mark.costly
def test_the_script_prints_what_the_library_finds() -> None:
    printed = output_of("human_labels.py")
    metrics = ["rouge-l", "semantic-similarity", "groundedness"]
    found = ragauge.validate(ANSWERS, metrics, human="human", lang="column", resamples=50)
    for metric in ("rouge-l", "semantic-similarity"):
        one = found[metric, "kendall"]
        assert number(one.value, one.low, one.high) in printed
    assert [line.split()[0] for line in printed.splitlines()[-4:]] == ["guessing", "misled", "quoting", "rewording"]


def means(result: ragauge.Result, metric: str) -> dict[object, float]:
    return {system: score.value for system, score in result.groups(metric, "system").items()}


def test_what_the_page_says_of_these_answers_holds() -> None:
    metrics = ["rouge-l", "semantic-similarity", "groundedness"]
    found = ragauge.validate(ANSWERS, metrics, human="human", lang="column", resamples=200)
    assert found["semantic-similarity", "kendall"].low > 0
    assert found["groundedness", "kendall"].high < 0
    result = ragauge.evaluate(ANSWERS, ["column:name=human", *metrics], by="system", lang="column", resamples=0)
    human, overlap, grounded = (means(result, name) for name in ("column:name=human", "rouge-l", "groundedness"))
    assert human["rewording"] == 2
    assert overlap["guessing"] > overlap["rewording"] > overlap["misled"]
    assert grounded["misled"] > 0.9
    assert grounded["rewording"] < 0.5
