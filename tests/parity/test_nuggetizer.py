"""Scores of nuggets against nuggetizer's scorer, to the last digit.

``nuggetizer.jsonl`` holds what ``calculate_nugget_scores`` of ``nuggetizer/core/metrics.py`` returns for 200 random
lists of nuggets (0.0.5 from PyPI; that of its repository at 0b58400 has the same formulas): ``v`` vital or ``o`` okay,
and ``s`` support, ``p`` partial_support or ``n`` not_support.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

import pytest

import ragauge

NAMES = ("nugget-all", "nugget-vital", "nugget-strict-all", "nugget-strict-vital")
IMPORTANCE = {"v": "vital", "o": "okay"}
ASSIGNMENT = {"s": "support", "p": "partial_support", "n": "not_support"}
RECORDS = [json.loads(line) for line in Path(__file__).with_name("nuggetizer.jsonl").read_text("utf-8").splitlines()]


def nuggets_of(words: str) -> list[dict[str, str]]:
    return [
        {"text": word, "importance": IMPORTANCE[word[0]], "assignment": ASSIGNMENT[word[1]]} for word in words.split()
    ]


def test_each_sample_is_nuggetizers() -> None:
    """Where no nugget counts, nuggetizer scores 0, and the sample is undefined here."""
    rows = [{"id": str(place), "nuggets": nuggets_of(one["nuggets"])} for place, one in enumerate(RECORDS)]
    result = ragauge.evaluate(rows, list(NAMES), resamples=0)
    for place, name in enumerate(NAMES):
        theirs = [one["scores"][place] for one in RECORDS]
        counts = [one["nuggets"].count("v") if "vital" in name else len(one["nuggets"]) for one in RECORDS]
        kept = [number for number, count in enumerate(counts) if count]
        scores = result.scores(name)
        assert [scores[number] for number in kept] == [theirs[number] for number in kept]
        assert result[name].undefined == len(RECORDS) - len(kept) > 0
        assert result[name].value == pytest.approx(mean(theirs[number] for number in kept), abs=1e-15)


def test_its_own_example() -> None:
    """The example of its test of ``calculate_metrics.py``, tests/test_scripts.py at 1bc4428."""
    nuggets = nuggets_of("vs op")
    assert [ragauge.score(name, nuggets=nuggets) for name in NAMES] == [0.75, 1.0, 0.5, 1.0]


@pytest.mark.parametrize("name", NAMES)
def test_its_names_are_known(name: str) -> None:
    theirs = f"{name.removeprefix('nugget-').replace('-', '_')}_score"
    assert ragauge.score(theirs, nuggets=nuggets_of("vp os on")) == ragauge.score(name, nuggets=nuggets_of("vp os on"))
