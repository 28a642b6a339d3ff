"""Each example runs as a reader would run it, and prints what it says it shows."""

from __future__ import annotations

import re

import pytest

import ragauge
from ragauge.display.numbers import number
from tests.examples.running import EXAMPLES, ROOT, output_of

# Those that need libraries of their own have tests of their own.
APART = {"chinese", "rag_pipeline"}
SIMPLE = sorted(path.name for path in EXAMPLES.glob("*.py") if path.stem not in APART)


@pytest.mark.parametrize("name", SIMPLE)
def test_it_runs_from_anywhere(name: str) -> None:
    assert output_of(name).strip()


def test_answers_are_scored_in_three_ways() -> None:
    printed = output_of("score_answers.py")
    score = ragauge.evaluate(EXAMPLES / "answers.zh.jsonl", "rouge-l", lang="zh")["rouge-l"]
    assert re.search(rf"^rouge-l +{number(score.value, score.low, score.high)} .* 10/10", printed, re.MULTILINE)
    assert re.search(r"lowest by rouge-l:\n  0.00  zh-7 ", printed)
    assert re.search(r"^token-f1 .* 2/3 ", printed, re.MULTILINE)
    assert "rouge-l of one answer: 0.9" in printed


def test_a_ranking_is_scored_against_judgements() -> None:
    printed = output_of("rank_a_corpus.py")
    assert "nDCG@10 of each judged query: {'who founded the tea house?': 1.0" in printed
    assert "where is it?': 0.0" in printed


def test_what_fails_while_a_system_is_asked_is_counted() -> None:
    printed = output_of("ask_a_system.py")
    assert "failed: {'TimeoutError: the kettle did not answer'}" in printed
    assert re.search(r"^mrr .* 17/18 .*1 failed", printed, re.MULTILINE)


def test_a_custom_metric_has_groups() -> None:
    printed = output_of("custom_metric.py")
    rows = ragauge.evaluate(ROOT / "corpora/tea-house.jsonl", "mrr", resamples=0).to_arrow().to_pylist()
    share = sum(any(one in row["answer"] for one in row["references"]) for row in rows) / len(rows)
    assert re.search(rf"^names-a-reference +{share:.2f} .* 18/18", printed, re.MULTILINE)
    assert re.search(r"^zh +names-a-reference", printed, re.MULTILINE)
    assert len((EXAMPLES / "custom_metric.py").read_text(encoding="utf-8").splitlines()) <= 30
