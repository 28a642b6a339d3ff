"""``ragauge metrics``: the list and each explanation come from the metrics themselves."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

import ragauge
from ragauge.core.options import option_fields
from ragauge.core.registry import entries
from ragauge.core.sample import Sample
from ragauge.metrics.parse import parse
from ragauge.reports.texts import meanings

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
    options = {field.name for field in option_fields(entries("metric")[name].cls)}
    assert "options:\n" in done.out or options == {"average"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_explanations_are_as_wide_as_the_screen(
    language: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("RAGAUGE_LANG_UI", language)
    for name in entries("metric"):
        lines = here(capsys, "metrics", name).out.splitlines()
        # Formulas are indented by four, commands are copied, and a path or a list of options has no spaces.
        wide = [line for line in lines if cell_len(line) > 60 and " " in line.strip() and line[:5].count(" ") != 4]
        assert not [line for line in wide if "ragauge score" not in line and "method5" not in line]


def test_options_of_one_value_are_left_out(capsys: Captured) -> None:
    assert "average=" not in here(capsys, "metrics", "groundedness").out
    assert "average=samples or pooled (default samples)" in here(capsys, "metrics", "rouge-1").out


def test_no_value_is_said_once(capsys: Captured) -> None:
    shown = here(capsys, "metrics", "ndcg").out
    assert "  k=a whole number from 1 to 1000000 (default none)\n      the cutoff; none: no cutoff." in shown


def test_what_only_english_has_comes_last_in_chinese(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGAUGE_LANG_UI", "zh")
    chinese, _, english = here(capsys, "metrics", "ndcg").out.partition("详细说明（英文）：")
    assert "  matcher=匹配方式（默认 contains）" in chinese
    assert "decides which" not in chinese
    assert "  matcher: decides which passages match; without effect on ids." in english


def test_options_that_metrics_share_are_explained_once(capsys: Captured) -> None:
    said = here(capsys, "metrics", "ndcg").out
    assert "  missing_queries=zero or skip (default zero)\n      a judged query that the run lacks scores" in said
    assert said.count("the best order of all judgements;") == 1


def test_a_whole_spec_is_explained_too(capsys: Captured) -> None:
    assert here(capsys, "metrics", "ndcg@10:gain=exp").out == here(capsys, "metrics", "ndcg").out


def test_a_name_of_elsewhere_is_explained_as_ours(capsys: Captured) -> None:
    assert here(capsys, "metrics", "P_5").out == here(capsys, "metrics", "precision").out


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


def test_a_name_that_asks_another_question_has_a_meaning_of_its_own() -> None:
    metrics = entries("metric")
    implied = {name for name, one in metrics.items() if one.fixed and not one.alias_of}
    own = {name for name in implied if metrics[name].meaning}
    # The order of n-grams is in the name.
    assert implied - own == {"chrf++", "distinct-1", "distinct-2", "rouge-1", "rouge-2"}
    assert len({metrics[name].meaning for name in own}) == len(own)
    judge = ragauge.judges.FunctionJudge(lambda messages: "", "example")
    for name in own:
        english, chinese = meanings(parse(name, {"judge": judge} if name.startswith("judged-") else {}))
        assert (english, english[-1]) == (metrics[name].meaning, ".")
        assert chinese != english, name
