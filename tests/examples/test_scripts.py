"""Each example runs as a reader would run it, and prints what it says it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ragauge
from tests.examples.running import EXAMPLES, ROOT, example

# Those that need libraries of their own have tests of their own.
APART = {"chinese", "rag_pipeline"}
SIMPLE = sorted(path.name for path in EXAMPLES.glob("*.py") if path.stem not in APART)


@pytest.mark.parametrize("name", SIMPLE)
def test_it_runs_from_anywhere(name: str, tmp_path: Path) -> None:
    assert example(name, within=tmp_path).strip()


def test_answers_are_scored_in_three_ways(tmp_path: Path) -> None:
    said = example("score_answers.py", within=tmp_path)
    table = ragauge.evaluate(EXAMPLES / "answers.zh.jsonl", "rouge-l", lang="zh")
    assert re.search(rf"^rouge-l +{table['rouge-l'].value:.4f} .* 10/10", said, re.MULTILINE)
    assert re.search(r"lowest by rouge-l:\n  0.00  zh-7 ", said)
    assert re.search(r"^token-f1 .* 2/3 ", said, re.MULTILINE)
    assert "rouge-l of one answer: 0.9" in said


def test_a_ranking_is_scored_against_judgements(tmp_path: Path) -> None:
    said = example("rank_a_corpus.py", within=tmp_path)
    assert "nDCG@10 of each judged query: {'who founded the tea house?': 1.0" in said
    assert "where is it?': 0.0" in said


def test_what_fails_while_a_system_is_asked_is_counted(tmp_path: Path) -> None:
    said = example("ask_a_system.py", within=tmp_path)
    assert "failed: {'TimeoutError: the kettle did not answer'}" in said
    assert re.search(r"^mrr .* 17/18 .*1 failed", said, re.MULTILINE)


def test_a_custom_metric_has_groups(tmp_path: Path) -> None:
    said = example("custom_metric.py", within=tmp_path)
    rows = ragauge.evaluate(ROOT / "corpora/tea-house.jsonl", "mrr", resamples=0).to_arrow().to_pylist()
    share = sum(any(one in row["answer"] for one in row["references"]) for row in rows) / len(rows)
    assert re.search(rf"^names-a-reference +{share:.4f} .* 18/18", said, re.MULTILINE)
    assert re.search(r"^zh +names-a-reference", said, re.MULTILINE)
    assert len((EXAMPLES / "custom_metric.py").read_text(encoding="utf-8").splitlines()) <= 30
