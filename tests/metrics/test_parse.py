"""Metrics from their text: several values after @, labels, shared ingredients, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.metrics.parse import parse, parse_all


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("ndcg@1,3", ["ndcg@1", "ndcg@3"]),
        ("ndcg@1,3:gain=exp", ["ndcg@1:gain=exp", "ndcg@3:gain=exp"]),
        (" mrr ", ["mrr"]),
        ("rouge-n@2", ["rouge-n@2"]),
        ("P@1,5", ["precision@1", "precision@5"]),
        ("时延=column:name=耗时", ["时延"]),
        ("زمن=mrr", ["زمن"]),
    ],
)
def test_the_names_of_what_is_asked_for(text: str, specs: list[str]) -> None:
    assert list(parse_all(text)) == specs


def test_a_value_of_all_metrics_fills_an_option_that_was_not_named() -> None:
    shared = {"matcher": "edit"}
    assert str(parse("ndcg", shared)) == "ndcg:matcher=edit"
    assert str(parse("ndcg:matcher=exact", shared)) == "ndcg:matcher=exact"
    assert str(parse("rouge-l", shared)) == "rouge-l"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("ndcg@1,3", UsageError, "'ndcg@1,3' stands for 2 metrics; give one here"),
        ("ndcg@0", OptionError, "'k' of ndcg must be"),
        ("ndcg:cutoff=3", OptionError, "ndcg has no option 'cutoff'"),
        ("ngcg", UnknownNameError, "unknown metric 'ngcg'; did you mean ndcg"),
        ("", UsageError, "cannot read '': a name is missing"),
    ],
)
def test_what_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        parse(text)


def test_a_metric_is_written_as_text() -> None:
    wrong: Any = 7
    with pytest.raises(UsageError, match="a metric must be written as text, such as 'ndcg@10'; got 7"):
        parse_all(wrong)


@pytest.mark.parametrize("spec", ["both=ndcg@1,3", "=ndcg", " =mrr", "a=b=mrr", "=" * 5000])
def test_a_label_is_of_one_metric(spec: str) -> None:
    with pytest.raises(UsageError, match="give one label to one metric"):
        parse_all(spec)


def test_a_label_names_a_metric_everywhere(tmp_path: Path) -> None:
    rows = [{"id": name, "latency": time, "answer": name, "references": "a"} for name, time in (("a", 2.0), ("b", 4.0))]
    specs = ["时延=column:name=latency,direction=lower", "em=exact-match"]
    result = ragauge.evaluate(rows, specs, resamples=0)
    assert [score.metric for score in result.table] == ["时延", "em"]
    assert result["时延"].value == 3.0
    result.save(tmp_path / "run")
    again = ragauge.load(tmp_path / "run")
    assert again["时延"].value == 3.0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["run"]["metrics"]["时延"] == "column:name=latency"
