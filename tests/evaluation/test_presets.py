"""Which metrics are computed when none is named."""

from __future__ import annotations

from itertools import chain

import pytest

from ragauge.errors import ColumnError, UnknownNameError
from ragauge.evaluation.presets import PRESETS, chosen
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
