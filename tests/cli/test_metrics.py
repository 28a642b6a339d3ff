"""``ragauge metrics``: the list and each explanation come from the metrics themselves."""

from __future__ import annotations

import re

import pytest

import ragauge
from ragauge.core.registry import entries
from ragauge.core.sample import Sample

from .running import here

Captured = pytest.CaptureFixture[str]


def test_every_metric_is_listed_under_its_stage(capsys: Captured) -> None:
    done = here(capsys, "metrics")
    assert done.code == 0
    listed = [line.split()[0].partition("[")[0] for line in done.out.splitlines() if re.match("  [^ ]", line)]
    assert sorted(listed) == sorted(entries("metric"))
    assert [line for line in done.out.splitlines() if line in ("retrieval", "generation", "end-to-end")] == [
        "retrieval",
        "generation",
        "end-to-end",
    ]


@pytest.mark.parametrize("name", sorted(entries("metric")))
def test_every_metric_is_explained_with_its_options(name: str, capsys: Captured) -> None:
    done = here(capsys, "metrics", name)
    assert done.code == 0
    assert done.out.startswith(name)
    assert "options:\n" in done.out
    assert "average=" in done.out


def test_options_that_metrics_share_are_explained_once(capsys: Captured) -> None:
    said = here(capsys, "metrics", "ndcg").out
    assert "  missing_queries=zero or skip (default zero)\n      a judged query that the run lacks scores" in said
    assert said.count("the best order of all judgements;") == 1


def test_a_whole_spec_is_explained_too(capsys: Captured) -> None:
    assert here(capsys, "metrics", "ndcg@10:gain=exp").out == here(capsys, "metrics", "ndcg").out


def test_an_unknown_metric_is_refused(capsys: Captured) -> None:
    done = here(capsys, "metrics", "ndgc")
    assert (done.code, done.err) == (2, "error: unknown metric 'ndgc'; did you mean ndcg?\n")


@pytest.mark.usefixtures("registered")
def test_a_function_is_explained_by_its_own_words(capsys: Captured) -> None:
    @ragauge.metric
    def politeness(sample: Sample) -> float:
        """Whether the answer says please."""
        return float("please" in (sample.answer or ""))

    assert "  politeness" in here(capsys, "metrics").out
    assert "Whether the answer says please." in here(capsys, "metrics").out
    assert here(capsys, "metrics", "politeness").out == (
        "politeness\n\nWhether the answer says please.\n\nscore it: ragauge score DATA -m politeness\n"
    )
