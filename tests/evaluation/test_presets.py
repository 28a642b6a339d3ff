"""Which metrics are computed when none is named."""

from __future__ import annotations

from itertools import chain

import pyarrow as pa
import pytest

import ragauge
from ragauge.comparison.primary import primary_metrics
from ragauge.core.batch import Batch, Dataset
from ragauge.errors import ColumnError, UnknownNameError
from ragauge.evaluation.presets import PRESETS, chosen, price_columns
from ragauge.metrics.parse import parse_all
from tests.approved import pattern

BY_ID = ("retrieved", "relevance")
BY_TEXT = ("contexts", "reference_contexts")
ANSWERS = ("answer", "references")


@pytest.mark.parametrize("preset", sorted(PRESETS.keys() - {"all"}))
def test_every_preset_can_be_made(preset: str) -> None:
    kept, left_out = chosen(preset, (*BY_ID, *BY_TEXT, *ANSWERS, "question"))
    assert list(kept) == [name for spec in PRESETS[preset] for name in parse_all(spec)]
    assert left_out == {}


def test_all_are_the_default_ones() -> None:
    for columns in ((*BY_ID, *BY_TEXT, *ANSWERS), ANSWERS):
        kept, left_out = chosen("all", columns)
        assert (list(kept), left_out) == (list(chosen(None, columns)[0]), chosen(None, columns)[1])


def test_columns_decide_and_what_is_left_out_is_said() -> None:
    kept, left_out = chosen(None, BY_ID)
    assert {metric.stage for metric in kept.values()} == {"retrieval"}
    assert "bleu" in left_out["answer and references"]
    kept, _ = chosen(None, ANSWERS)
    assert {metric.stage for metric in kept.values()} == {"generation"}


def test_metrics_of_rag_where_there_are_contexts() -> None:
    kept, _ = chosen(None, ("question", "answer", "contexts"))
    assert {"groundedness", "context-relevancy", "context-utilization", "answer-relevancy"} <= set(kept)
    kept, left_out = chosen(None, ("question", *ANSWERS))
    assert "answer-correctness" not in {*kept, *chain.from_iterable(left_out.values())}
    assert "answer-correctness" in chosen("rag", ("question", *ANSWERS))[0]


def test_ids_are_cut_at_10_and_passages_are_not() -> None:
    assert "ndcg@10" in chosen(None, BY_ID)[0]
    assert "ndcg" in chosen(None, BY_TEXT)[0]


def test_nothing_that_can_be_computed_is_an_error() -> None:
    with pytest.raises(
        ColumnError,
        match=pattern("evaluation.none_of_the_default_metrics_can_be"),
    ):
        chosen(None, ("question",))
    with pytest.raises(ColumnError, match=pattern("evaluation.none_of_the_preset_retrieval_can_be")):
        chosen("retrieval", ANSWERS)


def test_a_column_that_no_default_metric_reads_is_named_with_the_metric_that_does() -> None:
    with pytest.raises(ColumnError, match=r"to score nuggets, pass metrics='nugget-all'\n"):
        chosen(None, ("question", "answer", "nuggets"))
    rows = [{"answer": "Tea grows.", "references": ["Tea."], "nuggets": ["tea grows"]}]
    [note] = [one for one in ragauge.evaluate(rows, resamples=0).data.notes if "unused columns" in one]
    assert note.endswith("nuggets (for metrics='nugget-all')")
    assert ragauge.evaluate(rows, "nugget-all", resamples=0)["nugget-all"].scored == 1


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(UnknownNameError, match=pattern("evaluation.unknown_preset_retreival_did_you_mean_retrieval")):
        chosen("retreival", BY_ID)


def test_a_summary_is_scored_against_its_source_where_that_is_given() -> None:
    kept, left_out = chosen("summary", ("answer", "references"))
    assert "rouge-lsum" in kept
    assert left_out == {"contexts": ["groundedness"]}
    assert "groundedness" in chosen("summary", ("answer", "references", "contexts"))[0]


def test_a_translation_is_scored_by_n_grams_of_words_and_characters() -> None:
    found = list(chosen("translation", ("answer", "references"))[0])
    assert found == ["bleu", "chrf", "chrf++", "ter", "gleu", "meteor"]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"duration_s": [1.0], "latency": [2.0], "cost": [0.1]}, ["latency", "cost"]),
        (
            {"latency_ms": [250], "wall_s": [1.0], "cost_usd": [None], "total_cost": [3]},
            ["latency_ms", "total_cost"],
        ),
        ({"耗时(毫秒)": [20.0], "费用": [0.1]}, ["耗时(毫秒)", "费用"]),
        ({"応答時間(秒)": [2.0], "コスト": [3.0]}, ["応答時間(秒)", "コスト"]),
        ({"time": [1.7e9], "duration": [3.0], "rating": [4]}, []),
        ({"latency": ["0.2 s"], "cost": [True]}, []),
        ({"latency": [float("inf")], "cost": [None]}, []),
    ],
)
def test_one_column_of_time_and_one_of_cost_are_measured_by_default(columns: dict[str, list[object]], found: list[str]):
    assert list(price_columns(Dataset.of(Batch(pa.table(columns)), "rows"))) == found


def test_they_are_primary_and_have_their_units() -> None:
    rows = [{"answer": "a", "references": ["a"], "latency": 1.5, "cost_usd": place / 100} for place in range(3)]
    result = ragauge.evaluate(rows, resamples=0)
    assert primary_metrics(result, result.metrics) == ("rouge-l", "latency", "cost_usd")
    assert [(result[name].direction, result[name].unit) for name in ("latency", "cost_usd")] == [
        ("lower", "s"),
        ("lower", "USD"),
    ]
    assert "latency" in ragauge.evaluate(rows, preset="all", resamples=0).metrics
    assert "latency" not in ragauge.evaluate(rows, preset="generation", resamples=0).metrics
    assert "latency" not in ragauge.evaluate(rows, "bleu", resamples=0).metrics
