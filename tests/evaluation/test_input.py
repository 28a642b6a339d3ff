"""One sample or whole columns, and the mistakes made with either."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.evaluation.input import rows_of
from tests.conformance.test_conformance import every_metric, parse
from tests.skips import FRAMES


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ({"answer": "a", "references": ["a", "b"]}, 1),
        ({"answer": "a", "references": "a"}, 1),
        ({"answer": ["a", "b"], "references": ["a", "b"]}, 2),
        ({"answer": ["a", "b"], "references": [["a"], ["b", "c"]]}, 2),
        ({"answer": ["a", None], "references": [["a"], None]}, 2),
        ({"retrieved": ["a", "b"], "relevance": {"a": 1}}, 1),
        ({"retrieved": [["a"], ["b"]], "relevance": [{"a": 1}, {"b": 2}]}, 2),
        ({"relevance": [3, 2, 0]}, 1),
        ({"relevance": [[3, 2], [0]]}, 2),
        ({"retrieved": ["a"], "relevance": [{"id": "a", "grade": 1}]}, 1),
        ({"retrieved": ["a", "b"], "retrieved_scores": [0.5, 0.25], "relevance": {"a": 1}}, 1),
        ({"retrieved": [["a"]], "retrieved_scores": [[0.5]], "relevance": [{"a": 1}]}, 1),
        ({"latency": [0.5, 1.0, 2.0]}, 3),
        ({"latency": np.array([0.5, 1.0])}, 2),
        ({"latency": pd.Series([0.5, 1.0])}, 2),
    ],
)
def test_samples_and_columns_are_told_apart(columns: dict[str, Any], rows: int) -> None:
    assert len(rows_of(columns)) == rows


def test_a_series_of_polars_is_a_list() -> None:
    series = pytest.importorskip("polars", reason=FRAMES).Series(["a", "b"])
    assert len(rows_of({"retrieved": series, "relevance": {"a": 1}})) == 1


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({}, "there is nothing to score: give columns"),
        ({"answer": ["a", "b"], "references": [["a"]]}, "columns have different lengths: answer 2, references 1"),
        ({"answer": ["a", "b", "c"], "references": [["a", "b", "c"]] * 2}, "references are transposed: 2 lists of 3"),
        ({"answer": ["a"], "question": "q"}, "answer holds one entry per sample, but question holds one sample"),
    ],
)
def test_mistakes_are_named(columns: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        rows_of(columns)


def test_arrays_score_as_lists_do() -> None:
    assert ragauge.score("ndcg@3", relevance=np.array([3, 0, 2])) == ragauge.score("ndcg@3", relevance=[3, 0, 2])


def test_columns_that_nothing_reads_are_named() -> None:
    rows = [{"answer": "a", "references": "a", "docs": ["x"], "topic": "t", "team": "u", "failure": None, "extra": 1}]
    result = ragauge.evaluate(rows, "token-f1", by="topic", cluster="team", resamples=0)
    assert result.data.notes[-1] == "unused columns: docs (looks like contexts: map={'contexts': 'docs'}), extra"
    read_by_a_metric = ragauge.evaluate([{"answer": "a", "extra": 1}], "column:name=extra", resamples=0)
    assert read_by_a_metric.data.notes == ()
    many = ragauge.evaluate([{"answer": "a", **{f"c{k}": k for k in range(20)}}], "column:name=c0", resamples=0)
    assert many.data.notes[-1].endswith("c9, c10, 9 more")


SAMPLE: dict[str, Any] = {
    "question": "Who founded the tea house?",
    "answer": "Lin Wan founded it in 1990 [2]. 林婉开办了它。",
    "references": ["Lin Wan founded it.", "林婉"],
    "contexts": ["It opened in 1990.", "Lin Wan founded the tea house.", "Forty guests fit."],
    "reference_contexts": ["Lin Wan founded the tea house."],
    "earlier_contexts": ["The tea house is in Suzhou."],
    "retrieved": ["a", "b", "c"],
    "relevance": {"b": 2, "d": 1},
    "language": "en",
    "answerable": True,
    "is_answerable": True,
    "is_impossible": False,
    "unanswerable": False,
    "nuggets": ["Lin Wan founded it", "in 1990"],
    "subtopics": [["a"], ["b", "c"]],
    "retrieved_spans": [{"document": "a", "start": 0, "end": 9}],
    "reference_spans": [{"document": "a", "start": 5, "end": 12}, {"document": "a", "start": 20, "end": 22}],
    "tool_calls": [{"name": "search", "arguments": {"q": "tea"}}, {"name": "stop"}],
    "reference_tool_calls": [{"name": "search", "arguments": {"q": "tea"}}],
    "citations": [{"text": "Lin Wan founded it in 1990 [2].", "citations": ["b"]}],
    "generated_questions": ["Who founded it?", "谁开办了它？"],
    "questions": ["Who founded it?"],
    "latency": 0.5,
    "other_answer": "Lin Wan.",
}


@every_metric
def test_one_sample_scores_as_a_column_of_one_does(spec: str) -> None:
    metric = parse(spec)
    for needs in metric.needs:
        plain = {name: SAMPLE[name] for name in needs}
        if needs == ("nuggets",):
            plain = {"nuggets": [{"text": "in 1990", "assignment": "support"}]}
        given = [plain, {**plain, "citations": SAMPLE["citations"]}]
        empty: dict[str, list[Any]] = {
            name: [] for name in needs if name in ("nuggets", "subtopics", "tool_calls", "retrieved_spans")
        }
        for columns in [*given, *([{**plain, **empty}] if empty else [])]:
            one = ragauge.score(metric, **columns)
            assert one == pytest.approx(ragauge.score(metric, **{name: [value] for name, value in columns.items()}),
                                        rel=0, abs=0, nan_ok=True)  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ({"tool_calls": [], "reference_tool_calls": [{"name": "a"}]}, 1),
        ({"tool_calls": ['[{"name": "a"}]', "[]"], "reference_tool_calls": ["[]", "[]"]}, 2),
        ({"tool_calls": [[], [{"name": "a"}]], "reference_tool_calls": [[], []]}, 2),
        ({"answer": "a", "nuggets": ["b"]}, 1),
        ({"answer": ["a", "c"], "nuggets": [["b"], []]}, 2),
        ({"retrieved": ["a", "b", "c", "d"], "subtopics": [["a"], ["b"], []]}, 1),
        ({"retrieved": [["a"], ["b"]], "subtopics": [[["a"]], [["b"], []]]}, 2),
    ],
)
def test_lists_that_only_some_metrics_read(columns: dict[str, Any], rows: int) -> None:
    assert len(rows_of(columns)) == rows
